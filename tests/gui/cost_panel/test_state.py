"""How the user arranged the cost table is remembered."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSpinBox

from gui.costs.columns import COLUMN_INDEX
from tests.gui.cost_panel.hands import ids

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")


def test_everything_the_user_arranged_comes_back(panel, make_panel, qtbot):
    panel.filter.setText("o")
    panel.model.change(favourites=frozenset({"borg/opus"}), hidden=frozenset({"acme/small"}), show_retired=True)
    panel.commands.show_embedding.trigger()
    panel.table.show_model("acme/large")
    panel.commands.pin.trigger()
    panel.table.sortByColumn(COLUMN_INDEX["model"], Qt.SortOrder.DescendingOrder)
    for table in (panel.table, panel.page.table):
        header = table.horizontalHeader()
        header.moveSection(header.visualIndex(COLUMN_INDEX["total"]), 2)
        table.setColumnWidth(COLUMN_INDEX["tokens"], 222)
        table.setColumnHidden(COLUMN_INDEX["context"], True)
    panel.page.chart_button.click()
    panel.page.chips.cache.click()
    panel.tools.exact.click()
    panel.model.change(vendors=frozenset({"Borg", "Acme"}), context_at_least=1_000, by_vendor=True)
    panel.model.change(exact_only=False, cache_price=False)
    panel.findChild(QSpinBox, "outputTokens").setValue(1_234)
    state = json.loads(json.dumps(panel.state()))
    other = make_panel()
    other.restore_state(state)
    restored = other.state()
    assert restored == state, "before the page was looked at"
    other.page.resize(panel.page.size())
    assert {**other.state(), "split": None} == {**state, "split": None}
    assert ids(other) == ids(panel)
    assert other.filter.text() == "o"
    other.model.set_arrangement(other.model.arrangement.without_filters())
    assert "corp/embed" in ids(other)
    assert other.commands.show_embedding.isChecked()
    assert not other.filter.text()
    assert not other.page.chart_button.isChecked()


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"columns": [], "sort": [["gone", 1], "x", 5], "filter": 3, "hidden": "all", "split": ["a", 2], "side": 9},
        {"columns": {"order": ["total", "gone", 4], "hidden": ["model"], "widths": {"model": -1, "x": 3}}},
        {"scenario": 5, "chart": [], "favourites": {}, "baseline": 7, "split": [1]},
    ],
)
def test_a_damaged_state_breaks_nothing(panel, state):
    panel.restore_state(state)
    assert panel.table.model().rowCount() == 5
    assert not panel.table.isColumnHidden(COLUMN_INDEX["model"])


def test_state_changes_are_told(panel, qtbot):
    with qtbot.waitSignal(panel.state_changed):
        panel.table.horizontalHeader().resizeSection(COLUMN_INDEX["model"], 300)
    with qtbot.waitSignal(panel.state_changed):
        panel.findChild(QSpinBox, "outputTokens").setValue(3)
