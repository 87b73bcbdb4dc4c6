"""Table model of the cost rows.

The model keeps its own index of rows: filtering and sorting 100 rows takes well under a millisecond, where a
``QSortFilterProxyModel`` would call Python for each comparison. New figures of the same rows keep the selection. If the
set of rows changes, the model is reset, and the view restores the selection by model ID.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot

from gui.costs.columns import COLUMN_INDEX, COLUMNS, CostView, column_places, hint_of, title_of, tr, why_unknown
from gui.costs.money_text import CostText
from gui.costs.rows import Arranged, Arrangement, CostRow, SortKey, arrange
from gui.look.plain_text import as_written
from gui.widgets.table_model import TableModel

if TYPE_CHECKING:
    from gui.costs.cost_service import CostService

_NO_INDEX = QModelIndex()


class CostTableModel(TableModel):
    """Table model with a row for each model and the columns declared in ``COLUMNS``.

    Signals: ``arranged()`` after the rows, their order or the user's choices changed; ``current_changed()`` if another
    model is current; ``price_typed(str, str, str)`` with a model's ID, the path of a price in a price file and the
    typed text. The price itself changes only with the file.
    """

    arranged = Signal()
    current_changed = Signal()
    price_typed = Signal(str, str, str)

    def __init__(self, text: CostText, today: date, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, CostView(text, today, today), parent, visible=False)
        self._rows: tuple[CostRow, ...] = ()
        self._arrangement = Arrangement()
        self._result = Arranged((), 0, 0, 0, 0)
        self._search: dict[str, str] = {}
        self._stale = False
        self._service: CostService | None = None
        self.edited.connect(self._on_edited)

    @property
    def arrangement(self) -> Arrangement:
        """User's choices of order, filter, favourites and hidden models."""
        return self._arrangement

    @property
    def result(self) -> Arranged:
        """Rows shown, and the numbers of rows not shown."""
        return self._result

    @property
    def stale(self) -> bool:
        """True if the figures are those of an earlier text."""
        return self._stale

    @property
    def rows(self) -> tuple[CostRow, ...]:
        """All rows, including hidden ones, in the order of the price table."""
        return self._rows

    def shown_rows(self) -> list[CostRow]:
        """Return the visible rows, in the order of the table."""
        return [self._rows[index] for index in self._result.order]

    def row_at(self, row: int) -> CostRow:
        """Return the row at this index of the table. Raises IndexError."""
        return self._rows[self._result.order[row]]

    def place_of(self, model_id: str) -> int:
        """Return the index at which a model is shown, or -1 if it is not."""
        for place, index in enumerate(self._result.order):
            if self._rows[index].model_id == model_id:
                return place
        return -1

    def follow(self, service: CostService) -> None:
        """Show the rows of a service, marked as stale while they belong to an earlier text."""
        self._service = service
        service.estimated.connect(self._on_estimated)
        service.stale_changed.connect(self.set_stale)
        self._on_estimated(service.rows)

    @Slot(object)
    def _on_estimated(self, rows: tuple[CostRow, ...]) -> None:
        service = self._service
        if service is not None and service.scenario is not None:
            self.set_rows(rows, service.scenario.calls, service.today, service.scenario.on)

    def set_rows(self, rows: Sequence[CostRow], calls: int, today: date, on: date) -> None:
        """Show these rows. ``calls`` is used in the title of the total for all calls; ages count from ``today``."""
        header_changes = calls != self._view.calls
        same_models = [row.model for row in rows] == [row.model for row in self._rows]
        if not same_models:
            self._search.clear()
        self._rearrange(tuple(rows), self._arrangement, replace(self._view, calls=calls, today=today, on=on))
        if header_changes:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Set another arrangement."""
        if arrangement != self._arrangement:
            sorting = arrangement.sort != self._arrangement.sort
            self._rearrange(self._rows, arrangement, self._view)
            if sorting:
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def change(self, **choices: Any) -> None:
        """Change some of the user's choices; names as in ``Arrangement``."""
        self.set_arrangement(replace(self._arrangement, **choices))

    def set_text(self, text: CostText) -> None:
        """Set the locale and currency of figures."""
        self._search.clear()
        self._rearrange(self._rows, self._arrangement, replace(self._view, text=text))

    def set_plan(self, budget: Decimal | None, calls_a_day: int) -> None:
        """Set the budget for all calls, and the calls per day (0: not given)."""
        view = replace(self._view, budget=budget, calls_a_day=calls_a_day)
        if view != self._view:
            self._rearrange(self._rows, self._arrangement, view)

    def set_current(self, model_id: str) -> None:
        """Set the model whose figures the window shows."""
        if model_id != self._view.current:
            self._view = replace(self._view, current=model_id)
            self.notify_changed()
            self.current_changed.emit()

    def set_stale(self, stale: bool) -> None:
        """Mark the figures as those of an earlier text, or as current."""
        if stale != self._stale:
            self._stale = stale
            self.notify_changed()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by one column only, as requested by ``QTableView.sortByColumn``."""
        if 0 <= column < len(COLUMNS):
            self.change(sort=(SortKey(COLUMNS[column].key, order == Qt.SortOrder.DescendingOrder),))

    def sort_also(self, column: int) -> None:
        """Append a sort column, or reverse its direction if it is one already."""
        key = COLUMNS[column].key
        keys = list(self._arrangement.sort)
        for place, sort_key in enumerate(keys):
            if sort_key.column == key:
                keys[place] = SortKey(key, not sort_key.descending)
                break
        else:
            keys.append(SortKey(key))
        self.change(sort=tuple(keys))

    def sort_keys(self) -> list[tuple[int, Qt.SortOrder]]:
        """Return the sort columns and their directions, the primary one first."""
        orders = (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder)
        return [(COLUMN_INDEX[key.column], orders[key.descending]) for key in self._arrangement.sort]

    def cell_text(self, row: CostRow, column: int) -> str:
        """Return the text of a cell."""
        return COLUMNS[column].text(row, self._view)

    def tone(self, row: CostRow, column: int) -> str:
        """Return ``stale``, ``muted``, ``warning``, ``error`` or ""."""
        declared = COLUMNS[column]
        if declared.counted and (self._stale or row.pending):
            return "stale"
        tone = declared.tone(row, self._view) if declared.tone else ""
        return tone or ("muted" if row.estimate.retired or row.model_id in self._arrangement.hidden else "")

    def is_stale(self, row: CostRow, column: int) -> bool:
        """Return True if a cell shows a figure of an earlier text."""
        return COLUMNS[column].counted and (self._stale or row.pending)

    def title(self, column: int) -> str:
        return title_of(COLUMNS[column], self._view)

    def hint(self, column: int) -> str:
        return hint_of(COLUMNS[column], self._view)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._result.order)

    def _read(self, row: CostRow, column: int, role: int) -> str:
        """Return one sentence about a cell; the inspector has the details."""
        declared, names = COLUMNS[column], {"column": self.title(column), "model": row.model.name}
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return tr("{column} of {model}").format(**names)
        if role == Qt.ItemDataRole.ToolTipRole:
            if declared.key == "model":
                return as_written(row.model_id)
            words = tr("{model}, {column}: {text}").format(**names, text=declared.text(row, self._view) or tr("none"))
            return as_written(why_unknown(declared, row, self._view) or words)
        text = (declared.spoken or declared.text)(row, self._view)
        return tr("{text}, for an earlier text").format(text=text) if self.is_stale(row, column) else text

    @Slot(object, str, str)
    def _on_edited(self, row: CostRow, key: str, typed: str) -> None:
        self.price_typed.emit(row.model_id, COLUMNS[COLUMN_INDEX[key]].edits, typed)

    def _search_text(self, row: CostRow) -> str:
        text = self._search.get(row.model_id)
        if text is None:
            model = row.model
            label = model.count.label if model.count.tokenizer else None
            parts = (model.id, model.name, model.provider, model.count.tokenizer or "", label or "")
            text = " ".join((*parts, self._view.text.label(label), *model.aliases)).casefold()
            self._search[row.model_id] = text
        return text

    def _rearrange(self, rows: tuple[CostRow, ...], arrangement: Arrangement, view: CostView) -> None:
        baseline = next((row for row in rows if row.model_id == arrangement.baseline), None)
        view = replace(view, baseline=baseline, favourites=arrangement.favourites)
        values = {column.key: _bound(column.sort, view) for column in COLUMNS}
        result = arrange(rows, arrangement, values, self._search_text, view.budget)
        view = replace(view, places=column_places((rows[index] for index in result.order), view))
        before = [self._rows[index].model_id for index in self._result.order]
        after = [rows[index].model_id for index in result.order]
        if before == after:
            self._take(rows, arrangement, view, result)
            self.notify_changed()
        elif len(before) == len(after) and set(before) == set(after):
            self._move(before, after, (rows, arrangement, view, result))
        else:
            self.beginResetModel()
            self._take(rows, arrangement, view, result)
            self.endResetModel()
        self.arranged.emit()

    def _move(self, before: list[str], after: list[str], state: tuple[Any, ...]) -> None:
        """Reorder the same rows, so that selections and the current cell stay with their models."""
        self.layoutAboutToBeChanged.emit()
        place = {model_id: row for row, model_id in enumerate(after)}
        old = self.persistentIndexList()
        self._take(*state)
        new = [self.index(place[before[index.row()]], index.column()) for index in old]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def _take(self, rows: tuple[CostRow, ...], arrangement: Arrangement, view: CostView, result: Arranged) -> None:
        self._rows, self._arrangement, self._view, self._result = rows, arrangement, view, result


def _bound(sort: Callable[[CostRow, CostView], Any], view: CostView) -> Callable[[CostRow], Any]:
    return lambda row: sort(row, view)
