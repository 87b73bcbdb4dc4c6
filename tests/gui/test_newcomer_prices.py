"""Somebody begins with prices: one is changed, the file broken and mended, a table imported, all of it undone."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gui.costs.columns import COLUMN_INDEX
from gui.costs.price_import_controller import PriceImportDialog
from gui.costs.prices_page import PricingPanel
from gui.window.application import Application
from gui.window.workspaces import MODELS_PAGE
from tests.gui.conftest import OpenWindow, close_window, notices
from tests.gui.pricing_windows import input_price, panel_of

EXTRACT = Path(__file__).parents[1] / "pricing" / "importers" / "extracts" / "models_dev.json"
FOUND_HERE = "deepseek/deepseek-flash"


def change_in_the_table(qtbot: QtBot, bench: Application, typed: str) -> None:
    """A double click on the input price of GPT-4o, and a figure."""
    bench.pages.page(MODELS_PAGE).bring_to_front()
    table = bench.costs.panel.page.table
    qtbot.waitUntil(lambda: table.show_model("openai/gpt-4o"))
    index = table.model().index(table.model().row_of_model("openai/gpt-4o"), COLUMN_INDEX["input_price"])
    table.scrollTo(index)
    place = table.visualRect(index).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    field = table.findChildren(QLineEdit)[-1]
    field.selectAll()
    QTest.keyClicks(field, typed)
    QTest.keyClick(field, Qt.Key.Key_Return)


def type_behind(panel: PricingPanel, text: str, typed: str) -> None:
    """Put the caret behind a text, and type."""
    found = panel.editor.document().find(text)
    found.setPosition(found.selectionEnd())
    panel.editor.setTextCursor(found)
    QTest.keyClicks(panel.editor, typed)


def save(qtbot: QtBot, panel: PricingPanel, words: str) -> None:
    """As the keyboard does, until the status says so."""
    QTest.keyClick(panel.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not panel.editor.unsaved and words in panel.status.text())


@pytest.mark.deep
def test_a_first_sitting(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    profile = tmp_path / "profile"
    bench = open_window(profile)
    prices = profile / "prices.yaml"
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))

    # A price is changed where it stands.
    change_in_the_table(qtbot, bench, "2.00")
    qtbot.waitUntil(lambda: input_price(bench) == 2)
    first = prices.read_text()
    assert first.startswith("# Your prices")
    assert "  openai/gpt-4o:\n    price:\n      input: 2.00" in first

    # The file is broken, by hand.
    panel = panel_of(qtbot, bench)
    panel.editor.setFocus()
    qtbot.waitUntil(lambda: "Saved and in use" in panel.status.text())
    type_behind(panel, "      input: 2.00", " dollars")
    qtbot.waitUntil(lambda: panel.problems.rowCount() == 1)
    assert panel.editor.extraSelections()
    save(qtbot, panel, "not in use")
    qtbot.waitUntil(lambda: bool(bench.costs.service.problems))
    assert input_price(bench) == 2
    bench.window.actions_by_name["import_prices"].trigger()
    assert "Fix them first" in notices(bench)

    # The problem leads to its place, and is mended.
    panel.problem_list.setFocus()
    panel.problem_list.selectRow(0)
    QTest.keyClick(panel.problem_list, Qt.Key.Key_Return)
    assert bench.window.focusWidget() is panel.editor
    panel.editor.moveCursor(QTextCursor.MoveOperation.EndOfLine)
    for _letter in " dollars":
        QTest.keyClick(panel.editor, Qt.Key.Key_Backspace)
    save(qtbot, panel, "Saved and in use")
    assert prices.read_text() == first

    # A published table is compared, one value of it taken.
    panel.import_button.click()
    dialog = bench.window.findChild(PriceImportDialog)
    dialog.files_chosen.emit([EXTRACT])
    qtbot.waitUntil(lambda: dialog.rows.rowCount() > 0)
    dialog.words.setText(FOUND_HERE)
    qtbot.waitUntil(lambda: {dialog.rows.index(row, 0).data() for row in range(dialog.rows.rowCount())} == {FOUND_HERE})
    dialog.table.selectRow(0)
    QTest.keyClick(dialog.table, Qt.Key.Key_Space)
    dialog.take.click()
    qtbot.waitUntil(lambda: input_price(bench, FOUND_HERE) == Decimal("0.15"))
    assert FOUND_HERE in prices.read_text()

    # And all of it is undone, back to what the file was before the table.
    qtbot.waitUntil(lambda: not panel.editor.unsaved)
    bench.window.actions_by_name["undo"].trigger()
    assert panel.editor.text() == first
    save(qtbot, panel, "Saved and in use")
    qtbot.waitUntil(lambda: input_price(bench, FOUND_HERE) == Decimal("0.3"))
    assert prices.read_text() == first
    close_window(qtbot, bench)
    again = open_window(profile)
    qtbot.waitUntil(lambda: bool(again.costs.service.models) and input_price(again) == 2)
