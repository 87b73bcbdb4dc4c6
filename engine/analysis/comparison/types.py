"""Frozen results of a comparison. Importing this module costs nothing: numpy is named in annotations only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class TokenColumn:
    """The tokens of a text in one encoding, as parallel read-only arrays.

    ``ids``: int32[n]. ``utf16_ends``: int32[n], in order, the last one at the text's end; a token that ends inside a
    character ends behind it. ``continues``: bool[n], whether a token's first byte continues a character begun by the
    token before.
    """

    ids: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]
    continues: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the text that is counted by itself: ``key`` says of which script or kind. ``tokens``: in each encoding,
    in order. The parts of one kind come to the whole text and to all of its tokens."""

    key: str
    utf8_bytes: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A stretch of the text and its tokens in each encoding. ``line`` counts from 1; ``beginning``: of its text."""

    utf16_start: int
    utf16_end: int
    line: int
    tokens: tuple[int, ...]
    beginning: str

    @property
    def spread(self) -> int:
        """Tokens that the encoding with the most has more than the one with the fewest."""
        return max(self.tokens) - min(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class TextComparison:
    """``units``: uint16[n], read-only, of the text, lone surrogates replaced. ``names`` of the encodings in the order
    that was asked for, and the ``tokens`` of the whole text in each. ``scripts`` by lines, those with the most bytes
    first; ``kinds`` by characters. ``stretches``: pieces between places where all encodings have a boundary; ``lines``:
    whole lines; of both those in which the encodings differ most, the greatest difference first."""

    units: NDArray[np.uint16]
    utf8_bytes: int
    names: tuple[str, ...]
    tokens: tuple[int, ...]
    scripts: tuple[Part, ...]
    kinds: tuple[Part, ...]
    stretches: Sequence[Difference]
    lines: Sequence[Difference]
