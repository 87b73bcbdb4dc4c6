"""Texts whose UTF-16 units can be read anywhere. All positions are UTF-16 units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
