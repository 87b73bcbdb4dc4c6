"""The entries of one group of two vocabularies that are compared: id here, id there, token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.core.token_text import visible
from gui.tokenizers.vocabulary.columns import tr

if TYPE_CHECKING:
    from engine.entries.comparison import Comparison

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex

GROUPS = (
    QT_TRANSLATE_NOOP("Vocabulary", "In both, at the same id"),
    QT_TRANSLATE_NOOP("Vocabulary", "In both, different ID"),
    QT_TRANSLATE_NOOP("Vocabulary", "Only in {here}"),
    QT_TRANSLATE_NOOP("Vocabulary", "Only in {there}"),
)
"""Groups in words, in the order of ``engine.entries.comparison.GROUPS``."""

HERE, THERE, TOKEN = range(3)
NOWHERE = "–"


class ComparisonModel(QAbstractTableModel):
    """A row an entry, in the order of ids."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison: Comparison | None = None
        self._pairs: Any = ()

    def set_group(self, comparison: Comparison | None, group: int) -> None:
        """Show a group of a comparison, or nothing."""
        self.beginResetModel()
        self._comparison = comparison
        self._pairs = () if comparison is None else comparison.pairs(group)
        self.endResetModel()

    def ids_at(self, row: int) -> tuple[int, int]:
        """Id here and id there, -1 where it is not."""
        here, there = self._pairs[row]
        return int(here), int(there)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._pairs)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 3

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._comparison is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        here, there = self.ids_at(index.row())
        if index.column() == TOKEN:
            entries, token_id = (self._comparison.first, here) if here >= 0 else (self._comparison.second, there)
            return visible(entries.token_bytes(token_id)[:60])
        token_id = here if index.column() == HERE else there
        return str(token_id) if token_id >= 0 else NOWHERE

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == TOKEN:
            return tr("Token")
        if self._comparison is None:
            return ""
        return (self._comparison.first if section == HERE else self._comparison.second).name


def _alignment(column: int) -> Qt.AlignmentFlag:
    """Of the cells of a column, and of the title above them."""
    side = Qt.AlignmentFlag.AlignLeft if column == TOKEN else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
