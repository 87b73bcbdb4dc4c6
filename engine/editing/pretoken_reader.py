"""Reads texts pretoken by pretoken: what an edit changes lies between the pretokens around it, whatever the pattern.

The last token of each pretoken carries a mark, so that the ends of pretokens are known. An edit is read from the last
of them that it cannot have changed, as ``engine.split.reach`` tells, up to where a pretoken ends at the same place
as one did before, far enough behind the edit that nothing there looks back at it: from there on, the pretokens are the
old ones. So far it is proven for every pattern; how far that is, is up to the pattern. One that looks at the whole text
has it read anew.

A special token cuts the text in two, each half with a start and an end for the pattern to see. Where there is one, all
is read anew.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.editing.text_reader import Piece, Readings, Remade
from engine.editing.token_blocks import LAST_OF_PRETOKEN, TokenBlocks
from engine.encoding.encoding import Encoding
from engine.encoding.pretoken_ids import ids_of_pretokens, pretokens_of_tokens
from engine.split.long_texts import Stretch, stretches
from engine.split.pretokenization import SECONDS, Pretokenizer, utf16_offsets
from engine.split.special_text import special_token_regex, split_at_specials
from engine.text.utf16 import sound_text_of, text_of, units_of, utf16_length
from engine.text.utf16_units import EditedUnits, UnitsText

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_UNITS = 256
"""Units that are looked at first, on either side of an edit."""


class _Tokens(NamedTuple):
    """Tokens, those that end a pretoken marked. ``ends``: int64[n]. ``end``: where the last pretoken ends."""

    ids: NDArray[np.int32]
    ends: NDArray[np.int64]
    end: int

    def borders(self) -> NDArray[np.int64]:
        """Where pretokens end."""
        borders: NDArray[np.int64] = self.ends[self.ids & LAST_OF_PRETOKEN != 0]
        return borders


class PretokenReader:
    """Reads texts in one encoding, in one reading of special tokens. SplitTimeoutError where the pattern takes too
    long."""

    def __init__(self, encoding: Encoding, special_as_tokens: bool, pretokenizer: Pretokenizer) -> None:
        self.encoding = encoding
        self.special_as_tokens = special_as_tokens
        self._pretokenizer = pretokenizer
        special = encoding.special_tokens_set
        self._special = special_token_regex(frozenset(special)) if special else None
        self._special_reach = max((len(units_of(text)) for text in special), default=0)

    def read_all(self, text: str) -> Iterator[Piece]:
        """A whole text, lone surrogates in it allowed, piece by piece."""
        units = units_of(text)
        sound = sound_text_of(units)
        occurrences = sum(1 for _ in self._special.finditer(sound)) if self._special else 0
        done = tokens = 0
        for found in self._read(sound):
            piece = units[done : found.end]
            yield Piece(piece, found.ids, (found.ends - done).astype(np.int32), _same_in_both(len(found.ids)))
            done = found.end
            tokens += len(found.ids)
        yield Piece(units[done:], _NO_IDS, _NO_IDS, self._what_differs(sound, occurrences, tokens))

    def read_units(self, text: UnitsText) -> Iterator[Piece]:
        """A whole text that is there as units, piece by piece. What cuts into pretokens takes it as a whole."""
        return self.read_all(text_of(text.read_units(0, len(text))))

    def _read(self, sound: str) -> Iterator[_Tokens]:
        """The tokens of a whole text, stretch by stretch, in its positions."""
        special_tokens = self.encoding.special_tokens_set if self.special_as_tokens else frozenset[str]()
        segment_start = 0
        for segment, special in split_at_specials(sound, special_tokens):
            char_start, start = 0, segment_start
            for stretch in stretches(self._pretokenizer, segment):
                start += utf16_length(segment[char_start : stretch.char_start])
                char_start = stretch.char_start
                yield self._tokens_of(stretch, start)
            segment_start += utf16_length(segment)
            if special:
                segment_start += utf16_length(special)
                ids = self.encoding.token_ids(special, special_as_tokens=True)
                yield _Tokens(ids, np.array([segment_start]), segment_start)

    def _what_differs(self, sound: str, occurrences: int, tokens: int) -> Readings:
        """The occurrences of special tokens, and how many tokens more the other reading of a whole text has."""
        if not occurrences:
            return Readings()
        if self.special_as_tokens:
            return Readings(occurrences, self.encoding.count(sound) - tokens, 0)
        return Readings(occurrences, 0, len(self.encoding.token_ids(sound, special_as_tokens=True)) - tokens)

    def remake(self, blocks: TokenBlocks, edited: EditedUnits, readings: Readings) -> Remade:
        """What an edit changes in a text with these readings. ``edited``: the text as it will be."""
        behind = self._pretokenizer.reach.behind
        if behind is None or readings.occurrences or self._may_have_special(edited):
            return self._remake_all(blocks, edited, readings)
        change = _whole_characters(blocks, edited)
        start = at = self._settled_before(blocks, change.start)
        # A character is two units at most. One more, so that nothing is counted apart across the end of the window.
        least = change.new_end + 2 * behind + 1
        end, step = least, _FIRST_UNITS
        parts: list[_Tokens] = []
        deadline = time.monotonic() + SECONDS
        while True:
            end, step = min(end + step, len(edited)), 4 * step
            found = self._read_on(edited, at, end, deadline)
            met = _first_meeting(blocks, found, least, edited.growth)
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
        """All tokens of a text that is read anew."""
        pieces = list(self.read_all(text_of(edited.read_units(0, len(edited)))))
        starts = np.cumsum([0, *(len(piece.units) for piece in pieces)])
        ends = [piece.ends + np.int32(start) for piece, start in zip(pieces, starts.tolist(), strict=False)]
        new = sum((piece.readings for piece in pieces), Readings())
        ids = np.concatenate([piece.ids for piece in pieces])
        return Remade(0, len(blocks), len(edited), ids, np.concatenate(ends), new - readings)

    def _may_have_special(self, edited: EditedUnits) -> bool:
        """Whether text of a special token is where the edit is. Elsewhere there is none, as there was none before."""
        if self._special is None:
            return False
        low = max(0, edited.start - self._special_reach)
        high = min(edited.new_end + self._special_reach, len(edited))
        return self._special.search(sound_text_of(edited.read_units(low, high))) is not None

    def _settled_before(self, blocks: TokenBlocks, change_start: int) -> int:
        """The last end of a pretoken, or the start of the text, that a change from there on leaves as it is."""
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
        """The tokens from the end of a pretoken on, as far as the text up to ``end`` settles them."""
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
        return self._tokens_of(Stretch(sound, 0, spans), low)

    def _tokens_of(self, stretch: Stretch, utf16_start: int) -> _Tokens:
        """The tokens of a stretch that starts at ``utf16_start``."""
        byte_spans = stretch.byte_spans()
        ids = ids_of_pretokens(self.encoding, stretch.text.encode("utf-8"), byte_spans)
        byte_lengths, utf16_lengths = self.encoding.byte_lengths[ids], self.encoding.utf16_lengths[ids]
        numbers, is_last = pretokens_of_tokens(byte_lengths, byte_spans[:, 1] - byte_spans[:, 0])
        spans = utf16_offsets(stretch.text)[stretch.char_spans] + utf16_start
        left_out = spans[:, 1] - np.cumsum(spans[:, 1] - spans[:, 0])
        ends = np.cumsum(utf16_lengths, dtype=np.int64) + left_out[numbers]
        return _Tokens(np.where(is_last, ids | LAST_OF_PRETOKEN, ids), ends, int(spans[-1, 1]))


_NO_IDS: NDArray[np.int32] = np.empty(0, dtype=np.int32)


class _Change(NamedTuple):
    """What is not the same in two texts, in whole characters: from ``start``, to ``new_end`` in the newer one."""

    start: int
    new_end: int


def _whole_characters(before: UnitsText, edited: EditedUnits) -> _Change:
    """An edit, widened by the halves of surrogate pairs beside it, which may be other characters now."""
    low, high = edited.start, edited.new_end
    if low > 0 and before.read_units(low - 1, low)[0] & 0xFC00 == 0xD800:
        low -= 1
    if high < len(edited) and edited.read_units(high, high + 1)[0] & 0xFC00 == 0xDC00:
        high += 1
    return _Change(low, high)


def _start_of_character(text: UnitsText, position: int) -> int:
    """The position, or the one before it if it is inside of a surrogate pair."""
    if not 0 < position < len(text):
        return position
    around = text.read_units(position - 1, position + 1) & 0xFC00
    return position - 1 if around.tolist() == [0xD800, 0xDC00] else position


def _first_meeting(blocks: TokenBlocks, found: _Tokens, least: int, growth: int) -> int | None:
    """The first end of a pretoken, from ``least`` on, that was one before the edit, too. In the text after it."""
    borders = found.borders()
    borders = borders[borders >= least]
    if not len(borders):
        return None
    before = blocks.borders_between(least - growth - 1, int(borders[-1]) - growth) + growth
    both = borders[np.isin(borders, before)]
    return int(both[0]) if len(both) else None


def _up_to(tokens: _Tokens, border: int) -> _Tokens:
    """The tokens up to an end of a pretoken."""
    count = int(tokens.ends.searchsorted(border, "right"))
    return _Tokens(tokens.ids[:count], tokens.ends[:count], border)


def _same_in_both(tokens: int) -> Readings:
    return Readings(0, tokens, tokens)
