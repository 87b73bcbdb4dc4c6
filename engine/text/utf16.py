"""Texts as UTF-16 code units, which are the positions of Qt's text classes, and back.

``UnitsText`` is a text whose units can be read anywhere: ``UnitsArray`` holds an array of them, ``EditedUnits`` is a
text with an edit that has not been made yet. All their positions are UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.text.validity import sound_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CHUNK_CHARS = 65_536


def utf16_length(text: str) -> int:
    """Length of a text in UTF-16 units."""
    if text.isascii():
        return len(text)
    return sum(len(chunk.encode("utf-16-le", "surrogatepass")) // 2 for chunk in _chunks(text))


def units_of(text: str) -> NDArray[np.uint16]:
    """uint16[n], read-only: the units of a text. Lone surrogates are kept; halves that stand together become a pair."""
    if len(text) <= _CHUNK_CHARS:
        return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    return np.concatenate(
        [np.frombuffer(chunk.encode("utf-16-le", "surrogatepass"), dtype="<u2") for chunk in _chunks(text)]
    )


def text_of(units: NDArray[np.uint16]) -> str:
    """The text of some units, lone surrogates kept."""
    return units.tobytes().decode("utf-16-le", "surrogatepass")


def sound_text_of(units: NDArray[np.uint16]) -> str:
    """The text of some units, each lone surrogate replaced by U+FFFD: what is encoded."""
    if len(units) <= _CHUNK_CHARS:
        return units.tobytes().decode("utf-16-le", "replace")
    starts = range(0, len(units), _CHUNK_CHARS)
    return sound_text(units[start : start + _CHUNK_CHARS].tobytes() for start in starts)


def characters_of(units: NDArray[np.uint16]) -> str:
    """A string with one character for each unit, surrogate pairs not joined, so that indices are positions."""
    return units.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def _chunks(text: str) -> Iterator[str]:
    """A long text in parts: turned into UTF-16 at once it would keep every other thread waiting."""
    return (text[start : start + _CHUNK_CHARS] for start in range(0, len(text), _CHUNK_CHARS))


class UnitsText(Protocol):
    """A text by its UTF-16 units."""

    def __len__(self) -> int: ...

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """uint16[n]: the units between two positions."""
        ...


class UnitsArray:
    """An array of units as a text."""

    def __init__(self, units: NDArray[np.uint16]) -> None:
        self._units = units

    def __len__(self) -> int:
        return len(self._units)

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """uint16[n]: the units between two positions, a view."""
        return self._units[start:stop]


class EditedUnits:
    """A text as it will be: with other ``units`` in the place of those from ``start`` to ``old_end``."""

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
        """Units more than before."""
        return self.new_end - self.old_end

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """uint16[n]: the units between two positions."""
        inside = slice(max(start - self.start, 0), max(stop - self.start, 0))
        parts = [self._units[inside]]
        if start < self.start:
            parts.insert(0, self._before.read_units(start, min(stop, self.start)))
        if stop > self.new_end:
            parts.append(self._before.read_units(max(start, self.new_end) - self.growth, stop - self.growth))
        return np.concatenate(parts)


_SPANS_AT_A_TIME = 4096


def pairs(spans: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The rows of int64[n, 2], some thousand made at a time.

    ``tolist()`` makes a list of each row in one call that nothing interrupts, and has the collector look at all of
    them: three hundred thousand held the interpreter for a fifth of a second.
    """
    for first in range(0, len(spans), _SPANS_AT_A_TIME):
        some = spans[first : first + _SPANS_AT_A_TIME]
        yield from zip(some[:, 0].tolist(), some[:, 1].tolist(), strict=True)
