"""Reads texts between safe cuts (``engine.split.safe_cuts``): what an edit changes lies between the cuts around it.

Everything before the left cut and behind the right one encodes as before, so only the text between them is encoded
anew. Where no cut is near, that stretch grows until there is one, at worst to the whole text: an edit among a million
letters in a row, or as many spaces, takes some hundredths of a second. For a pattern that no cuts are known of, it is
the whole text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.editing.cuts import chunks, first_cut, last_cut, pieces
from engine.editing.text_reader import Piece, Readings, Remade
from engine.editing.token_blocks import TokenBlocks
from engine.encoding.altering_encoding import AlteringEncoding
from engine.encoding.encoding import Encoding
from engine.split.safe_cuts import CutFinder
from engine.split.special_text import special_token_regex
from engine.text.utf16 import sound_text_of, units_of, utf16_length
from engine.text.utf16_units import EditedUnits, UnitsText

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CutReader:
    """Reads texts in one encoding, in one reading of special tokens."""

    def __init__(self, encoding: Encoding, special_as_tokens: bool) -> None:
        self.encoding = encoding
        self.special_as_tokens = special_as_tokens
        special = encoding.special_tokens_set
        self._finder = CutFinder(special) if encoding.has_safe_cuts else None
        self._special = special_token_regex(frozenset(special)) if special else None

    def read_all(self, text: str) -> Iterator[Piece]:
        """A whole text, lone surrogates in it allowed, piece by piece."""
        return (self._piece(units_of(text[start:end])) for start, end in chunks(text, self._finder))

    def read_units(self, text: UnitsText) -> Iterator[Piece]:
        """A whole text that is there as units, piece by piece."""
        return map(self._piece, pieces(text, self._finder, 0, len(text)))

    def remake(self, blocks: TokenBlocks, edited: EditedUnits, readings: Readings) -> Remade:
        """What an edit changes in a text. ``edited``: the text as it will be."""
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
        """Ids and ends of pieces that encode apart and stand one behind the other, and their counts."""
        readings = Readings()
        all_ids, all_ends = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
        place = 0
        for text in texts:
            occurrences = self._occurrences(text)
            ids = self.encoding.token_ids(text, special_as_tokens=self.special_as_tokens and occurrences > 0)
            readings += self._readings(text, occurrences, len(ids))
            all_ids.append(ids)
            all_ends.append(self._utf16_ends(text, ids) + np.int32(place))
            place += utf16_length(text)
        return np.concatenate(all_ids), np.concatenate(all_ends), readings

    def _utf16_ends(self, text: str, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        if isinstance(self.encoding, AlteringEncoding):
            return self.encoding.utf16_ends(text, ids, special_as_tokens=self.special_as_tokens)
        return self.encoding.utf16_lengths[ids].cumsum(dtype=np.int32)

    def _readings_of(self, texts: Iterable[str], tokens: int) -> Readings:
        """The counts of pieces of which it is known how many ``tokens`` they have in this reading."""
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


def window_around(before: UnitsText, edited: EditedUnits, finder: CutFinder | None) -> tuple[int, int]:
    """Where the window of an edit starts and ends in the text before it: at safe cuts that the edit does not touch, or
    at the ends of the text."""
    if finder is None:
        return 0, len(before)
    start = last_cut(before, finder, 1, edited.start - finder.reach)
    end = first_cut(before, finder, edited.old_end + finder.reach)
    return start or 0, len(before) if end is None else end
