"""Frozen results of a comparison. Importing this module is cheap: numpy occurs in annotations only."""

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

    ``ids``: int32[n]. ``utf16_ends``: int32[n], ascending, the last is the text's end; a token that ends inside a
    character ends after it. ``continues``: bool[n], True if a token's first byte continues a character that an earlier
    token began.
    """

    ids: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]
    continues: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the text that is counted separately: ``key`` names its script or kind. ``tokens``: in each encoding, in
    order. All scripts, or all kinds, add up to the whole text and all of its tokens."""

    key: str
    utf8_bytes: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A span of the text and its number of tokens in each encoding. ``line`` counts from 1; ``beginning``: of its
    text."""

    utf16_start: int
    utf16_end: int
    line: int
    tokens: tuple[int, ...]
    beginning: str

    @property
    def spread(self) -> int:
        """Difference between the largest and the smallest number of tokens."""
        return max(self.tokens) - min(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class TextComparison:
    """Result of a comparison. ``units``: uint16[n], read-only, of the text, with lone surrogates replaced. ``names`` of
    the encodings in the requested order, and the ``tokens`` of the whole text in each. ``scripts`` by lines, largest
    first; ``kinds`` by characters. ``stretches``: spans between boundaries common to all encodings; ``lines``: whole
    lines; both only where the encodings differ most, largest difference first."""

    units: NDArray[np.uint16]
    utf8_bytes: int
    names: tuple[str, ...]
    tokens: tuple[int, ...]
    scripts: tuple[Part, ...]
    kinds: tuple[Part, ...]
    stretches: Sequence[Difference]
    lines: Sequence[Difference]
