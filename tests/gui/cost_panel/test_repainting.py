"""New figures have the cells painted again that look different, all of them and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QLocale, QModelIndex, QObject
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QAbstractItemView, QLineEdit

from gui.costs.columns import COLUMN_INDEX, COLUMNS, drawn_runs
from gui.costs.cost_table import CostTableModel
from gui.costs.cost_view import CostTable
from gui.costs.money_text import CostText
from gui.costs.rows import CostRow, SortKey
from gui.look.theme import Theme
from tests.gui.cost_samples import COUNTS, TODAY, rows

Cell = tuple[int, int]
SELECT = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows


class Painted(QObject):
    """What of a table was painted since it was last asked."""

    def __init__(self, table: CostTable) -> None:
        super().__init__(table)
        self._table = table
        self._region = QRegion()
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._region += event.region()
        return False

    def cells(self) -> set[Cell]:
        region, self._region = self._region, QRegion()
        table, model = self._table, self._table.model()
        places = ((row, column) for row in range(model.rowCount()) for column in table.visible_columns())
        return {
            (row, column)
            for row, column in places
            if region.intersects(table.visualRect(model.index(row, column)) & table.viewport().rect())
        }


@pytest.fixture
def table(qtbot) -> CostTable:
    table = CostTable(CostTableModel(CostText(QLocale.c()), TODAY), Theme("light"), columns=tuple(COLUMN_INDEX))
    qtbot.addWidget(table)
    table.resize(3000, 400)
    table.model().set_rows(rows(), 1000, TODAY, TODAY)
    table.model().change(show_retired=True, show_embedding=True)
    with qtbot.waitExposed(table):
        table.show()
    table._fit_timer.stop()
    return table


@pytest.fixture
def painted_by(qapp, table) -> Callable[[Callable[[], object]], set[Cell]]:
    """Does something, and gives the cells that were painted for it."""
    painted = Painted(table)
    qapp.processEvents()
    painted.cells()

    def act(action: Callable[[], object]) -> set[Cell]:
        action()
        table._fit_timer.stop()
        qapp.processEvents()
        return painted.cells()

    return act


def figures(more: int) -> tuple[CostRow, ...]:
    return rows({name: tokens + more for name, tokens in COUNTS.items()})


def looks(table: CostTable) -> dict[Cell, tuple[object, str]]:
    model = table.model()
    places: Iterator[Cell] = ((r, c) for r in range(model.rowCount()) for c in table.visible_columns())
    return {(r, c): (written(model, r, c), model.tone(model.row_at(r), c)) for r, c in places}


def written(model: CostTableModel, row: int, column: int) -> object:
    """What a cell says, as it is drawn."""
    if COLUMNS[column].painted in ("tokens", "amount", "price"):
        return drawn_runs(COLUMNS[column], model.row_at(row), model.view)
    return model.cell_text(model.row_at(row), column)


@pytest.mark.parametrize("more", [1, 2, 999, -1000, 120_000])
def test_the_cells_that_changed_are_painted(table, painted_by, more):
    before = looks(table)
    painted = painted_by(lambda: table.model().set_rows(figures(more), 1000, TODAY, TODAY))
    after = looks(table)
    changed = {cell for cell in after if after[cell] != before[cell]}
    assert changed
    assert changed <= painted
    assert (0, COLUMN_INDEX["model"]) not in painted
    assert (0, COLUMN_INDEX["provider"]) not in painted


def test_figures_that_look_the_same_have_nothing_painted(table, painted_by):
    assert painted_by(lambda: table.model().set_rows(figures(0), 1000, TODAY, TODAY)) == set()


def test_figures_of_an_earlier_text_are_painted_as_such_and_back(table, painted_by):
    tokens = {(row, COLUMN_INDEX["tokens"]) for row in range(table.model().rowCount())}
    for stale in (True, False):
        painted = painted_by(lambda stale=stale: table.model().set_stale(stale))
        assert tokens <= painted
        assert (0, COLUMN_INDEX["model"]) not in painted


def test_a_bar_is_painted_where_its_figure_stays_the_same(table, painted_by):
    share = COLUMN_INDEX["context"]
    few, some = (rows(dict.fromkeys(COUNTS, tokens)) for tokens in (64_010, 64_050))
    painted_by(lambda: table.model().set_rows(few, 1000, TODAY, TODAY))
    before = looks(table)
    painted = painted_by(lambda: table.model().set_rows(some, 1000, TODAY, TODAY))
    same = [row for row in range(table.model().rowCount()) if looks(table)[row, share] == before[row, share]]
    assert any((row, share) in painted for row in same)


def test_rows_that_change_places_are_painted_and_no_others(table, painted_by):
    model = table.model()
    model.change(sort=(SortKey("tokens"),))
    painted_by(lambda: table.setCurrentIndex(QModelIndex()))
    before, order = looks(table), [row.model_id for row in model.shown_rows()]
    counts = {"o200k_base": 1_300, "cl100k_base": 1_200}  # the first was the smaller one
    painted = painted_by(lambda: model.set_rows(rows(counts), 1000, TODAY, TODAY))
    after, reordered = looks(table), [row.model_id for row in model.shown_rows()]
    assert reordered != order
    assert sorted(reordered) == sorted(order)
    assert {cell for cell in after if after[cell] != before[cell]} <= painted
    stayed = [row for row, (old, new) in enumerate(zip(order, reordered, strict=True)) if old == new]
    assert stayed
    assert not {(row, COLUMN_INDEX["model"]) for row in stayed} & painted


@pytest.mark.parametrize("last", [0, 2])
def test_the_selection_follows_rows_that_change_places(table, last):
    """For a range of selected rows, a view keeps the indexes of its two ends only."""
    model = table.model()
    model.change(sort=(SortKey("tokens"),))
    first, end = (model.index(row, COLUMN_INDEX["model"]) for row in (0, last))
    table.selectionModel().select(QItemSelection(first, end), SELECT)
    selected = {row.model_id for row in table.selected_rows()}
    assert len(selected) == last + 1
    order = [row.model_id for row in model.shown_rows()]
    model.set_rows(rows({"o200k_base": 1_300, "cl100k_base": 1_200}), 1000, TODAY, TODAY)
    assert [row.model_id for row in model.shown_rows()] != order
    assert {row.model_id for row in table.selected_rows()} == selected


def test_the_selection_stays_if_rows_between_its_ends_change_places(table):
    model = table.model()
    order = [row.model_id for row in model.shown_rows()]
    first, end = (model.index(row, COLUMN_INDEX["model"]) for row in (0, 3))
    table.selectionModel().select(QItemSelection(first, end), SELECT)
    other = [order[0], order[4], order[1], order[3], order[2], *order[5:]]
    model._move(order, other, rearranged(model, other))
    assert {row.model_id for row in table.selected_rows()} == set(order[:4])


def rearranged(model: CostTableModel, order: list[str]) -> tuple[object, ...]:
    """The state of the model with its rows in another order."""
    places = {row.model_id: place for place, row in enumerate(model.rows)}
    result = replace(model.result, order=tuple(places[model_id] for model_id in order))
    return model.rows, model.arrangement, model.view, result


def test_what_the_user_types_in_a_cell_stays_when_new_figures_arrive(table):
    model = table.model()
    cell = model.index(0, COLUMN_INDEX["input_price"])
    table.setCurrentIndex(cell)
    table.edit(cell)
    field = table.findChild(QLineEdit)
    assert field is not None
    field.selectAll()
    field.insert("12.34")
    for tokens in (1_300, 1_100):
        model.set_rows(rows({"o200k_base": tokens, "cl100k_base": 1_200}), 1000, TODAY, TODAY)
    assert field.text() == "12.34"


def test_what_changed_out_of_sight_and_back_is_painted(table, painted_by, qapp):
    table.setFixedHeight(table.horizontalHeader().height() + 2 * table.rowHeight(0))
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
    qapp.processEvents()
    bar, model, cell = table.verticalScrollBar(), table.model(), (0, COLUMN_INDEX["tokens"])
    bar.setValue(bar.maximum())
    assert cell not in painted_by(lambda: model.set_rows(figures(5), 1000, TODAY, TODAY))
    assert cell in painted_by(lambda: bar.setValue(0))
    assert cell in painted_by(lambda: model.set_rows(figures(0), 1000, TODAY, TODAY))
