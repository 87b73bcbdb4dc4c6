"""Texts as UTF-16 code units, the unit of offsets in Qt's text classes, and back.

``UnitsText`` is a text whose units can be read at any offset: ``UnitsArray`` holds an array of them, ``EditedUnits`` is
a text with an edit that is not applied yet. All their offsets are in UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.text.validity import well_formed

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CHUNK_CHARS = 65_536


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    if text.isascii():
        return len(text)
    return sum(len(chunk.encode("utf-16-le", "surrogatepass")) // 2 for chunk in _chunks(text))


def units_of(text: str) -> NDArray[np.uint16]:
    """Return uint16[n], read-only: the units of a text. Keeps lone surrogates; adjacent halves become a pair."""
    if len(text) <= _CHUNK_CHARS:
        return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    return np.concatenate(
        [np.frombuffer(chunk.encode("utf-16-le", "surrogatepass"), dtype="<u2") for chunk in _chunks(text)]
    )


def text_of(units: NDArray[np.uint16]) -> str:
    """Return the text of some units. Lone surrogates are kept."""
    return units.tobytes().decode("utf-16-le", "surrogatepass")


def sound_text_of(units: NDArray[np.uint16]) -> str:
    """Return the text of some units as it is encoded: each lone surrogate is replaced by U+FFFD."""
    if len(units) <= _CHUNK_CHARS:
        return units.tobytes().decode("utf-16-le", "replace")
    starts = range(0, len(units), _CHUNK_CHARS)
    return well_formed(units[start : start + _CHUNK_CHARS].tobytes() for start in starts)


def characters_of(units: NDArray[np.uint16]) -> str:
    """Return a string with one character per unit. Surrogate pairs are not joined, so indices are UTF-16 offsets."""
    return units.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def _chunks(text: str) -> Iterator[str]:
    """Return the chunks of a text: converting a long text to UTF-16 in one call would block every other thread."""
    return (text[start : start + _CHUNK_CHARS] for start in range(0, len(text), _CHUNK_CHARS))


class UnitsText(Protocol):
    """A text that can be read by UTF-16 offsets."""

    def __len__(self) -> int: ...

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """Return uint16[n]: the units between two offsets."""
        ...


class UnitsArray:
    """An array of units as a text."""

    def __init__(self, units: NDArray[np.uint16]) -> None:
        self._units = units

    def __len__(self) -> int:
        return len(self._units)

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """Return uint16[n]: the units between two offsets, a view."""
        return self._units[start:stop]


class EditedUnits:
    """A text with an edit that is not applied yet: ``units`` replace those from ``start`` to ``old_end``."""

    def __init__(self, before: UnitsText, start: int, old_end: int, units: NDArray[np.uint16]) -> None:
        self._before = before
        self._units = units
        self.start = start
        self.old_end = old_end
        self.new_end = start + len(units)

    def __len__(self) -> int:
        return len(self._before) + self.growth

    @property
    def growth(self) -> int:
        """Number of units that the edit adds; negative if it removes more."""
        return self.new_end - self.old_end

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """Return uint16[n]: the units between two offsets."""
        inside = slice(max(start - self.start, 0), max(stop - self.start, 0))
        parts = [self._units[inside]]
        if start < self.start:
            parts.insert(0, self._before.read_units(start, min(stop, self.start)))
        if stop > self.new_end:
            parts.append(self._before.read_units(max(start, self.new_end) - self.growth, stop - self.growth))
        return np.concatenate(parts)


_SPANS_AT_A_TIME = 4096


def pairs(spans: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the rows of int64[n, 2], created some thousands at a time.

    ``tolist()`` creates a list for each row in one call that cannot be interrupted, and the garbage collector traverses
    all of them: 300,000 rows held the interpreter for 0.2 s.
    """
    for first in range(0, len(spans), _SPANS_AT_A_TIME):
        some = spans[first : first + _SPANS_AT_A_TIME]
        yield from zip(some[:, 0].tolist(), some[:, 1].tolist(), strict=True)
