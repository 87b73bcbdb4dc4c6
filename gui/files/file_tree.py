"""A folder that was counted, as arrays: what a tree of it shows, and sums over whatever is checked. No Qt.

Nodes are numbered in the order of the walk, so whatever is below a node has the numbers behind it, up to an end; and
sums over a folder are differences of running sums over its files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOP = 0
"""The node that all roots are below; it is not shown."""


@dataclass(frozen=True, eq=False)
class FileTree:
    """n nodes and m files. Arrays are read-only.

    ``names``: of the nodes; of a root its whole path. ``parents``, ``ends``: int64[n], of each node the one it is in,
    and the first node behind all that is below it. ``first_files``: int64[n + 1], how many files come before a node.
    ``paths``: of the files, as text. ``file_nodes``: int64[m]. ``file_bytes``: int64[m]. ``tokens``:
    int64[len(encodings), m].
    """

    encodings: tuple[str, ...]
    names: tuple[str, ...]
    parents: NDArray[np.int64]
    ends: NDArray[np.int64]
    first_files: NDArray[np.int64]
    file_nodes: NDArray[np.int64]
    paths: tuple[str, ...]
    file_bytes: NDArray[np.int64]
    tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)

    def files_of(self, node: int) -> slice:
        """The files below a node, or the one that it is."""
        return slice(int(self.first_files[node]), int(self.first_files[self.ends[node]]))

    def is_file(self, node: int) -> bool:
        """Whether a node is a file, not a folder."""
        return bool(self._is_file[node])

    def how_many_files(self, nodes: Sequence[int]) -> int:
        """How many of some nodes are files."""
        return int(self._is_file[np.array(nodes, dtype=np.int64)].sum())

    @cached_property
    def _is_file(self) -> NDArray[np.bool_]:
        return np.diff(self.first_files) == 1

    def sums(self, of_files: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[n]: for each node the sum of ``of_files`` (int64[m]) over its files."""
        running = np.concatenate(([0], np.cumsum(of_files)))
        return running[self.first_files[self.ends]] - running[self.first_files[:-1]]

    @cached_property
    def file_counts(self) -> NDArray[np.int64]:
        """int64[n]: the files of each node."""
        return self.first_files[self.ends] - self.first_files[:-1]

    @cached_property
    def node_bytes(self) -> NDArray[np.int64]:
        """int64[n]: the file bytes of each node."""
        return self.sums(self.file_bytes)

    @cached_property
    def node_tokens(self) -> NDArray[np.int64]:
        """int64[len(encodings), n]: the tokens of each node."""
        return np.stack([self.sums(tokens) for tokens in self.tokens])

    def is_like(self, other: FileTree) -> bool:
        """Whether another tree shows the same files with the same figures."""
        return (
            (self.encodings, self.names, self.paths) == (other.encodings, other.names, other.paths)
            and np.array_equal(self.file_bytes, other.file_bytes)
            and np.array_equal(self.tokens, other.tokens)
        )

    def way_to(self, node: int) -> tuple[str, ...]:
        """The names of the nodes from the top to a node."""
        parts = []
        while node != TOP:
            parts.append(self.names[node])
            node = int(self.parents[node])
        return tuple(reversed(parts))

    def path_of(self, node: int) -> Path:
        """Where a node is on the disk."""
        return Path(*self.way_to(node))


def tree_of(
    roots: Sequence[Path],
    encodings: tuple[str, ...],
    paths: Sequence[str],
    file_bytes: NDArray[np.int64],
    tokens: NDArray[np.int64],
) -> FileTree:
    """The tree of files that a walk through ``roots`` met in this order, folder by folder."""
    tops = sorted(((str(root), str(root).rstrip(os.sep) + os.sep) for root in roots), key=lambda top: -len(top[0]))
    names, parents, ends, file_nodes = [""], [TOP], [0], []
    way: list[int] = [TOP]
    for path in paths:
        parts = _parts(path, tops)
        depth = 0
        while depth < len(parts) - 1 and depth + 1 < len(way) and names[way[depth + 1]] == parts[depth]:
            depth += 1
        for node in way[depth + 1 :]:
            ends[node] = len(names)
        del way[depth + 1 :]
        for part in parts[depth:]:
            way.append(len(names))
            names.append(part)
            parents.append(way[-2])
            ends.append(len(names))
        file_nodes.append(way.pop())
    for node in way:
        ends[node] = len(names)
    nodes = np.array(file_nodes, dtype=np.int64)
    before = np.zeros(len(names) + 1, dtype=np.int64)
    before[nodes + 1] = 1
    arrays = (np.array(parents), np.array(ends), np.cumsum(before), nodes)
    for array in arrays:
        array.flags.writeable = False
    return FileTree(encodings, tuple(names), *arrays, tuple(paths), file_bytes, tokens)


def _parts(path: str, tops: Sequence[tuple[str, str]]) -> list[str]:
    """The root that a path is below, and the names from there on; of a file named outright its folder and name."""
    for root, prefix in tops:
        if path.startswith(prefix):
            return [root, *path[len(prefix) :].split(os.sep)]  # noqa: PTH206 - a Path of each takes longer than the rest
    folder, name = os.path.split(path)
    return [folder, name] if folder else [name]
