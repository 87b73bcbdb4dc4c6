"""Models of tables with plain rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.core.token_text import visible_line, visible_lines
from gui.look.plain_tip import as_written

Data = Callable[..., Any]

_READ = (
    *(Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole),
    *(Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole),
)
"""What somebody reads, or has read out to them."""


def plain_tips(data: Data) -> Data:
    """Tool tips are shown as they are: what looks like HTML is not taken for it."""

    @wraps(data)
    def plain(self: Any, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = data(self, index, role)
        return as_written(value) if role == Qt.ItemDataRole.ToolTipRole and isinstance(value, str) else value

    return plain


def everything_visible(data: Data) -> Data:
    """The same, and in cells, tips and what a screen reader says, what hides or turns text is made visible."""

    @wraps(data)
    def visible(self: Any, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = data(self, index, role)
        if isinstance(value, str) and role in _READ:
            return visible_lines(value)
        return value

    return plain_tips(visible)


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


class PlainRowsModel(QAbstractTableModel):
    """The words of a cell are its tool tip, too: columns may be too narrow for them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles: tuple[str, ...] = ()
        self._rows: Sequence[Any] = ()
        self._words: Callable[[Any, int], str] = lambda _row, _column: ""

    def show(self, titles: Sequence[str], rows: Sequence[Any], words: Callable[[Any, int], str]) -> None:
        """Show these rows. ``words(row, column)``: what a cell says."""
        self.beginResetModel()
        self._titles, self._rows, self._words = tuple(titles), rows, words
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._titles)

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._words(self._rows[index.row()], index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return visible_line(self._titles[section])
        return None
