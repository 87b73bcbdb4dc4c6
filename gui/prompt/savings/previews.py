"""What a proposed edit does to the text, place by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

from gui.core.text_runs import ADDED, REMOVED, plain_text, text_without
from gui.prompt.savings.labels import tr
from gui.widgets.table_model import Index, RowsModel, plain_tips

if TYPE_CHECKING:
    from gui.core.savings.excerpts import Preview

LINE, CHANGE = range(2)
RUNS_ROLE = Qt.ItemDataRole.UserRole
"""The runs of a cell, for those who paint them."""


class PreviewsModel(RowsModel):
    """Line, and what goes and comes there."""

    COLUMNS = 2
    FIGURES = (LINE,)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and index.column() == CHANGE:
            change = self.rows[index.row()].change
            if role == RUNS_ROLE:
                return change
            if role == Qt.ItemDataRole.ToolTipRole:
                before, after = (text_without(change, mark) for mark in (ADDED, REMOVED))
                return tr("Before: {before}\nAfter: {after}").format(before=before, after=after)
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Line"), tr("What goes, and what comes instead")

    def cell(self, preview: Preview, column: int) -> str:
        return f"{preview.line}" if column == LINE else plain_text(preview.change)
