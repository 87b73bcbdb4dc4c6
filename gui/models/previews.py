"""What a proposed edit does to the text, place by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.models.advisor_words import tr
from gui.models.runs import ADDED, REMOVED, plain_text, text_without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.services.advisor.excerpts import Preview

LINE, CHANGE = range(2)
RUNS_ROLE = Qt.ItemDataRole.UserRole
"""The runs of a cell, for those who paint them."""
_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class PreviewsModel(QAbstractTableModel):
    """Line, and what goes and comes there."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.previews: Sequence[Preview] = ()

    def set_previews(self, previews: Sequence[Preview]) -> None:
        """Show these."""
        self.beginResetModel()
        self.previews = previews
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.previews)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        preview = self.previews[index.row()]
        if index.column() == LINE:
            if role == Qt.ItemDataRole.DisplayRole:
                return f"{preview.line}"
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            return None
        if role == RUNS_ROLE:
            return preview.change
        if role == Qt.ItemDataRole.DisplayRole:
            return plain_text(preview.change)
        if role == Qt.ItemDataRole.ToolTipRole:
            before, after = (text_without(preview.change, mark) for mark in (ADDED, REMOVED))
            return tr("Before: {before}\nAfter: {after}").format(before=before, after=after)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (tr("Line"), tr("What goes, and what comes instead"))[section]
