"""Qt item model of a counted folder, over arrays: a row costs nothing until it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from gui.costs.money_text import CostText
from gui.files.file_tree import TOP, FileChoice, FileTree
from gui.look.plain_text import plain_tip
from gui.look.quantities import TrainingText
from gui.widgets.table_model import RIGHT, everything_visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.files.file_price_service import FilePrice, FilePrices

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
        self._notify_checks()

    def _notify_checks(self) -> None:
        # Views fetch only visible cells again.
        self.layoutChanged.emit()
        self.chosen.emit()

    def node(self, index: Index) -> int:
        """The node of an index."""
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
            return self._words(node, column)
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

    def _words(self, node: int, column: int) -> str:
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
            return f"{self.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)}: " + self._words(
                node, column
            )
        words = tr("{path}: {files}, {size}, {tokens} tokens, {share} of all")
        number = int(tree.file_counts[node])
        files = tr("1 file") if number == 1 else tr("{n} files").format(n=self._sizes.number(number))
        return words.format(
            path=tree.path_of(node),
            files=files,
            size=self._words(node, BYTES),
            tokens=self._words(node, TOKENS),
            share=self.share(node),
        )
