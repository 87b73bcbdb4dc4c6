"""Two texts beside each other, line by line, with the tokens that differ marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, QObject, Qt

from gui.look.figures import figure
from gui.models.plain_data import plain_tips
from gui.models.previews import RUNS_ROLE
from gui.models.rows import Index, RowsModel
from gui.models.runs import plain_text
from gui.models.versions import tr

if TYPE_CHECKING:
    from gui.services.versions.diff_rows import DiffRow

SIGN, BEFORE_LINE, BEFORE, AFTER_LINE, AFTER = range(5)


class DiffTableModel(RowsModel):
    """A sign for what happened, then line number and text of both."""

    COLUMNS = 5
    FIGURES = (BEFORE_LINE, AFTER_LINE)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and index.column() in (BEFORE, AFTER):
            row = self.rows[index.row()]
            if role == RUNS_ROLE and not row.folded:
                return row.before if index.column() == BEFORE else row.after
            if role == Qt.ItemDataRole.ToolTipRole:
                return self.cell(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == SIGN:
            return Qt.AlignmentFlag.AlignCenter
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return "", tr("Line"), tr("Before"), tr("Line"), tr("After")

    def cell(self, row: DiffRow, column: int) -> str:
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
