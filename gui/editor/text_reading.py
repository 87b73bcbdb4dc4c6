"""Reads a big text out of the editor, a slice in each turn of the event loop, so that the window goes on answering.

Ten megabytes read at once are half a second in which nothing moves. Where the text changes meanwhile the reading begins
anew: what comes out is the text of one revision.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.editor.soft_text_edit import SoftTextEdit

_SLICE_PIECES = 3
"""Of the editor's pieces, each of which takes a millisecond or two."""
_PAUSE_MS = 1  # so that whatever became due during a slice has its turn before the next one


class TextReading(QObject):
    """Reads one editor. Signal ``finished(int, tuple[str])``: a revision, and its text in pieces."""

    finished = Signal(int, object)

    def __init__(self, editor: SoftTextEdit, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._step)
        self._revision = -1
        self._left: Iterator[str] = iter(())
        self._read: list[str] = []

    def start(self) -> None:
        """Read the text, unless that is under way."""
        if not self._timer.isActive():
            self._revision = -1
            self._timer.start()

    @Slot()
    def _step(self) -> None:
        if self._revision != self._editor.revision or self._editor.is_loading:
            self._revision = self._editor.revision
            self._left, self._read = self._editor.text_pieces(), []
        if self._editor.is_loading:  # the document changes without an edit, and is whole soon
            self._timer.start()
            return
        pieces = [*islice(self._left, _SLICE_PIECES)]
        self._read += pieces
        if pieces:
            self._timer.start()
            return
        read, self._read = tuple(self._read), []
        self.finished.emit(self._revision, read)
