"""Which files of a tree are checked: sums over them at once, and what to drop until they fit. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from gui.models.file_tree import TOP, FileTree

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

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self.checked: NDArray[np.bool_] = np.ones(len(tree.paths), dtype=bool)
        self._counts = tree.file_counts

    def set_checked(self, node: int, checked: bool) -> None:
        """Check or uncheck a file, or all files of a folder."""
        self.checked[self.tree.files_of(node)] = checked
        self._counts = self.tree.sums(self.checked.astype(np.int64))

    def checked_files(self, node: int) -> int:
        """How many files of a node are checked."""
        return int(self._counts[node])

    def is_partly(self, node: int) -> bool:
        """Whether some files of a folder are checked and some are not."""
        return 0 < self._counts[node] < self.tree.file_counts[node]

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
            self._counts = self.tree.sums(self.checked.astype(np.int64))

    def fit(self, limit: int, way: Way, encoding: int = 0) -> Proposal:
        """What to uncheck until at most ``limit`` tokens are left.

        Greedy: while too much is checked, the smallest one goes that is enough by itself, else the largest there is.
        ``files``: single files; ``folders``: folders as a whole, and files only where no folder is left.
        """
        tokens = np.where(self.checked, self.tree.tokens[encoding], 0)
        before = left = int(tokens.sum())
        dropped: list[int] = []
        while left > limit:
            node = self._next(tokens, left - limit, way)
            if node is None:
                break
            files = self.tree.files_of(node)
            left -= int(tokens[files].sum())
            tokens[files] = 0
            dropped.append(node)
        return Proposal(limit, tuple(dropped), before - left, left)

    def _next(self, tokens: NDArray[np.int64], needed: int, way: Way) -> int | None:
        tree = self.tree
        if way == "folders":
            sizes = tree.sums(tokens)
            whole = sizes.copy()
            whole[tree.file_nodes] = 0
            whole[TOP] = 0
            whole[tree.parents == TOP] = 0  # all there is: nothing would be left
            node = _pick(whole, needed)
            if node is not None:
                return node
        file = _pick(tokens, needed)
        return None if file is None else int(tree.file_nodes[file])


def _pick(sizes: NDArray[np.int64], needed: int) -> int | None:
    """The smallest that is enough, else the largest; None where all are empty."""
    enough = np.flatnonzero(sizes >= needed)
    if len(enough):
        return int(enough[np.argmin(sizes[enough])])
    largest = int(np.argmax(sizes)) if len(sizes) else 0
    return largest if len(sizes) and sizes[largest] > 0 else None
