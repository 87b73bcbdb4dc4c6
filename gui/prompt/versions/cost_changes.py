"""What another text changes in the cost of every model, as rows of a table."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt

from gui.models.cost_text import CostText
from gui.models.money_text import MINUS, money_text
from gui.prompt.versions.version_rows import tr
from gui.widgets.table_model import Index, RowsModel, plain_tips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.core.cost_change import CostChange
    from pricing.types import CostEstimate

MODEL, BEFORE, AFTER, CHANGE, PER_CENT, CALLS = range(6)


class CostChangesModel(RowsModel):
    """Model, one call before and after, the change, per cent, and the change for all calls.

    It sorts by itself: a proxy of Qt's would ask it for two figures at every comparison. And it remembers what its
    cells say: an amount is asked for to measure a column, and again to paint it.
    """

    COLUMNS = 6
    FIGURES = (BEFORE, AFTER, CHANGE, PER_CENT, CALLS)

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text, self._calls = text, 1
        self._order = (MODEL, Qt.SortOrder.AscendingOrder)
        self._texts: dict[tuple[int, int], str] = {}

    def set_changes(self, changes: Sequence[CostChange], text: CostText, calls: int) -> None:
        """Show these, in the order last asked for; ``calls``: of the scenario."""
        self._text, self._calls = text, calls
        self._texts.clear()
        self.set_rows(self._sorted(changes))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._order = (column, order)
        before, indexes = self.rows, self.persistentIndexList()
        self.rows = self._sorted(before)
        self._texts.clear()
        places = {id(change): row for row, change in enumerate(self.rows)}
        moved = [self.index(places[id(before[index.row()])], index.column()) for index in indexes]
        self.changePersistentIndexList(indexes, moved)
        self.layoutChanged.emit()

    def _sorted(self, changes: Sequence[CostChange]) -> Sequence[CostChange]:
        """What is not known comes last in rising order."""
        column, order = self._order
        if not 0 <= column < self.COLUMNS:
            return changes
        return sorted(changes, key=lambda one: _sorted_by(one, column), reverse=order == Qt.SortOrder.DescendingOrder)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole and index.column() == MODEL:
            return self.rows[index.row()].model.id
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        calls = tr("{calls} calls").format(calls=self._text.localised(f"{self._calls:,}"))
        return tr("Model"), tr("Before"), tr("After"), tr("Change"), tr("Per cent"), calls

    def shown(self, row: int, column: int) -> str:
        if (row, column) not in self._texts:
            self._texts[row, column] = super().shown(row, column)
        return self._texts[row, column]

    def cell(self, change: CostChange, column: int) -> str:
        if column == MODEL:
            return change.model.name
        if column in (BEFORE, AFTER):
            estimate: CostEstimate = change.before if column == BEFORE else change.after
            return self._text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)
        if column == PER_CENT:
            return self._per_cent(change.share)
        return money_text(self._text, change.change if column == CHANGE else change.calls_change, plus=True)

    def _per_cent(self, share: Decimal | None) -> str:
        if share is None:
            return self._text.unknown()
        words = self._text.percent(abs(share), abs(share))
        return (MINUS if share < 0 else "+" if share else "") + words


def _sorted_by(change: CostChange, column: int) -> Any:
    if column == MODEL:
        return change.model.name.casefold()
    figures = {
        BEFORE: change.before.usd,
        AFTER: change.after.usd,
        CHANGE: change.change.usd,
        PER_CENT: change.share,
        CALLS: change.calls_change.usd,
    }
    value = figures[column]
    return float("inf") if value is None else float(value)
