"""Transfer of large texts into and out of the document, one slice at a time, so that the window stays responsive.

Each slice takes a few milliseconds; its size is adapted to the duration of the last one. The user's edits wait
meanwhile (the editor is read-only, and keys are handled at the end).

Each slice adds paragraphs, after which Qt repaints the view and moves the scroll bar: as much work as the slice. So
signals of Qt's layout are blocked during slices and emitted ten times a second.

Inserting a million characters in short lines at once takes 50 to 70 ms in an idle window. So at most an eighth of that
is inserted at once.

Reading ten megabytes at once would block for half a second. If the text changes in the meantime, reading restarts: the
result is the text of one revision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from time import monotonic, perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtGui import QTextCursor

from gui.editor.large_text import LargeRemoval, StringSource, TextSource, is_much, next_size
from gui.editor.offsets import document_text, safe_end
from gui.editor.soft_document import SoftDocument
from gui.editor.text_changes import Piece
from gui.runtime.event_loop import in_next_turn

if TYPE_CHECKING:
    from gui.editor.soft_text_edit import SoftTextEdit
    from gui.editor.token_editor import TokenEditor

FEED_ABOVE = 1 << 17
"""Texts above this size are inserted in slices; in characters, or bytes if characters are not counted yet."""

FIRST_SLICE = 16 * 1024
_SMALLEST, _LARGEST = 4 * 1024, 128 * 1024
_WANTED_SECONDS = 0.0025  # painting and new tokens after a slice take as long again
_PAUSE_MS = 2  # lets events that became due during a slice run before the next one
_SHOWN_EVERY_MS = 100


class TextFeed(QObject):
    """Insertion of a text into a document, in slices."""

    progressed = Signal(int, int)
    """Emitted with progress and total: characters, or bytes for a UTF-8 source."""
    finished = Signal()
    """Emitted when the whole text is inserted."""

    def __init__(self, soft: SoftDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._soft = soft
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._step)
        self._source: TextSource = StringSource("")
        self._piece, self._taken = "", 0  # the current chunk, and how much of it is inserted
        self._done = 0
        self._size = FIRST_SLICE
        self._cursor: QTextCursor | None = None
        self._removal: LargeRemoval | None = None  # removal of the replaced text
        self._since_shown = QElapsedTimer()

    @property
    def active(self) -> bool:
        """True while a text is being inserted."""
        return self._cursor is not None

    @property
    def rest(self) -> Iterator[str]:
        """The text not yet inserted, in chunks."""
        return chain([self._piece[self._taken :]], self._source.rest())

    def start(self, source: TextSource, cursor: QTextCursor, *, at_once: bool) -> None:
        """Start replacing the cursor's selection by a text. A large selection is removed in parts first.

        ``at_once``: insert the first slice now, so that a new text is not first painted empty. Otherwise it follows
        soon: fetching a paste from the clipboard has taken time already.
        """
        self._source = source
        self._piece = ""
        self._taken = self._done = 0
        self._size = FIRST_SLICE
        self._cursor = cursor
        self._removal = LargeRemoval(self._soft, cursor) if is_much(cursor) else None
        self._since_shown.invalidate()
        if at_once:
            self._step()
        else:
            self._timer.start()

    def abandon(self) -> None:
        """Stop without signals; the inserted part is about to be removed."""
        self._timer.stop()
        self._cursor = self._removal = None
        self._source, self._piece, self._taken = StringSource(""), "", 0

    @Slot()
    def _step(self) -> None:
        if self._cursor is None:
            return
        if self._removal is not None:
            if not self._removal.advance():
                self._removal = None
            self._timer.start()
            return
        began = perf_counter()
        self._source.drop()
        piece = document_text(self._take())
        with QSignalBlocker(self._soft.layout):
            self._soft.insert(self._cursor, piece)
        total = self._source.size
        self._done = total - self._source.left - (len(self._piece) - self._taken)
        self._size = next_size(self._size, perf_counter() - began, _WANTED_SECONDS, _SMALLEST, _LARGEST)
        self.progressed.emit(self._done, total)
        if not self._since_shown.isValid() or self._since_shown.hasExpired(_SHOWN_EVERY_MS):
            self._show()
        if self._done < total:
            self._timer.start()
        else:
            self._end()

    def _take(self) -> str:
        """Return the next slice."""
        if self._taken == len(self._piece):
            self._piece, self._taken = self._source.next(), 0
        end = safe_end(self._piece, self._taken, self._size)
        taken = self._piece[self._taken : end]
        self._taken = end
        return taken

    def _show(self) -> None:
        """Emit the layout signals blocked since the last time."""
        layout = self._soft.layout
        layout.documentSizeChanged.emit(layout.documentSize())
        layout.update.emit()
        self._since_shown.start()

    def _end(self) -> None:
        self._show()
        self.abandon()
        self.finished.emit()


_SLICE_PIECES = 3
"""Chunks of the editor per turn; each takes a millisecond or two."""
_READ_PAUSE_MS = 1  # lets events that became due during a slice run before the next one


class TextReading(QObject):
    """Reading of an editor's text, in slices. Signal ``finished(int, tuple[str])``: a revision and its text chunks."""

    finished = Signal(int, object)

    def __init__(self, editor: SoftTextEdit, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._timer = QTimer(self, singleShot=True, interval=_READ_PAUSE_MS)
        self._timer.timeout.connect(self._step)
        self._revision = -1
        self._left: Iterator[str] = iter(())
        self._read: list[str] = []

    def start(self) -> None:
        """Start reading, unless already running."""
        if not self._timer.isActive():
            self._revision = -1
            self._timer.start()

    @Slot()
    def _step(self) -> None:
        if self._revision != self._editor.revision or self._editor.is_loading:
            self._revision = self._editor.revision
            self._left, self._read = self._editor.text_pieces(), []
        if self._editor.is_loading:  # the document changes without an edit, and is complete soon
            self._timer.start()
            return
        pieces = [*islice(self._left, _SLICE_PIECES)]
        self._read += pieces
        if pieces:
            self._timer.start()
            return
        read, self._read = tuple(self._read), []
        self.finished.emit(self._revision, read)


SLICE_SECONDS = 0.01
"""Time for inserting pieces before events are handled, in seconds."""


class PieceWriter(QObject):
    """Writer of pieces, last to first, so that offsets of the others stay valid. The editor is locked meanwhile.

    Signals: ``finished(bool)``: True if all pieces are written; False if another text was opened meanwhile, which makes
    the rest meaningless.
    """

    finished = Signal(bool)

    def __init__(self, editor: TokenEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._left: list[Piece] | None = None
        self._reached = -1

    def can_write(self, revision: int) -> bool:
        """Return True if the editor holds the text of this revision and accepts edits."""
        editor = self._editor
        return revision == editor.revision and not editor.isReadOnly() and not editor.is_loading

    def write(self, revision: int, pieces: Sequence[Piece]) -> None:
        """Start writing; may finish at once. ``pieces``: of the text of ``revision``, sorted, not overlapping.

        Requires ``can_write``.
        """
        self._left, self._reached = list(pieces), revision
        self._editor.lock.take(self)
        self._editor.steps.begin()
        self._write_some()

    @Slot()
    def _write_some(self) -> None:
        """Write pieces for a moment, then yield to other events."""
        left = self._left
        if left is None:
            return
        until = monotonic() + SLICE_SECONDS
        begun = False
        while left and self._editor.revision == self._reached and monotonic() < until:
            piece = left.pop()
            self._editor.replace_range(piece.utf16_start, piece.utf16_end, piece.text, join=begun)
            begun = True
            self._reached = self._editor.revision
        if left and self._editor.revision == self._reached:
            in_next_turn(self, self._write_some)
            return
        self._left = None
        self._editor.steps.end()
        self._editor.lock.give_back(self)
        self.finished.emit(not left)
