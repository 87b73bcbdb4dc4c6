"""One model, chosen in one place, gives the figures wherever there is room for one model's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from gui.costs.columns import COLUMN_INDEX
from gui.costs.rows import FIRST_MODEL, Arrangement, ReferenceModel
from gui.window.application import Application
from tests.gui.conftest import OpenWindow
from tests.gui.cost_samples import MODELS, rows

pytestmark = pytest.mark.pages("filesTab", "savingsTab", "conversationTab", "versionsTab")

OTHER = "deepseek/deepseek-v4-pro"


def test_it_is_the_model_chosen_or_one_that_counts_exactly():
    reference = ReferenceModel("borg/opus")
    assert reference.of(MODELS).id == "borg/opus"
    assert reference.of(()) is None
    assert reference.row(()) is None
    reference.chosen = "gone/away"
    assert reference.of(MODELS[1:]).id == "corp/unknown", "the first that counts exactly"
    assert reference.of(reversed(MODELS[:2])).id == "acme/large"
    assert reference.of([*MODELS, replace(MODELS[1], id=FIRST_MODEL)]).id == FIRST_MODEL
    assert reference.chosen == "gone/away", "it may come back"


def test_favourites_stand_beside_it_in_the_order_of_the_price_table():
    reference = ReferenceModel("borg/opus")
    wanted = {"corp/embed", "acme/small", "borg/opus", "borg/opus-9", "dark/none"}
    arrangement = Arrangement(favourites=frozenset(wanted), baseline="acme/large", hidden=frozenset({"dark/none"}))
    beside = [row.model_id for row in reference.rows_to_compare(rows(), arrangement, 9)]
    assert beside == ["borg/opus", "acme/large", "acme/small", "corp/embed"], "none retired or hidden"
    assert [row.model_id for row in reference.rows_to_compare(rows(), arrangement, 2)] == beside[:2]
    assert [row.model_id for row in reference.rows_to_compare(rows(), Arrangement(), 4)] == ["borg/opus"]


def shown(bench: Application) -> set[str]:
    """The models whose figures the parts of the window show."""
    bench.pages.folders._price()
    rows, _words = bench.pages.conversation._chosen()
    return {
        bench.window.header.context._model,
        bench.pages.advisor._priced().model.name,
        bench.costs.reference_row().model.name,
        *(model.name for model in bench.pages.folders.prices.models),
        *(row.model.name for row in rows),
    }


@pytest.mark.deep
def test_order_filter_and_selection_change_no_figure_and_the_picker_all(
    qtbot: QtBot, open_window: OpenWindow, profile: Path
):
    bench = open_window(profile)
    qtbot.waitUntil(lambda: any(row.estimate.usd for row in bench.costs.service.rows))
    picker = bench.window.findChild(QComboBox, "modelPicker")
    assert picker.currentText() == "GPT-5 nano"
    assert shown(bench) == {"GPT-5 nano"}
    table = bench.costs.panel.table
    table.sortByColumn(COLUMN_INDEX["output_price"], Qt.SortOrder.DescendingOrder)
    bench.costs.panel.filter.setText("claude")
    table.selectRow(0)
    assert table.current_row().model.name.startswith("Claude")
    assert shown(bench) == {"GPT-5 nano"}
    bench.prompt.set_encoding("r50k_base")
    assert shown(bench) == {"GPT-5 nano"}
    picker.setCurrentIndex(picker.findData(OTHER))
    assert shown(bench) == {"DeepSeek V4 Pro"}
    assert bench.prompt.encoding == "deepseek", "tokens are those of the model"
    picker.setCurrentIndex(picker.findText("Claude", Qt.MatchFlag.MatchContains))
    assert len(shown(bench)) == 1
    assert bench.prompt.encoding == "deepseek", "whose own encoding nobody knows"
    picker.setCurrentIndex(picker.findData(OTHER))
    with qtbot.waitSignal(bench.window.destroyed):
        bench.window.close()
    again = open_window(profile)
    qtbot.waitUntil(lambda: bool(again.costs.service.models))
    assert again.window.header.models.currentText() == "DeepSeek V4 Pro"
    assert again.costs.reference_model().id == OTHER
