"""A published price table whose ids, providers and sources are hostile: in every cell, tip and spoken word of the
import they are shown as they are and never obeyed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import main
from gui.costs.price_import_controller import MODEL, OUTCOME, THEIRS, PriceImportDialog
from tests.gui.conftest import OpenWindow
from tests.gui.hostile.test_every_window import assert_harmless, assert_window_is_harmless, cells
from tests.gui.pricing_windows import panel_of

pytestmark = pytest.mark.pages("pricingTab")

MODEL_ID = "<b>x</b>\u202e\x1b[31m"
SHOWN_ID = "<i>p⟨LRM⟩/<b>x</b>⟨RLO⟩␛[31m"
SOURCE = "<img src=y>\u202e&amp;"
SPOKEN = (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole)


def write_table(path: Path, output: float, model_id: str = MODEL_ID) -> Path:
    """Such a table: a model with prices and a value that has no place in ours, one that is known, and none."""
    price = {"litellm_provider": "<i>p\u200e", "mode": "chat", "input_cost_per_token": 1e-06, "source": SOURCE}
    model = {**price, "output_cost_per_token": output, "<b>cost\u202e": 1}
    known = {**model, "litellm_provider": "openai"}
    path.write_text(json.dumps({model_id: model, f"x{model_id}": {**price, "mode": "<b>\u202e"}, "gpt-4o": known}))
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "tables\u202e.json", 4e-06)


@pytest.fixture
def dialog(qtbot: QtBot, open_window: OpenWindow, profile: Path, table: Path, tmp_path: Path) -> PriceImportDialog:
    """The import, with that table and another of its kind that disagrees, which is told apart by its file's name."""
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    qtbot.waitUntil(lambda: "Saved" in panel.status.text() or "does not exist yet" in panel.status.text())
    panel.import_button.click()
    shown = bench.window.findChild(PriceImportDialog)
    shown.files_chosen.emit([table, write_table(tmp_path / "others\u202e.json", 5e-06)])
    qtbot.waitUntil(lambda: shown.add.isEnabled() and shown.rows.rowCount() == len(shown.rows.rows) > 0)
    return shown


def test_every_cell_and_tip_shows_what_is_in_it(dialog: PriceImportDialog):
    model = dialog.rows
    assert [model.index(0, column).data() for column in (MODEL, THEIRS)] == [SHOWN_ID, "1"]
    tip = model.index(0, MODEL).data(Qt.ItemDataRole.ToolTipRole)
    lines = QTextDocumentFragment.fromHtml(tip).toPlainText().split("\n")
    assert lines == [SHOWN_ID, "Source: <img src=y>⟨RLO⟩&amp;"]
    for column in range(OUTCOME + 1):
        assert "<img" not in model.index(0, column).data(Qt.ItemDataRole.ToolTipRole)
    for place in range(3):
        dialog.tabs.setCurrentIndex(place)
        assert dialog.tabs.currentWidget().model().rowCount() > 0, "each list has something to show"
        assert_window_is_harmless(dialog)
    dialog.reject()


@pytest.mark.deep
def test_what_a_screen_reader_says_has_nothing_hidden(dialog: PriceImportDialog):
    assert dialog.rows.index(0, MODEL).data(SPOKEN[0]).startswith(f"{SHOWN_ID}, ")
    for model in (dialog.rows, dialog.differing, dialog.left_out):
        for index in cells(model):
            for role in SPOKEN:
                assert_harmless(str(index.data(role) or ""), f"row {index.row()}, column {index.column()}")
    dialog.reject()


@pytest.mark.deep
def test_titles_and_choices_show_what_is_in_them(qtbot: QtBot, dialog: PriceImportDialog):
    titles = [
        model.headerData(column, Qt.Orientation.Horizontal)
        for model in (dialog.rows, dialog.differing, dialog.left_out)
        for column in range(model.columnCount())
    ]
    assert "LiteLLM (others⟨RLO⟩.json)" in titles
    for title in titles:
        assert_harmless(title, "title")
    provider = dialog.provider
    assert [provider.itemText(place) for place in range(1, provider.count())] == ["<i>p⟨LRM⟩", "openai"]
    provider.setCurrentIndex(1)
    provider.activated.emit(1)
    qtbot.waitUntil(lambda: 0 < dialog.rows.rowCount() < len(dialog.rows.rows))
    assert {dialog.rows.index(row, MODEL).data() for row in range(dialog.rows.rowCount())} == {SHOWN_ID}
    dialog.reject()


@pytest.mark.deep
def test_what_cannot_be_put_into_ones_file_is_refused(qtbot: QtBot, dialog: PriceImportDialog):
    window = dialog.parent().window()
    dialog.table.selectRow(0)
    QTest.keyClick(dialog.table, Qt.Key.Key_Space)
    dialog.take.click()
    qtbot.waitUntil(lambda: any("Nothing was imported" in one.text for one in window.messages.notices))
    assert_window_is_harmless(window)


def test_the_command_line_shows_them_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    table, mine = write_table(tmp_path / "table.json", 4e-06, "<b>x"), tmp_path / "mine.yaml"
    mine.write_text('version: 1\nmodels:\n  "<i>p\\u200e/<b>x": {price: {input: 2}}\n')
    assert main.main(["prices", "compare", str(table), "--prices", str(mine)]) == 0
    assert "<i>p⟨LRM⟩/<b>x price.input: yours 2, LiteLLM 1\n" in capsys.readouterr().out
