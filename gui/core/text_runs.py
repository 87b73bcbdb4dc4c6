"""A line of text of which some stretches are marked: as gone, or as new. No Qt."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

REMOVED, ADDED = "removed", "added"


class Run(NamedTuple):
    """Some of a line, as it is shown. ``mark``: ``REMOVED``, ``ADDED``, or nothing."""

    text: str
    mark: str = ""


Runs = tuple[Run, ...]


_BREAKS = " ·→⏎"
"""Visible text is broken behind these: white space, and its signs."""


WRAPPED = -1
"""Stands for the number of a line of which this is not the beginning."""


def wrapped(runs: Runs, room: float, width: Callable[[str], int]) -> list[Runs]:
    """Break a line into rows no wider than ``room``, behind white space where there is some.

    ``width``: of a character. Nothing is left out; a row of one character may be wider than there is room for.
    """
    text = "".join(run.text for run in runs)
    widths = set(map(width, set(text)))
    if len(text) * max(widths, default=0) <= room:
        return [runs]
    # As a rule they are all alike, and nothing is added up.
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
    """Runs in rows that end at these characters, in one walk: a line may have thousands of both."""
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
    """The line for those who cannot see it: what is gone in brackets with a minus, what is new with a plus."""
    signs = {REMOVED: "[−{}]", ADDED: "[+{}]"}
    return "".join(signs.get(run.mark, "{}").format(run.text) for run in runs)


def text_without(runs: Runs, mark: str) -> str:
    """The line without what is marked so: that before, or that after."""
    return "".join(run.text for run in runs if run.mark != mark)
