"""Ranges, caches that are missed, batches, currencies and named scenarios, as one meets them beside the cost table."""

from __future__ import annotations

from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QPushButton, QRadioButton, QSpinBox

from gui.costs.columns import COLUMN_INDEX
from gui.costs.prices_service import LoadedPrices
from gui.costs.scenario_book import ScenarioBook, ScenarioName
from gui.state.storage import Storage
from tests.gui.cost_panel.hands import shown_bill
from tests.gui.cost_samples import MODELS

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")


@pytest.fixture
def book(panel, runner, tmp_path):
    book = ScenarioBook(tmp_path / "scenarios.json", Storage(runner, "Scenarios"))
    panel.names.start(book)
    return book


def cell(panel, model_id: str, column: str) -> str:
    index = panel.model.index(panel.model.row_of_model(model_id), COLUMN_INDEX[column])
    return index.data()


def explained(panel, model_id: str) -> str:
    panel.table.show_model(model_id)
    return shown_bill(panel)


def test_a_range_of_output_is_a_range_of_money(panel, qtbot):
    details = panel.show_scenario()
    details.findChild(QCheckBox, "outputRanged").click()
    details.findChild(QSpinBox, "outputLow").setValue(0)
    with qtbot.waitSignal(panel.service.estimated):
        details.findChild(QSpinBox, "outputHigh").setValue(2_000)
    qtbot.waitUntil(lambda: cell(panel, "acme/large", "total") == "$0.002–0.018")  # 1,000 × 2 + 0 or 2,000 × 8
    assert cell(panel, "acme/large", "output_cost") == "$0–0.016"
    assert cell(panel, "acme/large", "input_cost") == "$0.002"
    said = explained(panel, "acme/large")
    assert "With 0 to 2,000 output and reasoning tokens: $0.002 to $0.018" in said
    # 1,400 × 5 and no output, 1,600 × 5 and 2,000 × 25, per million
    said = explained(panel, "borg/opus")
    assert "With 1,400 to 1,600 prompt tokens and 0 to 2,000 output and reasoning tokens: $0.007 to $0.058" in said
    assert "Output: 0 to 2,000 tokens." in panel.status.note.text()


def test_calls_that_miss_the_cache_are_averaged_and_explained(panel, qtbot):
    details = panel.show_scenario()
    panel.scenario.change(cached=800, output_tokens=0)
    details.findChild(QRadioButton, "cacheSome").click()
    with qtbot.waitSignal(panel.service.estimated):
        details.findChild(QDoubleSpinBox, "cacheHitRate").setValue(50)
    # hit 200 × 2 + 800 × 0.5 = 800, miss 1,000 × 2 = 2,000 (no price of writing: that of input), millionths of a dollar
    qtbot.waitUntil(lambda: cell(panel, "acme/large", "total") == "$0.0014")
    assert cell(panel, "acme/large", "break_even") == "0%"
    assert cell(panel, "dark/none", "break_even") == "n/a"
    said = explained(panel, "acme/large")
    assert "50% of calls, cache hits:" in said
    assert "50% of calls, cache writes:" in said
    assert "  Cached input: 800 tokens × $0.5 / million = $0.0004" in said
    assert "Average call: $0.0014" in said
    assert "Caching saves $0.0006 per call" in said
    assert "One cache write pays for itself by call 2" in said
    assert "Caching pays off from" in details.break_even.text()
    assert "Cache hit rate 50%; the other calls write the cache." in panel.status.note.text()


def test_a_share_of_batches_is_averaged(panel, qtbot):
    details = panel.show_scenario()
    panel.scenario.change(output_tokens=0, batch=True)
    with qtbot.waitSignal(panel.service.estimated):
        details.findChild(QSpinBox, "batchShare").setValue(50)
    qtbot.waitUntil(lambda: cell(panel, "acme/large", "total") == "$0.0015")  # half of 2,000 and half of 1,000
    assert cell(panel, "borg/opus", "total") == "n/a"
    assert "50% of the calls, in batch:" in explained(panel, "acme/large")
    assert "One call: unknown (no price for the batch service)" in explained(panel, "borg/opus")


def test_an_export_says_what_was_priced(panel, qtbot):
    with qtbot.waitSignal(panel.service.estimated):
        panel.scenario.change(
            output_range=(100, 900), hit_percent=Decimal(60), cached=100, batch=True, batch_percent=30, for_an_hour=True
        )
    about = dict(panel.commands.everything().about)
    assert (about["output_tokens_low"], about["output_tokens"], about["output_tokens_high"]) == (100, 500, 900)
    assert (about["cache_hit_rate"], about["cache_for_an_hour"]) == (Decimal("0.6"), True)
    assert about["batch_share"] == Decimal("0.3")
    assert "reasoning_tokens_low" not in about


def test_a_day_of_calls_is_a_line_of_the_explanation(panel, qtbot):
    with qtbot.waitSignal(panel.service.estimated):
        panel.show_scenario().findChild(QSpinBox, "callsPerDay").setValue(10)
    said = explained(panel, "acme/large")
    assert "Per day, 10 calls: $0.06" in said
    assert "300 calls: $1.8" in said


def test_amounts_are_shown_in_another_currency_and_kept_in_dollars(panel, qtbot):
    loaded = LoadedPrices(MODELS, exchange_rates={"EUR": Decimal("1.25")})
    panel.service._loading._work = lambda request, ticket: loaded
    with qtbot.waitSignal(panel.service.prices_changed):
        panel.service.reload_prices()
    details = panel.show_scenario()
    details.currency.setCurrentIndex(details.currency.findData("EUR"))
    assert cell(panel, "acme/large", "total") == "EUR\u00a00.0048"  # $0.006 / 1.25
    said = explained(panel, "acme/large")
    assert "One call: $0.006" in said
    assert "That is EUR 0.0048, at $1.25 for 1 EUR" in said
    assert panel.commands.everything().rows[0]
    assert "1 EUR = $1.25, from your price file." in panel.status.note.text()
    panel.service._loading._work = lambda request, ticket: LoadedPrices(MODELS)
    with qtbot.waitSignal(panel.service.prices_changed):
        panel.service.reload_prices()
    assert cell(panel, "acme/large", "total") == "$0.006"
    assert "no exchange rate for EUR" in panel.status.note.text()


def test_the_budget_says_which_models_are_over_it_and_by_how_much(panel):
    panel.scenario.change(budget=Decimal("5.90"))
    note = panel.status.note.text()
    assert "Acme Large by $0.10" in note  # 1,000 calls at $0.006
    assert cell(panel, "acme/large", "calls") == "⚠ $6.00"
    assert cell(panel, "acme/small", "calls") == "~ $0.30"
    assert "⚠ Over the monthly budget by $0.10" in explained(panel, "acme/large")
    # 1,400 to 1,600 × 5 + 500 × 25: $19.50 to $20.50
    panel.scenario.change(budget=Decimal(20))
    assert "1 more may be." in panel.status.note.text()
    assert "⚠ Over the monthly budget by up to $0.50" in explained(panel, "borg/opus")


def name_dialog(panel) -> ScenarioName:
    return next(dialog for dialog in panel.window().findChildren(ScenarioName) if dialog.isVisible())


def save_as(panel, qtbot, name: str) -> ScenarioName:
    panel.names.save_as.trigger()
    dialog = name_dialog(panel)
    dialog.name.selectAll()
    qtbot.keyClicks(dialog.name, name)
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    return dialog


def test_a_scenario_is_saved_changed_and_loaded(panel, qtbot, book):
    button = panel.findChild(QPushButton, "scenarioMenu")
    assert button.text() == "not saved"
    panel.scenario.change(output_tokens=77)
    save_as(panel, qtbot, "Support")
    assert button.text() == "Support"
    assert not panel.names.save.isEnabled()
    panel.popover.output.setValue(78)
    assert button.text() == "Support *"
    assert button.accessibleName() == "Scenario: Support, modified"
    panel.names.save.trigger()
    assert book.get("Support").output_tokens == 78
    panel.names.reset.trigger()
    assert button.text() == "not saved"
    assert panel.popover.output.value() == 500
    button.menu().aboutToShow.emit()
    button.menu().actions()[0].trigger()
    assert panel.popover.output.value() == 78
    assert panel.state()["scenario_name"] == "Support"


def test_a_name_that_is_taken_is_asked_about(panel, qtbot, book):
    panel.scenario.change(output_tokens=1)
    save_as(panel, qtbot, "a")
    panel.scenario.change(output_tokens=2)
    dialog = save_as(panel, qtbot, "a")
    assert dialog.isVisible()
    assert "This name is taken" in dialog.remark.text()
    assert book.get("a").output_tokens == 1
    qtbot.keyClicks(dialog.name, "b")
    assert not dialog.remark.text()
    qtbot.keyClick(dialog.name, Qt.Key.Key_Backspace)
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    assert book.get("a").output_tokens == 1
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert book.get("a").output_tokens == 2


def test_an_empty_name_is_none(panel, qtbot, book):
    dialog = save_as(panel, qtbot, "  ")
    assert dialog.isVisible()
    assert not dialog.save.isEnabled()
    dialog.reject()
    assert book.names() == []


def test_a_scenario_is_renamed_and_deleted_and_brought_back(panel, qtbot, book, notifier):
    save_as(panel, qtbot, "a")
    panel.names.rename.trigger()
    dialog = name_dialog(panel)
    assert dialog.name.text() == "a"
    dialog.name.setText("b")
    dialog.accept()
    assert book.names() == ["b"]
    assert panel.popover.named.text() == "b"
    with qtbot.waitSignal(notifier.posted) as told:
        panel.names.delete.trigger()
    assert book.names() == []
    assert panel.popover.named.text() == "not saved"
    told.args[0].offers[0].act()
    assert book.names() == ["b"]
    assert panel.popover.named.text() == "b"
