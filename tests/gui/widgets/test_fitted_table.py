"""Columns as wide as what they hold, for which a model is asked no more than it has to be."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QHeaderView, QTableView, QWidget
from pytestqt.qtbot import QtBot

from engine.analysis.comparison import Difference
from gui.core.text_structure import RankedPart
from gui.costs.cost_service import ChangeRequest, cost_changes
from gui.costs.money_text import CostText
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.prompt.compare.panel import ComparePages
from gui.prompt.savings.panel import RankingPage
from gui.prompt.versions.comparison import VersionComparison
from gui.widgets.table_model import RowsModel
from gui.widgets.tables import MEASURED_ROWS, FittedTable, set_up_rows
from pricing import Scenario, load_catalog
from tests.gui.paints import Paints
from tests.gui.questions import roles_asked

ROWS = 400
ROLES = 8
"""That Qt asks for when a delegate says how large a cell is."""
NARROW, WIDE = "1", "100,000,000,000"


class Numbers(RowsModel):
    """Rows of texts."""

    COLUMNS = 3
    FIGURES = (0, 1)

    def titles(self) -> tuple[str, ...]:
        return "A", "Tokens", "Rest"

    def cell(self, row: list[str], column: int) -> str:
        return row[column]


class Kind(NamedTuple):
    """A page with a table, and what fills it."""

    page: QWidget
    table: QTableView
    fill: Callable[[], object]


def versions() -> Kind:
    theme = Theme("light")
    page = VersionComparison(theme, Icons(theme))
    models = load_catalog().models
    asked = ChangeRequest(
        models * (ROWS // len(models) + 1),
        {"o200k_base": 12_345},
        {"o200k_base": 54_321},
        Scenario(on=date(2026, 11, 22)),
        None,
    )
    found, text = cost_changes(asked), CostText(QLocale.c())
    return Kind(page, page.costs, lambda: page.changes.set_changes(found, text, 1000))


def ranking() -> Kind:
    page = RankingPage(CostText(QLocale.c()))
    parts = [RankedPart(place, place, place + 1, ROWS - place, "a line") for place in range(ROWS)]
    return Kind(page, page.table, lambda: page.show_rankings({"line": parts}, ROWS * ROWS))


def differences() -> Kind:
    page = ComparePages()
    found = [Difference(place, place + 1, place, (2 * ROWS - place, 7), "a line") for place in range(ROWS)]
    return Kind(page, page.table, lambda: page.differences.show_differences(found, ("one", "two")))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The roles for which models were asked."""
    return roles_asked(monkeypatch, RowsModel)


def numbers(qtbot: QtBot, kind: type[QTableView] = FittedTable) -> tuple[Numbers, QTableView]:
    """A table on the screen whose row 300 is wider than those before it."""
    table = kind("numbers") if kind is FittedTable else kind()
    qtbot.addWidget(table)
    model = Numbers(table)
    model.set_rows([[f"{row:03}", NARROW if row != 300 else WIDE, "…"] for row in range(ROWS)])
    table.setModel(model)
    set_up_rows(table)
    fitted = kind is FittedTable
    mode = QHeaderView.ResizeMode.Fixed if fitted else QHeaderView.ResizeMode.ResizeToContents
    table.horizontalHeader().setSectionResizeMode(mode)
    table.horizontalHeader().setStretchLastSection(True)
    table.resize(400, 300)
    with qtbot.waitExposed(table):
        table.show()
    QApplication.processEvents()
    return model, table


def widths(table: QTableView) -> list[int]:
    return [table.columnWidth(column) for column in range(table.model().columnCount())]


@pytest.mark.parametrize("make", [versions, ranking, differences])
def test_few_cells_are_measured_and_none_because_of_another_size(
    qtbot: QtBot, asked: list[int], make: Callable[[], Kind]
) -> None:
    page, table, fill = make()
    qtbot.addWidget(page)
    columns = table.model().columnCount() + 2  # the encodings compared come with their rows
    enough = columns * (MEASURED_ROWS + ROLES)
    page.resize(900, 600)
    fill()
    assert table.model().rowCount() >= ROWS
    table.viewport().setUpdatesEnabled(False)  # what is asked for to paint is not counted
    asked.clear()
    with qtbot.waitExposed(page):
        page.show()
    QApplication.processEvents()
    assert 0 < len(asked) <= enough
    for size in ((1200, 800), (600, 400), (900, 600)):
        asked.clear()
        page.resize(*size)
        QApplication.processEvents()
        assert not asked
    for _ in range(5):
        fill()
    asked.clear()
    QApplication.processEvents()
    assert 0 < len(asked) <= enough


def test_a_hidden_table_is_not_measured(qtbot: QtBot, asked: list[int]) -> None:
    model, table = numbers(qtbot)
    table.hide()
    asked.clear()
    model.set_rows([[WIDE, WIDE, "…"]] * ROWS)
    model.notify_column(1)
    QApplication.processEvents()
    assert not asked
    before = table.columnWidth(0)
    table.show()
    assert table.columnWidth(0) > before


def test_it_is_painted_once_for_another_size(qtbot: QtBot) -> None:
    _model, table = numbers(qtbot)
    paints = Paints(table.viewport())
    last = table.columnWidth(2)
    table.resize(800, 300)
    for _ in range(3):
        QApplication.processEvents()
    assert table.columnWidth(2) == last + 400
    assert paints.count == 1


def test_columns_are_as_wide_as_qt_makes_them(qtbot: QtBot) -> None:
    _model, table = numbers(qtbot)
    _other, by_qt = numbers(qtbot, QTableView)
    assert widths(table) == widths(by_qt)
    narrow = table.columnWidth(0)
    for model in (_model, _other):
        model.set_rows([[WIDE, "", "…"]] * 3)
    for _ in range(3):
        QApplication.processEvents()
    assert widths(table) == widths(by_qt)
    assert table.columnWidth(0) > narrow


def test_rows_that_come_into_sight_widen_a_column_for_good(qtbot: QtBot) -> None:
    model, table = numbers(qtbot)
    before = widths(table)
    table.scrollTo(model.index(300, 0))
    wide = widths(table)
    assert wide[0] == before[0]
    assert wide[1] > table.fontMetrics().horizontalAdvance(WIDE) > before[1]
    table.scrollToTop()
    assert widths(table) == wide
    model.set_rows(model.rows[:300])
    QApplication.processEvents()
    assert widths(table)[:2] == before[:2]


def test_only_what_changed_is_measured(qtbot: QtBot, asked: list[int]) -> None:
    model, table = numbers(qtbot)
    before = widths(table)
    table.viewport().setUpdatesEnabled(False)
    model.rows[3][1] = WIDE
    asked.clear()
    model.notify_column(1)
    model.notify_column(1)
    QApplication.processEvents()
    assert len(asked) <= MEASURED_ROWS + ROLES
    assert table.columnWidth(1) > before[1]
    assert table.columnWidth(0) == before[0]
