"""How a text looks, whatever it is: whether its long lines are wrapped."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit


class PlainLook(QPlainTextEdit):
    """A text widget that can be told so."""

    def set_word_wrap(self, wrap: bool) -> None:
        """Wrap long lines at the edge of the window, or let it scroll sideways."""
        mode = self.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if wrap else mode.NoWrap)
