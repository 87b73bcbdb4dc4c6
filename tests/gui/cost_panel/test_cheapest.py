"""Finding the cheapest model that fits."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QSpinBox, QTableView

from gui.costs import cheapest as cheapest_dialog
from gui.costs.cheapest_table import MONEY, CheapestModel, WrittenRanking
from tests.gui.cost_samples import COUNTS, TODAY, Counts
from tests.gui.questions import roles_asked

# What the offscreen platform has to say of windows with a least size.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")


@pytest.fixture
def dialog(panel, qtbot):
    panel.find_cheapest()
    dialog = panel.find_cheapest()
    qtbot.waitExposed(dialog)
    settle(qtbot, dialog)
    return dialog


def settle(qtbot, dialog) -> None:
    """Wait until the dialog shows what was asked for."""
    qtbot.waitUntil(lambda: dialog.settled)


def listed(dialog) -> dict[str, str]:
    model = dialog.findChild(QTableView, "cheapestTable").model()
    return {model.index(row, 1).data(): model.index(row, 5).data() for row in range(model.rowCount())}


def answer(dialog) -> str:
    return dialog.findChild(QLabel, "cheapestAnswer").text()


def test_it_ranks_what_fits_and_says_why_the_others_do_not(dialog):
    # 500 output tokens: $0.0003, $0.006, $0.0195 to $0.0205
    found = listed(dialog)
    assert list(found)[:3] == ["Acme Small", "Acme Large", "Borg Opus 10"]
    assert answer(dialog) == "Acme Small is the cheapest of 3 that fit."
    assert list(found.values())[:3] == ["✓ yes"] * 3
    assert found["Borg Opus 9"] == "✗ retired on 2026-10-01"
    assert found["Corp Unpriced"] == "✗ no price is known for input"
    assert found["Corp =Embed|1"] == "✗ writes no text"
    assert found["Dark None"] == "✗ the tokens of the prompt are not known"


def test_room_provider_count_and_budget_narrow_it(dialog, panel, qtbot):
    dialog.findChild(QSpinBox, "cheapestContext").setValue(100_000)
    settle(qtbot, dialog)
    assert listed(dialog)["Acme Small"] == "✗ its context window has 4,000 tokens"
    assert answer(dialog) == "Acme Large is the cheapest of 2 that fit."
    dialog.findChild(QDoubleSpinBox, "cheapestBudget").setValue(5.5)
    assert panel.scenario.budget == Decimal("5.5")
    assert panel.popover.budget_usd.value() == 5.5
    over = "✗ over the budget by up to $0.50"  # 1,000 calls at $0.006
    qtbot.waitUntil(lambda: listed(dialog)["Acme Large"] == over)
    assert answer(dialog) == "None fits. The list says what keeps each model from it."
    panel.popover.budget_usd.setValue(0)
    dialog.findChild(QSpinBox, "cheapestContext").setValue(0)
    label = dialog.findChild(QComboBox, "cheapestLabel")
    label.setCurrentIndex(1)
    settle(qtbot, dialog)
    assert listed(dialog)["Acme Small"] == "✗ its count is ~ assumed"
    label.setCurrentIndex(0)
    provider = dialog.findChild(QComboBox, "cheapestProvider")
    provider.setCurrentIndex(provider.findData("Borg"))
    settle(qtbot, dialog)
    assert answer(dialog) == "Borg Opus 10 is the cheapest of 1 that fit."
    assert listed(dialog)["Acme Large"] == "✗ served by Acme"


def test_enter_pins_a_model_and_shows_it(dialog, panel, qtbot):
    panel.model.change(hidden=frozenset({"acme/large"}))
    panel.filter.setText("nothing like it")
    qtbot.waitUntil(lambda: listed(dialog)["Acme Large"] == "✗ left out of the cost table")
    place = list(listed(dialog)).index("Acme Large")
    settle(qtbot, dialog)
    dialog.table.selectRow(place)
    dialog.table.setFocus()
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert panel.model.arrangement.baseline == "acme/large"
    assert panel.table.current_row().model_id == "acme/large"
    assert dialog.isVisible()
    settle(qtbot, dialog)
    assert dialog.table.currentIndex().row() == list(listed(dialog)).index("Acme Large")
    dialog.table.selectRow(0)
    qtbot.mouseClick(dialog.pin, Qt.MouseButton.LeftButton)
    assert panel.model.arrangement.baseline == "acme/small"


def test_it_follows_the_scenario_while_it_is_open(dialog, panel, qtbot):
    with qtbot.waitSignal(panel.service.estimated):
        panel.popover.output.setValue(3_500)
    qtbot.waitUntil(lambda: listed(dialog)["Acme Small"] == "✗ has room for 4,000 tokens")


def test_every_control_has_a_name(dialog):
    for kind in (QSpinBox, QDoubleSpinBox, QComboBox, QTableView):
        assert all(control.accessibleName() for control in dialog.findChildren(kind))


def test_what_changes_together_is_ranked_once(dialog, panel, qtbot):
    ranked: list[int] = []
    dialog.model.modelReset.connect(lambda: ranked.append(dialog.model.rowCount()))
    for hidden in ("acme/large", "borg/opus-10", "acme/small"):
        panel.model.change(hidden=frozenset({hidden}))
    assert ranked == []
    qtbot.waitUntil(lambda: bool(ranked))
    assert len(ranked) == 1
    assert listed(dialog)["Acme Small"] == "✗ left out of the cost table"
    assert listed(dialog)["Acme Large"] == "✓ yes"


def test_columns_are_as_wide_as_what_is_in_them(dialog):
    header, table = dialog.table.horizontalHeader(), dialog.table
    for column in range(dialog.model.columnCount() - 1):
        fitting = max(table.sizeHintForColumn(column), header.sectionSizeHint(column))
        assert abs(header.sectionSize(column) - fitting) <= 1
    assert header.length() == table.viewport().width()


def test_a_ranking_is_taken_over_without_a_call_for_each_cell(panel, qtbot, monkeypatch):
    asked = roles_asked(monkeypatch, CheapestModel)
    panel.find_cheapest()
    dialog = panel.find_cheapest()
    qtbot.waitExposed(dialog)
    settle(qtbot, dialog)
    dialog.table.viewport().repaint()
    assert asked == [], "to be painted, a cell is asked for its text alone"
    with qtbot.waitSignal(dialog.model.modelReset):
        dialog.findChild(QSpinBox, "cheapestContext").setValue(100_000)
    settle(qtbot, dialog)
    assert len(asked) <= dialog.model.rowCount()


def test_opening_ranking_measuring_and_showing_take_a_turn_each(panel, qtbot, monkeypatch):
    done: list[str] = []

    def noted(owner, name: str) -> None:
        act = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given: done.append(name) or act(*given))

    noted(cheapest_dialog, "cheapest")
    noted(WrittenRanking, "lines")
    noted(CheapestModel, "show")
    dialog = panel.find_cheapest()
    assert done == []
    dialog.refresh()
    assert done == ["cheapest"]
    dialog._take_step()
    assert set(done) == {"cheapest", "lines"}
    assert dialog.model.rowCount() == 0
    dialog._take_step()
    assert done[-1] == "show"
    assert answer(dialog) == "Acme Small is the cheapest of 3 that fit."


def test_a_ranking_that_is_overtaken_is_not_shown(dialog, panel, qtbot):
    shown: list[str] = []
    dialog.model.modelReset.connect(lambda: shown.append(listed(dialog)["Acme Large"]))
    panel.model.change(hidden=frozenset({"acme/large"}))
    dialog.refresh()
    dialog._take_step()
    panel.model.change(hidden=frozenset())
    dialog.context.setValue(100_000)
    dialog.refresh()
    settle(qtbot, dialog)
    assert shown == ["✓ yes"]
    assert listed(dialog)["Acme Small"] == "✗ its context window has 4,000 tokens"


def test_columns_are_measured_though_the_first_ranking_was_overtaken(panel, qtbot):
    dialog = panel.find_cheapest()
    dialog.refresh()
    dialog._take_step()
    dialog.context.setValue(100_000)
    settle(qtbot, dialog)
    test_columns_are_as_wide_as_what_is_in_them(dialog)


@pytest.fixture
def measured(dialog, monkeypatch, qapp) -> list[int]:
    """The columns that have been measured since the dialog was opened."""
    columns: list[int] = []
    lines = WrittenRanking.lines

    def counted(self, column, rows):
        columns.append(column)
        return lines(self, column, rows)

    qapp.processEvents()
    monkeypatch.setattr(WrittenRanking, "lines", counted)
    return columns


def followed(dialog, qtbot) -> None:
    """Let the dialog take over what the cost table has."""
    assert dialog._soon.isActive()
    settle(qtbot, dialog)


def test_rows_that_cost_the_same_are_not_ranked_again(dialog, panel, measured, qtbot, monkeypatch):
    ranked: list[object] = []
    rank = cheapest_dialog.cheapest
    monkeypatch.setattr(cheapest_dialog, "cheapest", lambda *asked: ranked.append(asked) or rank(*asked))
    rows = panel.model.rows
    for pending in (True, False):
        panel.model.set_rows([replace(row, pending=pending) for row in rows], 1_000, TODAY, TODAY)
        followed(dialog, qtbot)
    panel.model.sort(0)
    followed(dialog, qtbot)
    dialog.hide()
    dialog.show()
    followed(dialog, qtbot)
    assert not ranked
    assert not measured
    panel.model.set_rows(rows[1:], 1_000, TODAY, TODAY)
    followed(dialog, qtbot)
    assert len(ranked) == 1
    assert dialog.model.rowCount() == len(rows) - 1


def test_of_other_amounts_only_their_columns_are_measured(dialog, panel, measured, qtbot):
    amounts = [dialog.model.index(0, column).data() for column in MONEY]
    dialog.table.selectRow(1)
    chosen = dialog.table.currentIndex().siblingAtColumn(1).data()
    with qtbot.assertNotEmitted(dialog.model.modelReset), qtbot.waitSignal(dialog.model.dataChanged):
        panel.service.set_counts(Counts(revision=2, tokens=2_000, by_encoding=dict.fromkeys(COUNTS, 2_000)))
    settle(qtbot, dialog)
    assert measured == list(MONEY)
    assert all(dialog.model.index(0, column).data() != before for column, before in zip(MONEY, amounts, strict=True))
    assert dialog.table.currentIndex().siblingAtColumn(1).data() == chosen


def test_in_another_font_all_columns_are_measured(dialog, measured, qtbot):
    width = dialog.table.columnWidth(1)
    font = dialog.font()
    font.setPointSizeF(2 * font.pointSizeF())
    dialog.setFont(font)
    qtbot.waitUntil(lambda: dialog.table.columnWidth(1) > 3 * width // 2)
    assert measured == list(range(dialog.model.columnCount() - 1))
