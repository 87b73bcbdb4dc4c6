"""The merges of a text as trees, and the layout of their nodes.

A token has one tree; a pretoken of several tokens has one tree for each, side by side: a forest. Trees can be deeper
than Python's stack, and have more nodes than can be viewed, so they are flattened without recursion and truncated at a
number of nodes.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from engine.analysis.merge_types import PretokenTrace
    from engine.types import MergeStep, MergeTree

T = TypeVar("T")

MAX_NODES = 3_000
"""Maximum number of nodes: enough for 1,500 bytes that end in a single token."""


@dataclass(frozen=True, slots=True)
class ForestNode:
    """A token in a tree.

    ``byte_start``: byte offset in the forest. ``left``, ``right``, ``parent``: indexes of its parts and its parent in
    the list, -1 for none. ``step``: 1-based number of the merge that makes it, 0 if no merge does. ``is_cut``: True if
    its parts are omitted.
    """

    token_id: int
    token_bytes: bytes
    byte_start: int
    left: int = -1
    right: int = -1
    parent: int = -1
    step: int = 0
    is_cut: bool = False

    @property
    def is_leaf(self) -> bool:
        """True if no parts are shown below it."""
        return self.left < 0


@dataclass(frozen=True, slots=True)
class MergeForest:
    """Flattened trees. Parents come before their parts; the first ``roots`` nodes are the roots, from left to right.

    ``left_out``: number of further roots that were omitted.
    """

    nodes: tuple[ForestNode, ...] = ()
    roots: int = 0
    left_out: int = 0

    @property
    def is_cut(self) -> bool:
        """True if roots or parts are omitted."""
        return self.left_out > 0 or any(node.is_cut for node in self.nodes)

    def reading_order(self) -> Iterator[int]:
        """Yield the indexes of all nodes in preorder: a node before its parts, the left part before the right one."""
        waiting = list(range(self.roots))[::-1]
        while waiting:
            place = waiting.pop()
            yield place
            node = self.nodes[place]
            if not node.is_leaf:
                waiting += [node.right, node.left]


def forest_of(trees: Sequence[MergeTree], most_nodes: int = MAX_NODES) -> MergeForest:
    """Return the forest of these tokens, side by side.

    Merges are numbered in the order in which BPE performs them: among the merges whose parts exist, the lowest ID
    first, the leftmost of equal ones.
    """

    def parts_of(tree: MergeTree) -> tuple[MergeTree, MergeTree] | None:
        return None if tree.left is None or tree.right is None else (tree.left, tree.right)

    def node_of(tree: MergeTree, byte_start: int) -> ForestNode:
        return ForestNode(tree.token_id, tree.token_bytes, byte_start)

    return _numbered(_flattened(trees, parts_of, node_of, most_nodes))


def forest_of_account(
    account: PretokenTrace, spans: Sequence[tuple[int, int, int]], most_nodes: int = MAX_NODES
) -> MergeForest:
    """Return the forest of a pretoken: a tree for each of its tokens.

    ``spans``: of each merge, the byte offsets of its start, its inner boundary, and its end
    (``engine.analysis.merge_steps.merge_spans``).
    """
    content = account.content
    made: dict[tuple[int, int], tuple[int, int, MergeStep]] = {}  # span: inner boundary, number of the merge, merge
    longest = [1] * len(content)
    for first, end in pairwise((0, *account.first_ends)):
        longest[first] = end - first
    firsts: dict[int, int] = {}
    for number, (step, (start, middle, end)) in enumerate(zip(account.steps, spans, strict=True), 1):
        made[start, end] = middle, number, step
        longest[start] = end - start
        if (start, middle) not in made:
            firsts[start] = step.left_id
        if (middle, end) not in made:
            firsts[middle] = step.right_id
    tops: list[tuple[int, int]] = []
    place = 0
    while place < len(content):
        end = len(content) if account.is_looked_up else place + longest[place]
        tops.append((place, end))
        place = end
    top_ids = dict(zip(tops, account.ids, strict=True))

    def parts_of(span: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]] | None:
        if span not in made:
            return None
        middle = made[span][0]
        return (span[0], middle), (middle, span[1])

    def node_of(span: tuple[int, int], byte_start: int) -> ForestNode:
        token_bytes = content[slice(*span)]
        if span in made:
            _middle, number, step = made[span]
            return ForestNode(step.token_id, token_bytes, byte_start, step=number)
        token_id = top_ids[span] if span in top_ids else firsts[byte_start]
        return ForestNode(token_id, token_bytes, byte_start)

    return _flattened(tops, parts_of, node_of, most_nodes)


def _flattened(
    tops: Sequence[T],
    parts_of: Callable[[T], tuple[T, T] | None],
    node_of: Callable[[T, int], ForestNode],
    most_nodes: int,
) -> MergeForest:
    """Build the forest level by level, so that truncation omits the bottom. ``node_of``: takes a byte offset."""
    shown = tops[:most_nodes]
    nodes: list[ForestNode] = []
    waiting: deque[tuple[int, T]] = deque()
    byte_start = 0
    for top in shown:
        waiting.append((len(nodes), top))
        nodes.append(node_of(top, byte_start))
        byte_start += len(nodes[-1].token_bytes)
    while waiting:
        place, tree = waiting.popleft()
        parts = parts_of(tree)
        if parts is None:
            continue
        if len(nodes) + 2 > most_nodes:
            nodes[place] = replace(nodes[place], is_cut=True)
            continue
        byte_start = nodes[place].byte_start
        nodes[place] = replace(nodes[place], left=len(nodes), right=len(nodes) + 1)
        for part in parts:
            waiting.append((len(nodes), part))
            nodes.append(replace(node_of(part, byte_start), parent=place))
            byte_start += len(nodes[-1].token_bytes)
    return MergeForest(tuple(nodes), len(shown), len(tops) - len(shown))


def _open_parts(nodes: Sequence[ForestNode], node: ForestNode) -> int:
    """Return the number of parts of a node that are merged themselves."""
    return 0 if node.is_leaf else sum(not nodes[part].is_leaf for part in (node.left, node.right))


def _numbered(forest: MergeForest) -> MergeForest:
    """Return the forest with its merges numbered; unchanged if it is truncated and the numbers are unknown."""
    if forest.is_cut:
        return forest
    nodes = list(forest.nodes)
    waiting = [_open_parts(nodes, node) for node in nodes]
    ready = [(node.token_id, node.byte_start, place) for place, node in enumerate(nodes) if waiting[place] == 0]
    ready = [entry for entry in ready if not nodes[entry[2]].is_leaf]
    heapq.heapify(ready)
    step = 0
    while ready:
        _, _, place = heapq.heappop(ready)
        step += 1
        nodes[place] = replace(nodes[place], step=step)
        parent = nodes[place].parent
        if parent >= 0:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                heapq.heappush(ready, (nodes[parent].token_id, nodes[parent].byte_start, parent))
    return replace(forest, nodes=tuple(nodes))


GAP = 10.0
"""Horizontal gap between boxes."""
TREE_GAP = 26.0
"""Horizontal gap between trees."""
LEVEL_GAP = 22.0
"""Vertical gap between rows."""


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """Positions of nodes, in pixels at zoom 1.

    ``boxes``: left, top and width of each node. ``spans``: left and right edge of its tree. ``levels``: its row,
    counted from the bottom. ``rows``: the nodes of each row, from left to right.
    """

    boxes: tuple[tuple[float, float, float], ...]
    spans: tuple[tuple[float, float], ...]
    levels: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    box_height: float
    width: float
    height: float
    level_gap: float = LEVEL_GAP

    def around(self, left: float, top: float, right: float, bottom: float) -> Iterator[int]:
        """Yield the nodes to paint for this rectangle, with those whose lines may cross it.

        These are the nodes whose trees overlap it horizontally, except those below it.
        """
        for level, row in enumerate(self.rows):
            if self._top_of(level) > bottom:
                continue
            first = bisect_left(row, left, key=lambda place: self.spans[place][1])
            last = bisect_right(row, right, key=lambda place: self.spans[place][0])
            yield from row[first:last]

    def node_at(self, x: float, y: float) -> int:
        """Return the node whose box is at this point, -1 if there is none."""
        for row in self.rows:
            place = bisect_right(row, x, key=lambda one: self.boxes[one][0]) - 1
            if place >= 0:
                left, top, width = self.boxes[row[place]]
                if x <= left + width and top <= y <= top + self.box_height:
                    return row[place]
        return -1

    def beside(self, place: int, step: int) -> int:
        """Return the node ``step`` to the right in the same row, or ``place`` itself at the end of the row."""
        row = self.rows[self.levels[place]]
        at = row.index(place) + step
        return row[at] if 0 <= at < len(row) else place

    def _top_of(self, level: int) -> float:
        return (len(self.rows) - 1 - level) * (self.box_height + self.level_gap)


def lay_out(forest: MergeForest, widths: Sequence[float], box_height: float) -> TreeLayout:
    """Lay out the forest as trees. ``widths``: of the box of each node."""
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


BLOCK_GAP = 2.0
"""Gap between blocks."""


def stack(forest: MergeForest, byte_width: float, box_height: float) -> TreeLayout:
    """Lay out the forest as stacked blocks: one column for each byte, parts below their token."""
    nodes = forest.nodes
    depths = [0] * len(nodes)
    for place, node in enumerate(nodes):  # parents come before their parts
        if node.parent >= 0:
            depths[place] = depths[node.parent] + 1
    deepest = max(depths, default=0)
    boxes, spans = [], []
    for depth, node in zip(depths, nodes, strict=True):
        left, width = node.byte_start * byte_width, len(node.token_bytes) * byte_width
        boxes.append((left, depth * (box_height + BLOCK_GAP), width - BLOCK_GAP))
        spans.append((left, left + width - BLOCK_GAP))
    rows: list[list[int]] = [[] for _ in range(deepest + 1)] if nodes else []
    for place in forest.reading_order():
        rows[deepest - depths[place]].append(place)
    return TreeLayout(
        tuple(boxes),
        tuple(spans),
        tuple(deepest - depth for depth in depths),
        tuple(map(tuple, rows)),
        box_height,
        max((end for _start, end in spans), default=0.0),
        len(rows) * (box_height + BLOCK_GAP) - BLOCK_GAP if rows else 0.0,
        BLOCK_GAP,
    )
