"""Puts a big text into the document a slice at a time, so that the window goes on answering.

Each slice takes a few milliseconds; how much goes into one follows from how long the last one took. The user's
editing waits meanwhile (the editor is read only), and Esc ends it with what is in.
"""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QTextCursor

from gui.editor.offsets import document_text
from gui.editor.soft_document import SoftDocument

FEED_ABOVE = 1_000_000
"""Texts with more characters than this are fed."""

FIRST_SLICE = 16 * 1024
_SMALLEST, _LARGEST = 4 * 1024, 128 * 1024
_WANTED_NS = 6_000_000


class TextFeed(QObject):
    """One text on its way into a document."""

    progressed = Signal(int, int)
    """Characters that are in, characters in all."""
    finished = Signal(object)
    """The end; with what was left out (str), empty unless cancelled."""

    def __init__(self, soft: SoftDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._soft = soft
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._step)
        self._text = ""
        self._done = 0
        self._size = FIRST_SLICE
        self._cursor: QTextCursor | None = None

    @property
    def active(self) -> bool:
        """Whether a text is on its way."""
        return self._cursor is not None

    @property
    def rest(self) -> str:
        """What is not in yet."""
        return self._text[self._done :] if self.active else ""

    def start(self, text: str, cursor: QTextCursor) -> None:
        """Begin to put ``text`` in the place of the cursor's selection. The first slice goes in at once."""
        self._text = text
        self._done = 0
        self._size = FIRST_SLICE
        self._cursor = cursor
        self._step()
        if self.active:
            self._timer.start()

    def cancel(self) -> None:
        """Stop; what is in stays in."""
        if self.active:
            self._end()

    def abandon(self) -> None:
        """Stop without a word: the document is about to hold another text."""
        self._timer.stop()
        self._cursor = None
        self._text = ""

    @Slot()
    def _step(self) -> None:
        if self._cursor is None:
            return
        clock = QElapsedTimer()
        clock.start()
        end = self._slice_end()
        piece = document_text(self._text[self._done : end])
        first = self._done == 0
        self._done = end
        self._soft.insert(self._cursor, piece, join=not first)
        # At most twice the last slice: the first ones are quick while the document is small.
        wanted = self._size * _WANTED_NS // max(clock.nsecsElapsed(), 1)
        self._size = max(_SMALLEST, min(_LARGEST, wanted, self._size * 2))
        self.progressed.emit(self._done, len(self._text))
        if self._done >= len(self._text):
            self._end()

    def _slice_end(self) -> int:
        """Where the next slice ends: behind a newline if there is one, never within CRLF or a pair of surrogates."""
        text, end = self._text, self._done + self._size
        if end >= len(text):
            return len(text)
        newline = text.rfind("\n", self._done + self._size // 2, end)
        if newline >= 0:
            return newline + 1
        return end + 1 if text[end - 1] == "\r" or "\ud800" <= text[end - 1] <= "\udbff" else end

    def _end(self) -> None:
        left_out = self._text[self._done :]
        self.abandon()
        self.finished.emit(left_out)
