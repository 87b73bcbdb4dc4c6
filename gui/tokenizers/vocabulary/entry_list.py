"""Tokens in a list, a line each: what a token is built from, and what is built on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class TokenListModel(QAbstractListModel):
    """Lines are made when they are painted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids: Sequence[int] = ()
        self._line: Callable[[int], str] = str

    def set_tokens(self, ids: Sequence[int], line: Callable[[int], str]) -> None:
        """Show these tokens; ``line`` says what stands in a row."""
        self.beginResetModel()
        self._ids, self._line = ids, line
        self.endResetModel()

    def id_at(self, row: int) -> int:
        """The token of a row."""
        return int(self._ids[row])

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and index.isValid():
            return self._line(index.row())
        return None
