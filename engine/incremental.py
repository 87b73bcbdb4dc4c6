"""EditedText: a text under edit, its tokens exact after every change.

An edit can change the tokens only between the safe cuts around it (``engine.safe_cuts``): everything before the left
cut and behind the right one encodes as before. So each edit, or each cluster of edits that lie close together, gives a
window between two safe cuts whose neighbourhood no edit has touched. The window is encoded anew and spliced in;
statistics, special tokens and the counts in other encodings follow by the difference between the window's text before
and after. Where no cut is near, the window grows until there is one, at worst to the whole text.

This is done in two ways that give the same: here, with any encoder and for any edits, and, where our own kernels
encode, by ``engine.quick_edits`` for the edits that typing is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.encoding import Encoding
from engine.piece_reader import PieceReader, Readings
from engine.prefix_counts import PrefixCounts, SideBySide, TextChange, one_by_one
from engine.text_measures import Measures, measure_pieces
from engine.text_pieces import UnitsArray, chunks, first_cut, last_cut, piece_end, pieces
from engine.token_blocks import TokenBlock, TokenBlocks, blocks_of
from engine.types import TextEdit, TextStatistics, TokenPatch
from engine.utf16_text import sound_text_of, text_of, units_of, utf16_length

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.quick_edits import QuickEdit, QuickEdits

Progress = Callable[[float], None]

_JOIN_UNITS = 512
"""Edits with less than this between them share a window: encoding so much costs about as much as another window."""


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of text between two token boundaries that edits changed: where it began, and where it ended before
    and ends after them."""

    start: int
    old_end: int
    new_end: int


class EditedText:
    """A text, its tokens in one encoding, and its counts. Positions are UTF-16 units.

    Not safe to use from several threads at once. When ``progress`` raises, the object is as it was before the call.
    """

    def __init__(self, encoding: Encoding, *, special_as_tokens: bool = False) -> None:
        self._reader = PieceReader(encoding, special_as_tokens)
        self._blocks = TokenBlocks()
        self._measures = Measures()
        self._readings = Readings()
        self._others = PrefixCounts()
        self._quick: QuickEdits | None = None  # of the reader's encoding, from its first edit with kernels on

    # What it knows

    @property
    def encoding(self) -> Encoding:
        """The encoding of the tokens."""
        return self._reader.encoding

    @property
    def special_as_tokens(self) -> bool:
        """Whether text of a special token is that token here."""
        return self._reader.special_as_tokens

    @property
    def statistics(self) -> TextStatistics:
        """What the text measures apart from tokens. A lone surrogate is a character of three bytes, as U+FFFD."""
        return self._measures.statistics()

    @property
    def token_count(self) -> int:
        """Number of tokens."""
        return self._blocks.token_count

    @property
    def token_count_plain(self) -> int:
        """Number of tokens if text of special tokens is plain text."""
        return self._readings.plain

    @property
    def token_count_special(self) -> int:
        """Number of tokens if text of special tokens is those tokens."""
        return self._readings.special

    @property
    def special_occurrences(self) -> int:
        """How often text of a special token of this encoding occurs."""
        return self._readings.occurrences

    def text(self) -> str:
        """The whole text, lone surrogates kept."""
        return "".join(text_of(units) for units in self._blocks.all_units())

    def text_between(self, utf16_start: int, utf16_end: int) -> str:
        """The text between two positions, lone surrogates kept."""
        return text_of(self._blocks.read_units(utf16_start, utf16_end))

    def whole(self) -> TokenPatch:
        """All tokens, as a patch of the text by itself."""
        return self._patch_of(_Window(0, len(self._blocks), len(self._blocks)))

    # Changes

    def reset(self, text: str, progress: Progress | None = None) -> TokenPatch:
        """Take another text; its tokens, as a patch of the whole text before.

        ``progress`` is called with the part done, 0 to 1, after each piece.
        """
        measures = Measures()

        def measured() -> Iterator[NDArray[np.uint16]]:
            nonlocal measures
            before = ""
            for start, end in chunks(text, self._reader.finder):
                units = units_of(text[start:end])
                piece = sound_text_of(units)
                measures += measure_pieces([piece], before)
                before = piece[-1]
                yield units
                if progress is not None:
                    progress(end / len(text))

        blocks, readings = _read_all(self._reader, measured())
        old_end = len(self._blocks)
        self._blocks, self._readings, self._measures = blocks, readings, measures
        self._others.restart()
        return self._patch_of(_Window(0, old_end, len(blocks)))

    def use(self, encoding: Encoding, special_as_tokens: bool, progress: Progress | None = None) -> TokenPatch:
        """Take another encoding or the other reading of special tokens; the new tokens, as a patch of all."""
        reader = PieceReader(encoding, special_as_tokens)
        total = len(self._blocks)

        def told() -> Iterator[NDArray[np.uint16]]:
            done = 0
            for units in pieces(self._blocks, reader.finder, 0, total):
                yield units
                done += len(units)
                if progress is not None:
                    progress(done / total)

        blocks, readings = _read_all(reader, told())
        for watched in self._others.encodings:
            if watched.encodes_like(self._reader.encoding):
                self._others.settle(watched.name, total, self._readings.plain)
        self._reader, self._blocks, self._readings, self._quick = reader, blocks, readings, None
        return self.whole()

    def apply(self, edits: Sequence[TextEdit]) -> TokenPatch:
        """Make these edits, each in the positions of the text after the ones before it.

        Returns one patch for all of them, with the tokens of every window and of what lies between.
        ValueError for an edit outside the text; then none is made.
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
        """Count the text in these encodings as well, special tokens as plain text. ``catch_up`` does the counting."""
        self._others.watch(encodings)

    def counts(self) -> dict[str, int | None]:
        """Tokens in each watched encoding, None where the text has not been counted to its end."""
        total = len(self._blocks)
        return {
            encoding.name: self._readings.plain
            if encoding.encodes_like(self._reader.encoding)
            else self._others.tokens(encoding.name, total)
            for encoding in self._others.encodings
        }

    def catch_up(self, seconds: float, side_by_side: SideBySide = one_by_one) -> bool:
        """Count on in the watched encodings for about that long; True when all counts are known.

        ``side_by_side``: does several things in threads and returns when all are done. Our own kernels then count in
        several encodings at once.
        """
        names = self._other_names()
        return self._others.catch_up(names, len(self._blocks), self._next_piece, seconds, side_by_side)

    def _other_names(self) -> list[str]:
        """The watched encodings whose counts do not follow from the tokens."""
        own = self._reader.encoding
        return [encoding.name for encoding in self._others.encodings if not encoding.encodes_like(own)]

    def _next_piece(self, start: int) -> tuple[int, str]:
        end = piece_end(self._blocks, self._reader.finder, start, len(self._blocks))
        return end, sound_text_of(self._blocks.read_units(start, end))

    # How it is done

    def _check(self, edits: Sequence[TextEdit], lengths: Sequence[int]) -> None:
        total = len(self._blocks)
        for edit, length in zip(edits, lengths, strict=True):
            start, removed = edit.utf16_start, edit.utf16_removed
            if start < 0 or removed < 0 or start + removed > total:
                raise ValueError(
                    f"an edit at {start} that removes {removed} lies outside a text of {total} UTF-16 units"
                )
            total += length - removed

    def _make_quickly(self, edit: TextEdit) -> QuickEdit | None:
        """Make an edit with kernels, where they encode and it is one for them."""
        native = self._reader.native
        if native is None:
            return None
        if self._quick is None:
            from engine.quick_edits import QuickEdits

            self._quick = QuickEdits(native, self._reader.encoding)
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
        """Make edits that lie close together."""
        while made := self._make_quickly(cluster[0][0]):
            yield _Window(made.start, made.old_end, made.new_end)
            cluster = cluster[1:]
            if not cluster:
                return
        yield self._apply_at_once(cluster)

    def _apply_at_once(self, cluster: Sequence[tuple[TextEdit, int]]) -> _Window:
        """Make edits in one window."""
        blocks, finder = self._blocks, self._reader.finder
        start, old_end = self._window_around(cluster)
        char_before = sound_text_of(blocks.read_units(start - 1, start)) if start else ""
        before = [sound_text_of(units) for units in pieces(blocks, finder, start, old_end)]
        content = bytearray(blocks.read_units(start, old_end))
        for edit, _ in cluster:
            first = 2 * (edit.utf16_start - start)
            content[first : first + 2 * edit.utf16_removed] = edit.inserted.encode("utf-16-le", "surrogatepass")
        units = np.frombuffer(content, dtype=np.uint16)
        window = _Window(start, old_end, start + len(units))
        new_pieces = list(pieces(UnitsArray(units), finder, 0, len(units)))
        after = [sound_text_of(piece) for piece in new_pieces]
        ids, ends, readings = _read(self._reader, after)
        kept = blocks.token_count
        blocks.splice(start, old_end, units, ids, ends)
        removed = kept + len(ids) - blocks.token_count
        self._readings += readings - self._reader.readings_of_pieces(before, removed)
        self._measures += measure_pieces(after, char_before) - measure_pieces(before, char_before)
        change = TextChange(start, old_end, window.new_end, before, after)
        self._others.follow(self._other_names(), change, len(blocks))
        return window

    def _window_around(self, cluster: Sequence[tuple[TextEdit, int]]) -> tuple[int, int]:
        """Where the window of these edits starts and ends in the text before them: at safe cuts that no edit touches,
        or at the ends of the text."""
        finder, total = self._reader.finder, len(self._blocks)
        if finder is None:
            return 0, total
        kept_before = kept_behind = length = total
        for edit, inserted in cluster:
            kept_before = min(kept_before, edit.utf16_start)
            kept_behind = min(kept_behind, length - edit.utf16_start - edit.utf16_removed)
            length += inserted - edit.utf16_removed
        start = last_cut(self._blocks, finder, 1, kept_before - finder.reach)
        end = first_cut(self._blocks, finder, total - kept_behind + finder.reach)
        return start or 0, total if end is None else end

    def _patch_of(self, window: _Window) -> TokenPatch:
        ids, ends = self._blocks.tokens_between(window.start, window.new_end)
        ids.flags.writeable = False
        return self._patch(window.start, window.old_end, window.new_end, ids, ends)

    def _patch(
        self, start: int, old_end: int, new_end: int, ids: NDArray[np.int32], ends: NDArray[np.int32]
    ) -> TokenPatch:
        continues = self._reader.encoding.continues.take(ids)
        ends.flags.writeable = continues.flags.writeable = False
        return TokenPatch(start, old_end, new_end, ids, ends, continues)


def _read_all(reader: PieceReader, pieces_of_text: Iterable[NDArray[np.uint16]]) -> tuple[TokenBlocks, Readings]:
    """A text, given as pieces that encode apart, with its tokens and their counts."""
    blocks: list[TokenBlock] = []
    readings = Readings()
    for units in pieces_of_text:
        ids, ends, of_piece = _read(reader, [sound_text_of(units)])
        blocks += blocks_of(units, ids, ends)
        readings += of_piece
    return TokenBlocks(blocks), readings


def _read(reader: PieceReader, texts: Iterable[str]) -> tuple[NDArray[np.int32], NDArray[np.int32], Readings]:
    """Ids and ends, int32[n] each, of pieces that stand one after the other, and their counts. Ends count UTF-16 units
    from the start of the first piece."""
    readings = Readings()
    all_ids, all_ends = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    place = 0
    for text in texts:
        ids, of_piece = reader.read(text)
        readings += of_piece
        all_ids.append(ids)
        all_ends.append(reader.utf16_ends(text, ids) + np.int32(place))
        place += utf16_length(text)
    return np.concatenate(all_ids), np.concatenate(all_ends), readings


def _clusters(edits: Sequence[tuple[TextEdit, int]]) -> Iterator[list[tuple[TextEdit, int]]]:
    """Runs of consecutive edits, each with the length of its inserted text, that are worth one window each."""
    cluster: list[tuple[TextEdit, int]] = []
    low = high = 0  # what the cluster spans, in the text after its edits
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
    """One window around several that came one after the other, each in the positions that the ones before left."""
    start, old_end, new_end = windows[0].start, windows[0].old_end, windows[0].new_end
    for window in windows[1:]:
        # What lies behind the hull moves by the window's change; what lies before it does not.
        old_end += max(0, window.old_end - new_end)
        new_end = max(new_end, window.old_end) + window.new_end - window.old_end
        start = min(start, window.start)
    return _Window(start, old_end, new_end)
