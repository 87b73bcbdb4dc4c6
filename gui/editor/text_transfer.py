"""Transfer of large texts into and out of the document, one slice at a time, so that the window stays responsive.

Each slice takes a few milliseconds; its size is adapted to the duration of the last one. The user's edits wait
meanwhile (the editor is read-only, and keys are handled at the end).

Each slice adds paragraphs, after which Qt repaints the view and moves the scroll bar: as much work as the slice. So
signals of Qt's layout are blocked during slices and emitted ten times a second.

Inserting a million characters in short lines at once takes 50 to 70 ms in an idle window. So at most an eighth of that
is inserted at once.

Reading ten megabytes at once would block for half a second. If the text changes in the meantime, reading restarts: the
result is the text of one revision.

Qt takes a tenth of a second to remove ten megabytes, and half a second if every word had been replaced before. So large
texts are removed in parts. Sources of text free memory as they are consumed.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QElapsedTimer, QObject, QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtGui import QTextCursor

from gui.editor.offsets import char_to_utf16, document_text, safe_end
from gui.runtime.event_loop import in_next_turn

if TYPE_CHECKING:
    from gui.editor.soft_document import SoftDocument
    from gui.editor.soft_text_edit import SoftTextEdit
    from gui.editor.token_editor import TokenEditor

_MIN_SECONDS = 1e-6  # lower bound for times too short for the clock


def next_size(size: int, seconds: float, target: float, least: int, most: int) -> int:
    """Return the size of the next part so that it takes ``target`` seconds, given that ``size`` took ``seconds``. At
    most twice ``size``, since small parts predict large ones poorly."""
    fitting = int(size * target / max(seconds, _MIN_SECONDS))
    return max(least, min(most, fitting, 2 * size))


# --- removal ----------------------------------------------------------------------------------------------------------


MUCH_UNITS = 1 << 16
"""Number of UTF-16 units above which text is removed in parts."""

FIRST_PART = 1 << 14
_SMALLEST_PART, _LARGEST_PART = 1 << 10, 1 << 18
_PART_SECONDS = 0.003  # a part is one Qt undo step, and undoing it takes as long again


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
        self._size = next_size(self._size, perf_counter() - began, _PART_SECONDS, _SMALLEST_PART, _LARGEST_PART)
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


# --- sources ----------------------------------------------------------------------------------------------------------


CHUNK = 1 << 18
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
        self._chunks: deque[str] = deque()

    @property
    def left(self) -> int:
        return sum(map(len, self._chunks)) + len(self._whole) - self._cut

    def drop(self) -> None:
        """Split a chunk off the string; the last one frees the string."""
        if self._cut < len(self._whole):
            end = safe_end(self._whole, self._cut, CHUNK)
            self._chunks.append(self._whole[self._cut : end])
            self._cut = end
        if self._cut >= len(self._whole):
            self._whole, self._cut = "", 0

    def next(self) -> str:
        if not self._chunks:
            self.drop()
        return self._chunks.popleft() if self._chunks else ""

    def rest(self) -> Iterator[str]:
        yield from self._chunks
        start = self._cut
        while start < len(self._whole):
            end = safe_end(self._whole, start, CHUNK)
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
        chunk = ""
        while not chunk and self._done < self.size:
            end = min(self._done + CHUNK, self.size)
            chunk = self._held + self._decoder.decode(self._data[self._done : end], end == self.size)
            self._held = "\r" if chunk.endswith("\r") and end < self.size else ""
            self._done = end
            chunk = chunk.removesuffix(self._held)
        return chunk

    def rest(self) -> Iterator[str]:
        other = Utf8Source(self._data)
        other._done, other._held = self._done, self._held
        other._decoder.setstate(self._decoder.getstate())
        while chunk := other.next():
            yield chunk


# --- insertion --------------------------------------------------------------------------------------------------------


FEED_ABOVE = 1 << 17
"""Texts above this size are inserted in slices; in characters, or bytes if characters are not counted yet."""

FIRST_SLICE = 16 * 1024
_SMALLEST, _LARGEST = 4 * 1024, 128 * 1024
_SLICE_SECONDS = 0.0025  # painting and new tokens after a slice take as long again
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
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._step)
        self._source: TextSource = StringSource("")
        self._chunk, self._taken = "", 0  # the current chunk, and how much of it is inserted
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
        return chain([self._chunk[self._taken :]], self._source.rest())

    def start(self, source: TextSource, cursor: QTextCursor, *, at_once: bool) -> None:
        """Start replacing the cursor's selection by a text. A large selection is removed in parts first.

        ``at_once``: insert the first slice now, so that a new text is not first painted empty. Otherwise it follows
        soon: fetching a paste from the clipboard has taken time already.
        """
        self._source = source
        self._chunk = ""
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
        self._source, self._chunk, self._taken = StringSource(""), "", 0

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
        text = document_text(self._take())
        with QSignalBlocker(self._soft.layout):
            self._soft.insert(self._cursor, text)
        total = self._source.size
        self._done = total - self._source.left - (len(self._chunk) - self._taken)
        self._size = next_size(self._size, perf_counter() - began, _SLICE_SECONDS, _SMALLEST, _LARGEST)
        self.progressed.emit(self._done, total)
        if not self._since_shown.isValid() or self._since_shown.hasExpired(_SHOWN_EVERY_MS):
            self._show()
        if self._done < total:
            self._timer.start()
        else:
            self._end()

    def _take(self) -> str:
        """Return the next slice."""
        if self._taken == len(self._chunk):
            self._chunk, self._taken = self._source.next(), 0
        end = safe_end(self._chunk, self._taken, self._size)
        taken = self._chunk[self._taken : end]
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


# --- reading ----------------------------------------------------------------------------------------------------------


_CHUNKS_A_TURN = 3
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
            self._left, self._read = self._editor.text_chunks(), []
        if self._editor.is_loading:  # the document changes without an edit, and is complete soon
            self._timer.start()
            return
        chunks = [*islice(self._left, _CHUNKS_A_TURN)]
        self._read += chunks
        if chunks:
            self._timer.start()
            return
        read, self._read = tuple(self._read), []
        self.finished.emit(self._revision, read)


# --- replacement of pieces --------------------------------------------------------------------------------------------


MAX_BETWEEN = 4096
LARGEST_PIECE = 32_768
"""Maximum piece size, in characters. Inserting such a piece takes a few milliseconds in a text of any length."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A replacement of the text between two UTF-16 offsets by ``text``."""

    utf16_start: int
    utf16_end: int
    text: str


def gathered(
    text: str, changes: Iterable[tuple[int, int, str]], wait_while_busy: Callable[[], None] | None = None
) -> tuple[Piece, ...]:
    """Group changes of ``text`` (character start, end, replacement; sorted, not overlapping) into pieces: nearby
    changes share a piece, isolated ones stay small.

    ``wait_while_busy`` is called between chunks of the text, so that a job can yield.
    """
    groups: list[tuple[int, int, str]] = []
    start = end = 0
    parts: list[str] = []
    for change_start, change_end, replacement in changes:
        if parts and change_start - end <= MAX_BETWEEN and change_end - start <= LARGEST_PIECE:
            parts += (text[end:change_start], replacement)
        else:
            if parts:
                groups.append((start, end, "".join(parts)))
            start, parts = change_start, [replacement]
        end = change_end
    if parts:
        groups.append((start, end, "".join(parts)))
    return _pieces(text, groups, wait_while_busy)


def between(before: str, after: str) -> tuple[Piece, ...]:
    """Return the change from ``before`` to ``after``: the span from the first to the last difference, split into
    pieces; empty if they are equal."""
    start = common_prefix(before, after)
    rest = min(len(before), len(after)) - start
    end = common_prefix(before[: -rest - 1 : -1], after[: -rest - 1 : -1]) if rest else 0
    old_end, new_end = len(before) - end, len(after) - end
    if start == old_end and start == new_end:
        return ()
    count = max(1, -(-max(old_end - start, new_end - start) // LARGEST_PIECE))
    old = [start + (old_end - start) * number // count for number in range(count + 1)]
    new = [start + (new_end - start) * number // count for number in range(count + 1)]
    return _pieces(
        before, [(old[number], old[number + 1], after[new[number] : new[number + 1]]) for number in range(count)]
    )


def _pieces(
    text: str, groups: list[tuple[int, int, str]], wait_while_busy: Callable[[], None] | None = None
) -> tuple[Piece, ...]:
    import numpy as np

    bounds = np.array([group[:2] for group in groups], dtype=np.int32).reshape(-1, 2)
    utf16 = char_to_utf16(bounds.ravel(), text, wait_while_busy).reshape(-1, 2).tolist()
    return tuple(Piece(start, end, group[2]) for (start, end), group in zip(utf16, groups, strict=True))


def common_prefix(one: str, other: str) -> int:
    """Return the length of the common prefix. By bisection: slices are compared at memory speed."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


WRITE_SECONDS = 0.01
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
        until = monotonic() + WRITE_SECONDS
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
