"""What the cost panel says."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QLineEdit, QSpinBox, QTableView

from gui.costs import prices_service as price_files
from gui.costs.prices_service import LoadedPrices
from gui.widgets.labels import PlainLabel
from pricing.types import Problem
from tests.gui.cost_panel.hands import shown_bill
from tests.gui.cost_samples import MODELS, TODAY, Counts

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")


def test_the_contracts_names_are_there(panel):
    table = panel.findChild(QTableView, "costTable")
    assert table.model().rowCount() == 5
    assert table.accessibleName()
    assert panel.findChild(QLineEdit, "costFilter").accessibleName()
    titles = [
        table.model().headerData(column, Qt.Orientation.Horizontal) for column in range(table.model().columnCount())
    ]
    assert {"Model", "One call", "Input tokens", "Per month", "Context"} <= set(titles)


def test_stale_figures_are_told_in_words(panel, qtbot):
    with qtbot.waitSignal(panel.service.stale_changed):
        panel.service.text_changed(9)
    assert panel.model.stale
    assert "Counting" in panel.status.remark.text()
    with qtbot.waitSignal(panel.service.stale_changed):
        panel.service.set_counts(Counts(revision=9))
    assert "Counting" not in panel.status.remark.text()


def test_the_age_of_the_prices_is_in_sight(panel):
    panel.commands.show_embedding.trigger()
    assert panel.status.remark.text() == "Prices checked 13 to 201 days ago, old"
    panel.filter.setText("acme")
    assert panel.status.remark.text() == "Prices checked 13 days ago"


def test_a_remark_without_room_ends_in_an_ellipsis_and_is_whole_in_its_tool_tip(panel):
    remark = panel.status.remark
    assert remark.shown_text() == remark.text()
    panel.resize(640, 400)
    assert remark.shown_text() != remark.text()
    assert remark.shown_text()[-1:] in ("", "…")
    assert remark.text() in remark.toolTip()


def test_odd_scenarios_are_explained_not_refused(panel, qtbot):
    assert not panel.status.note.isVisible()
    with qtbot.waitSignal(panel.service.estimated):
        panel.findChild(QSpinBox, "cachedTokens").setValue(90_000_000)
    assert "The scenario caches more tokens than some prompts have" in panel.status.note.text()
    assert panel.status.note.isVisible()
    with qtbot.waitSignal(panel.service.estimated):
        panel.popover.batch.setChecked(True)
    assert "No known batch price for 1 of the models shown." in panel.status.note.text()
    with qtbot.waitSignal(panel.service.estimated):
        panel.names.reset.trigger()
    assert not panel.status.note.isVisible()


def test_a_day_before_the_first_known_prices_has_no_amounts(make_panel, qtbot, monkeypatch):
    known = [replace(one, price=replace(one.price, known_from=TODAY)) for one in MODELS[1:]]
    monkeypatch.setattr(price_files, "_loaded", lambda file, names: LoadedPrices((MODELS[0], *known)))
    panel = make_panel()
    assert not any(row.estimate.price_note for row in panel.service.rows)
    day = TODAY - timedelta(1)
    with qtbot.waitSignal(panel.service.estimated):
        panel.popover.day.setDate(QDate(day.year, day.month, day.day))
    assert all(row.estimate.usd is None for row in panel.service.rows if row.model_id != MODELS[0].id)
    assert "No known price on 2026-11-20 for 4 of the models shown." in panel.status.note.text()
    assert "as known today" in panel.status.note.text()


def test_a_budget_that_is_not_enough_is_told(panel, qtbot):
    rows = panel.model.shown_rows()
    costs = sorted(row.estimate.usd_calls_low for row in rows if row.estimate.usd_calls_low is not None)
    panel.popover.budget_usd.setValue(0.01)
    note = panel.status.note
    assert note.isVisible()
    assert note.text().startswith(f"⚠ Over the monthly budget of $0.01: {len(costs)} of the models shown.")
    panel.popover.budget_usd.setValue(float(max(row.estimate.usd_calls_high or 0 for row in rows)) + 0.01)
    assert not note.isVisible()
    panel.popover.budget_usd.setValue(0.01)
    panel.names.reset.trigger()
    assert not note.isVisible()
    assert panel.scenario.budget is None


def test_what_is_written_to_the_cache_is_a_line_of_the_explanation(panel, qtbot):
    panel.table.show_model("acme/large")
    with qtbot.waitSignal(panel.service.estimated):
        panel.show_scenario().write.setValue(400)
    assert "Cache write: 400 tokens" in shown_bill(panel)
    panel.popover.cached_unit.setCurrentIndex(1)
    panel.popover.cached.setValue(80)
    with qtbot.waitSignal(panel.service.estimated, check_params_cb=lambda rows: any(row.cached_cut for row in rows)):
        panel.show_scenario().write.setValue(90_000_000)
    assert "Cache write: 200 tokens" in shown_bill(panel)
    assert "Cached input: 800 tokens" in shown_bill(panel)


def test_mistakes_in_the_price_file_are_told_and_withdrawn(panel, qtbot, notifier, monkeypatch):
    problems = (Problem("prices.yaml", 3, 7, "models.x", "models.x: unknown field"),) * 2
    answers = [LoadedPrices(None, problems, price_files.KEPT), LoadedPrices(MODELS)]
    panel.service._loading._work = lambda request, ticket: answers.pop(0)
    with qtbot.waitSignal(notifier.posted) as told:
        panel.commands.reload.trigger()
    notice = told.args[0]
    assert notice.text == "Your price file has 2 problems. The previous prices stay in use."
    assert notice.details.count("prices.yaml:3:7: models.x: unknown field") == 2
    assert panel.status.remark.text() == notice.text
    assert panel.table.model().rowCount() == 5
    with qtbot.waitSignal(notifier.withdrawn):
        notice.offers[0].act()
    assert "problem" not in panel.status.remark.text()


def test_reading_the_prices_again_is_acknowledged(panel, qtbot, notifier):
    remarks = []
    notifier.remarked.connect(remarks.append)
    panel.service._loading._work = lambda request, ticket: LoadedPrices(MODELS, notices=("a tier survives",))
    with qtbot.waitSignal(notifier.posted) as told:
        panel.commands.reload.trigger()
    assert told.args[0].kind == "information"
    assert told.args[0].text == "Prices reloaded. In your price file: a tier survives"
    panel.service._loading._work = lambda request, ticket: LoadedPrices(MODELS)
    with qtbot.waitSignal(notifier.remarked):
        panel.commands.reload.trigger()
    assert remarks == ["Prices reloaded."]


def test_the_bill_is_of_the_current_row(panel, qtbot):
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    assert "1,000 tokens × $2 / million = $0.002" in shown_bill(panel)
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    current = panel.table.current_row()
    assert current.model_id != "acme/large"
    assert current.model_id in shown_bill(panel)
    panel.filter.setText("nothing like it")
    assert "Select a model" in shown_bill(panel)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_opens_nothing(panel, qtbot, key):
    asked = []
    panel.commands.explain.triggered.connect(lambda: asked.append(1))
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, key)
    assert not asked


def test_actions_say_what_they_would_do(panel):
    commands = panel.commands
    assert all(action.text() and action.statusTip() for action in commands.all_actions())
    assert not commands.favourite.isEnabled()
    panel.table.show_model("acme/large")
    assert commands.favourite.isEnabled()
    assert commands.favourite.text() == "Add to &favourites"
    commands.favourite.trigger()
    assert commands.favourite.text() == "Remove from &favourites"
    panel.table.show_model("acme/small")
    assert commands.favourite.text() == "Add to &favourites"
    commands.show_hidden.trigger()
    commands.hide.trigger()
    assert commands.hide.text() == "Un&hide"
    panel.table.show_model("acme/large")
    assert commands.hide.text() == "&Hide from the cost table"


def test_the_legend_gives_its_words_up_for_the_number_of_models(qtbot, make_panel):
    panel = make_panel()
    word, count = panel.foot.findChildren(PlainLabel)[0], panel.status.count
    qtbot.waitUntil(word.isVisible)
    count.setText("134 of 150 models · " * 12)
    qtbot.waitUntil(word.isHidden)
    count.setText("134 of 150 models")
    qtbot.waitUntil(word.isVisible)
    panel.resize(300, 400)
    assert word.isHidden()
