"""Large texts in parts: how much of a change is made at a time, removal, and sources that are let go of as they go.

Qt takes a tenth of a second to remove ten megabytes, and half a second where each word of them was replaced before.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QTextCursor

from gui.editor.offsets import safe_end

if TYPE_CHECKING:
    from gui.editor.soft_document import SoftDocument

_LEAST_SECONDS = 1e-6  # what a clock does not see is taken for this


def next_size(size: int, seconds: float, wanted: float, least: int, most: int) -> int:
    """How large the next part should be to take the seconds that are wanted, where one of ``size`` took ``seconds``: at
    most twice as large, for small ones say little of large ones."""
    fitting = int(size * wanted / max(seconds, _LEAST_SECONDS))
    return max(least, min(most, fitting, 2 * size))


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


PIECE = 1 << 18
"""Characters, or bytes, of a piece."""


class TextSource(Protocol):
    """``size`` is that of the whole text, in a measure of its own; ``left`` what of it was not handed out."""

    size: int

    @property
    def left(self) -> int: ...

    def let_go(self) -> None:
        """Give back some memory, in little time; called again and again."""

    def next(self) -> str:
        """The next piece, empty at the end. None ends within a CRLF or a surrogate pair."""

    def rest(self) -> Iterator[str]:
        """All that was not handed out, in pieces; as long as nothing more is handed out."""


class StringSource:
    """A string, in characters. What has been handed out of it is let go of: with one emoji in it each takes four bytes,
    while the document, its mirror and the tokens grow."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        self._whole, self._cut = text, 0  # the string that came, and how much of it is in pieces
        self._pieces: deque[str] = deque()

    @property
    def left(self) -> int:
        return sum(map(len, self._pieces)) + len(self._whole) - self._cut

    def let_go(self) -> None:
        """Cut a piece off the string; the last one lets go of it."""
        if self._cut < len(self._whole):
            end = safe_end(self._whole, self._cut, PIECE)
            self._pieces.append(self._whole[self._cut : end])
            self._cut = end
        if self._cut >= len(self._whole):
            self._whole, self._cut = "", 0

    def next(self) -> str:
        if not self._pieces:
            self.let_go()
        return self._pieces.popleft() if self._pieces else ""

    def rest(self) -> Iterator[str]:
        yield from self._pieces
        start = self._cut
        while start < len(self._whole):
            end = safe_end(self._whole, start, PIECE)
            yield self._whole[start:end]
            start = end


class Utf8Source:
    """UTF-8, in bytes. Decoding ten megabytes as a whole would be a step of twenty milliseconds."""

    def __init__(self, data: memoryview) -> None:
        """What is no UTF-8 in ``data`` is read as U+FFFD."""
        self._data = data
        self.size = len(data)
        self._done = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""  # a carriage return, whose newline may come with the next piece

    @property
    def left(self) -> int:
        return self.size - self._done

    def let_go(self) -> None:
        """The bytes go as a whole."""

    def next(self) -> str:
        piece = ""
        while not piece and self._done < self.size:
            end = min(self._done + PIECE, self.size)
            piece = self._held + self._decoder.decode(self._data[self._done : end], end == self.size)
            self._held = "\r" if piece.endswith("\r") and end < self.size else ""
            self._done = end
            piece = piece.removesuffix(self._held)
        return piece

    def rest(self) -> Iterator[str]:
        other = Utf8Source(self._data)
        other._done, other._held = self._done, self._held
        other._decoder.setstate(self._decoder.getstate())
        while piece := other.next():
            yield piece
