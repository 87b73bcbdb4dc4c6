"""Two texts beside each other, line by line, with the tokens that differ marked."""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, QObject, Qt

from gui.core.text_runs import WRAPPED, plain_text, wrapped
from gui.look.figures import figure
from gui.prompt.savings.previews import RUNS_ROLE
from gui.prompt.versions.version_rows import tr
from gui.widgets.table_model import Index, RowsModel, plain_tips

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.core.diff_rows import DiffRow

CONTINUED = "↳"
"""Stands for the number of a line that goes on."""
SIGN, BEFORE_LINE, BEFORE, AFTER_LINE, AFTER = range(5)


class DiffTableModel(RowsModel):
    """A sign for what happened, then line number and text of both."""

    COLUMNS = 5
    FIGURES = (BEFORE_LINE, AFTER_LINE)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._whole: Sequence[DiffRow] = ()
        self._first = [0]
        self.room, self._width = math.inf, len

    def set_rows(self, rows: Sequence[DiffRow]) -> None:
        """Show these, broken into rows where they are wider than there is room for."""
        self._whole = rows
        self._wrap()

    def set_room(self, room: float, width: Callable[[str], int]) -> None:
        """Break the texts of either side where they are wider than ``room``; ``width``: of a character."""
        if room != self.room:
            self.room, self._width = room, width
            self._wrap()

    def _wrap(self) -> None:
        wrap = partial(wrapped, room=self.room, width=self._width)
        parts = [row.wrapped(wrap) for row in self._whole]
        self._first = list(accumulate(map(len, parts), initial=0))
        super().set_rows([one for part in parts for one in part])

    def whole_row(self, row: int) -> int:
        """Return which row this one is a part of, before any was broken."""
        return bisect_right(self._first, row) - 1 if row >= 0 else 0

    def first_of(self, whole: int) -> int:
        """Return the first part of a row."""
        return self._first[whole]

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
            return CONTINUED if line == WRAPPED else figure(self._locale, line) if line else ""
        return plain_text(row.before if column == BEFORE else row.after)
