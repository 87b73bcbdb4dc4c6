"""What reads the tokens of a text under edit: the whole of it, or what an edit has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from engine.editing.token_blocks import TokenBlocks
from engine.encoding.encoding import Encoding
from engine.text.utf16_units import EditedUnits, UnitsText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


class Piece(NamedTuple):
    """A piece of a text that begins and ends where tokens do. ``units``: uint16[n]; ``ids``, ``ends``: int32[m], as in
    ``TokenBlock``, counted from the start of the piece."""

    units: NDArray[np.uint16]
    ids: NDArray[np.int32]
    ends: NDArray[np.int32]
    readings: Readings


class Remade(NamedTuple):
    """A stretch of a text, and its new tokens: between two token boundaries outside of which an edit has changed no
    token. ``ids``, ``ends``: int32[m], as in ``TokenBlock``, counted from ``start``. ``readings``: what changes in
    them."""

    start: int
    old_end: int
    new_end: int
    ids: NDArray[np.int32]
    ends: NDArray[np.int32]
    readings: Readings


class TextReader(Protocol):
    """Reads texts in one encoding, in one reading of special tokens."""

    encoding: Encoding
    special_as_tokens: bool

    def read_all(self, text: str) -> Iterator[Piece]:
        """A whole text, lone surrogates in it allowed, piece by piece."""
        ...

    def read_units(self, text: UnitsText) -> Iterator[Piece]:
        """The same of a text that is there as units; where the encoding allows it, without a copy of all of it."""
        ...

    def remake(self, blocks: TokenBlocks, edited: EditedUnits, readings: Readings) -> Remade:
        """What an edit changes in a text with these readings. ``edited``: the text as it will be."""
        ...


def reader_for(encoding: Encoding, special_as_tokens: bool) -> TextReader:
    """The reader that has least to read when the text is edited."""
    from engine.editing.cut_reader import CutReader
    from engine.editing.pretoken_reader import PretokenReader
    from engine.encoding.altering_encoding import AlteringEncoding
    from engine.split.pretokenization import UnsupportedPatternError, pretokenizer

    if encoding.has_safe_cuts or isinstance(encoding, AlteringEncoding):  # whose pattern is for another text
        return CutReader(encoding, special_as_tokens)
    try:
        return PretokenReader(encoding, special_as_tokens, pretokenizer(encoding.pattern))
    except UnsupportedPatternError:
        return CutReader(encoding, special_as_tokens)
