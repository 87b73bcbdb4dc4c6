"""Labels and tool tips that show text as it is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from gui.core.token_text import shown


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


# --- tool tips --------------------------------------------------------------------------------------------------------


def plain_tip(text: str) -> str:
    """A tool tip that says ``text``, whatever it looks like, with what is invisible in it made visible."""
    return as_written(shown(text))


def as_written(text: str) -> str:
    """The same, invisible characters left alone: for text of ours, which marks the direction of its figures.

    A tool tip has no format of its own: Qt takes what looks like HTML for HTML. What could is escaped, as HTML.
    """
    if "<" not in text and "&" not in text:
        return text
    # Not before there is something to escape: most windows open without.
    from html import escape

    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>"
