"""How a text looks, whatever it is: whether its long lines are wrapped, and its spaces are seen."""

from __future__ import annotations

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit


class PlainLook(QPlainTextEdit):
    """A text widget that can be told both."""

    def set_show_whitespace(self, shown: bool) -> None:
        """Show spaces and tabs, or not."""
        option = self.document().defaultTextOption()
        flags = option.flags()
        flag = QTextOption.Flag.ShowTabsAndSpaces
        option.setFlags(flags | flag if shown else flags & ~flag)
        self.document().setDefaultTextOption(option)

    def set_word_wrap(self, wrap: bool) -> None:
        """Wrap long lines at the edge of the window, or let it scroll sideways."""
        mode = self.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if wrap else mode.NoWrap)
