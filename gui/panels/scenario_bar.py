"""What one asks of a model besides sending the prompt: output, cache, calls, batch, factor, day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDate, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.models.cost_text import date_format
from gui.panels.flow_layout import FlowLayout

if TYPE_CHECKING:
    from pricing.types import Scenario

MOST_TOKENS = 100_000_000
MOST_CALLS = 1_000_000_000
MOST_BUDGET = 9_999_999.99
DEFAULT_OUTPUT_TOKENS = 500
DEFAULT_CALLS = 1_000
TOKENS, PER_CENT = "tokens", "percent"


class ScenarioBar(QWidget):
    """The controls of a scenario.

    Signals: ``scenario_changed()`` at each change of a control.
    """

    scenario_changed = Signal()

    def __init__(self, today: Callable[[], date] = date.today, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._today = today
        self._follows_today = True
        self._cached_by_unit = {TOKENS: 0, PER_CENT: 0}
        self._unit = TOKENS
        self._make_controls()
        self._place_controls()
        self.reset()
        for control in (self.output, self.reasoning, self.cached, self.cache_write, self.calls, self.budget_usd):
            control.valueChanged.connect(self._on_changed)
        self.factor.valueChanged.connect(self._on_changed)
        self.batch.toggled.connect(self._on_changed)
        self.cached_unit.currentIndexChanged.connect(self._on_unit_changed)
        self.day.dateChanged.connect(self._on_day_changed)
        self.reset_button.clicked.connect(self.reset)

    def controls(self) -> tuple[QWidget, ...]:
        """The controls in the order in which they stand."""
        return (
            *(self.output, self.reasoning, self.cached, self.cached_unit, self.cache_write, self.calls),
            *(self.budget_usd, self.factor, self.day, self.batch, self.reset_button),
        )

    def budget(self) -> Decimal | None:
        """US dollars that all calls may cost, None where nothing was said of it."""
        box = self.budget_usd
        return Decimal(f"{box.value():.{box.decimals()}f}") if box.value() else None

    def scenario(self) -> Scenario:
        """The scenario that the controls say."""
        from pricing.types import Scenario

        share = None
        tokens: int | None = self.cached.value()
        if self._unit == PER_CENT:
            share, tokens = Decimal(self.cached.value()) / 100, None
        return Scenario(
            on=self._chosen_day(),
            output_tokens=self.output.value(),
            reasoning_tokens=self.reasoning.value(),
            cached_tokens=tokens,
            cached_share=share,
            cache_write_tokens=self.cache_write.value(),
            batch=self.batch.isChecked(),
            calls=self.calls.value(),
            # A spin box holds a float; its two decimals say what the user typed.
            factor=Decimal(f"{self.factor.value():.{self.factor.decimals()}f}"),
        )

    def state(self) -> dict[str, Any]:
        """The controls, as JSON holds them. A day is kept only where it is not simply today."""
        return {
            "output_tokens": self.output.value(),
            "reasoning_tokens": self.reasoning.value(),
            "cached": self.cached.value(),
            "cached_unit": self._unit,
            "cache_write": self.cache_write.value(),
            "budget": f"{self.budget_usd.value():.{self.budget_usd.decimals()}f}",
            "calls": self.calls.value(),
            "batch": self.batch.isChecked(),
            "factor": f"{self.factor.value():.{self.factor.decimals()}f}",
            "on": None if self._follows_today else self._chosen_day().isoformat(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave. What is missing or of no use stays at its default."""
        self._set(state)
        self._on_changed()

    @Slot()
    def reset(self) -> None:
        """Back to the scenario of a first start."""
        self._set({})
        self._on_changed()

    def follow_day(self) -> None:
        """Show today's date if the user has not chosen another; for windows left open over midnight."""
        if self._follows_today and self._chosen_day() != self._today():
            self._set_day(self._today())
            self._on_changed()

    def _make_controls(self) -> None:
        self.output = _tokens_box("outputTokens", self.tr("Expected output tokens"))
        self.output.setToolTip(self.tr("Tokens that the model will write in answer to one call."))
        self.reasoning = _tokens_box("reasoningTokens", self.tr("Expected reasoning tokens"))
        self.reasoning.setToolTip(self.tr("Hidden reasoning, billed on top of the output."))
        self.cached = _tokens_box("cachedTokens", self.tr("Cached part of the prompt"))
        self.cached.setToolTip(
            self.tr("How much of the prompt is read from the prompt cache, in tokens or as a share of the prompt.")
        )
        self.cached_unit = QComboBox(objectName="cachedUnit")
        self.cached_unit.addItem(self.tr("tokens"), TOKENS)
        self.cached_unit.addItem(self.tr("% of prompt"), PER_CENT)
        self.cached_unit.setAccessibleName(self.tr("Unit of the cached part"))
        self.cache_write = _tokens_box("cacheWriteTokens", self.tr("Part of the prompt that is written to the cache"))
        self.cache_write.setToolTip(
            self.tr("How many tokens of the prompt are written to the prompt cache, to be read by later calls.")
        )
        self.budget_usd = QDoubleSpinBox(objectName="costBudget")
        self.budget_usd.setRange(0, MOST_BUDGET)
        self.budget_usd.setDecimals(2)
        self.budget_usd.setPrefix("$ ")
        self.budget_usd.setGroupSeparatorShown(True)
        self.budget_usd.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.budget_usd.setSpecialValueText(self.tr("none"))
        self.budget_usd.setFixedWidth(self.budget_usd.fontMetrics().horizontalAdvance("$ 0,000,000.00") + 36)
        self.budget_usd.setAccessibleName(self.tr("Budget for all calls, in US dollars; 0 for none"))
        self.budget_usd.setToolTip(self.tr("Warns of models whose cost of all calls is more than this. 0: no budget."))
        self.calls = _tokens_box("callsPerMonth", self.tr("Calls per month"))
        self.calls.setRange(1, MOST_CALLS)
        self.calls.setToolTip(self.tr("How many such calls the column of the cost of all calls is for."))
        self.batch = QCheckBox(self.tr("&Batch"), objectName="batchToggle")
        self.batch.setAccessibleName(self.tr("Use batch prices"))
        self.batch.setToolTip(self.tr("Prices of the batch service: cheaper, answered within a day."))
        self.factor = QDoubleSpinBox(objectName="costFactor")
        self.factor.setRange(0.01, 1000.0)
        self.factor.setDecimals(2)
        self.factor.setSingleStep(0.05)
        self.factor.setPrefix("× ")
        self.factor.setAccessibleName(self.tr("Factor on the whole cost"))
        self.factor.setToolTip(self.tr("Multiplies the whole cost: region, priority, discount, tax."))
        self.day = QDateEdit(objectName="costDate")
        self.day.setCalendarPopup(True)
        self.day.setDisplayFormat(date_format(self.locale()))
        self.day.setDateRange(QDate(2020, 1, 1), QDate(2099, 12, 31))
        self.day.setAccessibleName(self.tr("Day whose prices are in force"))
        self.day.setToolTip(self.tr("Announced price changes and retirements count from their day."))
        self.reset_button = QPushButton(self.tr("Reset"), objectName="scenarioReset")
        self.reset_button.setAccessibleName(self.tr("Reset the scenario"))
        self.reset_button.setToolTip(self.tr("Back to the scenario of the first start."))
        self.reset_button.setAutoDefault(False)

    def _place_controls(self) -> None:
        # Letters for Alt that neither the menus nor the find bar use; there are not enough for every control.
        flow = FlowLayout(gap=10)
        cached = QWidget()
        row = QHBoxLayout(cached)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.cached)
        row.addWidget(self.cached_unit)
        for text, control, buddy in (
            (self.tr("&Output tokens"), self.output, self.output),
            (self.tr("Reason&ing tokens"), self.reasoning, self.reasoning),
            (self.tr("Cache&d"), cached, self.cached),
            (self.tr("Cache write"), self.cache_write, self.cache_write),
            (self.tr("Calls per &month"), self.calls, self.calls),
            (self.tr("Budget"), self.budget_usd, self.budget_usd),
            (self.tr("Factor"), self.factor, self.factor),
            (self.tr("Prices of"), self.day, self.day),
        ):
            flow.addWidget(_labelled(text, control, buddy))
        for control in (self.batch, self.reset_button):
            control.setMinimumHeight(self.output.sizeHint().height())
            flow.addWidget(_labelled("", control, None))
        self.setLayout(flow)

    def _set(self, state: dict[str, Any]) -> None:
        controls = (self.output, self.reasoning, self.cached, self.cached_unit, self.calls, self.batch, self.factor)
        blockers = [QSignalBlocker(control) for control in (*controls, self.cache_write, self.budget_usd, self.day)]
        self.cache_write.setValue(_whole(state.get("cache_write"), 0))
        self.budget_usd.setValue(_number(state.get("budget"), 0.0))
        self.output.setValue(_whole(state.get("output_tokens"), DEFAULT_OUTPUT_TOKENS))
        self.reasoning.setValue(_whole(state.get("reasoning_tokens"), 0))
        self._cached_by_unit = {TOKENS: 0, PER_CENT: 0}
        self._show_unit(PER_CENT if state.get("cached_unit") == PER_CENT else TOKENS)
        self.cached.setValue(_whole(state.get("cached"), 0))
        self.calls.setValue(_whole(state.get("calls"), DEFAULT_CALLS))
        self.batch.setChecked(state.get("batch") is True)
        self.factor.setValue(_number(state.get("factor"), 1.0))
        chosen = _day(state.get("on"))
        self._follows_today = chosen is None
        self._set_day(chosen or self._today())
        for blocker in blockers:
            blocker.unblock()

    def _show_unit(self, unit: str) -> None:
        self._unit = unit
        self.cached_unit.setCurrentIndex(self.cached_unit.findData(unit))
        self.cached.setMaximum(100 if unit == PER_CENT else MOST_TOKENS)
        self.cached.setValue(self._cached_by_unit[unit])

    def _set_day(self, day: date) -> None:
        self.day.setDate(QDate(day.year, day.month, day.day))

    def _chosen_day(self) -> date:
        shown = self.day.date()
        return date(shown.year(), shown.month(), shown.day())

    @Slot(int)
    def _on_unit_changed(self, _index: int) -> None:
        """Each unit remembers its own number: 30 tokens are not 30 per cent."""
        self._cached_by_unit[self._unit] = self.cached.value()
        blocker = QSignalBlocker(self.cached)
        self._show_unit(self.cached_unit.currentData())
        blocker.unblock()
        self._on_changed()

    @Slot(QDate)
    def _on_day_changed(self, _day: QDate) -> None:
        self._follows_today = self._chosen_day() == self._today()
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        self.scenario_changed.emit()


def _tokens_box(name: str, spoken: str) -> QSpinBox:
    box = QSpinBox(objectName=name)
    box.setRange(0, MOST_TOKENS)
    box.setGroupSeparatorShown(True)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setAccelerated(True)
    box.setAccessibleName(spoken)
    # As wide as seven digits: the longest number allowed would make the bar twice as wide for nobody.
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("0,000,000") + 36)
    return box


def _labelled(text: str, control: QWidget, buddy: QWidget | None) -> QWidget:
    """A control with its label above it; without a text an empty line keeps it level with the others."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(2)
    label = QLabel(text)
    if buddy is not None:
        label.setBuddy(buddy)
    column.addWidget(label)
    column.addWidget(control, alignment=Qt.AlignmentFlag.AlignVCenter)
    return box


def _whole(value: object, default: int) -> int:
    ok = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_CALLS
    return value if ok else default  # type: ignore[return-value]


def _number(value: object, default: float) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return default
    return number if isfinite(number) else default


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
