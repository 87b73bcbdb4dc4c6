"""Which files of a tree are checked: sums over them at once, and what to drop until they fit. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from gui.files.file_tree import TOP, FileTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

Way = Literal["files", "folders"]


@dataclass(frozen=True, slots=True)
class Sums:
    """What is checked: files, file bytes, and tokens in each encoding."""

    files: int
    file_bytes: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What to uncheck so that the rest has at most ``limit`` tokens: ``nodes``, in the order in which they go, the
    tokens that they have, and those that are left."""

    limit: int
    nodes: tuple[int, ...]
    dropped: int
    left: int


class FileChoice:
    """The check marks of one tree. At first every file is checked."""

    def __init__(self, tree: FileTree, checked: NDArray[np.bool_] | None = None) -> None:
        """``checked``: bool[m], which files are."""
        self.tree = tree
        self.checked: NDArray[np.bool_] = np.ones(len(tree.paths), dtype=bool) if checked is None else checked
        self._counts = tree.file_counts if checked is None else self._counted()

    def set_checked(self, nodes: Sequence[int], checked: bool) -> None:
        """Check or uncheck files, and all files of folders. As quick for a thousand as for one."""
        tree, chosen = self.tree, np.array(nodes, dtype=np.int64)
        edges = np.zeros(len(tree.paths) + 1, dtype=np.int64)
        np.add.at(edges, tree.first_files[chosen], 1)
        np.add.at(edges, tree.first_files[tree.ends[chosen]], -1)
        self.checked[np.cumsum(edges[:-1]) > 0] = checked
        self._counts = self._counted()

    def checked_files(self, node: int) -> int:
        """How many files of a node are checked."""
        return int(self._counts[node])

    def is_partly(self, node: int) -> bool:
        """Whether some files of a folder are checked and some are not."""
        return 0 < self._counts[node] < self.tree.file_counts[node]

    def _counted(self) -> NDArray[np.int64]:
        return self.tree.sums(self.checked.astype(np.int64))

    def sums(self) -> Sums:
        """What is checked."""
        chosen, tree = self.checked, self.tree
        tokens = tuple(int(row[chosen].sum()) for row in tree.tokens)
        return Sums(int(chosen.sum()), int(tree.file_bytes[chosen].sum()), tokens)

    def take_over(self, earlier: FileChoice) -> None:
        """Uncheck the files that were unchecked in another tree, which may have more files, or fewer."""
        pairs = zip(earlier.tree.paths, earlier.checked.tolist(), strict=True)
        unchecked = {path for path, checked in pairs if not checked}
        if unchecked:
            self.checked = np.array([path not in unchecked for path in self.tree.paths], dtype=bool)
            self._counts = self._counted()

    def fit(self, limit: int, way: Way, encoding: int = 0, report: Callable[[float], None] | None = None) -> Proposal:
        """What to uncheck until at most ``limit`` tokens are left.

        Greedy: while too much is checked, the smallest one goes that is enough by itself, else the largest there is.
        ``files``: single files; ``folders``: folders as a whole, and files only where no folder is left. ``report``: is
        told now and then how much of the way is gone; what it raises ends it.
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
        """The smallest folder that is enough, else the largest; None where none has any tokens."""
        tree = self.tree
        sizes = tree.sums(tokens)
        sizes[tree.file_nodes] = 0
        sizes[tree.parents == TOP] = 0  # all there is: nothing would be left
        enough = np.flatnonzero(sizes >= needed)
        if len(enough):
            return int(enough[np.argmin(sizes[enough])])
        largest = int(np.argmax(sizes))
        return largest if sizes[largest] > 0 else None


def enough_of(sizes: NDArray[np.int64], needed: int) -> NDArray[np.int64]:
    """Which of many sizes to take, one after the other, until they come to ``needed``: while none is enough for what is
    still needed the largest, then the smallest that is. Of equals the first; all where all are too little.

    Whichever of them are taken as the largest, they are taken in the order of their size: so all at once.
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
    smallest = fitting[sizes[fitting] == sizes[fitting[-1]]][0]  # they are in the order of their size
    return np.append(order[:taken], smallest)
