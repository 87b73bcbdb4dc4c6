"""EditedText: a text under edit, its tokens exact after every change.

An edit can change the tokens only between the safe cuts around it (``engine.safe_cuts``): everything before the left
cut and behind the right one encodes as before. So each edit, or each cluster of edits that lie close together, gives a
window between two safe cuts whose neighbourhood no edit has touched. The window is encoded anew and spliced in;
statistics, special tokens and the counts in other encodings follow by the difference between the window's text before
and after. Where no cut is near, the window grows until there is one, at worst to the whole text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.encoding import Encoding
from engine.piece_reader import PieceReader, Readings
from engine.prefix_counts import PrefixCounts, TextChange
from engine.text_measures import Measures, measure_pieces
from engine.text_pieces import first_cut, last_cut, piece_end, pieces
from engine.token_line import TokenLine
from engine.types import TextEdit, TextStatistics, TokenPatch
from engine.utf16_text import Utf16Text, utf16_length

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        self._text = Utf16Text("")
        self._tokens = TokenLine(_no_tokens(), _no_tokens(), 0)
        self._measures = Measures()
        self._readings = Readings()
        self._others = PrefixCounts()

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
        return len(self._tokens)

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
        return self._text.whole()

    def text_between(self, utf16_start: int, utf16_end: int) -> str:
        """The text between two positions, lone surrogates kept."""
        return self._text.read(utf16_start, utf16_end)

    def whole(self) -> TokenPatch:
        """All tokens, as a patch of the text by itself."""
        return self._patch(_Window(0, len(self._text), len(self._text)))

    # Changes

    def reset(self, text: str, progress: Progress | None = None) -> TokenPatch:
        """Take another text; its tokens, as a patch of the whole text before.

        ``progress`` is called with the part done, 0 to 1, after each piece.
        """
        mirror = Utf16Text(text)
        tokens, readings, measures = self._read_all(mirror, self._reader, progress)
        old_end = len(self._text)
        self._text, self._tokens, self._readings, self._measures = mirror, tokens, readings, measures
        self._others.restart()
        return self._patch(_Window(0, old_end, len(mirror)))

    def use(self, encoding: Encoding, special_as_tokens: bool, progress: Progress | None = None) -> TokenPatch:
        """Take another encoding or the other reading of special tokens; the new tokens, as a patch of all."""
        reader = PieceReader(encoding, special_as_tokens)
        tokens, readings, _ = self._read_all(self._text, reader, progress)
        for watched in self._others.encodings:
            if watched.encodes_like(self._reader.encoding):
                self._others.settle(watched.name, len(self._text), self._readings.plain)
        self._reader, self._tokens, self._readings = reader, tokens, readings
        return self.whole()

    def apply(self, edits: Sequence[TextEdit]) -> TokenPatch:
        """Make these edits, each in the positions of the text after the ones before it.

        Returns one patch for all of them, with the tokens of every window and of what lies between.
        ValueError for an edit outside the text; then none is made.
        """
        lengths = [utf16_length(edit.inserted) for edit in edits]
        self._check(edits, lengths)
        windows = [self._apply_cluster(cluster) for cluster in _clusters(list(zip(edits, lengths, strict=True)))]
        return self._patch(_hull(windows) if windows else _Window(0, 0, 0))

    # Other encodings

    def watch(self, encodings: Sequence[Encoding]) -> None:
        """Count the text in these encodings as well, special tokens as plain text. ``catch_up`` does the counting."""
        self._others.watch(encodings)

    def counts(self) -> dict[str, int | None]:
        """Tokens in each watched encoding, None where the text has not been counted to its end."""
        total = len(self._text)
        return {
            encoding.name: self._readings.plain
            if encoding.encodes_like(self._reader.encoding)
            else self._others.tokens(encoding.name, total)
            for encoding in self._others.encodings
        }

    def catch_up(self, seconds: float) -> bool:
        """Count on in the watched encodings for about that long; True when all counts are known."""
        return self._others.catch_up(self._other_names(), len(self._text), self._next_piece, seconds)

    def _other_names(self) -> list[str]:
        """The watched encodings whose counts do not follow from the tokens."""
        own = self._reader.encoding
        return [encoding.name for encoding in self._others.encodings if not encoding.encodes_like(own)]

    def _next_piece(self, start: int) -> tuple[int, str]:
        end = piece_end(self._text, self._reader.finder, start, len(self._text))
        return end, self._text.read_sound(start, end)

    # How it is done

    def _read_all(
        self, text: Utf16Text, reader: PieceReader, progress: Progress | None
    ) -> tuple[TokenLine, Readings, Measures]:
        measures = Measures()
        before = ""

        def measured() -> Iterator[str]:
            nonlocal measures, before
            for piece in pieces(text, reader.finder, 0, len(text)):
                measures += measure_pieces([piece], before)
                before = piece[-1]
                yield piece
                if progress is not None:
                    progress(measures.utf16_units / len(text))

        ids, ends, readings = _read(reader, measured(), 0)
        return TokenLine(ids, ends, len(text)), readings, measures

    def _check(self, edits: Sequence[TextEdit], lengths: Sequence[int]) -> None:
        total = len(self._text)
        for edit, length in zip(edits, lengths, strict=True):
            start, removed = edit.utf16_start, edit.utf16_removed
            if start < 0 or removed < 0 or start + removed > total:
                raise ValueError(
                    f"an edit at {start} that removes {removed} lies outside a text of {total} UTF-16 units"
                )
            total += length - removed

    def _apply_cluster(self, cluster: Sequence[tuple[TextEdit, int]]) -> _Window:
        start, old_end = self._window_around(cluster)
        behind = len(self._text) - old_end
        char_before = self._text.read_sound(start - 1, start) if start else ""
        before = list(pieces(self._text, self._reader.finder, start, old_end))
        for edit, _ in cluster:
            self._text.replace(edit.utf16_start, edit.utf16_start + edit.utf16_removed, edit.inserted)
        window = _Window(start, old_end, len(self._text) - behind)
        after = list(pieces(self._text, self._reader.finder, start, window.new_end))
        self._read_window(window, before, after)
        self._measures += measure_pieces(after, char_before) - measure_pieces(before, char_before)
        change = TextChange(start, old_end, window.new_end, before, after)
        self._others.follow(self._other_names(), change, len(self._text))
        return window

    def _window_around(self, cluster: Sequence[tuple[TextEdit, int]]) -> tuple[int, int]:
        """Where the window of these edits starts and ends in the text before them: at safe cuts that no edit touches,
        or at the ends of the text."""
        finder, total = self._reader.finder, len(self._text)
        if finder is None:
            return 0, total
        kept_before = kept_behind = length = total
        for edit, inserted in cluster:
            kept_before = min(kept_before, edit.utf16_start)
            kept_behind = min(kept_behind, length - edit.utf16_start - edit.utf16_removed)
            length += inserted - edit.utf16_removed
        start = last_cut(self._text, finder, 1, kept_before - finder.reach)
        end = first_cut(self._text, finder, total - kept_behind + finder.reach)
        return start or 0, total if end is None else end

    def _read_window(self, window: _Window, before: list[str], after: list[str]) -> None:
        ids, ends, readings = _read(self._reader, after, window.start)
        kept = len(self._tokens)
        self._tokens.splice(window.start, window.old_end, ids, ends, len(self._text))
        removed = kept + len(ids) - len(self._tokens)
        self._readings += readings - self._reader.readings_of_pieces(before, removed)

    def _patch(self, window: _Window) -> TokenPatch:
        ids, ends = self._tokens.between(window.start, window.new_end)
        continues = self._reader.encoding.continues[ids]
        for array in (ids, ends, continues):
            array.flags.writeable = False
        return TokenPatch(window.start, window.old_end, window.new_end, ids, ends, continues)


def _no_tokens() -> NDArray[np.int32]:
    return np.empty(0, dtype=np.int32)


def _read(
    reader: PieceReader, texts: Iterable[str], utf16_start: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], Readings]:
    """Ids and ends, int32[n] each, of pieces that stand one after the other from ``utf16_start`` on, and their
    counts."""
    readings = Readings()
    all_ids, all_ends = [_no_tokens()], [_no_tokens()]
    for text in texts:
        ids, piece_readings = reader.read(text)
        readings += piece_readings
        ends: NDArray[np.int32] = np.cumsum(reader.encoding.utf16_lengths[ids], dtype=np.int32)
        ends += np.int32(utf16_start)
        utf16_start = int(ends[-1])
        all_ids.append(ids)
        all_ends.append(ends)
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
