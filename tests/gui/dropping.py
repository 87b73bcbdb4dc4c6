"""Drops things on widgets, as a hand does."""

from __future__ import annotations

from typing import Any

from PySide6 import __version_info__
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

QT = __version_info__[:2]


def entering(place: QPoint, *how: Any) -> QDragEnterEvent:
    """What a widget gets when something is dragged over it. From Qt 6.12 on it takes a point
    of floats, and warns of the other."""
    return QDragEnterEvent(QPointF(place) if QT >= (6, 12) else QPoint(place), *how)


def drop(target: QWidget, data: QMimeData) -> bool:
    """Drag something onto a widget and let it go there, if it may be. Returns whether it was."""
    place = target.rect().center()
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = entering(place, *how)
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(place), *how))
    return enter.isAccepted()
