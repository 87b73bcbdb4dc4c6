"""A table whose rows are a sequence that is shown as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RowsModel(QAbstractTableModel):
    """A subclass says how many columns there are, which of them hold figures, their titles, and what a cell says."""

    COLUMNS: ClassVar[int]
    FIGURES: ClassVar[tuple[int, ...]] = ()
    """Columns that are written to the right, and their titles with them."""
    rows: Sequence[Any] = ()

    def set_rows(self, rows: Sequence[Any]) -> None:
        """Show these."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def titles(self) -> tuple[str, ...]:
        """Of the columns."""
        raise NotImplementedError

    def cell(self, row: Any, column: int) -> str:
        """What a cell says."""
        raise NotImplementedError

    def shown(self, row: int, column: int) -> str:
        """What a cell says, by its row."""
        return self.cell(self.rows[row], column)

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Where the cells of a column stand."""
        return RIGHT if column in self.FIGURES else LEFT

    def tell_of(self, column: int) -> None:
        """Say that all cells of a column are others."""
        if self.rows:
            self.dataChanged.emit(self.index(0, column), self.index(len(self.rows) - 1, column))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else self.COLUMNS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.shown(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self.FIGURES:
            return RIGHT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.titles()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.side(section)
        return None
