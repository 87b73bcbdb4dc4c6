"""Safe cuts in a text of UTF-16 units, and the text between them piece by piece. All positions are UTF-16 units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.split.safe_cuts import CutFinder
from engine.text.utf16 import characters_of
from engine.text.utf16_units import UnitsText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PIECE_UNITS = 16_384
"""Texts are read and encoded in pieces of about this size, so that no single call keeps other threads waiting."""

_FIRST_WINDOW = 128


def last_cut(text: UnitsText, finder: CutFinder, lowest: int, highest: int) -> int | None:
    """The last cut p with ``lowest <= p <= highest``."""
    window = _FIRST_WINDOW
    stop = highest + 1
    while stop > lowest:
        start = max(lowest, stop - window)
        origin = max(0, start - finder.reach)
        characters = characters_of(text.read_units(origin, min(stop + finder.reach, len(text))))
        cut = finder.last(characters, start - origin, stop - origin)
        if cut >= 0:
            return origin + cut
        stop, window = start, min(window * 4, PIECE_UNITS)
    return None


def first_cut(text: UnitsText, finder: CutFinder, lowest: int) -> int | None:
    """The first cut p with ``lowest <= p``."""
    window = _FIRST_WINDOW
    start = lowest
    while start < len(text):
        stop = min(start + window, len(text))
        origin = max(0, start - finder.reach)
        characters = characters_of(text.read_units(origin, min(stop + finder.reach, len(text))))
        cut = finder.first(characters, start - origin, stop - origin)
        if cut >= 0:
            return origin + cut
        start, window = stop, min(window * 4, PIECE_UNITS)
    return None


def piece_end(text: UnitsText, finder: CutFinder | None, start: int, stop: int) -> int:
    """Where a piece that begins at ``start`` ends: at the last cut within ``PIECE_UNITS``, at a later one where there
    is none, at ``stop`` at the latest."""
    limit = start + PIECE_UNITS
    if finder is None or limit >= stop:
        return stop
    cut = last_cut(text, finder, start + 1, limit)
    if cut is None:
        cut = first_cut(text, finder, limit + 1)
    return stop if cut is None else min(cut, stop)


def pieces(text: UnitsText, finder: CutFinder | None, start: int, stop: int) -> Iterator[NDArray[np.uint16]]:
    """The units between two token boundaries, in pieces that encode apart."""
    while start < stop:
        end = piece_end(text, finder, start, stop)
        yield text.read_units(start, end)
        start = end


def chunks(text: str, finder: CutFinder | None) -> Iterator[tuple[int, int]]:
    """A text in pieces (start, end), in characters, that encode apart."""
    if finder is not None:
        yield from finder.chunks(text, PIECE_UNITS)
    elif text:
        yield 0, len(text)
