"""Two texts beside each other, line by line, with the tokens that differ marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.look.figures import figure
from gui.models.previews import RUNS_ROLE
from gui.models.runs import plain_text
from gui.models.versions import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.services.versions.diff_rows import DiffRow

SIGN, BEFORE_LINE, BEFORE, AFTER_LINE, AFTER = range(5)
_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class DiffTableModel(QAbstractTableModel):
    """A sign for what happened, then line number and text of both."""

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self.rows: Sequence[DiffRow] = ()

    def set_rows(self, rows: Sequence[DiffRow]) -> None:
        """Show these."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == RUNS_ROLE and column in (BEFORE, AFTER) and not row.folded:
            return row.before if column == BEFORE else row.after
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(row, column)
        if role == Qt.ItemDataRole.ToolTipRole and column in (BEFORE, AFTER):
            return self._cell(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (BEFORE_LINE, AFTER_LINE):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.TextAlignmentRole and column == SIGN:
            return Qt.AlignmentFlag.AlignCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return ("", tr("Line"), tr("Before"), tr("Line"), tr("After"))[section]

    def _cell(self, row: DiffRow, column: int) -> str:
        if row.folded:
            words = tr("… {tokens} tokens are the same").format(tokens=figure(self._locale, row.folded))
            return words if column == BEFORE else ""
        if column == SIGN:
            gone, new = (any(run.mark for run in runs) for runs in (row.before, row.after))
            return "±" if gone and new else "−" if gone else "+" if new else ""
        if column in (BEFORE_LINE, AFTER_LINE):
            line = row.before_line if column == BEFORE_LINE else row.after_line
            return figure(self._locale, line) if line else ""
        return plain_text(row.before if column == BEFORE else row.after)
