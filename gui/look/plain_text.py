"""Labels and tooltips that show text literally."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from gui.core.token_text import shown


class PlainLabel(QLabel):
    """A label that never interprets its text as HTML, which QLabel does if the text looks like it.

    So file names and token text are shown literally, and characters that hide or reorder text are made visible. A test
    finds labels that are not plain.
    """

    def __init__(self, *args: Any, role: str = "", **properties: Any) -> None:
        """``role``: as in the style sheet."""
        super().__init__(*args, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)

    def setText(self, text: str) -> None:
        super().setText(shown(text))


# --- tool tips --------------------------------------------------------------------------------------------------------


def plain_tip(text: str) -> str:
    """Return a tooltip that shows ``text`` literally, with invisible characters made visible."""
    return as_written(shown(text))


def as_written(text: str) -> str:
    """Return a tooltip that shows ``text`` literally and keeps invisible characters: for our own text, which contains
    direction marks.

    A tooltip has no text format: Qt interprets anything that looks like HTML. Such text is escaped, as HTML.
    """
    if "<" not in text and "&" not in text:
        return text
    # Imported late: most windows open without any text to escape.
    from html import escape

    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>"
