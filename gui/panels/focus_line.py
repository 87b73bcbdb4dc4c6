"""The frame that shows where the keyboard is, for widgets that Qt's style draws none for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QProgressBar, QWidget

from gui.look.theme import Theme

WIDTH = 2


def draw_focus(widget: QWidget, theme: Theme) -> None:
    """Frame a widget if it has the focus. Called at the end of its paint event."""
    if not widget.hasFocus():
        return
    painter = QPainter(widget)
    pen = QPen(theme.colour("focus"), WIDTH)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    half = WIDTH // 2
    painter.drawRect(widget.rect().adjusted(half, half, -half, -half))
    painter.end()


class ReachableProgressBar(QProgressBar):
    """A progress bar that the Tab key reaches, so that it is read out without looking for it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def paintEvent(self, event: object) -> None:
        super().paintEvent(event)
        draw_focus(self, self._theme)
