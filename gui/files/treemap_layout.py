"""Rectangles whose areas are as given, as near to squares as may be. No Qt.

The order is kept: the largest first, as Bruls, Huizing and van Wijk describe it ("Squarified Treemaps", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Tile(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float


def squarified(sizes: Sequence[float], width: float, height: float) -> list[Tile]:
    """A tile for each size, in order. Sizes fall and are greater than nothing; together they fill the area."""
    whole = sum(sizes)
    if not sizes or width <= 0 or height <= 0:
        return []
    areas = [size * width * height / whole for size in sizes]
    tiles: list[Tile] = []
    x = y = 0.0
    while areas:
        along = min(width, height)
        row = _row(areas, along)
        del areas[: len(row)]
        deep = sum(row) / along
        place = 0.0
        for area in row:
            long = area / deep
            tiles.append(Tile(x, y + place, deep, long) if width >= height else Tile(x + place, y, long, deep))
            place += long
        if width >= height:
            x, width = x + deep, max(width - deep, 1e-9)
        else:
            y, height = y + deep, max(height - deep, 1e-9)
    return tiles


def _row(areas: Sequence[float], along: float) -> list[float]:
    """The first areas that lie side by side: as many as make the worst of them more like a square."""
    row: list[float] = []
    for area in areas:
        if row and _worst([*row, area], along) > _worst(row, along):
            break
        row.append(area)
    return row


def _worst(row: Sequence[float], along: float) -> float:
    """The longest side of the worst tile as so many times the other."""
    whole = sum(row)
    return max(along**2 * max(row) / whole**2, whole**2 / (along**2 * min(row)))
