"""What is so much that it is removed in parts: Qt takes a tenth of a second for ten megabytes."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

PART_UNITS = 1 << 16
"""UTF-16 units that are taken away as one step of Qt's, which takes a few milliseconds; thirty where each of its words
was replaced before."""


def is_much(cursor: QTextCursor) -> bool:
    """Whether a cursor has so much selected that it is removed in parts."""
    return cursor.selectionEnd() - cursor.selectionStart() > PART_UNITS


def last_part(cursor: QTextCursor) -> QTextCursor:
    """The last part of what a cursor has selected; all of it, where it is not much. It begins with a paragraph, if it
    can, and never inside a surrogate pair."""
    first, end = cursor.selectionStart(), cursor.selectionEnd()
    if is_much(cursor):
        start, first = first, end - PART_UNITS
        document = cursor.document()
        paragraph = document.findBlock(first).position()
        if paragraph > start and first - paragraph < PART_UNITS:
            first = paragraph
        elif "\udc00" <= document.characterAt(first) <= "\udfff":
            first -= 1
    part = QTextCursor(cursor)
    part.setPosition(first)
    part.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return part
