"""Drops things on widgets, as a hand does."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget


def drop(target: QWidget, data: QMimeData) -> bool:
    """Drag something onto a widget and let it go there, if it may be. Returns whether it was."""
    place = target.rect().center()
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(place), *how)
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(place), *how))
    return enter.isAccepted()
