"""Prices changed in the cells of the cost table: into the user's file, with its comments, and back."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gui.costs.columns import COLUMN_INDEX
from gui.costs.cost_view import CostTable
from gui.costs.prices_page import PricingPanel
from gui.window.application import Application
from gui.window.workspaces import MODELS_PAGE
from tests.gui.conftest import OpenWindow, notices
from tests.gui.pricing_windows import GOOD, input_price, panel_of, write

pytestmark = pytest.mark.pages("pricingTab")

MODEL = "openai/gpt-4o"


def table_of(bench: Application) -> CostTable:
    """The table of the page Models, which is brought to the front: the strip has no column of prices."""
    bench.pages.page(MODELS_PAGE).bring_to_front()
    return bench.costs.panel.page.table


def cell(qtbot: QtBot, bench: Application, column: str, model_id: str = MODEL) -> QModelIndex:
    """A cell of the cost table, made the current one."""
    table = table_of(bench)
    qtbot.waitUntil(lambda: table.show_model(model_id))
    table.setFocus()
    index = table.model().index(table.model().row_of_model(model_id), COLUMN_INDEX[column])
    table.setCurrentIndex(index)
    return index


def type_price(
    qtbot: QtBot, bench: Application, typed: str, column: str = "input_price", model_id: str = MODEL
) -> None:
    """As the keyboard does."""
    cell(qtbot, bench, column, model_id)
    table = table_of(bench)
    QTest.keyClick(table, Qt.Key.Key_F2)
    field = table.findChildren(QLineEdit)[-1]
    field.setText(typed)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_a_price_typed_in_its_cell_lands_in_the_file_with_its_comment_and_comes_back(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_bytes(GOOD.replace("\n", "\r\n").encode())
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models) and input_price(bench) == 2)
    qtbot.waitUntil(lambda: cell(qtbot, bench, "input_price").data() == "$2")
    type_price(qtbot, bench, "1.75")
    qtbot.waitUntil(lambda: input_price(bench) == Decimal("1.75"))
    assert prices.read_bytes() == GOOD.replace("\n", "\r\n").replace("2.00", "1.75").encode()
    qtbot.waitUntil(lambda: cell(qtbot, bench, "input_price").data() == "$1.75")
    type_price(qtbot, bench, "9", "output_price")
    qtbot.waitUntil(lambda: "output: 9" in prices.read_text())
    assert notices(bench) == "GPT-4o: Output $10 → $9 in your price file.", "one message, and none of the reload"
    undo = bench.costs.panel.commands.undo_price
    QTest.keyClick(table_of(bench), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "output" not in prices.read_text())
    undo.trigger()
    qtbot.waitUntil(lambda: prices.read_bytes() == GOOD.replace("\n", "\r\n").encode())
    qtbot.waitUntil(lambda: input_price(bench) == 2)
    undo.trigger()
    assert prices.read_bytes() == GOOD.replace("\n", "\r\n").encode()


@pytest.mark.deep
def test_enter_ends_the_edit_only_and_the_row_stays_in_sight(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    table = table_of(bench)
    qtbot.waitUntil(lambda: table.model().rowCount() > 20)
    table.sortByColumn(COLUMN_INDEX["input_price"], Qt.SortOrder.AscendingOrder)
    cheap = table.model().row_at(0).model_id
    type_price(qtbot, bench, "99", model_id=cheap)
    qtbot.waitUntil(table.hasFocus)  # Enter ends the edit and nothing else
    qtbot.waitUntil(lambda: table.model().row_of_model(cheap) > 10)
    assert table.flashed == cheap
    row = table.visualRect(table.currentIndex())
    assert table.viewport().rect().contains(row.center())
    assert table.current_row().model_id == cheap
    qtbot.waitUntil(lambda: not table.flashed)


@pytest.mark.deep
def test_an_empty_cell_brings_the_built_in_price_back(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    type_price(qtbot, bench, "")
    qtbot.waitUntil(lambda: input_price(bench) == Decimal("2.5"))
    assert prices.read_text() == "# mine\nversion: 1\nmodels:\n"
    type_price(qtbot, bench, "2.50")
    assert "GPT-4o: Input $2 → the built-in price." in notices(bench)


@pytest.mark.deep
def test_a_first_price_makes_the_file(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    type_price(qtbot, bench, "2")
    qtbot.waitUntil(lambda: input_price(bench) == 2)
    assert "# Your prices" in prices.read_text()


def test_what_is_no_price_is_refused_in_words(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    type_price(qtbot, bench, "cheap")
    qtbot.waitUntil(lambda: "expected a number (got 'cheap')" in notices(bench))
    assert prices.read_text() == GOOD


@pytest.mark.deep
def test_drafts_are_not_saved_by_a_cell(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    write(qtbot, panel, GOOD.replace("# mine", "# a draft"))
    bench.window.actions_by_name["focus_prompt"].trigger()
    type_price(qtbot, bench, "1.5")
    qtbot.waitUntil(lambda: "input: 1.5" in panel.editor.text())
    assert "Not saved yet" in notices(bench)
    assert prices.read_text() == GOOD
    write(qtbot, panel, "version: 1\nmodels: [\n")
    type_price(qtbot, bench, "1.25")
    qtbot.waitUntil(lambda: "Fix them first" in notices(bench))


@pytest.mark.deep
def test_other_cells_lead_to_the_form(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    index = cell(qtbot, bench, "provider")
    assert not table_of(bench).edit_price(index)
    QTest.keyClick(table_of(bench), Qt.Key.Key_F2)
    panel = bench.window.findChild(PricingPanel)
    qtbot.waitUntil(lambda: panel.form.model_id == MODEL)


@pytest.mark.deep
def test_a_price_that_an_announced_change_set_is_not_changed_in_its_cell(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(
        "version: 1\nmodels:\n  acme/one:\n    price:\n      input: 1\n      output: 2\n"
        "      changes: [{from_date: 2026-01-01, input: 3}]\n    count: {tokenizer: o200k_base}\n"
    )
    bench = open_window(profile)
    qtbot.waitUntil(lambda: cell(qtbot, bench, "input_price", "acme/one").data() == "$3")
    table = table_of(bench)
    assert not table.model().flags(cell(qtbot, bench, "input_price", "acme/one")) & Qt.ItemFlag.ItemIsEditable
    assert table.model().flags(cell(qtbot, bench, "output_price", "acme/one")) & Qt.ItemFlag.ItemIsEditable
