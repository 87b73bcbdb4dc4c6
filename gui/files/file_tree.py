"""A counted folder as arrays: its tree, its check marks, and a suggestion of files to uncheck. No Qt.

Nodes are numbered in the order of the walk, so all descendants of a node follow it, up to an end; sums over a folder
are differences of prefix sums over the files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOP = 0
"""The invisible parent of all roots."""


MAX_TYPES = 5
"""Number of file types that are distinguished."""


class FileType(NamedTuple):
    """A file suffix, with its dot and in lower case, or "" for all other files, and the tokens of such files."""

    suffix: str
    tokens: int


@dataclass(frozen=True, eq=False)
class FileTree:
    """Tree of n nodes and m files. Arrays are read-only.

    ``names``: of the nodes; for a root its whole path. ``parents``, ``ends``: int64[n], for each node its parent and
    the first node after its descendants. ``first_files``: int64[n + 1], number of files before each node. ``paths``: of
    the files, as text. ``file_nodes``: int64[m]. ``file_bytes``: int64[m]. ``tokens``: int64[len(encodings), m].
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
        """Return the files below a node, or the file that it is."""
        return slice(int(self.first_files[node]), int(self.first_files[self.ends[node]]))

    def is_file(self, node: int) -> bool:
        """Return True if a node is a file, not a folder."""
        return bool(self._is_file[node])

    def how_many_files(self, nodes: Sequence[int]) -> int:
        """Return the number of files among these nodes."""
        return int(self._is_file[np.array(nodes, dtype=np.int64)].sum())

    @cached_property
    def _is_file(self) -> NDArray[np.bool_]:
        return np.diff(self.first_files) == 1

    def sums(self, of_files: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum of ``of_files`` (int64[m]) over the files of each node, as int64[n]."""
        running = np.concatenate(([0], np.cumsum(of_files)))
        return running[self.first_files[self.ends]] - running[self.first_files[:-1]]

    @cached_property
    def file_counts(self) -> NDArray[np.int64]:
        """int64[n]: number of files of each node."""
        return self.first_files[self.ends] - self.first_files[:-1]

    @cached_property
    def node_bytes(self) -> NDArray[np.int64]:
        """int64[n]: file bytes of each node."""
        return self.sums(self.file_bytes)

    @cached_property
    def node_tokens(self) -> NDArray[np.int64]:
        """int64[len(encodings), n]: tokens of each node."""
        return np.stack([self.sums(tokens) for tokens in self.tokens])

    @cached_property
    def file_types(self) -> tuple[FileType, ...]:
        """Up to ``MAX_TYPES`` file types with the most tokens, and a last one, without a suffix, for all others."""
        suffixes = [os.path.splitext(path)[1].casefold() for path in self.paths]  # noqa: PTH122 - pathlib is slow here
        names, of_files = np.unique(np.array(suffixes, dtype=object), return_inverse=True)
        tokens = np.bincount(of_files, weights=self.tokens[0], minlength=len(names)).astype(np.int64)
        named = [place for place in np.argsort(-tokens, kind="stable").tolist() if names[place] and tokens[place]]
        types = [FileType(names[place], int(tokens[place])) for place in named[:MAX_TYPES]]
        rest = int(self.tokens[0].sum()) - sum(one.tokens for one in types)
        return (*types, FileType("", rest)) if rest else tuple(types)

    @cached_property
    def node_types(self) -> NDArray[np.int64]:
        """int64[n]: for each node, index in ``file_types`` of the type with the most tokens."""
        places = {one.suffix: place for place, one in enumerate(self.file_types)}
        rest = max(0, len(self.file_types) - 1)
        of_files = np.array(
            [places.get(os.path.splitext(path)[1].casefold(), rest) for path in self.paths],  # noqa: PTH122 - as above
            dtype=np.int64,
        )
        sums = [self.sums(np.where(of_files == place, self.tokens[0], 0)) for place in range(max(1, rest + 1))]
        return np.argmax(np.stack(sums), axis=0)

    def is_like(self, other: FileTree) -> bool:
        """Return True if another tree has the same files with the same figures."""
        return (
            (self.encodings, self.names, self.paths) == (other.encodings, other.names, other.paths)
            and np.array_equal(self.file_bytes, other.file_bytes)
            and np.array_equal(self.tokens, other.tokens)
        )

    def way_to(self, node: int) -> tuple[str, ...]:
        """Return the names of the nodes from the root to a node."""
        parts = []
        while node != TOP:
            parts.append(self.names[node])
            node = int(self.parents[node])
        return tuple(reversed(parts))

    def path_within_root(self, node: int) -> str:
        """Return the path of a node relative to its root; for a root its whole path."""
        root, *names = self.way_to(node)
        return os.path.join(*names) if names else root  # noqa: PTH118 - text that is shown

    def path_of(self, node: int) -> Path:
        """Return the path of a node on disk."""
        return Path(*self.way_to(node))


def tree_of(
    roots: Sequence[Path],
    encodings: tuple[str, ...],
    paths: Sequence[str],
    file_bytes: NDArray[np.int64],
    tokens: NDArray[np.int64],
) -> FileTree:
    """Return the tree of files that a walk through ``roots`` found in this order, folder by folder."""
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
    """Split a path into its root and the names below; a file that was named itself into its folder and name."""
    for root, prefix in tops:
        if path.startswith(prefix):
            return [root, *path[len(prefix) :].split(os.sep)]  # noqa: PTH206 - pathlib is slow here
    folder, name = os.path.split(path)
    return [folder, name] if folder else [name]


Way = Literal["files", "folders"]


@dataclass(frozen=True, slots=True)
class Sums:
    """Totals of the checked files: files, bytes, and tokens in each encoding."""

    files: int
    file_bytes: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Nodes to uncheck so that the rest has at most ``limit`` tokens.

    ``nodes``: in the order in which they are unchecked. ``dropped``, ``left``: tokens removed and remaining.
    """

    limit: int
    nodes: tuple[int, ...]
    dropped: int
    left: int


class FileChoice:
    """Check marks of one tree. Initially every file is checked."""

    def __init__(self, tree: FileTree, checked: NDArray[np.bool_] | None = None) -> None:
        """``checked``: bool[m], True for each checked file."""
        self.tree = tree
        self.checked: NDArray[np.bool_] = np.ones(len(tree.paths), dtype=bool) if checked is None else checked
        self._counts = tree.file_counts if checked is None else self._counted()

    def set_checked(self, nodes: Sequence[int], checked: bool) -> None:
        """Check or uncheck files, and all files of folders. Takes the same time for one node as for a thousand."""
        tree, chosen = self.tree, np.array(nodes, dtype=np.int64)
        edges = np.zeros(len(tree.paths) + 1, dtype=np.int64)
        np.add.at(edges, tree.first_files[chosen], 1)
        np.add.at(edges, tree.first_files[tree.ends[chosen]], -1)
        self.checked[np.cumsum(edges[:-1]) > 0] = checked
        self._counts = self._counted()

    def checked_files(self, node: int) -> int:
        """Return the number of checked files of a node."""
        return int(self._counts[node])

    def is_partly(self, node: int) -> bool:
        """Return True if some, but not all, files of a folder are checked."""
        return 0 < self._counts[node] < self.tree.file_counts[node]

    def _counted(self) -> NDArray[np.int64]:
        return self.tree.sums(self.checked.astype(np.int64))

    def sums(self) -> Sums:
        """Return the totals of the checked files."""
        chosen, tree = self.checked, self.tree
        tokens = tuple(int(row[chosen].sum()) for row in tree.tokens)
        return Sums(int(chosen.sum()), int(tree.file_bytes[chosen].sum()), tokens)

    def take_over(self, earlier: FileChoice) -> None:
        """Uncheck the files that were unchecked in an earlier tree; files may have been added or removed since."""
        pairs = zip(earlier.tree.paths, earlier.checked.tolist(), strict=True)
        unchecked = {path for path, checked in pairs if not checked}
        if unchecked:
            self.checked = np.array([path not in unchecked for path in self.tree.paths], dtype=bool)
            self._counts = self._counted()

    def fit(self, limit: int, way: Way, encoding: int = 0, report: Callable[[float], None] | None = None) -> Proposal:
        """Return which nodes to uncheck so that at most ``limit`` tokens remain.

        Greedy: until the limit is met, uncheck the smallest item that is enough by itself, else the largest. With
        ``files`` items are files; with ``folders`` whole folders, then files once no folder is left. ``report`` is
        called with the progress from 0 to 1; an exception that it raises cancels the search.
        """
        tree = self.tree
        tokens = np.where(self.checked, tree.tokens[encoding], 0)
        before = left = int(tokens.sum())
        dropped: list[int] = []
        while way == "folders" and left > limit and (folder := self._next_folder(tokens, left - limit)) is not None:
            files = tree.files_of(folder)
            left -= int(tokens[files].sum())
            tokens[files] = 0
            dropped.append(folder)
            if report is not None:
                report(min(1.0, (before - left) / (before - limit)))
        files_too = enough_of(tokens, left - limit)
        left -= int(tokens[files_too].sum())
        dropped += tree.file_nodes[files_too].tolist()
        return Proposal(limit, tuple(dropped), before - left, left)

    def _next_folder(self, tokens: NDArray[np.int64], needed: int) -> int | None:
        """Return the smallest folder that is enough, else the largest; None if no folder has tokens."""
        tree = self.tree
        sizes = tree.sums(tokens)
        sizes[tree.file_nodes] = 0
        sizes[tree.parents == TOP] = 0  # a root is everything: nothing would be left
        enough = np.flatnonzero(sizes >= needed)
        if len(enough):
            return int(enough[np.argmin(sizes[enough])])
        largest = int(np.argmax(sizes))
        return largest if sizes[largest] > 0 else None


def enough_of(sizes: NDArray[np.int64], needed: int) -> NDArray[np.int64]:
    """Return the indexes of the sizes to take, in order, until their sum reaches ``needed``.

    While no single size covers the remainder, take the largest; then the smallest that does. The first of equal sizes
    wins. Return all sizes if their sum is too small. The largest are taken by descending size, so one sort finds them
    all.
    """
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    if needed <= 0:
        return order[:0]
    ordered = sizes[order]
    still_needed = needed - (np.cumsum(ordered) - ordered)
    enough = np.flatnonzero(ordered >= still_needed)
    if not len(enough):
        return order
    taken = int(enough[0])
    fitting = order[taken:][ordered[taken:] >= still_needed[taken]]
    smallest = fitting[sizes[fitting] == sizes[fitting[-1]]][0]  # ``fitting`` is sorted by size
    return np.append(order[:taken], smallest)
