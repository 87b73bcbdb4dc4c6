"""The difference of two texts as lines beside each other, with what is far from any change left out. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from engine.running_sums import running_sums_of
from gui.core.text_runs import ADDED, REMOVED, WRAPPED, Run, Runs
from gui.core.token_diff import Difference, Hunk, difference
from gui.core.token_text import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine import Encoding

MOST_ROWS = 4000
CONTEXT = 2
"""Lines around a change that are shown."""
LONGEST_ROW = 512
"""Tokens of a row; where longer lines have no break, they take several."""
LONG_LINE = 256
BREAK_EVERY = 61
"""In lines longer than so many tokens, those whose id is a multiple of the second end a stretch, too: both texts are
parted alike wherever they are."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """Lines beside each other: their numbers from 1 (0: none, ``WRAPPED``: this is not the beginning of the line) and
    their runs. ``folded``: so many equal tokens are left out here, and nothing else is in the row."""

    before_line: int
    after_line: int
    before: Runs
    after: Runs
    folded: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything of it differs."""
        return any(run.mark for run in (*self.before, *self.after))

    def wrapped(self, wrap: Callable[[Runs], list[Runs]]) -> list[DiffRow]:
        """Break both sides into rows, which stay beside each other."""
        before, after = wrap(self.before), wrap(self.after)
        first = DiffRow(self.before_line, self.after_line, before[0], after[0], self.folded)
        rest = zip_longest(before[1:], after[1:], fillvalue=())
        return [first, *(DiffRow(WRAPPED if one else 0, WRAPPED if other else 0, one, other) for one, other in rest)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``removed`` and ``added``: tokens. ``cut``: there are more rows than these."""

    rows: tuple[DiffRow, ...]
    tokens_before: int
    tokens_after: int
    removed: int
    added: int
    simplified: bool
    cut: bool


class TokenLines:
    """The tokens of a text and its lines."""

    def __init__(self, encoding: Encoding, text: str) -> None:
        self._encoding = encoding
        self.ids = encoding.token_ids(text)
        distinct = np.unique(self.ids)
        feeds = np.zeros(self.ids.max(initial=-1) + 1, np.int64)
        feeds[distinct] = [token.count(b"\n") for token in encoding.decode_tokens_bytes(distinct.tolist())]
        self.line_after = np.empty(len(self.ids), np.int64)
        running_sums_of(len(self.ids), lambda start, stop: feeds[self.ids[start:stop]], self.line_after)
        ends = np.flatnonzero(np.diff(self.line_after, prepend=0)) + 1
        self.line_after += 1
        edges = np.concatenate([[0], ends, [len(self.ids)]])
        long = np.repeat(np.diff(edges) > LONG_LINE, np.diff(edges))
        self.breaks = np.union1d(ends, np.flatnonzero(long & (self.ids % BREAK_EVERY == 0)) + 1)

    def line(self, token: int) -> int:
        """The line, from 1, on which a token begins."""
        return int(self.line_after[token - 1]) if token else 1

    def number(self, token: int) -> int:
        """Return the line that begins with a token, or ``WRAPPED``."""
        line = self.line(token)
        return line if token == 0 or line != self.line(token - 1) else WRAPPED

    def is_edge(self, token: int) -> bool:
        """Whether a line begins there, or nothing does."""
        number = int(np.searchsorted(self.breaks, token))
        return token in (0, len(self.ids)) or (number < len(self.breaks) and int(self.breaks[number]) == token)

    def runs(self, start: int, end: int, marked: Sequence[tuple[int, int]], mark: str) -> Runs:
        """Tokens as runs: each of those in ``marked`` for itself, the others together."""
        found, place = [], start
        for low, high in marked:
            low, high = max(low, place), min(high, end)
            if low >= high:
                continue
            found += self._plain(place, low)
            found += [Run(visible(token), mark) for token in self._bytes(low, high)]
            place = high
        return (*found, *self._plain(place, end))

    def _plain(self, start: int, end: int) -> list[Run]:
        return [Run(visible(b"".join(self._bytes(start, end))))] if start < end else []

    def _bytes(self, start: int, end: int) -> list[bytes]:
        return self._encoding.decode_tokens_bytes(self.ids[start:end].tolist())

    def rows(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where rows of the tokens from ``start`` to ``end`` begin and end."""
        low, high = np.searchsorted(self.breaks, [start, end], "right")
        edges = [start, *(edge for edge in self.breaks[low:high].tolist() if edge < end), end]
        return [
            (first, min(first + LONGEST_ROW, last))
            for edge, last in pairwise(edges)
            for first in range(edge, last, LONGEST_ROW)
        ]


def compare(
    encoding: Encoding, before: str, after: str, check: Callable[[float], None] = lambda share: None
) -> Comparison:
    """Compare two texts token by token. ``check`` is told how far it is, and may raise."""
    a, b = TokenLines(encoding, before), TokenLines(encoding, after)
    check(0.2)
    found = difference(a.ids, b.ids, a.breaks, b.breaks, lambda share: check(0.2 + 0.6 * share))
    rows, cut = _rows(a, b, found, check)
    removed = sum(hunk.a_end - hunk.a_start for hunk in found.hunks)
    added = sum(hunk.b_end - hunk.b_start for hunk in found.hunks)
    return Comparison(tuple(rows), len(a.ids), len(b.ids), removed, added, found.simplified, cut)


def _rows(
    a: TokenLines, b: TokenLines, found: Difference, check: Callable[[float], None]
) -> tuple[list[DiffRow], bool]:
    rows: list[DiffRow] = []
    a_place = b_place = 0
    for hunks in _regions(a.breaks, found.hunks):
        check(0.9)
        if len(rows) >= MOST_ROWS:
            return rows, True
        back = _back(a.breaks, hunks[0].a_start, a_place)
        on = _on(a, b, hunks[-1])
        a_start, b_start = hunks[0].a_start - back, hunks[0].b_start - back
        rows += _equal(a, b, Hunk(a_place, a_start, b_place, b_start), CONTEXT if rows else 0, CONTEXT)
        a_place, b_place = hunks[-1].a_end + on, hunks[-1].b_end + on
        rows += _changed(a, b, Hunk(a_start, a_place, b_start, b_place), hunks, MOST_ROWS - len(rows))
    if found.hunks:
        rows += _equal(a, b, Hunk(a_place, len(a.ids), b_place, len(b.ids)), CONTEXT, 0)
    return rows[:MOST_ROWS], len(rows) > MOST_ROWS


def _regions(breaks: NDArray[np.int64], hunks: Sequence[Hunk]) -> list[list[Hunk]]:
    """Hunks between which no line ends belong together."""
    regions: list[list[Hunk]] = []
    for hunk in hunks:
        if regions:
            low, high = np.searchsorted(breaks, [regions[-1][-1].a_end, hunk.a_start], "right")
            if low == high:
                regions[-1].append(hunk)
                continue
        regions.append([hunk])
    return regions


def _back(breaks: NDArray[np.int64], place: int, least: int) -> int:
    """How many tokens of its line stand before a place."""
    number = int(np.searchsorted(breaks, place, "right"))
    return place - max(int(breaks[number - 1]) if number else 0, least)


def _on(a: TokenLines, b: TokenLines, hunk: Hunk) -> int:
    """How many tokens behind a hunk stand on its last line; none where that ended in both texts."""
    if a.is_edge(hunk.a_end) and b.is_edge(hunk.b_end):
        return 0
    number = int(np.searchsorted(a.breaks, hunk.a_end, "right"))
    return (int(a.breaks[number]) if number < len(a.breaks) else len(a.ids)) - hunk.a_end


def _changed(a: TokenLines, b: TokenLines, area: Hunk, hunks: Sequence[Hunk], most: int) -> list[DiffRow]:
    left, right = a.rows(area.a_start, area.a_end)[:most], b.rows(area.b_start, area.b_end)[:most]
    gone = [(hunk.a_start, hunk.a_end) for hunk in hunks]
    new = [(hunk.b_start, hunk.b_end) for hunk in hunks]
    return [
        DiffRow(
            a.number(one[0]) if one else 0,
            b.number(other[0]) if other else 0,
            a.runs(*one, gone, REMOVED) if one else (),
            b.runs(*other, new, ADDED) if other else (),
        )
        for one, other in zip_longest(left, right)
    ]


def _equal(a: TokenLines, b: TokenLines, area: Hunk, head: int, tail: int) -> list[DiffRow]:
    """Equal lines: the first and the last few, and how much is left out between them."""
    shift, places = area.b_start - area.a_start, a.rows(area.a_start, area.a_end)
    if len(places) <= head + tail + 1:
        return [_same(a, b, place, shift) for place in places]
    first, last = places[:head], places[len(places) - tail :]
    folded = (last[0][0] if last else area.a_end) - (first[-1][1] if first else area.a_start)
    fold = DiffRow(0, 0, (), (), folded)
    return [*(_same(a, b, place, shift) for place in first), fold, *(_same(a, b, place, shift) for place in last)]


def _same(a: TokenLines, b: TokenLines, row: tuple[int, int], shift: int) -> DiffRow:
    runs = a.runs(*row, (), "")
    return DiffRow(a.number(row[0]), b.number(row[0] + shift), runs, runs)
