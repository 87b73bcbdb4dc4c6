"""Lines of text with runs marked as removed or added. No Qt."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

REMOVED, ADDED = "removed", "added"


class Run(NamedTuple):
    """Displayed text of one mark: ``REMOVED``, ``ADDED``, or empty."""

    text: str
    mark: str = ""


Runs = tuple[Run, ...]


_BREAKS = " ·→⏎"
"""Characters after which a line may wrap: whitespace and its visible stand-ins."""


WRAPPED = -1
"""Line number of a row that continues a line."""


def wrapped(runs: Runs, room: float, width: Callable[[str], int]) -> list[Runs]:
    """Break a line into rows no wider than ``room``, after whitespace where possible.

    ``width``: of a character. Nothing is dropped; a row of one character may exceed ``room``.
    """
    text = "".join(run.text for run in runs)
    widths = set(map(width, set(text)))
    if len(text) * max(widths, default=0) <= room:
        return [runs]
    # Usually all characters have the same width, and no sums are needed.
    one = widths.pop()
    ends = list(accumulate(map(width, text))) if widths else range(one, one * (len(text) + 1), one)
    if ends[-1] <= room:
        return [runs]
    stops, start = [], 0
    while start < len(text):
        start = _row_end(text, ends, start, room)
        stops.append(start)
    return _parted(runs, stops)


def _row_end(text: str, ends: Sequence[int], start: int, room: float) -> int:
    limit = room + (ends[start - 1] if start else 0)
    stop = bisect_right(ends, limit, start)
    if stop == len(text):
        return stop
    word = next((place for place in range(stop, start, -1) if text[place - 1] in _BREAKS), start)
    if word > start:
        return word
    while stop > start + 1 and unicodedata.combining(text[stop]):
        stop -= 1
    return max(stop, start + 1)


def _parted(runs: Runs, stops: Sequence[int]) -> list[Runs]:
    """Split runs into rows that end at the character offsets ``stops``. One pass: a line may have thousands of both."""
    rows: list[Runs] = []
    row: list[Run] = []
    place = 0
    for run in runs:
        start = 0
        while start < len(run.text):
            part = run.text[start : start + stops[len(rows)] - place]
            row.append(Run(part, run.mark))
            start, place = start + len(part), place + len(part)
            if place == stops[len(rows)]:
                rows.append(tuple(row))
                row = []
    return rows


def plain_text(runs: Runs) -> str:
    """Return the line for screen readers: removed text in brackets with a minus, added text with a plus."""
    signs = {REMOVED: "[−{}]", ADDED: "[+{}]"}
    return "".join(signs.get(run.mark, "{}").format(run.text) for run in runs)


def text_without(runs: Runs, mark: str) -> str:
    """Return the line without runs of this mark: its old or its new text."""
    return "".join(run.text for run in runs if run.mark != mark)
