"""Large texts in parts: adaptive part sizes, removal, and sources that free memory as they are consumed.

Qt takes a tenth of a second to remove ten megabytes, and half a second if every word had been replaced before.
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

_MIN_SECONDS = 1e-6  # lower bound for times too short for the clock


def next_size(size: int, seconds: float, wanted: float, least: int, most: int) -> int:
    """Return the size of the next part so that it takes the wanted seconds, given that ``size`` took ``seconds``. At
    most twice ``size``, since small parts predict large ones poorly."""
    fitting = int(size * wanted / max(seconds, _MIN_SECONDS))
    return max(least, min(most, fitting, 2 * size))


MUCH_UNITS = 1 << 16
"""Number of UTF-16 units above which text is removed in parts."""

FIRST_PART = 1 << 14
_SMALLEST, _LARGEST = 1 << 10, 1 << 18
_WANTED_SECONDS = 0.003  # a part is one Qt undo step, and undoing it takes as long again


def is_much(cursor: QTextCursor) -> bool:
    """Return True if the selection is large enough to be removed in parts."""
    return cursor.selectionEnd() - cursor.selectionStart() > MUCH_UNITS


class LargeRemoval:
    """Removal of a cursor's selection in parts, from its end, so that less text has to move."""

    def __init__(self, soft: SoftDocument, cursor: QTextCursor) -> None:
        self.cursor = QTextCursor(cursor)
        """The part of the selection that is left."""
        self._soft = soft
        self._size = FIRST_PART

    def advance(self, *, settle: bool = True) -> bool:
        """Remove the last part, as one Qt step; return True if more is left. ``settle``: as in
        ``SoftDocument.insert``."""
        began = perf_counter()
        self._soft.insert(self._last_part(), "", settle=settle)
        self._size = next_size(self._size, perf_counter() - began, _WANTED_SECONDS, _SMALLEST, _LARGEST)
        return self.cursor.hasSelection()

    def _last_part(self) -> QTextCursor:
        """Return a cursor on the last part. It begins at a paragraph if possible, and never inside a surrogate pair."""
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
        part.beginEditBlock()  # within an edit block, Qt does not lay out the line to find the visible caret
        part.setPosition(first)
        part.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        part.endEditBlock()
        return part


PIECE = 1 << 18
"""Size of a chunk, in characters or bytes."""


class TextSource(Protocol):
    """A text read in chunks. ``size``: the whole text, in units of the source; ``left``: the part not yet read."""

    size: int

    @property
    def left(self) -> int: ...

    def drop(self) -> None:
        """Free some memory quickly; called repeatedly."""

    def next(self) -> str:
        """Return the next chunk, empty at the end. No chunk ends inside a CRLF or a surrogate pair."""

    def rest(self) -> Iterator[str]:
        """Yield the rest in chunks without consuming it; valid until the next call of ``next``."""


class StringSource:
    """A string source, in characters. Parts that were read are freed: one emoji makes each character take four bytes,
    while the document, its mirror and the tokens grow."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        self._whole, self._cut = text, 0  # the original string, and how much of it is in chunks
        self._pieces: deque[str] = deque()

    @property
    def left(self) -> int:
        return sum(map(len, self._pieces)) + len(self._whole) - self._cut

    def drop(self) -> None:
        """Split a chunk off the string; the last one frees the string."""
        if self._cut < len(self._whole):
            end = safe_end(self._whole, self._cut, PIECE)
            self._pieces.append(self._whole[self._cut : end])
            self._cut = end
        if self._cut >= len(self._whole):
            self._whole, self._cut = "", 0

    def next(self) -> str:
        if not self._pieces:
            self.drop()
        return self._pieces.popleft() if self._pieces else ""

    def rest(self) -> Iterator[str]:
        yield from self._pieces
        start = self._cut
        while start < len(self._whole):
            end = safe_end(self._whole, start, PIECE)
            yield self._whole[start:end]
            start = end


class Utf8Source:
    """A UTF-8 source, in bytes. Decoding ten megabytes at once would be a step of twenty milliseconds."""

    def __init__(self, data: memoryview) -> None:
        """Invalid UTF-8 in ``data`` is read as U+FFFD."""
        self._data = data
        self.size = len(data)
        self._done = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""  # a carriage return whose line feed may be in the next chunk

    @property
    def left(self) -> int:
        return self.size - self._done

    def drop(self) -> None:
        """Do nothing: the bytes are freed as a whole."""

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
