from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest
from PySide6.QtCore import QDate, QLocale, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDoubleSpinBox,
    QLabel,
    QRadioButton,
    QSpinBox,
)

from gui.costs import scenario_book
from gui.costs.scenario import ScenarioPopover, ScenarioSummary, summary_parts
from gui.costs.scenario_book import ScenarioChoices, ScenarioState, choices_of
from gui.look.theme import Theme
from pricing.types import HOURS, SERVICES
from tests.gui.cost_samples import TODAY

# The offscreen platform says so for each window that has a least size.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def state(qapp):
    return ScenarioState(lambda: TODAY)


@pytest.fixture
def bar(qtbot, state):
    bar = ScenarioPopover(state, Theme("light"))
    qtbot.addWidget(bar)
    return bar


@pytest.fixture
def details(bar):
    bar.show()
    return bar


def test_it_starts_with_todays_prices_and_an_answer_of_middling_length(state):
    scenario = state.scenario()
    assert scenario.on == TODAY
    assert scenario.output_tokens == 500
    assert scenario.calls == 1_000
    assert state.mix().is_plain
    assert scenario.cached_tokens == 0
    assert scenario.factor == 1


def test_each_control_changes_its_part_of_the_scenario(bar, state):
    told = []
    state.changed.connect(lambda: told.append(state.scenario()))
    bar.findChild(QSpinBox, "outputTokens").setValue(750)
    bar.findChild(QSpinBox, "reasoningTokens").setValue(2_000)
    bar.findChild(QSpinBox, "cachedTokens").setValue(4_000)
    bar.findChild(QSpinBox, "callsPerMonth").setValue(5)
    bar.findChild(QCheckBox, "batchToggle").setChecked(True)
    bar.findChild(QDoubleSpinBox, "costFactor").setValue(1.1)
    bar.findChild(QDateEdit, "costDate").setDate(QDate(2026, 12, 1))
    bar.findChild(QDoubleSpinBox, "costBudget").setValue(12.5)
    assert len(told) == 8
    scenario = told[-1]
    assert state.budget == Decimal("12.50")
    assert (scenario.output_tokens, scenario.reasoning_tokens, scenario.calls) == (750, 2_000, 5)
    assert (scenario.cached_tokens, scenario.cached_share) == (4_000, None)
    assert scenario.batch
    assert scenario.factor == Decimal("1.10")
    assert scenario.on == date(2026, 12, 1)


def test_the_cached_part_is_tokens_or_a_share_and_each_keeps_its_number(bar, state):
    cached, unit = bar.findChild(QSpinBox, "cachedTokens"), bar.findChild(QComboBox, "cachedUnit")
    cached.setValue(4_000)
    unit.setCurrentIndex(1)
    assert state.scenario().cached_tokens is None
    assert state.scenario().cached_share == 0
    cached.setValue(250)
    assert state.scenario().cached_share == 1
    cached.setValue(30)
    assert state.scenario().cached_share == Decimal("0.3")
    unit.setCurrentIndex(0)
    assert state.scenario().cached_tokens == 4_000
    unit.setCurrentIndex(1)
    assert state.scenario().cached_share == Decimal("0.3")


def test_typed_digits_count_as_they_come(bar, state, qtbot):
    bar.show()
    output = bar.findChild(QSpinBox, "outputTokens")
    output.selectAll()
    qtbot.keyClicks(output, "1234")
    assert state.scenario().output_tokens == 1_234


def test_choices_survive_json_and_reset_clears_them(details, state, qtbot):
    choices = ScenarioChoices(
        output_tokens=9,
        output_range=(3, 90),
        reasoning_tokens=8,
        reasoning_range=(0, 8),
        cached=40,
        cached_unit="percent",
        cache_write=5,
        cache_write_1h=6,
        hit_percent=Decimal("62.5"),
        for_an_hour=True,
        calls=210,
        calls_a_day=7,
        batch=True,
        batch_percent=30,
        budget=Decimal("12.50"),
        factor=Decimal("2.25"),
        on=date(2027, 1, 1),
        currency="EUR",
    )
    assert choices_of(json.loads(json.dumps(choices.plain()))) == choices
    state.set(choices)
    assert state.scenario().cached_share == Decimal("0.4")
    mix = state.mix()
    assert (mix.hit_rate, mix.for_an_hour, mix.batch_share) == (Decimal("0.625"), True, Decimal("0.3"))
    qtbot.mouseClick(details.reset_button, Qt.MouseButton.LeftButton)
    assert state.choices == ScenarioChoices(currency="EUR")


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {"output_tokens": "many", "cached": -5, "calls": None, "factor": "nan", "on": "soon", "batch": 1},
        {"cached_unit": "barrels", "cached": True, "factor": [], "on": 5, "output_range": [5], "hit_percent": "101"},
        {"currency": "€", "batch_percent": 0, "budget": "-1", "reasoning_range": [9, 2], "calls_a_day": 1.5},
    ],
)
def test_a_damaged_state_costs_nothing_but_itself(damaged):
    assert choices_of(damaged) == ScenarioChoices()


def test_a_damaged_range_is_widened_to_hold_what_is_likely():
    assert choices_of({"output_tokens": 700, "output_range": [1, 2]}).output_range == (1, 700)
    assert choices_of({"cached": 900, "cached_unit": "percent"}).cached == 100


def test_today_moves_on_at_midnight_unless_another_day_was_chosen(qtbot):
    days = [date(2026, 11, 21)]
    state = ScenarioState(lambda: days[-1])
    bar = ScenarioPopover(state, Theme("light"))
    qtbot.addWidget(bar)
    assert state.choices.on is None
    days.append(date(2026, 11, 22))
    state.follow_day()
    assert state.scenario().on == date(2026, 11, 22)
    assert bar.day.date() == QDate(2026, 11, 22)
    bar.day.setDate(QDate(2026, 12, 1))
    days.append(date(2026, 11, 23))
    state.follow_day()
    assert state.scenario().on == date(2026, 12, 1)


def test_ranges_of_output_hold_what_is_likely(details, bar, state):
    output = bar.findChild(QSpinBox, "outputTokens")
    assert not details.low["output"].isEnabled()
    details.findChild(QCheckBox, "outputRanged").click()
    assert state.scenario().output_range == (250, 1_000)
    details.findChild(QSpinBox, "outputHigh").setValue(2_000)
    details.findChild(QSpinBox, "outputLow").setValue(100)
    assert state.scenario().output_range == (100, 2_000)
    output.setValue(3_000)
    assert state.scenario().output_range == (100, 3_000)
    assert details.high["output"].value() == 3_000
    details.high["output"].setValue(7)
    assert state.scenario().output_range == (100, 3_000)
    details.findChild(QCheckBox, "outputRanged").click()
    assert state.scenario().output_range is None


def test_calls_a_day_make_the_month_until_the_month_is_said(details, bar, state):
    details.findChild(QSpinBox, "callsPerDay").setValue(40)
    assert state.scenario().calls == 1_200
    assert bar.calls.value() == 1_200
    bar.calls.setValue(5)
    assert state.choices.calls_a_day == 0
    assert details.per_day.text() == "not set"


def test_some_calls_may_miss_the_cache(details, state, qtbot):
    write = details.findChild(QSpinBox, "cacheWriteHourTokens")
    write.setValue(77)
    assert state.scenario().cache_write_1h_tokens == 77
    details.findChild(QRadioButton, "cacheSome").click()
    assert not write.isEnabled()
    assert state.mix().hit_rate == Decimal("0.8")
    assert not details.estimate.isEnabled()
    details.per_day.setValue(288)
    qtbot.mouseClick(details.estimate, Qt.MouseButton.LeftButton)
    assert state.mix().hit_rate == Decimal("0.632")  # one call in five minutes: 1 - 1/e
    details.lifetime.setCurrentIndex(1)
    assert state.mix().for_an_hour
    details.findChild(QRadioButton, "cacheEvery").click()
    assert state.mix().is_plain
    assert write.isEnabled()


def test_a_share_of_the_calls_goes_in_batches(details, bar, state):
    share = details.findChild(QSpinBox, "batchShare")
    assert not share.isEnabled()
    bar.batch.click()
    assert state.mix().batch_share is None
    share.setValue(30)
    assert state.mix().batch_share == Decimal("0.3")
    assert "batch" in summary_parts(state.choices, QLocale.c())


def test_currencies_are_those_with_a_rate(details, state):
    currency = details.findChild(QComboBox, "costCurrency")
    assert [currency.itemData(index) for index in range(currency.count())] == ["USD"]
    details.set_currencies({"GBP": Decimal("1.3"), "EUR": Decimal("1.164")})
    assert [currency.itemData(index) for index in range(currency.count())] == ["USD", "EUR", "GBP"]
    currency.setCurrentIndex(1)
    assert state.choices.currency == "EUR"
    details.set_currencies({})
    assert currency.currentText() == "EUR, no exchange rate"


def test_every_control_has_a_name_for_screen_readers(bar):
    kinds = (QAbstractSpinBox, QComboBox, QAbstractButton)
    controls = [control for kind in kinds for control in bar.findChildren(kind) if control.objectName()]
    assert len(controls) > 25
    for control in controls:
        spoken = control.accessibleName() or getattr(control, "text", str)()
        assert spoken.strip(), control.objectName()
        assert spoken != control.objectName()
    buddies = {label.buddy().objectName() for label in bar.findChildren(QLabel) if label.buddy()}
    assert buddies >= {"outputTokens", "reasoningTokens", "cachedTokens", "callsPerMonth", "costBudget", "costDate"}


def test_the_summary_says_what_is_not_as_at_first(state):
    def said() -> str:
        return " · ".join(summary_parts(state.choices, QLocale(QLocale.Language.English)))

    assert said() == "500 out · 0% cached · 1,000 calls / month"
    state.change(output_range=(300, 800), cached=6_000, reasoning_tokens=90, service="flex", factor=Decimal("1.10"))
    assert said() == "300–800 out · 90 reasoning · 6,000 cached · 1,000 calls / month · flex · × 1.10"
    state.change(cached_unit="percent", cached=60, batch=True, on=date(2026, 12, 1))
    assert "60% cached" in said()
    assert said().endswith("batch · × 1.10 · 12/1/2026")


def test_a_share_is_typed_with_its_sign(bar, state, qtbot):
    bar.show()
    cached = bar.findChild(QSpinBox, "cachedTokens")
    cached.setFocus()
    cached.selectAll()
    qtbot.keyClicks(cached, "60%")
    assert state.scenario().cached_share == Decimal("0.6")
    assert bar.cached_unit.currentData() == "percent"
    assert cached.value() == 60
    cached.selectAll()
    qtbot.keyClicks(cached, "35")
    assert state.scenario().cached_share == Decimal("0.35")


def test_the_popover_stays_on_the_screen_beside_its_button(bar, state, qtbot):
    button = ScenarioSummary(state, bar)
    qtbot.addWidget(button)
    button.show()
    button.click()
    assert bar.isVisible()
    assert button.isChecked()
    assert button.screen().availableGeometry().contains(bar.geometry().center())
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not button.isChecked()


def test_choices_of_tiers_and_hours_are_those_of_pricing():
    assert (scenario_book.SERVICES, scenario_book.HOURS) == (SERVICES, HOURS)
