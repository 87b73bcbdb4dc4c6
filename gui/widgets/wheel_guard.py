"""Keeps the mouse wheel from turning the values over which a page is being scrolled."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget


class WheelGuard(QObject):
    """Lets a control have the wheel only while it has the focus; else the page behind it scrolls."""

    def guard(self, page: QWidget) -> None:
        """Watch every box of numbers and choices on a page."""
        for kind in (QAbstractSpinBox, QComboBox):
            for control in page.findChildren(kind):
                control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False
