"""Read the tokens of a text under edit: all of them, or those that an edit changed.

A ``TextReader`` is either a ``CutReader``, which reads between safe boundaries, or a ``PretokenReader``, which reads
from pretoken to pretoken for any pattern; ``reader_for`` chooses. ``pieces`` and related functions divide a text of
UTF-16 units at safe boundaries. All offsets are UTF-16 units.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from engine.editing.token_blocks import LAST_OF_PRETOKEN, EditedUnits, TokenBlocks, UnitsText
from engine.encoding.encoding import Encoding
from engine.encoding.preprocessing_encoding import NormalizingEncoding
from engine.split.expression import UnsupportedPatternError
from engine.split.pretokenization import SECONDS, PretokenChunk, Pretokenizer, pretoken_chunks, pretokenizer
from engine.split.safe_boundaries import BoundaryFinder
from engine.split.special_text import special_token_regex, split_at_specials
from engine.text.offsets import characters_of, sound_text_of, text_of, units_of, utf16_length, utf16_offsets

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


PIECE_UNITS = 16_384
"""Approximate size of the pieces in which texts are read and encoded, so that no single call blocks other threads."""

_FIRST_WINDOW = 128


def last_cut(text: UnitsText, finder: BoundaryFinder, lowest: int, highest: int) -> int | None:
    """Return the last boundary p with ``lowest <= p <= highest``, or None."""
    window = _FIRST_WINDOW
    stop = highest + 1
    while stop > lowest:
        start = max(lowest, stop - window)
        origin = max(0, start - finder.reach)
        characters = characters_of(text.read_units(origin, min(stop + finder.reach, len(text))))
        cut = finder.last(characters, start - origin, stop - origin)
        if cut >= 0:
            return origin + cut
        stop, window = start, min(window * 4, PIECE_UNITS)
    return None


def first_cut(text: UnitsText, finder: BoundaryFinder, lowest: int) -> int | None:
    """Return the first boundary p with ``lowest <= p``, or None."""
    window = _FIRST_WINDOW
    start = lowest
    while start < len(text):
        stop = min(start + window, len(text))
        origin = max(0, start - finder.reach)
        characters = characters_of(text.read_units(origin, min(stop + finder.reach, len(text))))
        cut = finder.first(characters, start - origin, stop - origin)
        if cut >= 0:
            return origin + cut
        start, window = stop, min(window * 4, PIECE_UNITS)
    return None


def piece_end(text: UnitsText, finder: BoundaryFinder | None, start: int, stop: int) -> int:
    """Return the end of a piece that begins at ``start``: the last boundary within ``PIECE_UNITS``, else the next one,
    at most ``stop``."""
    limit = start + PIECE_UNITS
    if finder is None or limit >= stop:
        return stop
    cut = last_cut(text, finder, start + 1, limit)
    if cut is None:
        cut = first_cut(text, finder, limit + 1)
    return stop if cut is None else min(cut, stop)


def pieces(text: UnitsText, finder: BoundaryFinder | None, start: int, stop: int) -> Iterator[NDArray[np.uint16]]:
    """Yield the units between two token boundaries, in pieces that encode independently."""
    while start < stop:
        end = piece_end(text, finder, start, stop)
        yield text.read_units(start, end)
        start = end


def chunks(text: str, finder: BoundaryFinder | None) -> Iterator[tuple[int, int]]:
    """Yield the pieces (start, end) of a text, in characters, that encode independently."""
    if finder is not None:
        yield from finder.chunks(text, PIECE_UNITS)
    elif text:
        yield 0, len(text)


@dataclass(frozen=True, slots=True)
class Readings:
    """Number of occurrences of special tokens, and number of tokens if they are plain text or recognized."""

    occurrences: int = 0
    plain: int = 0
    special: int = 0

    def __add__(self, other: Readings) -> Readings:
        return Readings(self.occurrences + other.occurrences, self.plain + other.plain, self.special + other.special)

    def __sub__(self, other: Readings) -> Readings:
        return Readings(self.occurrences - other.occurrences, self.plain - other.plain, self.special - other.special)

    def with_more_tokens(self, tokens: int) -> Readings:
        """Return the counts plus ``tokens`` that are the same in both readings."""
        return Readings(self.occurrences, self.plain + tokens, self.special + tokens)


class Piece(NamedTuple):
    """A piece of a text between two token boundaries. ``units``: uint16[n]; ``ids``, ``ends``: int32[m], as in
    ``TokenBlock``, counted from the start of the piece."""

    units: NDArray[np.uint16]
    ids: NDArray[np.int32]
    ends: NDArray[np.int32]
    readings: Readings


class Remade(NamedTuple):
    """A span of a text and its new tokens: the edit changed no token outside its two boundaries. ``ids``, ``ends``:
    int32[m], as in ``TokenBlock``, counted from ``start``. ``readings``: the change of the counts."""

    start: int
    old_end: int
    new_end: int
    ids: NDArray[np.int32]
    ends: NDArray[np.int32]
    readings: Readings


class TextReader(Protocol):
    """Reads texts in one encoding, with special tokens recognized or not."""

    encoding: Encoding
    special_as_tokens: bool

    def read_all(self, text: str) -> Iterator[Piece]:
        """Yield the pieces of a whole text, which may have lone surrogates."""
        ...

    def read_units(self, text: UnitsText) -> Iterator[Piece]:
        """Yield the pieces of a text given as units; without a copy of the whole text if the encoding allows it."""
        ...

    def remake(self, blocks: TokenBlocks, edited: EditedUnits, readings: Readings) -> Remade:
        """Return the tokens that an edit changes in a text with these counts. ``edited``: the text after the edit."""
        ...


class CutReader:
    """Reads texts between safe boundaries (``engine.split.safe_boundaries``): edits change no tokens beyond them.

    All text before the left boundary and after the right one encodes as before, so only the text between them is
    encoded again. If no boundary is near, this span grows until there is one, at worst to the whole text: an edit
    within a million consecutive letters or spaces takes some hundredths of a second. For a pattern without known
    boundaries, it is the whole text.
    """

    def __init__(self, encoding: Encoding, special_as_tokens: bool) -> None:
        self.encoding = encoding
        self.special_as_tokens = special_as_tokens
        special = encoding.special_tokens_set
        self._finder = BoundaryFinder(special) if encoding.has_safe_boundaries else None
        self._special = special_token_regex(frozenset(special)) if special else None

    def read_all(self, text: str) -> Iterator[Piece]:
        """Yield the pieces of a whole text, which may have lone surrogates."""
        return (self._piece(units_of(text[start:end])) for start, end in chunks(text, self._finder))

    def read_units(self, text: UnitsText) -> Iterator[Piece]:
        """Yield the pieces of a whole text given as units."""
        return map(self._piece, pieces(text, self._finder, 0, len(text)))

    def remake(self, blocks: TokenBlocks, edited: EditedUnits, readings: Readings) -> Remade:
        """Return the tokens that an edit changes in a text. ``edited``: the text after the edit."""
        start, old_end = window_around(blocks, edited, self._finder)
        new_end = old_end + edited.growth
        before = (sound_text_of(units) for units in pieces(blocks, self._finder, start, old_end))
        after = (sound_text_of(units) for units in pieces(edited, self._finder, start, new_end))
        ids, ends, new = self._read(after)
        old = self._readings_of(before, blocks.tokens_in(start, old_end))
        return Remade(start, old_end, new_end, ids, ends, new - old)

    def _piece(self, units: NDArray[np.uint16]) -> Piece:
        ids, ends, readings = self._read([sound_text_of(units)])
        return Piece(units, ids, ends, readings)

    def _read(self, texts: Iterable[str]) -> tuple[NDArray[np.int32], NDArray[np.int32], Readings]:
        """Return the ids and ends of consecutive pieces that encode independently, and their counts."""
        readings = Readings()
        all_ids, all_ends = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
        start = 0
        for text in texts:
            occurrences = self._occurrences(text)
            ids = self.encoding.token_ids(text, special_as_tokens=self.special_as_tokens and occurrences > 0)
            readings += self._readings(text, occurrences, len(ids))
            all_ids.append(ids)
            all_ends.append(self._utf16_ends(text, ids) + np.int32(start))
            start += utf16_length(text)
        return np.concatenate(all_ids), np.concatenate(all_ends), readings

    def _utf16_ends(self, text: str, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        if isinstance(self.encoding, NormalizingEncoding):
            return self.encoding.utf16_ends(text, ids, special_as_tokens=self.special_as_tokens)
        return self.encoding.utf16_lengths[ids].cumsum(dtype=np.int32)

    def _readings_of(self, texts: Iterable[str], tokens: int) -> Readings:
        """Return the counts of pieces whose number of ``tokens`` in the current reading is known."""
        total = Readings(0, tokens, tokens)
        for text in texts:
            if occurrences := self._occurrences(text):
                count = len(self.encoding.token_ids(text, special_as_tokens=self.special_as_tokens))
                total += self._readings(text, occurrences, count) - Readings(0, count, count)
        return total

    def _occurrences(self, text: str) -> int:
        return sum(1 for _ in self._special.finditer(text, concurrent=True)) if self._special else 0

    def _readings(self, text: str, occurrences: int, tokens: int) -> Readings:
        if not occurrences:
            return Readings(0, tokens, tokens)
        other = len(self.encoding.token_ids(text, special_as_tokens=not self.special_as_tokens))
        plain, special = (other, tokens) if self.special_as_tokens else (tokens, other)
        return Readings(occurrences, plain, special)


def window_around(before: UnitsText, edited: EditedUnits, finder: BoundaryFinder | None) -> tuple[int, int]:
    """Return the start and end of an edit's window in the text before it: safe boundaries that the edit does not
    affect, or ends of the text."""
    if finder is None:
        return 0, len(before)
    start = last_cut(before, finder, 1, edited.start - finder.reach)
    end = first_cut(before, finder, edited.old_end + finder.reach)
    return start or 0, len(before) if end is None else end


_FIRST_UNITS = 256
"""Units that are examined first, on either side of an edit."""


class _Tokens(NamedTuple):
    """Tokens with flags on the last of each pretoken. ``ends``: int64[n]. ``end``: end of the last pretoken."""

    ids: NDArray[np.int32]
    ends: NDArray[np.int64]
    end: int

    def borders(self) -> NDArray[np.int64]:
        """Return the ends of pretokens."""
        borders: NDArray[np.int64] = self.ends[self.ids & LAST_OF_PRETOKEN != 0]
        return borders


class PretokenReader:
    """Reads texts pretoken by pretoken: an edit changes only tokens between nearby pretokens, for any pattern.

    The last token of each pretoken is flagged, so the ends of pretokens are known. Reading starts at the last of them
    that the edit cannot have changed, as determined by ``engine.split.pretokenization``. It stops where a pretoken ends
    at the same offset as an old one, far enough after the edit that the pattern does not look back at it: from there
    on, the pretokens are the old ones. This is proven for every pattern; the distance depends on the pattern. For one
    that looks at the whole text, everything is read again.

    A special token divides the text in two, each with a start and an end that the pattern sees. If there is one,
    everything is read again.
    """

    def __init__(self, encoding: Encoding, special_as_tokens: bool, pretokenizer: Pretokenizer) -> None:
        self.encoding = encoding
        self.special_as_tokens = special_as_tokens
        self._pretokenizer = pretokenizer
        special = encoding.special_tokens_set
        self._special = special_token_regex(frozenset(special)) if special else None
        self._special_reach = max((len(units_of(text)) for text in special), default=0)

    def read_all(self, text: str) -> Iterator[Piece]:
        """Yield the pieces of a whole text, which may have lone surrogates."""
        units = units_of(text)
        sound = sound_text_of(units)
        occurrences = sum(1 for _ in self._special.finditer(sound)) if self._special else 0
        done = tokens = 0
        for found in self._read(sound):
            piece = units[done : found.end]
            yield Piece(piece, found.ids, (found.ends - done).astype(np.int32), _same_in_both(len(found.ids)))
            done = found.end
            tokens += len(found.ids)
        yield Piece(units[done:], _NO_IDS, _NO_IDS, self._special_readings(sound, occurrences, tokens))

    def read_units(self, text: UnitsText) -> Iterator[Piece]:
        """Yield the pieces of a whole text given as units. Pretokenization needs a copy of the whole text."""
        return self.read_all(text_of(text.read_units(0, len(text))))

    def _read(self, sound: str) -> Iterator[_Tokens]:
        """Yield the tokens of a whole text, chunk by chunk, with offsets in the whole text."""
        special_tokens = self.encoding.special_tokens_set if self.special_as_tokens else frozenset[str]()
        segment_start = 0
        for segment, special in split_at_specials(sound, special_tokens):
            char_start, start = 0, segment_start
            for chunk in pretoken_chunks(self._pretokenizer, segment):
                start += utf16_length(segment[char_start : chunk.char_start])
                char_start = chunk.char_start
                yield self._tokens_of(chunk, start)
            segment_start += utf16_length(segment)
            if special:
                segment_start += utf16_length(special)
                ids = self.encoding.token_ids(special, special_as_tokens=True)
                yield _Tokens(ids, np.array([segment_start]), segment_start)

    def _special_readings(self, sound: str, occurrences: int, tokens: int) -> Readings:
        """Return the occurrences of special tokens, and the difference in tokens between the readings of a whole
        text."""
        if not occurrences:
            return Readings()
        if self.special_as_tokens:
            return Readings(occurrences, self.encoding.count(sound) - tokens, 0)
        return Readings(occurrences, 0, len(self.encoding.token_ids(sound, special_as_tokens=True)) - tokens)

    def remake(self, blocks: TokenBlocks, edited: EditedUnits, readings: Readings) -> Remade:
        """Return the tokens that an edit changes in a text with these counts. ``edited``: the text after the edit."""
        behind = self._pretokenizer.reach.behind
        if behind is None or readings.occurrences or self._may_have_special(edited):
            return self._remake_all(blocks, edited, readings)
        change = _whole_characters(blocks, edited)
        start = at = self._settled_before(blocks, change.start)
        # A character has at most two units. One more, so that no surrogate pair is divided at the end of the window.
        least = change.new_end + 2 * behind + 1
        end, step = least, _FIRST_UNITS
        parts: list[_Tokens] = []
        deadline = time.monotonic() + SECONDS
        while True:
            end, step = min(end + step, len(edited)), 4 * step
            found = self._read_on(edited, at, end, deadline)
            met = _first_common_border(blocks, found, least, edited.growth)
            if met is not None:
                parts.append(_up_to(found, met))
                return self._remade(blocks, edited, start, met, parts)
            parts.append(found)
            at = found.end
            if end == len(edited):
                return self._remade(blocks, edited, start, end, parts)

    def _remade(
        self, blocks: TokenBlocks, edited: EditedUnits, start: int, new_end: int, parts: list[_Tokens]
    ) -> Remade:
        ids = np.concatenate([part.ids for part in parts])
        ends = np.concatenate([part.ends for part in parts]) - start
        old_end = new_end - edited.growth
        more = len(ids) - blocks.tokens_in(start, old_end)
        return Remade(start, old_end, new_end, ids, ends.astype(np.int32), _same_in_both(more))

    def _remake_all(self, blocks: TokenBlocks, edited: EditedUnits, readings: Readings) -> Remade:
        """Return all tokens of a text that is read again."""
        pieces = list(self.read_all(text_of(edited.read_units(0, len(edited)))))
        starts = np.cumsum([0, *(len(piece.units) for piece in pieces)])
        ends = [piece.ends + np.int32(start) for piece, start in zip(pieces, starts.tolist(), strict=False)]
        new = sum((piece.readings for piece in pieces), Readings())
        ids = np.concatenate([piece.ids for piece in pieces])
        return Remade(0, len(blocks), len(edited), ids, np.concatenate(ends), new - readings)

    def _may_have_special(self, edited: EditedUnits) -> bool:
        """Return True if the edit has text of a special token. There is none elsewhere, as there was none before."""
        if self._special is None:
            return False
        low = max(0, edited.start - self._special_reach)
        high = min(edited.new_end + self._special_reach, len(edited))
        return self._special.search(sound_text_of(edited.read_units(low, high))) is not None

    def _settled_before(self, blocks: TokenBlocks, change_start: int) -> int:
        """Return the last end of a pretoken, or the start of the text, that a change from ``change_start`` on keeps."""
        size = _FIRST_UNITS
        while True:
            low = _start_of_character(blocks, max(0, change_start - size))
            text = sound_text_of(blocks.read_units(low, change_start))
            settled = self._pretokenizer.settled(text)
            if settled >= 0:
                return blocks.last_border(low + int(utf16_offsets(text)[settled]))
            if low == 0:
                return 0
            size *= 8

    def _read_on(self, text: UnitsText, start: int, end: int, deadline: float) -> _Tokens:
        """Return the tokens from the end of a pretoken on, as far as the text up to ``end`` determines them."""
        low = start
        for _ in range(self._pretokenizer.reach.behind or 0):
            low = _start_of_character(text, max(0, low - 1))
        end = _start_of_character(text, end)
        sound = sound_text_of(text.read_units(low, end))
        char_start = len(sound_text_of(text.read_units(low, start)))
        left = max(0.001, deadline - time.monotonic())
        to_end = end == len(text)
        spans = self._pretokenizer.settled_spans(sound, char_start, to_end=to_end, seconds=left)
        if not len(spans):
            return _Tokens(_NO_IDS, _NO_IDS.astype(np.int64), end if to_end else start)
        return self._tokens_of(PretokenChunk(sound, 0, spans), low)

    def _tokens_of(self, chunk: PretokenChunk, utf16_start: int) -> _Tokens:
        """Return the tokens of a chunk that starts at ``utf16_start``."""
        byte_spans = chunk.byte_spans()
        ids = self.encoding.ids_of_pretokens(chunk.text.encode("utf-8"), byte_spans)
        byte_lengths, utf16_lengths = self.encoding.byte_lengths[ids], self.encoding.utf16_lengths[ids]
        token_ends = np.cumsum(byte_lengths, dtype=np.int64)
        pretoken_ends = np.cumsum(byte_spans[:, 1] - byte_spans[:, 0])
        pretokens = pretoken_ends.searchsorted(token_ends, "left")
        is_last = pretoken_ends[pretokens] == token_ends
        spans = utf16_offsets(chunk.text)[chunk.char_spans] + utf16_start
        skipped = spans[:, 1] - np.cumsum(spans[:, 1] - spans[:, 0])
        ends = np.cumsum(utf16_lengths, dtype=np.int64) + skipped[pretokens]
        return _Tokens(np.where(is_last, ids | LAST_OF_PRETOKEN, ids), ends, int(spans[-1, 1]))


_NO_IDS: NDArray[np.int32] = np.empty(0, dtype=np.int32)


class _Change(NamedTuple):
    """The difference between two texts, in whole characters: from ``start`` to ``new_end`` in the newer one."""

    start: int
    new_end: int


def _whole_characters(before: UnitsText, edited: EditedUnits) -> _Change:
    """Extend an edit by adjacent halves of surrogate pairs, which may now belong to other characters."""
    low, high = edited.start, edited.new_end
    if low > 0 and before.read_units(low - 1, low)[0] & 0xFC00 == 0xD800:
        low -= 1
    if high < len(edited) and edited.read_units(high, high + 1)[0] & 0xFC00 == 0xDC00:
        high += 1
    return _Change(low, high)


def _start_of_character(text: UnitsText, position: int) -> int:
    """Return the offset, or the one before it if it is inside a surrogate pair."""
    if not 0 < position < len(text):
        return position
    around = text.read_units(position - 1, position + 1) & 0xFC00
    return position - 1 if around.tolist() == [0xD800, 0xDC00] else position


def _first_common_border(blocks: TokenBlocks, found: _Tokens, least: int, growth: int) -> int | None:
    """Return the first end of a pretoken from ``least`` on that was one before the edit, too. In the text after it."""
    borders = found.borders()
    borders = borders[borders >= least]
    if not len(borders):
        return None
    before = blocks.borders_between(least - growth - 1, int(borders[-1]) - growth) + growth
    both = borders[np.isin(borders, before)]
    return int(both[0]) if len(both) else None


def _up_to(tokens: _Tokens, border: int) -> _Tokens:
    """Return the tokens up to an end of a pretoken."""
    count = int(tokens.ends.searchsorted(border, "right"))
    return _Tokens(tokens.ids[:count], tokens.ends[:count], border)


def _same_in_both(tokens: int) -> Readings:
    return Readings(0, tokens, tokens)


def reader_for(encoding: Encoding, special_as_tokens: bool) -> TextReader:
    """Return the reader that reads least after an edit."""
    if encoding.has_safe_boundaries or isinstance(encoding, NormalizingEncoding):  # whose pattern is for another text
        return CutReader(encoding, special_as_tokens)
    try:
        return PretokenReader(encoding, special_as_tokens, pretokenizer(encoding.pattern))
    except UnsupportedPatternError:
        return CutReader(encoding, special_as_tokens)
