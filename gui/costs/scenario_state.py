"""The scenario of a window: one value, and whoever shows it hears of each change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from gui.costs.call_plans_service import calls_of_a_month
from gui.costs.scenario_choices import PER_CENT, TOKENS, ScenarioChoices

if TYPE_CHECKING:
    from pricing.types import CallMix, Scenario


class ScenarioState(QObject):
    """Holds the choices. Bar and dialog show them, and change them here.

    Signals: ``changed()`` after every change.
    """

    changed = Signal()

    def __init__(self, today: Callable[[], date] = date.today, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._today = today
        self._shown_day = today()
        self._cached_by_unit = {TOKENS: 0, PER_CENT: 0}
        self.choices = ScenarioChoices()

    @property
    def day(self) -> date:
        """The day whose prices are in force."""
        return self.choices.on or self._today()

    @property
    def budget(self) -> Decimal | None:
        """US dollars that all calls may cost, None where nothing was said of it."""
        return self.choices.budget or None

    def scenario(self) -> Scenario:
        """What is priced."""
        return self.choices.scenario(self._today())

    def mix(self) -> CallMix:
        """How calls differ from each other."""
        return self.choices.mix()

    def set(self, choices: ScenarioChoices) -> None:
        """Take other choices as a whole."""
        self._cached_by_unit = {TOKENS: 0, PER_CENT: 0}
        self._take(choices)

    @Slot()
    def reset(self) -> None:
        """Back to the scenario of a first start. Amounts stay in the currency they are shown in."""
        self.set(ScenarioChoices(currency=self.choices.currency))

    def change(self, **fields: Any) -> None:
        """Change some of the choices; what hangs together with them follows.

        Calls of a day say how many there are in a month; ranges hold their likely figure; each unit of the cached part
        remembers its own number, for 30 tokens are not 30 per cent; a day that is today's follows the calendar.
        """
        if "calls_a_day" in fields:
            if fields["calls_a_day"]:
                fields["calls"] = calls_of_a_month(fields["calls_a_day"])
        elif "calls" in fields:
            fields["calls_a_day"] = 0
        unit = fields.get("cached_unit", self.choices.cached_unit)
        if unit != self.choices.cached_unit:
            self._cached_by_unit[self.choices.cached_unit] = self.choices.cached
            fields.setdefault("cached", self._cached_by_unit[unit])
        if fields.get("on") == self._today():
            fields["on"] = None
        self._take(_holding(replace(self.choices, **fields)))

    def follow_day(self) -> None:
        """Tell of a new day if prices follow the calendar; for windows left open over midnight."""
        if self.choices.on is None and self._shown_day != self._today():
            self._shown_day = self._today()
            self.changed.emit()

    def _take(self, choices: ScenarioChoices) -> None:
        self._shown_day = self._today()
        self.choices = choices
        self.changed.emit()


def _holding(choices: ScenarioChoices) -> ScenarioChoices:
    """Widen ranges to hold the likely figure."""
    for name in ("output", "reasoning"):
        ends, likely = getattr(choices, f"{name}_range"), getattr(choices, f"{name}_tokens")
        if ends is not None:
            choices = replace(choices, **{f"{name}_range": (min(ends[0], likely), max(ends[1], likely))})
    return choices
