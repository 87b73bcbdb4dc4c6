"""What differs between two rows of tokens, in bounded time and memory. No Qt.

First stretches of tokens that both texts have only once are matched, in order: Bram Cohen's patience diff, whose time
grows as the texts do. What is left between them is compared token by token with the least number of insertions and
deletions: Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, as long as these are few. Where they are
many, the whole stretch counts as replaced, and the result says so.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.still_wanted import while_wanted

MOST_EDITS = 500
"""Insertions and deletions that are looked for in one stretch. Time and memory grow with their square."""
MOST_STEPS = 4_000_000
"""Steps of all stretches together: some seconds. After these the rest counts as replaced."""
DEEPEST = 30
"""How often a stretch is parted again by what is unique in it alone."""
_ASKING = 16
"""After so many edits others get a turn of the interpreter: the more there are, the longer each takes."""


class Hunk(NamedTuple):
    """Tokens ``a_start`` to ``a_end`` of the first text stand where ``b_start`` to ``b_end`` of the second do."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Hunks in order; all between them is equal. ``simplified``: not all of what they hold differs."""

    hunks: tuple[Hunk, ...]
    simplified: bool


def difference(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    a_breaks: NDArray[np.int64],
    b_breaks: NDArray[np.int64],
    check: Callable[[float], None] = lambda share: None,
) -> Difference:
    """Compare token ids. ``a_breaks`` and ``b_breaks``: int64, where stretches end (indices behind their last token, in
    order; lines, say). ``check`` is told how far it is, from 0 to 1, and may raise."""
    start = _common(a, b)
    rest = min(len(a), len(b)) - start
    end = min(_common(a[::-1], b[::-1]), rest)
    whole = Hunk(start, len(a) - end, start, len(b) - end)
    if whole.a_start == whole.a_end or whole.b_start == whole.b_end:
        return Difference((whole,) if len(a) != len(b) else (), False)
    one = _Stretches(a, a_breaks, whole.a_start, whole.a_end)
    other = _Stretches(b, b_breaks, whole.b_start, whole.b_end)
    hunks: list[Hunk] = []
    steps, simplified = 0, False
    for gap in _gaps(one, other):
        check(gap.a_end / max(len(a), 1))
        left, right = _numbers(a[gap.a_start : gap.a_end]), _numbers(b[gap.b_start : gap.b_end])
        found, taken = fewest_edits(left, right, MOST_EDITS) if steps < MOST_STEPS else (None, 0)
        steps += taken
        if found is None:
            simplified = True
            hunks.append(gap)
        else:
            hunks += (Hunk(*(place + base for place, base in zip(hunk, _bases(gap), strict=True))) for hunk in found)
    return Difference(tuple(_joined(hunks)), simplified)


def fewest_edits(a: Sequence[int], b: Sequence[int], most: int) -> tuple[list[Hunk] | None, int]:
    """The fewest insertions and deletions that make ``a`` to ``b``, None where it takes more than ``most``; and the
    steps it took to find out."""
    if not a or not b:
        return [Hunk(0, len(a), 0, len(b))] if a or b else [], 1
    if abs(len(a) - len(b)) > most:
        return None, 1
    # How far in ``a`` each diagonal was come, in numbers of four bytes; that of diagonal 0 stands in the middle.
    middle = most + 1
    reached, trace, steps = array("i", bytes(4 * (2 * most + 3))), [], 0
    for edits in while_wanted(range(most + 1), _ASKING):
        trace.append(reached[middle - edits - 1 : middle + edits + 2])
        for place in range(middle - edits, middle + edits + 1, 2):
            below, above = reached[place - 1], reached[place + 1]
            down = place == middle - edits or (place != middle + edits and below < above)
            x = above if down else below + 1
            y = x - place + middle
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x, y, steps = x + 1, y + 1, steps + 1
            reached[place] = x
            if x >= len(a) and y >= len(b):
                return _traced(trace, len(a), len(b)), steps
        steps += 2 * edits + 1
    return None, steps


def _numbers(ids: NDArray[np.int32]) -> array[int]:
    """Token ids to be compared one by one, each made a number of Python's only then: there may be millions."""
    return array("i", ids.tobytes())


def _traced(trace: list[array[int]], x: int, y: int) -> list[Hunk]:
    """Go back the way that was found, and gather what it inserts and deletes."""
    single: list[Hunk] = []
    for edits in range(len(trace) - 1, 0, -1):
        reached, diagonal = trace[edits], x - y
        place = diagonal + edits + 1
        down = diagonal == -edits or (diagonal != edits and reached[place - 1] < reached[place + 1])
        x = reached[place + 1] if down else reached[place - 1]
        y = x - (diagonal + 1 if down else diagonal - 1)
        single.append(Hunk(x, x, y, y + 1) if down else Hunk(x, x + 1, y, y))
    return list(_joined(reversed(single)))


class _Stretches:
    """The tokens from ``start`` to ``end``, parted at breaks. ``edges``: where each stretch begins, and the end."""

    def __init__(self, ids: NDArray[np.int32], breaks: NDArray[np.int64], start: int, end: int) -> None:
        inner = breaks[(breaks > start) & (breaks < end)]
        self.edges = [start, *inner.tolist(), end]
        self.keys = [ids[first:last].tobytes() for first, last in pairwise(self.edges)]


def _gaps(a: _Stretches, b: _Stretches) -> Iterator[Hunk]:
    """What is left between stretches that are matched, in order."""
    waiting = [(0, len(a.keys), 0, len(b.keys), 0)]
    while waiting:
        a_low, a_high, b_low, b_high, depth = waiting.pop()
        while a_low < a_high and b_low < b_high and a.keys[a_low] == b.keys[b_low]:
            a_low, b_low = a_low + 1, b_low + 1
        while a_low < a_high and b_low < b_high and a.keys[a_high - 1] == b.keys[b_high - 1]:
            a_high, b_high = a_high - 1, b_high - 1
        if a_low == a_high and b_low == b_high:
            continue
        anchors = _anchors(a.keys[a_low:a_high], b.keys[b_low:b_high]) if depth < DEEPEST else []
        if not anchors:
            yield Hunk(a.edges[a_low], a.edges[a_high], b.edges[b_low], b.edges[b_high])
            continue
        parts, i, j = [], a_low, b_low
        for x, y in anchors:
            parts.append((i, a_low + x, j, b_low + y, depth + 1))
            i, j = a_low + x + 1, b_low + y + 1
        parts.append((i, a_high, j, b_high, depth + 1))
        waiting += reversed(parts)


def _anchors(a: list[bytes], b: list[bytes]) -> list[tuple[int, int]]:
    """Places of stretches that both have once: the longest row of them that rises in both."""
    places = _unique(b)
    pairs = [(i, places[key]) for key, i in _unique(a).items() if key in places]
    pairs.sort()
    return [pairs[number] for number in _longest_rise([j for _i, j in pairs])]


def _unique(keys: list[bytes]) -> dict[bytes, int]:
    seen: dict[bytes, int] = {}
    for place, key in enumerate(keys):
        seen[key] = -1 if key in seen else place
    return {key: place for key, place in seen.items() if place >= 0}


def _longest_rise(numbers: list[int]) -> list[int]:
    """Indices of a longest rising subsequence of different numbers, by patience sorting."""
    from bisect import bisect_left

    tops: list[int] = []
    top_indices: list[int] = []
    before = [-1] * len(numbers)
    for index, number in enumerate(numbers):
        pile = bisect_left(tops, number)
        if pile:
            before[index] = top_indices[pile - 1]
        tops[pile : pile + 1] = [number]
        top_indices[pile : pile + 1] = [index]
    found = []
    index = top_indices[-1] if top_indices else -1
    while index >= 0:
        found.append(index)
        index = before[index]
    return found[::-1]


def _joined(hunks: Iterator[Hunk] | Sequence[Hunk]) -> Iterator[Hunk]:
    """Hunks that touch made one."""
    last: Hunk | None = None
    for hunk in hunks:
        if last is not None and (last.a_end, last.b_end) == (hunk.a_start, hunk.b_start):
            last = Hunk(last.a_start, hunk.a_end, last.b_start, hunk.b_end)
            continue
        if last is not None:
            yield last
        last = hunk
    if last is not None:
        yield last


def _bases(gap: Hunk) -> tuple[int, int, int, int]:
    return gap.a_start, gap.a_start, gap.b_start, gap.b_start


def _common(a: NDArray[np.int32], b: NDArray[np.int32]) -> int:
    """How many tokens both begin with."""
    length = min(len(a), len(b))
    differ = np.flatnonzero(a[:length] != b[:length])
    return int(differ[0]) if len(differ) else length
