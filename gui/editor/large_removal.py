"""Removes much text in parts: Qt takes a tenth of a second for ten megabytes, and half a second where each word of them
was replaced before."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCursor

from gui.editor.part_size import next_size

if TYPE_CHECKING:
    from gui.editor.soft_document import SoftDocument

MUCH_UNITS = 1 << 16
"""From more UTF-16 units than this on text goes in parts."""

FIRST_PART = 1 << 14
_SMALLEST, _LARGEST = 1 << 10, 1 << 18
_WANTED_SECONDS = 0.003  # a part is one step of Qt's, and to bring it back takes as long again


def is_much(cursor: QTextCursor) -> bool:
    """Whether a cursor has so much selected that it is removed in parts."""
    return cursor.selectionEnd() - cursor.selectionStart() > MUCH_UNITS


class LargeRemoval:
    """Takes what a cursor has selected away from its end: what is behind a change is moved by it."""

    def __init__(self, soft: SoftDocument, cursor: QTextCursor) -> None:
        self.cursor = QTextCursor(cursor)
        """What is left of it."""
        self._soft = soft
        self._size = FIRST_PART

    def advance(self, *, settle: bool = True) -> bool:
        """Remove the last part, as one step of Qt's. Whether there is more. ``settle``: as for the document."""
        began = perf_counter()
        self._soft.insert(self._last_part(), "", settle=settle)
        self._size = next_size(self._size, perf_counter() - began, _WANTED_SECONDS, _SMALLEST, _LARGEST)
        return self.cursor.hasSelection()

    def _last_part(self) -> QTextCursor:
        """It begins with a paragraph, if it can, and never inside a surrogate pair."""
        start, end = self.cursor.selectionStart(), self.cursor.selectionEnd()
        first = max(start, end - self._size)
        document = self.cursor.document()
        if first > start:
            paragraph = document.findBlock(first).position()
            if paragraph > start and first - paragraph < self._size:
                first = paragraph
            elif "\udc00" <= document.characterAt(first) <= "\udfff":
                first -= 1
        part = QTextCursor(self.cursor)
        part.beginEditBlock()  # in which Qt does not lay out the line, to know where the caret is seen
        part.setPosition(first)
        part.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        part.endEditBlock()
        return part
