"""How a text looks, whatever it is: whether its long lines are wrapped, and where."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gui.editor.rewrapping import Rewrapping


class PlainLook(QPlainTextEdit):
    """A text widget that can be told so. One with many paragraphs does so a moment later."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rewrapping = Rewrapping(self.document(), self)

    def set_word_wrap(self, wrap: bool) -> None:
        """Wrap long lines at the edge of the window, or let it scroll sideways."""
        mode = self.LineWrapMode
        act = partial(self.setLineWrapMode, mode.WidgetWidth if wrap else mode.NoWrap)
        if self._rewrapping.is_much:
            self._rewrapping.when_ready(act)
        else:
            act()

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_wider_or_narrower = event.size().width() != event.oldSize().width()
        if self._rewrapping.waits or (is_wider_or_narrower and self._rewrapping.is_much):
            # The height as well: Qt would let a view that is too narrow for its text scroll sideways.
            self._rewrapping.when_ready(self._take_size)
        else:
            super().resizeEvent(event)

    def _take_size(self) -> None:
        super().resizeEvent(QResizeEvent(self.viewport().size(), QSize()))
