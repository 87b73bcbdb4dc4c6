"""A counted folder as arrays: its tree, its check marks, a suggestion of files to uncheck, and its Qt item model.

Nodes are numbered in the order of the walk, so all descendants of a node follow it, up to an end; sums over a folder
are differences of prefix sums over the files. In the model a row costs nothing until it is shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from gui.costs.money_text import CostText
from gui.look.quantities import TrainingText
from gui.widgets.labels import plain_tip
from gui.widgets.table_model import RIGHT, everything_visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.files.folder_service import FilePrice, FilePrices


# --- tree -------------------------------------------------------------------------------------------------------------

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
        named = [index for index in np.argsort(-tokens, kind="stable").tolist() if names[index] and tokens[index]]
        types = [FileType(names[index], int(tokens[index])) for index in named[:MAX_TYPES]]
        rest = int(self.tokens[0].sum()) - sum(one.tokens for one in types)
        return (*types, FileType("", rest)) if rest else tuple(types)

    @cached_property
    def node_types(self) -> NDArray[np.int64]:
        """int64[n]: for each node, index in ``file_types`` of the type with the most tokens."""
        indexes = {one.suffix: index for index, one in enumerate(self.file_types)}
        rest = max(0, len(self.file_types) - 1)
        of_files = np.array(
            [indexes.get(os.path.splitext(path)[1].casefold(), rest) for path in self.paths],  # noqa: PTH122 - as above
            dtype=np.int64,
        )
        sums = [self.sums(np.where(of_files == index, self.tokens[0], 0)) for index in range(max(1, rest + 1))]
        return np.argmax(np.stack(sums), axis=0)

    def is_like(self, other: FileTree) -> bool:
        """Return True if another tree has the same files with the same figures."""
        return (
            (self.encodings, self.names, self.paths) == (other.encodings, other.names, other.paths)
            and np.array_equal(self.file_bytes, other.file_bytes)
            and np.array_equal(self.tokens, other.tokens)
        )

    def path_to(self, node: int) -> tuple[str, ...]:
        """Return the names of the nodes from the root to a node."""
        parts = []
        while node != TOP:
            parts.append(self.names[node])
            node = int(self.parents[node])
        return tuple(reversed(parts))

    def path_within_root(self, node: int) -> str:
        """Return the path of a node relative to its root; for a root its whole path."""
        root, *names = self.path_to(node)
        return os.path.join(*names) if names else root  # noqa: PTH118 - text that is shown

    def path_of(self, node: int) -> Path:
        """Return the path of a node on disk."""
        return Path(*self.path_to(node))


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


# --- check marks ------------------------------------------------------------------------------------------------------

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


# --- model ------------------------------------------------------------------------------------------------------------

NAME, TOKENS, SHARE, FILES, BYTES, MODELS = range(6)
"""Columns. From ``MODELS`` on, each model has two: tokens and cost."""

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("FileTreeModel", text)


class FileTreeModel(QAbstractItemModel):
    """Model of one tree, sorted by a column within each folder. Internal IDs of indexes are nodes.

    Signals: ``chosen()`` is emitted when check marks change.
    """

    chosen = Signal()

    def __init__(self, text: CostText, sizes: TrainingText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text, self._sizes = text, sizes
        self.choice: FileChoice | None = None
        self.prices: FilePrices | None = None
        self._least = 0
        self._column, self._order = TOKENS, Qt.SortOrder.DescendingOrder
        self._children: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._starts: NDArray[np.int64] = np.zeros(2, dtype=np.int64)
        self._rows: NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    @property
    def tree(self) -> FileTree | None:
        """The tree shown."""
        return self.choice.tree if self.choice is not None else None

    @property
    def hidden_files(self) -> int:
        """Number of files hidden because they are too small."""
        tree = self.tree
        return int((tree.tokens[0] < self._least).sum()) if tree is not None else 0

    def show(self, choice: FileChoice | None) -> None:
        """Show another tree."""
        self.beginResetModel()
        self.choice = choice
        self._arrange()
        self.endResetModel()

    def set_prices(self, prices: FilePrices, text: CostText) -> None:
        """Show other models, or the same ones with other prices."""
        self.beginResetModel()
        self.prices, self._text = prices, text
        if self._column >= self.columnCount():
            self._column = TOKENS
        self._arrange()
        self.endResetModel()

    def set_least(self, tokens: int) -> None:
        """Hide nodes with fewer tokens. Hidden files keep their check mark and still count in every sum."""
        if tokens != self._least:
            self.layoutAboutToBeChanged.emit()
            self._least = tokens
            self._apply_layout()

    def check(self, nodes: tuple[int, ...], checked: bool) -> None:
        """Check or uncheck files and folders."""
        if self.choice is None or not nodes:
            return
        self.choice.set_checked(nodes, checked)
        self.layoutChanged.emit()  # views fetch only visible cells again
        self.chosen.emit()

    def node(self, index: Index) -> int:
        """Return the node of an index."""
        return int(index.internalId()) if index.isValid() else TOP

    def index_of(self, node: int) -> QModelIndex:
        """Return the first index of a node's row; invalid for the top and for hidden nodes."""
        if node == TOP or self._rows[node] < 0:
            return QModelIndex()
        return self.createIndex(int(self._rows[node]), NAME, node)

    def counts(self, node: int) -> dict[str, int]:
        """Return the tokens of a node by encoding."""
        tree = self.tree
        assert tree is not None
        return {name: int(tree.node_tokens[row, node]) for row, name in enumerate(tree.encodings)}

    def largest_children(self, node: int) -> NDArray[np.int64]:
        """Return the children of a folder that have tokens, largest first, including hidden ones."""
        tree = self.tree
        if tree is None:
            return np.zeros(0, dtype=np.int64)
        inner = np.flatnonzero(tree.parents[node + 1 : tree.ends[node]] == node) + node + 1
        tokens = tree.node_tokens[0, inner]
        return inner[np.argsort(-tokens, kind="stable")][: int((tokens > 0).sum())]

    def find(self, names: tuple[str, ...]) -> int | None:
        """Return the node at a path of names from the top; None if it does not exist or is hidden."""
        node = TOP
        for name in names:
            children = self._children[self._starts[node] : self._starts[node + 1]].tolist()
            found = next((child for child in children if self.choice and self.choice.tree.names[child] == name), None)
            if found is None:
                return None
            node = found
        return node

    def price(self, node: int, column: int) -> FilePrice:
        """Return the cost of a node at the model of a column."""
        assert self.prices is not None
        return self.prices.price((column - MODELS) // 2, self.counts(node))

    # --- the order of rows --------------------------------------------------------------------------------------------

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._column, self._order = column, order
        self._apply_layout()

    def _apply_layout(self) -> None:
        before = self.persistentIndexList()
        self._arrange()
        after = [
            self.createIndex(int(self._rows[self.node(index)]), index.column(), self.node(index))
            if self._rows[self.node(index)] >= 0
            else QModelIndex()
            for index in before
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        """Sort the children of all nodes at once."""
        tree = self.tree
        if tree is None:
            self._children, self._starts, self._rows = np.zeros(0, np.int64), np.zeros(2, np.int64), np.full(1, -1)
            return
        key = self._keys(tree)
        nodes = np.arange(len(tree))
        shown = nodes[(tree.node_tokens[0] >= self._least) & (nodes != TOP)]
        sign = -1 if self._order == Qt.SortOrder.DescendingOrder else 1
        ordered = shown[np.lexsort((shown, sign * key[shown], tree.parents[shown]))]
        starts = np.searchsorted(tree.parents[ordered], np.arange(len(tree) + 1))
        rows = np.full(len(tree), -1)
        rows[ordered] = np.arange(len(ordered)) - starts[tree.parents[ordered]]
        self._children, self._starts, self._rows = ordered, starts, rows

    def _keys(self, tree: FileTree) -> NDArray[np.int64]:
        if self._column == NAME:
            return np.arange(len(tree))
        if self._column == FILES:
            return tree.file_counts
        if self._column == BYTES:
            return tree.node_bytes
        if self._column < MODELS or self.prices is None:
            return tree.node_tokens[0]
        # At one model more tokens cost more, so sorting by tokens sorts by cost.
        name = self.prices.encoding_of((self._column - MODELS) // 2)
        return tree.node_tokens[tree.encodings.index(name)] if name in tree.encodings else np.zeros(len(tree), np.int64)

    # --- Qt's interface -----------------------------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: Index = _NO_INDEX) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, int(self._children[self._starts[self.node(parent)] + row]))

    def parent(self, child: Index = _NO_INDEX) -> Any:  # Qt has a second method of this name, without arguments
        tree = self.tree
        if not child.isValid() or tree is None:
            return QModelIndex()
        return self.index_of(int(tree.parents[self.node(child)]))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        if parent.isValid() and parent.column() != NAME:
            return 0
        node = self.node(parent)
        return int(self._starts[node + 1] - self._starts[node])

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return MODELS + 2 * len(self.prices.models if self.prices is not None else ())

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.isValid() and index.column() == NAME else flags

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.choice is None:
            return None
        node, column = self.node(index), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell_text(node, column)
        if role == Qt.ItemDataRole.CheckStateRole and column == NAME:
            if self.choice.is_partly(node):
                return Qt.CheckState.PartiallyChecked
            return Qt.CheckState.Checked if self.choice.checked_files(node) else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.TextAlignmentRole and column != NAME:
            return RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.sentence(node, column)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid() or index.column() != NAME:
            return False
        self.check((self.node(index),), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section != NAME:
            return RIGHT
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        if section < MODELS:
            return (tr("Name"), tr("Tokens"), tr("Share"), tr("Files"), tr("Size"))[section]
        assert self.prices is not None
        model = self.prices.models[(section - MODELS) // 2]
        if role == Qt.ItemDataRole.ToolTipRole:
            words = (
                tr("Tokens, counted by {model}"),
                tr("Input cost of sending it once to {model}"),
            )
            return plain_tip(words[(section - MODELS) % 2].format(model=model.id))
        return (tr("{model}, tokens"), tr("{model}, cost"))[(section - MODELS) % 2].format(model=model.name)

    def cell_text(self, node: int, column: int) -> str:
        tree = self.tree
        assert tree is not None
        if column == NAME:
            return tree.names[node]
        if column == FILES:
            return self._sizes.number(int(tree.file_counts[node]))
        if column == BYTES:
            return self._sizes.size(int(tree.node_bytes[node]))
        if column == TOKENS:
            return self._sizes.number(int(tree.node_tokens[0, node]))
        if column == SHARE:
            return self.share(node)
        price = self.price(node, column)
        if (column - MODELS) % 2 == 0:
            return self._text.tokens(price.label, price.tokens, price.low, price.high)
        return self._text.usd(price.usd_label, price.usd, price.usd_low, price.usd_high)

    def share(self, node: int) -> str:
        """Return the share of a node in all tokens, as text."""
        tree = self.tree
        assert tree is not None
        whole = int(tree.node_tokens[0, TOP])
        return tr("{number}%").format(number=self._sizes.decimal(100 * tree.node_tokens[0, node] / max(whole, 1), 1))

    def sentence(self, node: int, column: int = NAME) -> str:
        """Describe a node in words, for tooltips and screen readers."""
        tree = self.tree
        assert tree is not None
        if column >= MODELS:
            title = self.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
            return f"{title}: {self.cell_text(node, column)}"
        words = tr("{path}: {files}, {size}, {tokens} tokens, {share} of all")
        number = int(tree.file_counts[node])
        files = tr("1 file") if number == 1 else tr("{n} files").format(n=self._sizes.number(number))
        return words.format(
            path=tree.path_of(node),
            files=files,
            size=self.cell_text(node, BYTES),
            tokens=self.cell_text(node, TOKENS),
            share=self.share(node),
        )
