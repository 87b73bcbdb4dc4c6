"""Puts big texts into the document and reads them out of it, a slice at a time, so that the window goes on answering.

Each slice takes a few milliseconds; how much goes into one follows from how long the last one took. The user's
editing waits meanwhile (the editor is read only, and keys are done at the end).

Each slice adds paragraphs, after which Qt paints the whole view again and moves the scroll bar: as much work as the
slice. So Qt's layout is kept quiet while a slice goes in, and speaks for all of them ten times a second.

As a whole a million characters in short lines take 50 to 70 ms, in a window that does nothing else. So no more than
about an eighth of that is put in at once.

Ten megabytes read at once are half a second in which nothing moves. If the text changes in the meantime, reading starts
anew: what comes out is the text of one revision.
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
"""Texts with more characters than this are fed, or bytes if the characters are not counted yet."""

FIRST_SLICE = 16 * 1024
_SMALLEST, _LARGEST = 4 * 1024, 128 * 1024
_WANTED_SECONDS = 0.0025  # what follows a slice, painting and new tokens, takes as long again
_PAUSE_MS = 2  # so that whatever became due during a slice has its turn before the next one
_SHOWN_EVERY_MS = 100


class TextFeed(QObject):
    """One text on its way into a document."""

    progressed = Signal(int, int)
    """How much is in, and all: characters, or bytes where the text came as such."""
    finished = Signal()
    """All of it is in."""

    def __init__(self, soft: SoftDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._soft = soft
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._step)
        self._source: TextSource = StringSource("")
        self._piece, self._taken = "", 0  # the piece at hand, and how much of it is in
        self._done = 0
        self._size = FIRST_SLICE
        self._cursor: QTextCursor | None = None
        self._removal: LargeRemoval | None = None  # of what was in its place
        self._since_shown = QElapsedTimer()

    @property
    def active(self) -> bool:
        """Whether a text is on its way."""
        return self._cursor is not None

    @property
    def rest(self) -> Iterator[str]:
        """What is not in yet, in pieces."""
        return chain([self._piece[self._taken :]], self._source.rest())

    def start(self, source: TextSource, cursor: QTextCursor, *, at_once: bool) -> None:
        """Begin to put a text in the place of the cursor's selection. Where that is much, it goes bit by bit before.

        ``at_once``: with the first slice, so that a new text does not begin with an empty picture. Otherwise that comes
        soon: a paste has taken its time already, to fetch the text from the clipboard.
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
        """Stop without a word: what is in is about to go again."""
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
        self._source.let_go()
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
        """The next slice."""
        if self._taken == len(self._piece):
            self._piece, self._taken = self._source.next(), 0
        end = safe_end(self._piece, self._taken, self._size)
        taken = self._piece[self._taken : end]
        self._taken = end
        return taken

    def _show(self) -> None:
        """Say what the layout would have said of the slices since the last time."""
        layout = self._soft.layout
        layout.documentSizeChanged.emit(layout.documentSize())
        layout.update.emit()
        self._since_shown.start()

    def _end(self) -> None:
        self._show()
        self.abandon()
        self.finished.emit()


_SLICE_PIECES = 3
"""Of the editor's pieces, each of which takes a millisecond or two."""
_READ_PAUSE_MS = 1  # so that whatever became due during a slice has its turn before the next one


class TextReading(QObject):
    """Reads one editor. Signal ``finished(int, tuple[str])``: a revision, and its text in pieces."""

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


SLICE_SECONDS = 0.01
"""How long pieces are put into the text before keys and painting have their turn."""


class PieceWriter(QObject):
    """Writes the last piece first, so that the places of the others stay. Meanwhile nobody else can edit.

    Signals: ``finished(bool)``: whether all is in; not where another text was opened meanwhile, for then the rest means
    nothing any more.
    """

    finished = Signal(bool)

    def __init__(self, editor: TokenEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._left: list[Piece] | None = None
        self._reached = -1

    def can_write(self, revision: int) -> bool:
        """Whether this is the text in the editor, and the editor takes edits."""
        editor = self._editor
        return revision == editor.revision and not editor.isReadOnly() and not editor.is_loading

    def write(self, revision: int, pieces: Sequence[Piece]) -> None:
        """Begin, which may also be the end. ``pieces``: of the text of ``revision``, in order, apart from each other.

        Only where ``can_write`` says so.
        """
        self._left, self._reached = list(pieces), revision
        self._editor.lock.take(self)
        self._editor.steps.begin()
        self._write_some()

    @Slot()
    def _write_some(self) -> None:
        """Put in pieces for a moment; then let others work."""
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
