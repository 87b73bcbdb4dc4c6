"""The text of a card of the Lab."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QPlainTextEdit

MOST_CHARACTERS = 100_000
"""Of what is pasted or dropped at a time. The card reads all of its text with every key, which takes seconds for ten
megabytes; the prompt and the training tab are for those."""


class LabText(QPlainTextEdit):
    """Takes only the beginning of what is pasted, where that is long."""

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(source.text()[:MOST_CHARACTERS])
