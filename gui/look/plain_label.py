"""Labels that show text as it is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from gui.core.shown_text import shown


class PlainLabel(QLabel):
    """A label that never takes its text for HTML: Qt's own guesses by what the text looks like.

    So the name of a file or the text of a token is shown and not obeyed, and what hides or turns text is made visible.
    A test finds labels that are not plain.
    """

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        super().setText(shown(text))
