"""EditedText: a text under edit whose tokens are exact after every change.

An edit changes only the tokens of a span around it, its *window*. The window of each edit, or of each cluster of nearby
edits, is re-encoded and spliced in. Statistics (``Measures``), special tokens and the counts in other encodings are
updated by the difference between the window's text before and after.

The extent of a window depends on the reader. There are three implementations, with the same tokens:

* between safe boundaries, for patterns for which these are known (``engine.editing.readers``);
* the same with kernels, for the edits made by typing (``engine.editing.quick_edits``);
* from pretoken to pretoken, for any other pattern (``engine.editing.readers``).

*Further encodings.* ``PrefixCounts`` counts the text in them without storing their tokens. For each there is a
frontier: the offset up to which the text has been counted, with the number of tokens up to there. The frontier is
always a safe boundary or an end of the text, so the text before it can be counted separately. An edit arrives as a
window between two safe boundaries, with its text before and after:

* the frontier is after the window: the count changes by count(after) - count(before), and the frontier moves along;
* it is before the window, or at its start: nothing changes;
* it is inside: it falls back to the start of the window, and the count of the text in between is subtracted.

A safe boundary stays one while the two characters beside it are unchanged, and the window's ends are chosen
accordingly. In all counts, special tokens are plain text.

An encoding that has boundaries between lines only is counted in spans between them; those that an edit touches are
counted again (``_LineCount``). An encoding without any is counted as a whole, and again after every edit.

The changes of a long window are not counted at once but recorded as a debt, which ``catch_up`` counts piece by piece;
so an edit's own tokens never wait for the other encodings.
"""

from __future__ import annotations

import codecs
import functools
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.editing.readers import PIECE_UNITS, Piece, Readings, last_cut, piece_end, pieces, reader_for, window_around
from engine.editing.token_blocks import ID_BITS, EditedUnits, TokenBlock, TokenBlocks, blocks_of, retokenized
from engine.encoding.encoding import Encoding
from engine.runtime.cancellation import interruptible
from engine.split.safe_boundaries import BoundaryFinder, LineBoundaryFinder
from engine.text.offsets import sound_text_of, text_of, utf16_length
from engine.types import TextEdit, TextStatistics, TokenPatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.editing.quick_edits import QuickEdit, QuickEdits


# --- measures of a text -----------------------------------------------------------------------------------------------

SideBySide = Callable[[Sequence[Callable[[], None]]], None]
"""Runs tasks in parallel, and returns when all are done."""

_AT_ONCE_CHARS = 2_048

_MANY_STEPS = 64
"""Pieces after which the memory of an encoding's kernels is released, once its count is complete: the next keystrokes
need little of it, and each of a dozen encodings would hold 40 MB."""

HasCut = Callable[[int, Encoding], bool]
"""``has_cut(start, encoding)``: whether a piece that starts there can end within ``PIECE_UNITS``."""

PieceFrom = Callable[[int, int, Encoding], tuple[int, str]]
"""``piece_from(start, stop, encoding)``: the next piece of text that encodes independently, as its end and its text."""


def one_by_one(tasks: Sequence[Callable[[], None]]) -> None:
    """Run tasks sequentially."""
    for task in tasks:
        task()


@dataclass(frozen=True, slots=True)
class TextChange:
    """The change of an edit: the text from ``start`` to ``old_end`` became that from ``start`` to ``new_end``, all
    three safe boundaries or ends of the text. ``before`` and ``after`` are these texts, in pieces that encode
    independently."""

    start: int
    old_end: int
    new_end: int
    before: list[str]
    after: list[str]


@dataclass(slots=True)
class _Count:
    """The count of one encoding: ``tokens`` up to ``frontier``, except for the ``debt``: texts still to be added or
    subtracted (+1, -1). ``recent`` is the last short text counted: at the next keystroke it is the window before.
    ``steps``: pieces counted since the memory of its kernels was last released."""

    encoding: Encoding
    frontier: int = 0
    tokens: int = 0
    debt: list[tuple[int, str]] = field(default_factory=list)
    recent: tuple[str, int] = ("", 0)
    steps: int = 0

    def change(self, sign: int, pieces: Sequence[str]) -> None:
        """Add or subtract a text: at once if it is short, else later."""
        if len(pieces) != 1 or len(pieces[0]) > _AT_ONCE_CHARS:
            self.debt.extend((sign, piece) for piece in pieces)
            return
        if pieces[0] != self.recent[0]:
            self.recent = (pieces[0], self.encoding.count(pieces[0]))
        self.tokens += sign * self.recent[1]

    def settle(self, total: int, tokens: int) -> None:
        """Set the count of a whole text of ``total`` units; of none, to restart counting from the beginning."""
        self.frontier, self.tokens = total, tokens
        self.debt.clear()

    def follow(self, change: TextChange, total: int) -> None:
        """Update the count for an edit. ``total`` is the length of the text after it."""
        is_all_new = change.start == 0 and change.new_end == total > _AT_ONCE_CHARS
        if is_all_new or not self.encoding.has_safe_boundaries:
            self.settle(0, 0)
        elif self.frontier >= change.old_end:
            self.change(-1, change.before)
            self.change(+1, change.after)
            self.frontier += change.new_end - change.old_end
        elif self.frontier > change.start:
            self.change(-1, list(_prefix(change.before, self.frontier - change.start)))
            self.frontier = change.start
        if sum(len(piece) for _, piece in self.debt) > total:
            self.settle(0, 0)

    def counted(self, total: int) -> int | None:
        """Return the number of tokens, None if the text of ``total`` units is not counted to its end."""
        return self.tokens if self.frontier == total and not self.debt else None

    def is_long(self, total: int, longest: float, has_cut: HasCut) -> bool:
        """Return True if the next piece may have over ``longest`` units."""
        if self.debt:
            return len(self.debt[-1][1]) > longest
        return total - self.frontier > longest and not has_cut(self.frontier, self.encoding)

    def step(self, piece_from: PieceFrom, total: int) -> None:
        """Count one more piece."""
        if self.debt:
            sign, text = self.debt.pop()
            self.tokens += sign * self.encoding.count(text)
            return
        end, text = piece_from(self.frontier, total, self.encoding)
        self.tokens += self.encoding.count(text)
        self.frontier = end


@dataclass(slots=True)
class _LineCount:
    """The count of one encoding that has line boundaries only, with the same methods as ``_Count``. ``spans``: length
    and tokens of consecutive spans between such boundaries, in UTF-16 units; None for a span not counted yet. An edit
    joins the spans that it touches to one that is counted again."""

    encoding: Encoding
    spans: list[tuple[int, int | None]] = field(default_factory=list)
    steps: int = 0

    def settle(self, total: int, tokens: int) -> None:
        self.spans = [(total, tokens)] if total else []

    def follow(self, change: TextChange, total: int) -> None:
        kept_before: list[tuple[int, int | None]] = []
        kept_behind: list[tuple[int, int | None]] = []
        end = 0
        for span in self.spans:
            start, end = end, end + span[0]
            if end < change.start:  # a boundary depends on the characters on both sides
                kept_before.append(span)
            elif start > change.old_end:
                kept_behind.append(span)
        changed = total - sum(units for units, _ in kept_before) - sum(units for units, _ in kept_behind)
        self.spans = [*kept_before, *([(changed, None)] if changed else []), *kept_behind]

    def counted(self, total: int) -> int | None:
        if sum(units for units, _ in self.spans) != total:
            return None
        known = [tokens for _, tokens in self.spans if tokens is not None]
        return sum(known) if len(known) == len(self.spans) else None

    def is_long(self, total: int, longest: float, has_cut: HasCut) -> bool:
        number, start = self._uncounted(total)
        return self.spans[number][0] > longest and not has_cut(start, self.encoding)

    def _uncounted(self, total: int) -> tuple[int, int]:
        """Return the number and the start of the first span that is not counted."""
        self.spans = self.spans or [(total, None)]
        number = next(number for number, (_, tokens) in enumerate(self.spans) if tokens is None)
        return number, sum(units for units, _ in self.spans[:number])

    def step(self, piece_from: PieceFrom, total: int) -> None:
        number, start = self._uncounted(total)
        stop = start + self.spans[number][0]
        end, text = piece_from(start, stop, self.encoding)
        rest = [(stop - end, None)] if end < stop else []
        self.spans[number : number + 1] = [(end - start, self.encoding.count(text)), *rest]


class PrefixCounts:
    """Counts of one text in several encodings. Offsets are UTF-16 units."""

    def __init__(self) -> None:
        self._counts: dict[str, _Count | _LineCount] = {}

    @property
    def encodings(self) -> list[Encoding]:
        """The watched encodings."""
        return [count.encoding for count in self._counts.values()]

    def watch(self, encodings: Iterable[Encoding]) -> None:
        """Count in exactly these encodings. Those watched already keep their counts."""
        self._counts = {encoding.name: self._counts.get(encoding.name) or _count_of(encoding) for encoding in encodings}

    def restart(self) -> None:
        """Reset all counts, for another text."""
        for count in self._counts.values():
            count.settle(0, 0)

    def settle(self, name: str, total: int, tokens: int) -> None:
        """Set the count of a whole text of ``total`` units."""
        self._counts[name].settle(total, tokens)

    def tokens(self, name: str, total: int) -> int | None:
        """Return the count in one encoding, None if the text of ``total`` units is not counted to its end."""
        return self._counts[name].counted(total)

    def follow(self, names: Iterable[str], change: TextChange, total: int) -> None:
        """Update these encodings for an edit. ``total`` is the length of the text after it."""
        for name in names:
            self._counts[name].follow(change, total)

    def waiting(self, names: Sequence[str], total: int, longest: float, has_cut: HasCut) -> list[_Count | _LineCount]:
        """Return the counts that are not complete, except those whose next piece may have over ``longest`` units."""
        counts = [self._counts[name] for name in names]
        waiting = [count for count in counts if count.counted(total) is None]
        return [count for count in waiting if not count.is_long(total, longest, has_cut)]

    def catch_up(
        self,
        waiting: list[_Count | _LineCount],
        total: int,
        piece_from: PieceFrom,
        seconds: float,
        side_by_side: SideBySide,
    ) -> None:
        """Continue these counts for about ``seconds``."""
        deadline = time.monotonic() + seconds
        one_at_a_time = threading.Lock()  # ``piece_from`` need not be thread-safe

        def next_piece(start: int, stop: int, encoding: Encoding) -> tuple[int, str]:
            with one_at_a_time:
                return piece_from(start, stop, encoding)

        def count_on(count: _Count | _LineCount) -> None:
            is_due = count is waiting[0]  # for one piece at least, so that each call advances
            while count.counted(total) is None:
                if not is_due and time.monotonic() >= deadline:
                    return  # one encoding after the other: each holds 40 MB from its first piece to its last
                is_due = False
                count.step(next_piece, total)
                count.steps += 1
            if count.steps > _MANY_STEPS:
                count.encoding.release_kernel_memory()
                count.steps = 0

        if not all(count.encoding.uses_kernels for count in waiting):
            side_by_side = one_by_one  # threads that need the interpreter lock would only delay each other
        side_by_side([functools.partial(count_on, count) for count in waiting])


def _count_of(encoding: Encoding) -> _Count | _LineCount:
    return _LineCount(encoding) if encoding.has_line_boundaries else _Count(encoding)


def _prefix(pieces: Iterable[str], units: int) -> Iterator[str]:
    """Yield the first ``units`` UTF-16 units of consecutive pieces, in pieces."""
    for piece in pieces:
        length = utf16_length(piece)
        if length >= units:
            yield piece.encode("utf-16-le")[: 2 * units].decode("utf-16-le")
            return
        yield piece
        units -= length


@dataclass(frozen=True, slots=True)
class Measures:
    """Sums over a span of text. ``words`` counts the words that start in it, ``newlines`` its ``\\n``."""

    characters: int = 0
    utf16_units: int = 0
    utf8_bytes: int = 0
    words: int = 0
    newlines: int = 0

    def __add__(self, other: Measures) -> Measures:
        return Measures(
            self.characters + other.characters,
            self.utf16_units + other.utf16_units,
            self.utf8_bytes + other.utf8_bytes,
            self.words + other.words,
            self.newlines + other.newlines,
        )

    def __sub__(self, other: Measures) -> Measures:
        return Measures(
            self.characters - other.characters,
            self.utf16_units - other.utf16_units,
            self.utf8_bytes - other.utf8_bytes,
            self.words - other.words,
            self.newlines - other.newlines,
        )

    def statistics(self) -> TextStatistics:
        """Return the figures of a whole text. Words are those of ``str.split``."""
        lines = self.newlines + 1 if self.utf16_units else 0
        return TextStatistics(self.characters, self.utf16_units, self.utf8_bytes, self.words, lines)


_PART_CHARACTERS = 1 << 15


def _words(piece: str, char_before: str) -> int:
    """Return the number of words that start in a piece. Works in chunks: the words of ten megabytes are 1.5 million
    objects, and no other thread can run while they are created."""
    words = 0
    for start in interruptible(range(0, len(piece), _PART_CHARACTERS), every=1):
        part = piece[start : start + _PART_CHARACTERS]
        goes_on = bool(char_before) and not char_before.isspace() and not part[0].isspace()
        words += len(part.split()) - goes_on
        char_before = part[-1]
    return words


def measure_pieces(pieces: Iterable[str], char_before: str) -> Measures:
    """Return the measures of consecutive pieces without lone surrogates that follow ``char_before`` (or ``""``)."""
    total = Measures()
    for piece in pieces:
        total += _measure(piece, char_before)
        char_before = piece[-1]
    return total


def _measure(piece: str, char_before: str) -> Measures:
    words = _words(piece, char_before)
    newlines = piece.count("\n")
    if piece.isascii():
        return Measures(len(piece), len(piece), len(piece), words, newlines)
    return Measures(len(piece), utf16_length(piece), len(piece.encode("utf-8")), words, newlines)


# --- the text ---------------------------------------------------------------------------------------------------------

Progress = Callable[[float], None]

_PLAIN_CUTS = BoundaryFinder()
_LINE_CUTS = LineBoundaryFinder()
"""Finds safe boundaries if special tokens are plain text."""


def _finder(encoding: Encoding) -> BoundaryFinder | None:
    """Return the finder of boundaries for an encoding, None if it has none."""
    return _PLAIN_CUTS if encoding.has_safe_boundaries else _LINE_CUTS if encoding.has_line_boundaries else None


_JOIN_UNITS = 512
"""Edits closer than this share a window: encoding this much costs about as much as another window."""

_TAKEN = 1 << 16


@dataclass(frozen=True, slots=True)
class _Window:
    """A span of text between two token boundaries that edits changed: its start, and its end before and after them."""

    start: int
    old_end: int
    new_end: int


class EditedText:
    """A text, its tokens in one encoding, and its counts. Offsets are UTF-16 units.

    Not thread-safe. If ``progress`` raises, the object stays as it was before the call.
    """

    def __init__(self, encoding: Encoding, *, special_as_tokens: bool = False) -> None:
        self._reader = reader_for(encoding, special_as_tokens)
        self._blocks = TokenBlocks()
        self._measures = Measures()
        self._readings = Readings()
        self._others = PrefixCounts()
        self._quick: QuickEdits | None = None  # for the reader's encoding, created at the first edit with kernels

    # State

    @property
    def encoding(self) -> Encoding:
        """The encoding of the tokens."""
        return self._reader.encoding

    @property
    def special_as_tokens(self) -> bool:
        """True if the text of a special token is encoded as that token."""
        return self._reader.special_as_tokens

    @property
    def statistics(self) -> TextStatistics:
        """Sizes of the text other than tokens. A lone surrogate is a character of three bytes, as U+FFFD."""
        return self._measures.statistics()

    @property
    def token_count(self) -> int:
        """Number of tokens."""
        return self._blocks.token_count

    @property
    def token_count_plain(self) -> int:
        """Number of tokens if special tokens are plain text."""
        return self._readings.plain

    @property
    def token_count_special(self) -> int:
        """Number of tokens if special tokens are recognized."""
        return self._readings.special

    @property
    def special_occurrences(self) -> int:
        """Number of occurrences of special tokens of this encoding."""
        return self._readings.occurrences

    def text(self) -> str:
        """Return the whole text. Lone surrogates are kept."""
        return "".join(self.texts())

    def texts(self) -> Iterator[str]:
        """Yield the whole text in chunks of whole characters. Lone surrogates are kept. The text must not be edited
        during the iteration."""
        decoder = codecs.getincrementaldecoder("utf-16-le")("surrogatepass")
        for units in self._blocks.all_units():
            yield decoder.decode(units.tobytes())
        yield decoder.decode(b"", final=True)

    def text_between(self, utf16_start: int, utf16_end: int) -> str:
        """Return the text between two offsets. Lone surrogates are kept."""
        return text_of(self._blocks.read_units(utf16_start, utf16_end))

    def whole(self) -> TokenPatch:
        """Return all tokens, as a patch of the whole text."""
        return self._patch_of(_Window(0, len(self._blocks), len(self._blocks)))

    # Changes

    def reset(self, text: str, progress: Progress | None = None) -> TokenPatch:
        """Replace the text. Returns its tokens, as a patch of the whole previous text.

        ``progress`` is called with the fraction done, 0 to 1, after each piece.
        """
        measures = Measures()
        before = ""

        def measure(units: NDArray[np.uint16]) -> None:
            nonlocal measures, before
            piece = sound_text_of(units)
            measures += measure_pieces([piece], before)
            before = piece[-1]
            if progress is not None:
                progress(measures.utf16_units / total)

        total = utf16_length(text)
        blocks, readings = _collected(self._reader.read_all(text), measure)
        old_end = len(self._blocks)
        self._blocks, self._readings, self._measures = blocks, readings, measures
        self._others.restart()
        return self._patch_of(_Window(0, old_end, len(blocks)))

    def use(self, encoding: Encoding, special_as_tokens: bool, progress: Progress | None = None) -> TokenPatch:
        """Change the encoding or the handling of special tokens. Returns the new tokens, as a patch of the whole
        text."""
        total, done = len(self._blocks), 0

        def report(units: NDArray[np.uint16]) -> None:
            nonlocal done
            done += len(units)
            if progress is not None:
                progress(done / total)

        reader = reader_for(encoding, special_as_tokens)
        pieces_read: list[tuple[int, NDArray[np.int32], NDArray[np.int32]]] = []
        readings = Readings()
        for piece in reader.read_units(self._blocks):
            pieces_read.append((len(piece.units), piece.ids, piece.ends))
            readings += piece.readings
            report(piece.units)
        blocks = retokenized(self._blocks, pieces_read)
        for watched in self._others.encodings:
            if watched.encodes_like(self._reader.encoding):
                self._others.settle(watched.name, total, self._readings.plain)
        self._reader, self._blocks, self._readings, self._quick = reader, blocks, readings, None
        return self.whole()

    def apply(self, edits: Sequence[TextEdit]) -> TokenPatch:
        """Apply these edits in order. The offsets of each refer to the text after the previous ones.

        Returns one patch for all of them, with the tokens of every window and of the text between windows. Raises
        ValueError for an edit outside the text; then none is applied.
        """
        lengths = [utf16_length(edit.inserted) for edit in edits]
        self._check(edits, lengths)
        if len(edits) == 1 and (made := self._make_quickly(edits[0])):
            return self._patch(made.start, made.old_end, made.new_end, made.ids, made.utf16_ends)
        windows: list[_Window] = []
        for cluster in _clusters(list(zip(edits, lengths, strict=True))):
            windows += self._apply_cluster(cluster)
        return self._patch_of(_hull(windows) if windows else _Window(0, 0, 0))

    # Other encodings

    def watch(self, encodings: Sequence[Encoding]) -> None:
        """Also count the text in these encodings, with special tokens as plain text. ``catch_up`` does the counting."""
        self._others.watch(encodings)

    def counts(self) -> dict[str, int | None]:
        """Return the number of tokens in each watched encoding, None if the text is not counted to its end."""
        total = len(self._blocks)
        return {
            encoding.name: self._readings.plain
            if encoding.encodes_like(self._reader.encoding)
            else self._others.tokens(encoding.name, total)
            for encoding in self._others.encodings
        }

    def catch_up(self, seconds: float, side_by_side: SideBySide = one_by_one, longest: float = math.inf) -> bool:
        """Continue counting in the watched encodings for about this long. Returns True if all counts are known.

        ``side_by_side``: runs tasks in threads and returns when all are done. Kernels then count in several encodings
        in parallel. ``longest``: leave out encodings whose next piece may be longer, in units, because they can divide
        the text only between lines or not at all (``can_catch_up``).
        """
        self._others.catch_up(self._waiting(longest), len(self._blocks), self._next_piece, seconds, side_by_side)
        return not self._waiting(math.inf)

    def can_catch_up(self, longest: float = math.inf) -> bool:
        """Return True if ``catch_up`` has something to count."""
        return bool(self._waiting(longest))

    def _waiting(self, longest: float) -> list[_Count | _LineCount]:
        return self._others.waiting(self._other_names(), len(self._blocks), longest, self._has_cut)

    def _has_cut(self, start: int, encoding: Encoding) -> bool:
        finder = _finder(encoding)
        return finder is not None and last_cut(self._blocks, finder, start + 1, start + PIECE_UNITS) is not None

    def _other_names(self) -> list[str]:
        """Return the watched encodings whose counts do not follow from the tokens."""
        own = self._reader.encoding
        return [encoding.name for encoding in self._others.encodings if not encoding.encodes_like(own)]

    def _next_piece(self, start: int, stop: int, encoding: Encoding) -> tuple[int, str]:
        """Return the end and the text of a piece that starts at an offset, ends at most at ``stop``, and encodes
        independently."""
        end = piece_end(self._blocks, _finder(encoding), start, stop)
        return end, sound_text_of(self._blocks.read_units(start, end))

    # Implementation

    def _check(self, edits: Sequence[TextEdit], lengths: Sequence[int]) -> None:
        total = len(self._blocks)
        for edit, length in zip(edits, lengths, strict=True):
            start, removed = edit.utf16_start, edit.utf16_removed
            if start < 0 or removed < 0 or start + removed > total:
                raise ValueError(f"an edit at {start} that removes {removed} is outside a text of {total} UTF-16 units")
            total += length - removed

    def _make_quickly(self, edit: TextEdit) -> QuickEdit | None:
        """Apply an edit with kernels. Returns None if they are not in use or do not support it."""
        encoding = self._reader.encoding
        native = encoding.native
        if native is None or not native.can_scan or not encoding.has_safe_boundaries:
            return None
        if self._quick is None:
            from engine.editing.quick_edits import QuickEdits

            self._quick = QuickEdits(native, encoding)
        others = self._other_names()
        made = self._quick.make(self._blocks, edit, want_texts=bool(others))
        if made is not None:
            more = len(made.ids) - made.removed_tokens
            self._readings = self._readings.with_more_tokens(more)
            self._measures += Measures(
                made.more_characters,
                made.new_end - made.old_end,
                made.more_bytes,
                made.more_words,
                made.more_newlines,
            )
            if others:
                change = TextChange(made.start, made.old_end, made.new_end, [made.before], [made.after])
                self._others.follow(others, change, len(self._blocks))
        return made

    def _apply_cluster(self, cluster: Sequence[tuple[TextEdit, int]]) -> Iterator[_Window]:
        """Apply edits that lie close together. Yields their windows."""
        while made := self._make_quickly(cluster[0][0]):
            yield _Window(made.start, made.old_end, made.new_end)
            cluster = cluster[1:]
            if not cluster:
                return
        yield self._apply_at_once(cluster)

    def _apply_at_once(self, cluster: Sequence[tuple[TextEdit, int]]) -> _Window:
        """Apply edits in a single window."""
        blocks = self._blocks
        edited = self._edited_units(cluster)
        made = self._reader.remake(blocks, edited, self._readings)
        char_before = sound_text_of(blocks.read_units(made.start - 1, made.start)) if made.start else ""
        before = _sound_pieces(pieces(blocks, _PLAIN_CUTS, made.start, made.old_end))
        after = _sound_pieces(pieces(edited, _PLAIN_CUTS, made.start, made.new_end))
        others = self._other_names()
        change = TextChange(made.start, made.old_end, made.new_end, before, after)
        if others and not self._reader.encoding.has_safe_boundaries:
            change = self._change_between_cuts(edited)
        new_units = edited.read_units(made.start, made.new_end)
        blocks.splice(made.start, made.old_end, new_units, made.ids, made.ends)
        self._readings += made.readings
        self._measures += measure_pieces(after, char_before) - measure_pieces(before, char_before)
        self._others.follow(others, change, len(blocks))
        return _Window(made.start, made.old_end, made.new_end)

    def _edited_units(self, cluster: Sequence[tuple[TextEdit, int]]) -> EditedUnits:
        """Return the text with these edits applied."""
        kept_before = kept_behind = total = length = len(self._blocks)
        for edit, inserted in cluster:
            kept_before = min(kept_before, edit.utf16_start)
            kept_behind = min(kept_behind, length - edit.utf16_start - edit.utf16_removed)
            length += inserted - edit.utf16_removed
        start, old_end = kept_before, max(kept_before, total - kept_behind)
        content = bytearray(self._blocks.read_units(start, old_end))
        for edit, _ in cluster:
            first = 2 * (edit.utf16_start - start)
            content[first : first + 2 * edit.utf16_removed] = edit.inserted.encode("utf-16-le", "surrogatepass")
        return EditedUnits(self._blocks, start, old_end, np.frombuffer(content, dtype=np.uint16))

    def _change_between_cuts(self, edited: EditedUnits) -> TextChange:
        """Return the change of an edit, extended to safe boundaries."""
        start, old_end = window_around(self._blocks, edited, _PLAIN_CUTS)
        new_end = old_end + edited.growth
        before = _sound_pieces(pieces(self._blocks, _PLAIN_CUTS, start, old_end))
        return TextChange(start, old_end, new_end, before, _sound_pieces(pieces(edited, _PLAIN_CUTS, start, new_end)))

    def _patch_of(self, window: _Window) -> TokenPatch:
        ids, ends = self._blocks.tokens_between(window.start, window.new_end)
        ids &= ID_BITS
        ids.flags.writeable = False
        return self._patch(window.start, window.old_end, window.new_end, ids, ends)

    def _patch(
        self, start: int, old_end: int, new_end: int, ids: NDArray[np.int32], ends: NDArray[np.int32]
    ) -> TokenPatch:
        table = self._reader.encoding.continues
        continues = np.empty(len(ids), dtype=np.bool_)
        for first in range(0, len(ids), _TAKEN):  # in chunks: numpy converts the ids to indices of eight bytes
            table.take(ids[first : first + _TAKEN], out=continues[first : first + _TAKEN])
        ends.flags.writeable = continues.flags.writeable = False
        return TokenPatch(start, old_end, new_end, ids, ends, continues)


def _collected(
    pieces_read: Iterator[Piece], read: Callable[[NDArray[np.uint16]], None]
) -> tuple[TokenBlocks, Readings]:
    """Collect a text with its tokens, and their counts. ``read`` is called with the units of each piece."""
    blocks: list[TokenBlock] = []
    readings = Readings()
    for piece in pieces_read:
        blocks += blocks_of(piece.units, piece.ids, piece.ends)
        readings += piece.readings
        if len(piece.units):
            read(piece.units)
    return TokenBlocks(blocks), readings


def _sound_pieces(pieces_of_text: Iterator[NDArray[np.uint16]]) -> list[str]:
    return [sound_text_of(units) for units in pieces_of_text]


def _clusters(edits: Sequence[tuple[TextEdit, int]]) -> Iterator[list[tuple[TextEdit, int]]]:
    """Group consecutive edits, each with the length of its inserted text, into clusters that share a window."""
    cluster: list[tuple[TextEdit, int]] = []
    low = high = 0  # span of the cluster, in the text after its edits
    for edit, inserted in edits:
        start = edit.utf16_start
        if cluster and not low - _JOIN_UNITS <= start <= high + _JOIN_UNITS:
            yield cluster
            cluster = []
        if not cluster:
            low = high = start
        low = min(low, start)
        high = max(high, start + edit.utf16_removed) - edit.utf16_removed + inserted
        cluster.append((edit, inserted))
    if cluster:
        yield cluster


def _hull(windows: Sequence[_Window]) -> _Window:
    """Return one window around consecutive windows, each with offsets in the text that the previous ones left."""
    start, old_end, new_end = windows[0].start, windows[0].old_end, windows[0].new_end
    for window in windows[1:]:
        # The text after the hull moves by the window's change; the text before it does not.
        old_end += max(0, window.old_end - new_end)
        new_end = max(new_end, window.old_end) + window.new_end - window.old_end
        start = min(start, window.start)
    return _Window(start, old_end, new_end)
