"""Importing published prices: read, compared, ticked, put into the user's file with its comments, taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog
from pytestqt.qtbot import QtBot

from gui.costs.price_import_controller import (
    BUILT_IN,
    FIELD,
    MODEL,
    OUTCOME,
    THEIRS,
    YOURS,
    PriceImportDialog,
    value_text,
)
from gui.costs.prices_page import PricingPanel
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, notices
from tests.gui.dropping import drop
from tests.gui.pricing_windows import GOOD, panel_of, write

pytestmark = pytest.mark.pages("pricingTab")

EXTRACTS = Path(__file__).parents[1] / "pricing" / "importers" / "extracts"


def opened(qtbot: QtBot, bench: Application) -> tuple[PricingPanel, PriceImportDialog]:
    panel = panel_of(qtbot, bench)
    qtbot.waitUntil(lambda: "Saved" in panel.status.text() or "does not exist yet" in panel.status.text())
    qtbot.mouseClick(panel.import_button, Qt.MouseButton.LeftButton)
    dialog = bench.window.findChild(PriceImportDialog)
    assert dialog is not None
    return panel, dialog


def read(qtbot: QtBot, dialog: PriceImportDialog, *names: str) -> None:
    """Give the dialog these extracts and wait until it shows them."""
    dialog.files_chosen.emit([EXTRACTS / f"{name}.json" for name in names])
    qtbot.waitUntil(lambda: dialog.add.isEnabled() and dialog.rows.rowCount() > 0)


def cells(dialog: PriceImportDialog, model_id: str, field: str) -> tuple[int, list[Any]]:
    """Where a row is shown, and what it says."""
    for row in range(dialog.rows.rowCount()):
        texts = [dialog.rows.index(row, column).data() for column in range(OUTCOME + 1)]
        if texts[MODEL] == model_id and texts[FIELD] == field:
            return row, texts
    raise AssertionError(f"{model_id}, {field} is not shown")


def take(qtbot: QtBot, dialog: PriceImportDialog) -> None:
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)


def test_a_table_is_shown_beside_both_sides_and_nothing_is_ticked(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    _panel, dialog = opened(qtbot, open_window(profile))
    assert "Nothing changes until you check values" in dialog.empty.sentence.text()
    assert not dialog.tabs.isVisible(), "there is nothing to list yet"
    assert not dialog.take.isEnabled()
    read(qtbot, dialog, "litellm")
    assert "LiteLLM: " in dialog.about.text()
    assert dialog.about.isVisible()
    assert not dialog.empty.isVisible()
    assert dialog.rows.ticked == ()
    _row, mine = cells(dialog, "openai/gpt-4o", "Input")
    assert (mine[BUILT_IN], mine[YOURS], mine[THEIRS], mine[OUTCOME]) == ("2.50", "2", "2.50", "keeps yours")
    row, new = cells(dialog, "acme/thinker", "Input")
    assert (new[BUILT_IN], new[YOURS], new[OUTCOME]) == ("", "", "adds a new model")
    assert dialog.rows.index(row, MODEL).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Unchecked
    dialog.reject()


def test_what_is_ticked_is_written_and_one_undo_takes_it_back(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel, dialog = opened(qtbot, bench)
    read(qtbot, dialog, "litellm")
    row, _texts = cells(dialog, "acme/thinker", "Input")
    dialog.table.selectRow(row)
    QTest.keyClick(dialog.table, Qt.Key.Key_Space)
    assert [one.path for one in dialog.rows.ticked] == ["price.input"]
    take(qtbot, dialog)
    added = "  acme/thinker:\n    price:\n      input: 2.99999\n    source: the table of LiteLLM\n"
    qtbot.waitUntil(lambda: prices.read_text() == GOOD + added)
    qtbot.waitUntil(lambda: any(model.id == "acme/thinker" for model in bench.costs.service.models))
    notice = next(one for one in bench.window.messages.notices if "Imported into" in one.text)
    qtbot.waitUntil(lambda: "in use" in panel.status.text())
    notice.offers[0].act()
    assert panel.editor.text() == GOOD
    qtbot.waitUntil(lambda: prices.read_text() == GOOD)
    assert "Imported into" not in notices(bench)


@pytest.mark.deep
def test_the_users_own_value_cannot_be_ticked(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    _panel, dialog = opened(qtbot, open_window(profile))
    read(qtbot, dialog, "litellm")
    row, _texts = cells(dialog, "openai/gpt-4o", "Input")
    assert not dialog.rows.flags(dialog.rows.index(row, MODEL)) & Qt.ItemFlag.ItemIsUserCheckable
    dialog.all.click()
    assert dialog.rows.ticked_count == sum(one.applicable for one in dialog.rows.rows)
    assert not any(one.model_id == "openai/gpt-4o" and one.path == "price.input" for one in dialog.rows.ticked)
    take(qtbot, dialog)
    qtbot.waitUntil(lambda: "acme/thinker" in prices.read_text())
    assert "input: 2.00  # negotiated" in prices.read_text()


@pytest.mark.deep
def test_unsaved_changes_are_kept_and_not_saved_by_an_import(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    write(qtbot, panel, GOOD.replace("2.00", "1.00"))
    panel.import_button.click()
    dialog = bench.window.findChild(PriceImportDialog)
    read(qtbot, dialog, "litellm")
    dialog.all.click()
    take(qtbot, dialog)
    qtbot.waitUntil(lambda: "acme/thinker" in panel.editor.text())
    assert "Not saved yet" in notices(bench)
    assert "input: 1.00" in panel.editor.text()
    assert prices.read_text() == GOOD


@pytest.mark.deep
def test_filters_show_less_and_ticks_stay(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    _panel, dialog = opened(qtbot, open_window(profile))
    read(qtbot, dialog, "litellm", "models_dev")
    everything = len(dialog.rows.rows)

    def shown() -> list[str]:
        return [dialog.rows.index(row, MODEL).data() for row in range(dialog.rows.rowCount())]

    qtbot.waitUntil(lambda: len(shown()) == everything)
    dialog.kind.setCurrentIndex(dialog.kind.findData("new models"))
    qtbot.waitUntil(lambda: 0 < len(shown()) < everything)
    assert all(row.is_new for row in dialog.rows.rows if row.model_id in shown())
    dialog.all.click()
    ticked = dialog.rows.ticked_count
    assert ticked > 0
    dialog.kind.setCurrentIndex(0)
    dialog.provider.setCurrentIndex(dialog.provider.findData("xai"))
    dialog.provider.activated.emit(dialog.provider.currentIndex())
    qtbot.waitUntil(lambda: bool(shown()) and all(name.startswith("xai/") for name in shown()))
    dialog.none.click()
    assert dialog.rows.ticked_count == ticked
    dialog.provider.setCurrentIndex(0)
    dialog.provider.activated.emit(0)
    dialog.words.setText("THINKER acme")
    qtbot.waitUntil(lambda: bool(shown()) and set(shown()) == {"acme/thinker"})
    dialog.none.click()
    assert dialog.rows.ticked_count < ticked
    dialog.reject()


def test_sources_that_disagree_stand_side_by_side_and_a_field_takes_one_value(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, tmp_path: Path
):
    _panel, dialog = opened(qtbot, open_window(profile))
    read(qtbot, dialog, "models_dev")
    other = tmp_path / "other.json"
    other.write_text((EXTRACTS / "models_dev.json").read_text())
    dialog.files_chosen.emit([other])
    qtbot.waitUntil(lambda: dialog.add.isEnabled() and dialog.differing.columnCount() == 5)
    titles = [dialog.differing.headerData(column, Qt.Orientation.Horizontal) for column in range(5)]
    assert titles == ["Model", "Field", "Built in", "models.dev", "models.dev (other.json)"]
    rows = [[dialog.differing.index(row, c).data() for c in range(5)] for row in range(dialog.differing.rowCount())]
    assert ["deepseek/deepseek-flash", "Input", "0.30", "0.15", "0.15"] in rows
    qtbot.waitUntil(lambda: dialog.rows.rowCount() == len(dialog.rows.rows))
    places = [
        place
        for place, row in enumerate(dialog.rows.rows)
        if (row.model_id, row.path) == ("deepseek/deepseek-flash", "price.input")
    ]
    assert len(places) == 2
    for place in places:
        dialog.rows.tick([place], True)
    assert dialog.rows.ticked == (dialog.rows.rows[places[1]],)
    dialog.all.click()
    picked = [(row.model_id, row.path) for row in dialog.rows.ticked]
    assert len(set(picked)) == len(picked)
    dialog.reject()


def test_what_is_not_taken_over_is_listed_with_reasons(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    _panel, dialog = opened(qtbot, open_window(profile))
    read(qtbot, dialog, "litellm")
    rows = [[dialog.left_out.index(row, c).data() for c in range(4)] for row in range(dialog.left_out.rowCount())]
    assert ["LiteLLM", "sample_spec", "", "describes the table, not a model"] in rows
    assert dialog.tabs.tabText(2) == f"Not imported ({len(rows)})"
    dialog.reject()


@pytest.mark.deep
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"a": 1}', "this price table cannot be imported"),
        (b'{\n  "a": ,\n}', "line 2, column 8"),
        (b"\xff\xfe", "not valid UTF-8"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_no_table_is_named_with_the_reason(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, tmp_path: Path, content: bytes | None, why: str
):
    _panel, dialog = opened(qtbot, open_window(profile))
    file = tmp_path / "odd.json"
    if content is not None:
        file.write_bytes(content)
    dialog.files_chosen.emit([file])
    qtbot.waitUntil(lambda: why in dialog.faults.text())
    assert "Could not read odd.json" in dialog.faults.text()
    read(qtbot, dialog, "litellm")
    assert dialog.faults.isHidden()
    dialog.reject()


def test_a_file_dropped_on_the_tab_is_read(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(EXTRACTS / "litellm.json"))])
    assert not panel.editor.canInsertFromMimeData(data)
    words = QMimeData()
    words.setText("input: 1")
    assert not drop(panel, words)
    assert drop(panel, data)
    dialog = bench.window.findChild(PriceImportDialog)
    qtbot.waitUntil(lambda: dialog.rows.rowCount() > 0)
    dialog.reject()


@pytest.mark.deep
def test_a_file_with_mistakes_is_mended_first(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    write(qtbot, panel, "version: 1\nmodels: [\n")
    bench.window.actions_by_name["import_prices"].trigger()
    assert bench.window.findChild(PriceImportDialog) is None
    assert "Fix them first" in notices(bench)


@pytest.mark.deep
def test_ten_thousand_models_and_too_many_of_them(qtbot: QtBot, open_window: OpenWindow, profile: Path, tmp_path: Path):
    entry = {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 4e-06}
    table = tmp_path / "many.json"
    table.write_text(json.dumps({f"model-{number}": entry for number in range(10_000)}))
    bench = open_window(profile)
    panel, dialog = opened(qtbot, bench)
    before = panel.editor.text()
    dialog.files_chosen.emit([table])
    qtbot.waitUntil(lambda: dialog.rows.rowCount() == 20_000)
    dialog.words.setText("model-777")
    qtbot.waitUntil(lambda: dialog.rows.rowCount() == 22)
    dialog.words.clear()
    qtbot.waitUntil(lambda: dialog.rows.rowCount() == 20_000)
    dialog.all.click()
    take(qtbot, dialog)
    qtbot.waitUntil(lambda: "Nothing was imported" in notices(bench))
    assert panel.editor.text() == before


def test_values_read_as_they_are_written():
    assert value_text([{"over": 200_000, "input": 4, "batch": {"input": 2}}, {"from": 5, "input": None}]) == (
        "over 200,000, input 4, batch (input 2); from 5, input n/a"
    )


def test_an_unreadable_table_keeps_the_empty_state(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, tmp_path: Path
):
    _panel, dialog = opened(qtbot, open_window(profile))
    qtbot.waitUntil(dialog.isActiveWindow)
    assert dialog.focusWidget() is dialog.empty.button
    (tmp_path / "other.json").write_text("[]")
    dialog.files_chosen.emit([tmp_path / "other.json"])
    assert dialog.empty.sentence.text() == "Reading…"
    assert not dialog.empty.button.isEnabled()
    qtbot.waitUntil(dialog.faults.isVisible)
    assert dialog.empty.isVisible()
    assert dialog.empty.sentence.text().startswith("No price tables yet.")
    assert dialog.empty.button.isEnabled()
    dialog.empty.button.click()
    chooser = dialog.findChild(QFileDialog, "priceImportFiles")
    assert chooser.isVisible()
    chooser.reject()
    dialog.reject()


def test_tables_of_installed_packages_are_read_with_one_button(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, monkeypatch: pytest.MonkeyPatch
):
    path = EXTRACTS / "litellm.json"
    monkeypatch.setattr("gui.costs.price_import_controller.installed", lambda: [("litellm 1.110.2", path)])
    _panel, dialog = opened(qtbot, open_window(profile))
    assert dialog.add_installed.isVisible()
    assert dialog.add_installed.parentWidget() is dialog.empty
    assert dialog.add_installed.toolTip() == "Read price tables from installed packages: litellm 1.110.2"
    qtbot.mouseClick(dialog.add_installed, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.add.isEnabled() and dialog.rows.rowCount() > 0)
    assert not dialog.add_installed.isEnabled(), "it is read already"
    assert dialog.add_installed.isVisible()
