from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDateEdit, QDoubleSpinBox, QLabel, QSpinBox

from gui.panels.scenario_bar import DEFAULT_CALLS, DEFAULT_OUTPUT_TOKENS, ScenarioBar
from tests.gui.cost_samples import TODAY

# The offscreen platform says so for each window that has a least size.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def bar(qtbot):
    bar = ScenarioBar(lambda: TODAY)
    qtbot.addWidget(bar)
    return bar


def test_it_starts_with_todays_prices_and_an_answer_of_middling_length(bar):
    scenario = bar.scenario()
    assert scenario.on == TODAY
    assert scenario.output_tokens == DEFAULT_OUTPUT_TOKENS
    assert scenario.calls == DEFAULT_CALLS
    assert scenario.cached_tokens == 0
    assert scenario.factor == 1


def test_each_control_changes_its_part_of_the_scenario(bar, qtbot):
    told = []
    bar.scenario_changed.connect(lambda: told.append(bar.scenario()))
    bar.findChild(QSpinBox, "outputTokens").setValue(750)
    bar.findChild(QSpinBox, "reasoningTokens").setValue(2_000)
    bar.findChild(QSpinBox, "cachedTokens").setValue(4_000)
    bar.findChild(QSpinBox, "callsPerMonth").setValue(5)
    bar.findChild(QCheckBox, "batchToggle").setChecked(True)
    bar.findChild(QDoubleSpinBox, "costFactor").setValue(1.1)
    bar.findChild(QDateEdit, "costDate").setDate(QDate(2026, 12, 1))
    bar.findChild(QSpinBox, "cacheWriteTokens").setValue(300)
    bar.findChild(QDoubleSpinBox, "costBudget").setValue(12.5)
    assert len(told) == 9
    scenario = told[-1]
    assert scenario.cache_write_tokens == 300
    assert bar.budget() == Decimal("12.50")
    assert (scenario.output_tokens, scenario.reasoning_tokens, scenario.calls) == (750, 2_000, 5)
    assert (scenario.cached_tokens, scenario.cached_share) == (4_000, None)
    assert scenario.batch
    assert scenario.factor == Decimal("1.10")
    assert scenario.on == date(2026, 12, 1)


def test_the_cached_part_is_tokens_or_a_share_and_each_keeps_its_number(bar):
    cached, unit = bar.findChild(QSpinBox, "cachedTokens"), bar.findChild(QComboBox, "cachedUnit")
    cached.setValue(4_000)
    unit.setCurrentIndex(1)
    assert bar.scenario().cached_tokens is None
    assert bar.scenario().cached_share == 0
    cached.setValue(250)
    assert bar.scenario().cached_share == 1
    cached.setValue(30)
    assert bar.scenario().cached_share == Decimal("0.3")
    unit.setCurrentIndex(0)
    assert bar.scenario().cached_tokens == 4_000
    unit.setCurrentIndex(1)
    assert bar.scenario().cached_share == Decimal("0.3")


def test_typed_digits_count_as_they_come(bar, qtbot):
    bar.show()
    output = bar.findChild(QSpinBox, "outputTokens")
    output.selectAll()
    qtbot.keyClicks(output, "1234")
    assert bar.scenario().output_tokens == 1_234


def test_state_survives_json_and_reset_clears_it(bar, qtbot):
    import json

    for name, value in (("outputTokens", 9), ("reasoningTokens", 8), ("callsPerMonth", 7)):
        bar.findChild(QSpinBox, name).setValue(value)
    bar.cached_unit.setCurrentIndex(1)
    bar.cached.setValue(40)
    bar.batch.setChecked(True)
    bar.factor.setValue(2.25)
    bar.day.setDate(QDate(2027, 1, 1))
    scenario, state = bar.scenario(), json.loads(json.dumps(bar.state()))
    qtbot.mouseClick(bar.reset_button, Qt.MouseButton.LeftButton)
    assert bar.scenario() != scenario
    assert bar.scenario().output_tokens == DEFAULT_OUTPUT_TOKENS
    bar.restore_state(state)
    assert bar.scenario() == scenario
    assert bar.state() == state


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"output_tokens": "many", "cached": -5, "calls": None, "factor": "nan", "on": "soon", "batch": 1},
        {"cached_unit": "barrels", "cached": True, "factor": [], "on": 5},
    ],
)
def test_a_damaged_state_costs_nothing_but_itself(bar, state):
    bar.restore_state(state)
    assert bar.scenario().output_tokens == DEFAULT_OUTPUT_TOKENS
    assert bar.scenario().factor == 1
    assert bar.scenario().on == TODAY
    assert not bar.scenario().batch


def test_today_moves_on_at_midnight_unless_another_day_was_chosen(qtbot):
    days = [date(2026, 11, 21)]
    bar = ScenarioBar(lambda: days[-1])
    qtbot.addWidget(bar)
    assert bar.state()["on"] is None
    days.append(date(2026, 11, 22))
    bar.follow_day()
    assert bar.scenario().on == date(2026, 11, 22)
    bar.day.setDate(QDate(2026, 12, 1))
    days.append(date(2026, 11, 23))
    bar.follow_day()
    assert bar.scenario().on == date(2026, 12, 1)


def test_every_control_has_a_name_for_screen_readers_and_a_label(bar):
    names = ["outputTokens", "reasoningTokens", "cachedTokens", "cacheWriteTokens", "callsPerMonth"]
    names += ["costBudget", "costFactor", "costDate"]
    buddies = {label.buddy().objectName() for label in bar.findChildren(QLabel) if label.buddy()}
    assert buddies == set(names)
    for name in [*names, "batchToggle", "cachedUnit", "scenarioReset"]:
        widget = next(child for child in bar.findChildren(object) if child.objectName() == name)
        assert widget.accessibleName().strip(), name
        assert widget.accessibleName() != name


def test_it_wraps_where_it_is_narrow(bar, qtbot):
    assert bar.layout().heightForWidth(300) > bar.layout().heightForWidth(2_000)
