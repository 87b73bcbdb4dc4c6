"""A text as UTF-16 code units, edited in place: the positions of Qt's text classes are its indices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.gap_array import GapArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK_CHARS = 65_536


class Utf16Text:
    """A text whose pieces are cheap to read and replace anywhere. All positions are in UTF-16 units.

    Surrogates that belong together may arrive in separate edits; halves left alone are kept as they are.
    """

    def __init__(self, text: str) -> None:
        self._units = GapArray(_units(text), np.uint16)

    def __len__(self) -> int:
        """Length in UTF-16 units."""
        return len(self._units)

    def replace(self, start: int, stop: int, inserted: str) -> None:
        """Put ``inserted`` in the place of the units ``start`` to ``stop``."""
        self._units.replace(start, stop, _units(inserted))

    def read(self, start: int, stop: int) -> str:
        """The text between two positions, lone surrogates kept."""
        return self._units.read(start, stop).tobytes().decode("utf-16-le", "surrogatepass")

    def read_sound(self, start: int, stop: int) -> str:
        """The text between two positions, each lone surrogate replaced by U+FFFD: what is encoded."""
        return self._units.read(start, stop).tobytes().decode("utf-16-le", "replace")

    def read_units(self, start: int, stop: int) -> str:
        """A string with one character for each unit, surrogate pairs not joined, so that indices are positions."""
        return self._units.read(start, stop).astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")

    def whole(self) -> str:
        """The whole text, lone surrogates kept."""
        pieces = []
        start = 0
        while start < len(self):
            stop = min(start + _CHUNK_CHARS, len(self))
            if stop < len(self) and self._is_pair(stop - 1):
                stop += 1
            pieces.append(self.read(start, stop))
            start = stop
        return "".join(pieces)

    def _is_pair(self, position: int) -> bool:
        return len(self.read(position, position + 2)) == 1


def utf16_length(text: str) -> int:
    """Length of a text in UTF-16 units."""
    if text.isascii():
        return len(text)
    return sum(len(chunk.encode("utf-16-le", "surrogatepass")) // 2 for chunk in _chunks(text))


def _units(text: str) -> NDArray[np.uint16]:
    units = [np.frombuffer(chunk.encode("utf-16-le", "surrogatepass"), dtype="<u2") for chunk in _chunks(text)]
    return units[0] if len(units) == 1 else np.concatenate([np.empty(0, dtype="<u2"), *units])


def _chunks(text: str) -> Iterator[str]:
    """A long text in parts: turned into UTF-16 at once it would keep every other thread waiting."""
    return (text[start : start + _CHUNK_CHARS] for start in range(0, len(text), _CHUNK_CHARS))
