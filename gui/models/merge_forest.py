"""Merge trees as a flat list of nodes, to be laid out and drawn. No Qt.

A token has one tree; a pretoken that stays several tokens has one tree a token, side by side: a forest. Trees can be
deeper than Python's stack, and have more nodes than anybody could look at, so they are flattened without recursion and
cut at a number of nodes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.types import MergeTree

MOST_NODES = 3_000
"""What is drawn at most: 1,500 bytes that all end in one token."""


@dataclass(frozen=True, slots=True)
class ForestNode:
    """A token in a tree.

    ``byte_start``: where it starts in the bytes of the forest. ``left``, ``right``: places of its parts in the list,
    -1 for none. ``parent``: likewise. ``step``: the number of the merge that makes it, counted from 1; 0 where nothing
    makes it. ``is_cut``: it has parts that were left out.
    """

    token_id: int
    token_bytes: bytes
    rank: int | None
    byte_start: int
    left: int = -1
    right: int = -1
    parent: int = -1
    step: int = 0
    is_cut: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether no parts are shown below it."""
        return self.left < 0


@dataclass(frozen=True, slots=True)
class MergeForest:
    """Nodes; those on top come first and parents before their parts. The first ``roots`` of them are the tops, from
    left to right; ``left_out`` more there was no room for."""

    nodes: tuple[ForestNode, ...] = ()
    roots: int = 0
    left_out: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether it is not all."""
        return self.left_out > 0 or any(node.is_cut for node in self.nodes)

    def reading_order(self) -> Iterator[int]:
        """The places of all nodes: each tree from the top down, left parts before right ones."""
        waiting = list(range(self.roots))[::-1]
        while waiting:
            place = waiting.pop()
            yield place
            node = self.nodes[place]
            if not node.is_leaf:
                waiting += [node.right, node.left]

    def depth_of(self, place: int) -> int:
        """How many nodes are above one."""
        depth = 0
        while (place := self.nodes[place].parent) >= 0:
            depth += 1
        return depth


def forest_of(trees: Sequence[MergeTree], most_nodes: int = MOST_NODES) -> MergeForest:
    """The forest of these tokens, side by side. Level by level from the top, so that what is cut is at the bottom.

    Merges are numbered as they happen. The parts of a token have lower ids than itself, and the lowest id is merged
    first, of equals the leftmost: so they happen in the order of their ids.
    """
    shown = trees[:most_nodes]
    nodes: list[ForestNode] = []
    waiting: deque[tuple[int, MergeTree]] = deque()
    byte_start = 0
    for place, tree in enumerate(shown):
        nodes.append(ForestNode(tree.token_id, tree.token_bytes, tree.rank, byte_start))
        waiting.append((place, tree))
        byte_start += len(tree.token_bytes)
    while waiting:
        place, tree = waiting.popleft()
        if tree.left is None or tree.right is None:
            continue
        if len(nodes) + 2 > most_nodes:
            nodes[place] = replace(nodes[place], is_cut=True)
            continue
        first = len(nodes)
        nodes[place] = replace(nodes[place], left=first, right=first + 1)
        start = nodes[place].byte_start
        for offset, part in ((0, tree.left), (len(tree.left.token_bytes), tree.right)):
            waiting.append((len(nodes), part))
            nodes.append(ForestNode(part.token_id, part.token_bytes, part.rank, start + offset, parent=place))
    return _numbered(MergeForest(tuple(nodes), len(shown), len(trees) - len(shown)))


def _numbered(forest: MergeForest) -> MergeForest:
    """With the numbers of the merges. Without, where some are left out: the others' numbers are not known then."""
    if forest.is_cut:
        return forest
    made = [place for place, node in enumerate(forest.nodes) if not node.is_leaf]
    made.sort(key=lambda place: (forest.nodes[place].token_id, forest.nodes[place].byte_start))
    nodes = list(forest.nodes)
    for step, place in enumerate(made, 1):
        nodes[place] = replace(nodes[place], step=step)
    return replace(forest, nodes=tuple(nodes))
