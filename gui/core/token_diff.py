"""Token-level difference of two texts, and the rows that show it side by side. No Qt."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible
from engine.text.offsets import running_sums_of
from gui.core.token_text import ADDED, REMOVED, WRAPPED, Run, Runs, visible

if TYPE_CHECKING:
    from engine import Encoding


# --- fewest edits -----------------------------------------------------------------------------------------------------

MAX_EDITS = 500
"""Maximum number of insertions and deletions searched per segment. Time and memory grow with its square."""
MAX_STEPS = 4_000_000
"""Maximum number of steps over all segments: some seconds. After that, the rest counts as replaced."""
DEEPEST = 30
"""Maximum depth at which a segment is split again by its unique parts."""
_EDITS_BETWEEN_CHECKS = 16
"""Number of edit distances between two checks for cancellation; each takes longer than the last."""


class Hunk(NamedTuple):
    """A replacement of tokens ``a_start`` to ``a_end`` of the first text by ``b_start`` to ``b_end`` of the second."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Hunks in order; everything between them is equal. ``simplified``: some hunks also hold equal tokens."""

    hunks: tuple[Hunk, ...]
    simplified: bool


def difference(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    a_breaks: NDArray[np.int64],
    b_breaks: NDArray[np.int64],
    check: Callable[[float], None] = lambda share: None,
) -> Difference:
    """Compare token IDs.

    ``a_breaks``, ``b_breaks``: int64, ends of segments such as lines: sorted indices after their last tokens. ``check``
    is called with the progress, from 0 to 1, and may raise.
    """
    start = _common(a, b)
    rest = min(len(a), len(b)) - start
    end = min(_common(a[::-1], b[::-1]), rest)
    whole = Hunk(start, len(a) - end, start, len(b) - end)
    if whole.a_start == whole.a_end or whole.b_start == whole.b_end:
        return Difference((whole,) if len(a) != len(b) else (), False)
    one = _Segments(a, a_breaks, whole.a_start, whole.a_end)
    other = _Segments(b, b_breaks, whole.b_start, whole.b_end)
    hunks: list[Hunk] = []
    steps, simplified = 0, False
    for gap in _gaps(one, other):
        check(gap.a_end / max(len(a), 1))
        left, right = _numbers(a[gap.a_start : gap.a_end]), _numbers(b[gap.b_start : gap.b_end])
        found, taken = fewest_edits(left, right, MAX_EDITS) if steps < MAX_STEPS else (None, 0)
        steps += taken
        if found is None:
            simplified = True
            hunks.append(gap)
        else:
            hunks += (Hunk(*(index + base for index, base in zip(hunk, _bases(gap), strict=True))) for hunk in found)
    return Difference(tuple(_joined(hunks)), simplified)


def fewest_edits(a: Sequence[int], b: Sequence[int], most: int) -> tuple[list[Hunk] | None, int]:
    """Return the shortest edit script from ``a`` to ``b``, None if it has more than ``most`` edits; and the steps
    taken."""
    if not a or not b:
        return [Hunk(0, len(a), 0, len(b))] if a or b else [], 1
    if abs(len(a) - len(b)) > most:
        return None, 1
    # Furthest index in ``a`` reached on each diagonal (int32); diagonal 0 is in the middle.
    middle = most + 1
    reached, trace, steps = array("i", bytes(4 * (2 * most + 3))), [], 0
    for edits in interruptible(range(most + 1), _EDITS_BETWEEN_CHECKS):
        trace.append(reached[middle - edits - 1 : middle + edits + 2])
        for index in range(middle - edits, middle + edits + 1, 2):
            below, above = reached[index - 1], reached[index + 1]
            down = index == middle - edits or (index != middle + edits and below < above)
            x = above if down else below + 1
            y = x - index + middle
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x, y, steps = x + 1, y + 1, steps + 1
            reached[index] = x
            if x >= len(a) and y >= len(b):
                return _traced(trace, len(a), len(b)), steps
        steps += 2 * edits + 1
    return None, steps


def _numbers(ids: NDArray[np.int32]) -> array[int]:
    """Return token IDs as a compact array. Python integers are created on access only, since there may be millions."""
    return array("i", ids.tobytes())


def _traced(trace: list[array[int]], x: int, y: int) -> list[Hunk]:
    """Backtrack the path and collect its insertions and deletions."""
    single: list[Hunk] = []
    for edits in range(len(trace) - 1, 0, -1):
        reached, diagonal = trace[edits], x - y
        index = diagonal + edits + 1
        down = diagonal == -edits or (diagonal != edits and reached[index - 1] < reached[index + 1])
        x = reached[index + 1] if down else reached[index - 1]
        y = x - (diagonal + 1 if down else diagonal - 1)
        single.append(Hunk(x, x, y, y + 1) if down else Hunk(x, x + 1, y, y))
    return list(_joined(reversed(single)))


class _Segments:
    """Tokens ``start`` to ``end``, split into segments at breaks. ``edges``: the start of each segment, and the end."""

    def __init__(self, ids: NDArray[np.int32], breaks: NDArray[np.int64], start: int, end: int) -> None:
        inner = breaks[(breaks > start) & (breaks < end)]
        self.edges = [start, *inner.tolist(), end]
        self.keys = [ids[first:last].tobytes() for first, last in pairwise(self.edges)]


def _gaps(a: _Segments, b: _Segments) -> Iterator[Hunk]:
    """Yield the gaps between matched segments, in order."""
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
    """Return index pairs of segments unique in both: the longest sequence that increases in both."""
    indices = _unique(b)
    pairs = [(i, indices[key]) for key, i in _unique(a).items() if key in indices]
    pairs.sort()
    return [pairs[number] for number in _longest_rise([j for _i, j in pairs])]


def _unique(keys: list[bytes]) -> dict[bytes, int]:
    seen: dict[bytes, int] = {}
    for index, key in enumerate(keys):
        seen[key] = -1 if key in seen else index
    return {key: index for key, index in seen.items() if index >= 0}


def _longest_rise(numbers: list[int]) -> list[int]:
    """Return indices of a longest increasing subsequence of distinct numbers, by patience sorting."""
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
    """Merge adjacent hunks."""
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
    """Return the length of the common prefix, in tokens."""
    length = min(len(a), len(b))
    differ = np.flatnonzero(a[:length] != b[:length])
    return int(differ[0]) if len(differ) else length


# --- rows -------------------------------------------------------------------------------------------------------------

MAX_ROWS = 4000
CONTEXT = 2
"""Number of unchanged lines shown around a change."""
LONGEST_ROW = 512
"""Maximum number of tokens per row; longer lines without a break take several rows."""
LONG_LINE = 256
BREAK_EVERY = 61
"""In lines of more than ``LONG_LINE`` tokens, a token whose ID is a multiple of ``BREAK_EVERY`` also ends a segment.
Both texts are thus split alike, at any offset."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """Lines side by side: their numbers from 1 (0: none, ``WRAPPED``: continues a line) and their runs.

    ``folded``: number of equal tokens that this row stands for; the row is otherwise empty.
    """

    before_line: int
    after_line: int
    before: Runs
    after: Runs
    folded: int = 0

    @property
    def changed(self) -> bool:
        """True if anything in the row differs."""
        return any(run.mark for run in (*self.before, *self.after))

    def wrapped(self, wrap: Callable[[Runs], list[Runs]]) -> list[DiffRow]:
        """Wrap both sides into rows that stay side by side."""
        before, after = wrap(self.before), wrap(self.after)
        first = DiffRow(self.before_line, self.after_line, before[0], after[0], self.folded)
        rest = zip_longest(before[1:], after[1:], fillvalue=())
        return [first, *(DiffRow(WRAPPED if one else 0, WRAPPED if other else 0, one, other) for one, other in rest)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A side-by-side comparison. ``removed``, ``added``: number of tokens. ``cut``: True if rows were omitted."""

    rows: tuple[DiffRow, ...]
    tokens_before: int
    tokens_after: int
    removed: int
    added: int
    simplified: bool
    cut: bool


class TokenLines:
    """The tokens of a text and their lines."""

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
        """Return the line, from 1, on which a token begins."""
        return int(self.line_after[token - 1]) if token else 1

    def number(self, token: int) -> int:
        """Return the line that begins with a token, or ``WRAPPED``."""
        line = self.line(token)
        return line if token == 0 or line != self.line(token - 1) else WRAPPED

    def is_edge(self, token: int) -> bool:
        """Return True if the token begins a segment, or is at the start or end of the text."""
        number = int(np.searchsorted(self.breaks, token))
        return token in (0, len(self.ids)) or (number < len(self.breaks) and int(self.breaks[number]) == token)

    def runs(self, start: int, end: int, marked: Sequence[tuple[int, int]], mark: str) -> Runs:
        """Return tokens as runs: one for each token in ``marked``, one for each span between them."""
        found, done = [], start
        for low, high in marked:
            low, high = max(low, done), min(high, end)
            if low >= high:
                continue
            found += self._plain(done, low)
            found += [Run(visible(token), mark) for token in self._bytes(low, high)]
            done = high
        return (*found, *self._plain(done, end))

    def _plain(self, start: int, end: int) -> list[Run]:
        return [Run(visible(b"".join(self._bytes(start, end))))] if start < end else []

    def _bytes(self, start: int, end: int) -> list[bytes]:
        return self._encoding.decode_tokens_bytes(self.ids[start:end].tolist())

    def rows(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the row boundaries (start, end) within the tokens from ``start`` to ``end``."""
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
    """Compare two texts token by token. ``check`` is called with the progress and may raise."""
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
    a_done = b_done = 0
    for hunks in _regions(a.breaks, found.hunks):
        check(0.9)
        if len(rows) >= MAX_ROWS:
            return rows, True
        back = _back(a.breaks, hunks[0].a_start, a_done)
        on = _on(a, b, hunks[-1])
        a_start, b_start = hunks[0].a_start - back, hunks[0].b_start - back
        rows += _equal(a, b, Hunk(a_done, a_start, b_done, b_start), CONTEXT if rows else 0, CONTEXT)
        a_done, b_done = hunks[-1].a_end + on, hunks[-1].b_end + on
        rows += _changed(a, b, Hunk(a_start, a_done, b_start, b_done), hunks, MAX_ROWS - len(rows), check)
    if found.hunks:
        rows += _equal(a, b, Hunk(a_done, len(a.ids), b_done, len(b.ids)), CONTEXT, 0)
    return rows[:MAX_ROWS], len(rows) > MAX_ROWS


def _regions(breaks: NDArray[np.int64], hunks: Sequence[Hunk]) -> list[list[Hunk]]:
    """Group hunks that have no segment boundary between them."""
    regions: list[list[Hunk]] = []
    for hunk in hunks:
        if regions:
            low, high = np.searchsorted(breaks, [regions[-1][-1].a_end, hunk.a_start], "right")
            if low == high:
                regions[-1].append(hunk)
                continue
        regions.append([hunk])
    return regions


def _back(breaks: NDArray[np.int64], token: int, lowest: int) -> int:
    """Return the number of tokens of its segment before ``token``."""
    number = int(np.searchsorted(breaks, token, "right"))
    return token - max(int(breaks[number - 1]) if number else 0, lowest)


def _on(a: TokenLines, b: TokenLines, hunk: Hunk) -> int:
    """Return the number of tokens after a hunk on its last segment; 0 if the segment ends there in both texts."""
    if a.is_edge(hunk.a_end) and b.is_edge(hunk.b_end):
        return 0
    number = int(np.searchsorted(a.breaks, hunk.a_end, "right"))
    return (int(a.breaks[number]) if number < len(a.breaks) else len(a.ids)) - hunk.a_end


def _changed(
    a: TokenLines, b: TokenLines, area: Hunk, hunks: Sequence[Hunk], most: int, check: Callable[[float], None]
) -> list[DiffRow]:
    """Return at most ``most`` rows. One hunk may be a whole text, with a run for each of two million tokens."""
    left, right = a.rows(area.a_start, area.a_end)[:most], b.rows(area.b_start, area.b_end)[:most]
    gone = [(hunk.a_start, hunk.a_end) for hunk in hunks]
    new = [(hunk.b_start, hunk.b_end) for hunk in hunks]
    rows = []
    for one, other in zip_longest(left, right):
        check(0.9)
        before = a.runs(one[0], one[1], gone, REMOVED) if one else ()
        after = b.runs(other[0], other[1], new, ADDED) if other else ()
        rows.append(DiffRow(a.number(one[0]) if one else 0, b.number(other[0]) if other else 0, before, after))
    return rows


def _equal(a: TokenLines, b: TokenLines, area: Hunk, head: int, tail: int) -> list[DiffRow]:
    """Return rows of equal lines: the first and the last few, and a fold between them."""
    shift, spans = area.b_start - area.a_start, a.rows(area.a_start, area.a_end)
    if len(spans) <= head + tail + 1:
        return [_same(a, b, span, shift) for span in spans]
    first, last = spans[:head], spans[len(spans) - tail :]
    folded = (last[0][0] if last else area.a_end) - (first[-1][1] if first else area.a_start)
    fold = DiffRow(0, 0, (), (), folded)
    return [*(_same(a, b, span, shift) for span in first), fold, *(_same(a, b, span, shift) for span in last)]


def _same(a: TokenLines, b: TokenLines, row: tuple[int, int], shift: int) -> DiffRow:
    runs = a.runs(*row, (), "")
    return DiffRow(a.number(row[0]), b.number(row[0] + shift), runs, runs)
