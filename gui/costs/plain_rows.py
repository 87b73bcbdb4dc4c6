"""Rows that are only read, of whatever kind: a table model that asks for the words of a cell when it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.look.token_text import visible_line
from gui.models.plain_data import everything_visible

_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


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
