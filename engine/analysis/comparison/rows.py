"""Cuts a text into rows of a screen, once for all encodings that are shown on it.

Columns are those of a font of one width, on the safe side: what is neither Latin, Greek, Cyrillic nor a mark of theirs
may come from a font with other widths and is taken for two columns wide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible
from engine.runtime.running_sums import running_sums_of

FEWEST_COLUMNS = 8
TAB_COLUMNS = 4

_NEWLINE, _TAB, _SPACE = 0x0A, 0x09, 0x20
_MARKS = (0x0300, 0x0370)
_WIDE_FROM = 0x0530
_LOW_SURROGATES = (0xDC00, 0xE000)


def row_starts(units: NDArray[np.uint16], columns: int) -> NDArray[np.int32]:
    """int32[rows], in UTF-16 units: where each row begins; it goes on to the next, and the first begins at 0.

    ``units``: uint16[n], of a text without lone surrogates. A row ends behind each newline, and where the next
    character would be beyond ``columns`` (``FEWEST_COLUMNS`` at least): behind the last space of its second half, if
    there is one. No surrogate pair is cut.
    """
    columns = max(columns, FEWEST_COLUMNS)
    starts: NDArray[np.int32] = np.concatenate([[0], np.flatnonzero(units == _NEWLINE) + 1]).astype(np.int32)
    starts = starts[(starts < len(units)) | (starts == 0)]
    stops = np.append(starts[1:], np.int32(len(units)))
    before = np.zeros(len(units) + 1, dtype=np.int32)
    running_sums_of(len(units), lambda start, stop: _widths(units[start:stop]), before[1:])
    long = np.flatnonzero(before[stops] - before[starts] > columns)
    if not len(long):
        return starts
    spaces = (np.flatnonzero(units == _SPACE) + 1).astype(np.int32)
    cuts: list[int] = []
    for start, stop in interruptible(zip(starts[long].tolist(), stops[long].tolist(), strict=True)):
        _cut(start, stop, columns, before, spaces, cuts)
    rows: NDArray[np.int32] = np.sort(np.concatenate([starts, np.array(cuts, dtype=np.int32)]))
    return rows


def _cut(
    start: int, stop: int, columns: int, before: NDArray[np.int32], spaces: NDArray[np.int32], cuts: list[int]
) -> None:
    while int(before[stop]) - int(before[start]) > columns:
        # numpy keys: a Python int would make searchsorted convert the whole array on every call.
        limit = int(before.searchsorted(before[start] + np.int32(columns), "right")) - 1
        behind_space = int(spaces.searchsorted(np.int32(limit), "right")) - 1
        if behind_space >= 0:
            place = int(spaces[behind_space])
            if place > start and 2 * (int(before[place]) - int(before[start])) >= columns:
                limit = place
        cuts.append(limit)
        start = limit


def _widths(units: NDArray[np.uint16]) -> NDArray[np.int8]:
    widths = np.ones(len(units), dtype=np.int8)
    widths[units >= _WIDE_FROM] = 2
    widths[units == _TAB] = TAB_COLUMNS
    for first, stop in (_MARKS, _LOW_SURROGATES, (_NEWLINE, _NEWLINE + 1)):
        widths[(units >= first) & (units < stop)] = 0
    return widths
