"""Lines of a file of requests as tables: those with most tokens, and those that are no requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.look.figures import figure
from gui.widgets.table_model import LEFT, RIGHT, everything_visible

if TYPE_CHECKING:
    from engine.requests.lines import LineTokens, MalformedLine

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class LinesModel(QAbstractTableModel):
    """Rows of texts and whole numbers; numbers stand to the right."""

    def __init__(self, titles: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._locale = QLocale()
        self._rows: tuple[tuple[int | str, ...], ...] = ()

    def set_worst(self, lines: Sequence[LineTokens]) -> None:
        """Show lines with their tokens, in all and by part."""
        self._set(tuple((one.line, one.tokens, *(part.tokens for part in one.parts), one.said) for one in lines))

    def set_malformed(self, lines: Sequence[MalformedLine]) -> None:
        """Show lines with what is wrong."""
        self._set(tuple((one.line, one.why) for one in lines))

    def _set(self, rows: tuple[tuple[int | str, ...], ...]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            last = section == len(self._titles) - 1
            return LEFT if last else RIGHT
        return None

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return figure(self._locale, value) if isinstance(value, int) else value
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(value, int):
            return RIGHT
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(value, str):
            return value
        return None
