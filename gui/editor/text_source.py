"""A big text on its way into a document, handed out a piece at a time and let go of as it goes. No Qt in here."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator
from typing import Protocol

from gui.editor.offsets import safe_end

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
