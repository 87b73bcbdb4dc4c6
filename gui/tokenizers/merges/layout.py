"""Where the nodes of a merge forest are drawn: the bytes in a row at the bottom, each token above its parts. No Qt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gui.tokenizers.merges.forest import MergeForest

GAP = 10.0
"""Between two boxes side by side."""
TREE_GAP = 26.0
"""Between two trees."""
LEVEL_GAP = 22.0
"""Between two rows."""


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """Pixels at a zoom of 1. ``boxes``: left, top, width of each node. ``spans``: from where to where its tree reaches.
    ``levels``: how many rows it is above the bottom. ``rows``: the nodes of each row, from left to right."""

    boxes: tuple[tuple[float, float, float], ...]
    spans: tuple[tuple[float, float], ...]
    levels: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    box_height: float
    width: float
    height: float

    def around(self, left: float, top: float, right: float, bottom: float) -> Iterator[int]:
        """The nodes that a picture of this rectangle may show something of, their lines included: all whose trees
        reach into it, but for those that are below it."""
        for level, row in enumerate(self.rows):
            if self._top_of(level) > bottom:
                continue
            first = bisect_left(row, left, key=lambda place: self.spans[place][1])
            last = bisect_right(row, right, key=lambda place: self.spans[place][0])
            yield from row[first:last]

    def node_at(self, x: float, y: float) -> int:
        """The node whose box is there, -1 if there is none."""
        for row in self.rows:
            place = bisect_right(row, x, key=lambda one: self.boxes[one][0]) - 1
            if place >= 0:
                left, top, width = self.boxes[row[place]]
                if x <= left + width and top <= y <= top + self.box_height:
                    return row[place]
        return -1

    def beside(self, place: int, step: int) -> int:
        """The next node in the same row, ``step`` to the right; the same one at the end of the row."""
        row = self.rows[self.levels[place]]
        at = row.index(place) + step
        return row[at] if 0 <= at < len(row) else place

    def _top_of(self, level: int) -> float:
        return (len(self.rows) - 1 - level) * (self.box_height + LEVEL_GAP)


def lay_out(forest: MergeForest, widths: Sequence[float], box_height: float) -> TreeLayout:
    """Give each node its place. ``widths``: of the box of each node."""
    nodes = forest.nodes
    levels = [0] * len(nodes)
    needed = list(widths)
    for place in range(len(nodes) - 1, -1, -1):  # parts come after their parents
        node = nodes[place]
        if not node.is_leaf:
            levels[place] = 1 + max(levels[node.left], levels[node.right])
            needed[place] = max(widths[place], needed[node.left] + GAP + needed[node.right])
    spans = [(0.0, 0.0)] * len(nodes)
    x = 0.0
    for place in range(forest.roots):
        spans[place] = (x, x + needed[place])
        x += needed[place] + TREE_GAP
    highest = max(levels, default=0)
    boxes = [(0.0, 0.0, 0.0)] * len(nodes)
    for place, node in enumerate(nodes):
        start, end = spans[place]
        if not node.is_leaf:
            inside = needed[node.left] + GAP + needed[node.right]
            left = start + (end - start - inside) / 2
            spans[node.left] = (left, left + needed[node.left])
            spans[node.right] = (left + inside - needed[node.right], left + inside)
        top = (highest - levels[place]) * (box_height + LEVEL_GAP)
        boxes[place] = ((start + end - widths[place]) / 2, top, widths[place])
    rows: list[list[int]] = [[] for _ in range(highest + 1)] if nodes else []
    for place in forest.reading_order():
        rows[levels[place]].append(place)
    return TreeLayout(
        tuple(boxes),
        tuple(spans),
        tuple(levels),
        tuple(map(tuple, rows)),
        box_height,
        max(0.0, x - TREE_GAP),
        len(rows) * (box_height + LEVEL_GAP) - LEVEL_GAP if rows else 0.0,
    )
