"""Pieces of a text read in one encoding: their tokens, and the counts of both readings of special tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.encoding import Encoding
from engine.prepared_encoding import PreparedEncoding
from engine.safe_cuts import CutFinder
from engine.special_text import special_token_regex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.encoder import NativeEncoder


@dataclass(frozen=True, slots=True)
class Readings:
    """How often text of special tokens occurs, and the tokens if it is plain text or is special tokens."""

    occurrences: int = 0
    plain: int = 0
    special: int = 0

    def __add__(self, other: Readings) -> Readings:
        return Readings(self.occurrences + other.occurrences, self.plain + other.plain, self.special + other.special)

    def __sub__(self, other: Readings) -> Readings:
        return Readings(self.occurrences - other.occurrences, self.plain - other.plain, self.special - other.special)

    def with_more_tokens(self, tokens: int) -> Readings:
        """The counts when so many tokens come that are the same in both readings."""
        return Readings(self.occurrences, self.plain + tokens, self.special + tokens)


class PieceReader:
    """Encodes pieces of text in one encoding, in one reading of special tokens."""

    def __init__(self, encoding: Encoding, special_as_tokens: bool) -> None:
        self.encoding = encoding
        self.special_as_tokens = special_as_tokens
        special = encoding.special_tokens_set
        self.finder = CutFinder(special) if encoding.has_safe_cuts else None
        self._special = special_token_regex(frozenset(special)) if special else None

    @property
    def native(self) -> NativeEncoder | None:
        """Our own encoder, where it encodes whole texts."""
        return self.encoding.native

    def read(self, piece: str) -> tuple[NDArray[np.int32], Readings]:
        """The ids of a piece in this reading, and its counts in both."""
        occurrences = self._occurrences(piece)
        ids = self.encoding.token_ids(piece, special_as_tokens=self.special_as_tokens and occurrences > 0)
        return ids, self._readings(piece, occurrences, len(ids))

    def utf16_ends(self, piece: str, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32[n]: where the tokens of a piece, from ``read``, end in it. UTF-16 units."""
        if isinstance(self.encoding, PreparedEncoding):
            return self.encoding.utf16_ends(piece, ids, special_as_tokens=self.special_as_tokens)
        return self.encoding.utf16_lengths[ids].cumsum(dtype=np.int32)

    def readings_of_pieces(self, pieces: list[str], tokens: int) -> Readings:
        """The counts of pieces of which it is known how many ``tokens`` they have in this reading."""
        total = Readings(0, tokens, tokens)
        for piece in pieces:
            if occurrences := self._occurrences(piece):
                count = len(self.encoding.token_ids(piece, special_as_tokens=self.special_as_tokens))
                total += self._readings(piece, occurrences, count) - Readings(0, count, count)
        return total

    def _occurrences(self, piece: str) -> int:
        return sum(1 for _ in self._special.finditer(piece)) if self._special else 0

    def _readings(self, piece: str, occurrences: int, tokens: int) -> Readings:
        if not occurrences:
            return Readings(0, tokens, tokens)
        other = len(self.encoding.token_ids(piece, special_as_tokens=not self.special_as_tokens))
        plain, special = (other, tokens) if self.special_as_tokens else (tokens, other)
        return Readings(occurrences, plain, special)
