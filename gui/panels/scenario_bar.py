"""What one asks of a model besides sending the prompt, as far as it is often changed; the rest is in a dialog."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QDate, QSignalBlocker, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDoubleSpinBox,
    QPushButton,
    QWidget,
)

from gui.models.cost_text import date_format
from gui.models.scenario_choices import (
    HOURS,
    LEAST_FACTOR,
    MOST_BUDGET,
    MOST_CALLS,
    MOST_FACTOR,
    MOST_TOKENS,
    PER_CENT,
    SERVICES,
    TOKENS,
)
from gui.models.scenario_state import ScenarioState
from gui.panels.flow_layout import FlowLayout
from gui.panels.labelled import labelled, side_by_side, stacked
from gui.panels.number_boxes import amount_box, as_date, decimal_of, tokens_box


class ScenarioBar(QWidget):
    """The controls of a scenario that stand above the cost table."""

    def __init__(self, state: ScenarioState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._make_token_controls()
        self._make_call_controls()
        self._make_buttons()
        self._place_controls()
        self._show()
        self._connect()

    def controls(self) -> tuple[QWidget, ...]:
        """The controls in the order in which they stand."""
        return (
            *(self.named, self.output, self.reasoning, self.cached, self.cached_unit, self.calls),
            *(self.budget_usd, self.factor, self.day, self.service, self.hours, self.batch, self.details),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for as many lines as the controls need at this width: a dock gives no more than the least height."""
        super().resizeEvent(event)
        self.setMinimumHeight(self.layout().heightForWidth(self.width()))

    def _make_token_controls(self) -> None:
        self.output = tokens_box("outputTokens", self.tr("Expected output tokens"))
        self.output.setToolTip(self.tr("Tokens that the model will write in answer to one call."))
        self.reasoning = tokens_box("reasoningTokens", self.tr("Expected reasoning tokens"))
        self.reasoning.setToolTip(self.tr("Hidden reasoning, billed on top of the output."))
        self.cached = tokens_box("cachedTokens", self.tr("Cached part of the prompt"))
        self.cached.setToolTip(
            self.tr("How much of the prompt is read from the prompt cache, in tokens or as a share of the prompt.")
        )
        self.cached_unit = QComboBox(objectName="cachedUnit")
        self.cached_unit.addItem(self.tr("tokens"), TOKENS)
        self.cached_unit.addItem(self.tr("% of prompt"), PER_CENT)
        self.cached_unit.setAccessibleName(self.tr("Unit of the cached part"))

    def _make_call_controls(self) -> None:
        self.calls = tokens_box("callsPerMonth", self.tr("Calls per month"))
        self.calls.setRange(1, MOST_CALLS)
        self.calls.setToolTip(self.tr("How many such calls the column of the cost of all calls is for."))
        self.budget_usd = amount_box("costBudget", self.tr("Budget for all calls, in US dollars; 0 for none"))
        self.budget_usd.setRange(0, float(MOST_BUDGET))
        self.budget_usd.setPrefix("$ ")
        self.budget_usd.setSpecialValueText(self.tr("none"))
        self.budget_usd.setToolTip(self.tr("Warns of models whose cost of all calls is more than this. 0: no budget."))
        self.factor = QDoubleSpinBox(objectName="costFactor")
        self.factor.setRange(float(LEAST_FACTOR), float(MOST_FACTOR))
        self.factor.setDecimals(2)
        self.factor.setSingleStep(0.05)
        self.factor.setPrefix("× ")
        self.factor.setAccessibleName(self.tr("Factor on the whole cost"))
        self.factor.setToolTip(self.tr("Multiplies the whole cost: region, discount, tax."))
        self._make_choices()
        self.day = QDateEdit(objectName="costDate")
        self.day.setCalendarPopup(True)
        self.day.setDisplayFormat(date_format(self.locale()))
        self.day.setDateRange(QDate(2020, 1, 1), QDate(2099, 12, 31))
        self.day.setAccessibleName(self.tr("Day whose prices are in force"))
        self.day.setToolTip(self.tr("Announced price changes and retirements count from their day."))
        self.batch = QCheckBox(self.tr("&Batch"), objectName="batchToggle")
        self.batch.setAccessibleName(self.tr("Use batch prices"))
        self.batch.setToolTip(self.tr("Prices of the batch service: cheaper, answered within a day."))

    def _make_choices(self) -> None:
        self.service = QComboBox(objectName="serviceTier")
        names = (self.tr("Flex tier"), self.tr("Priority tier"), self.tr("Fast tier"), self.tr("Ultrafast tier"))
        for name, key in zip((self.tr("Standard tier"), *names), ("", *SERVICES), strict=True):
            self.service.addItem(name, key)
        self.service.setAccessibleName(self.tr("Service tier"))
        self.service.setToolTip(
            self.tr("Tiers that some vendors sell a model in. A model without the tier has no price in it.")
        )
        self.hours = QComboBox(objectName="pricingHours")
        names = (self.tr("Peak hours"), self.tr("Off-peak hours"), self.tr("Average week"))
        for name, key in zip((self.tr("Any hour"), *names), ("", *HOURS), strict=True):
            self.hours.addItem(name, key)
        self.hours.setAccessibleName(self.tr("Hours of the calls"))
        self.hours.setToolTip(self.tr("For prices that depend on the hour. Any hour: costs are a range."))

    def _make_buttons(self) -> None:
        self.named = QPushButton(objectName="scenarioMenu")
        self.named.setAccessibleName(self.tr("Saved scenarios"))
        self.named.setFixedWidth(self.named.fontMetrics().averageCharWidth() * 16 + 36)
        self.details = QPushButton(self.tr("Mo&re…"), objectName="scenarioDetails")
        self.details.setAccessibleName(self.tr("The whole scenario"))
        self.details.setToolTip(
            self.tr("Ranges of output, misses of the cache, a share of batches, calls a day, currency")
        )
        for button in (self.named, self.details):
            button.setAutoDefault(False)

    def _place_controls(self) -> None:
        # Letters for Alt that neither the menus nor the find bar use; there are not enough for every control.
        flow = FlowLayout(gap=10, at_bottom=True)
        cached = side_by_side(self.cached, self.cached_unit)
        for text, control, buddy in (
            (self.tr("&Scenario"), self.named, self.named),
            (self.tr("&Output tokens"), self.output, self.output),
            (self.tr("Reason&ing tokens"), self.reasoning, self.reasoning),
            (self.tr("Cache&d"), cached, self.cached),
            (self.tr("Calls per &month"), self.calls, self.calls),
            (self.tr("Budget"), self.budget_usd, self.budget_usd),
            (self.tr("Factor"), self.factor, self.factor),
            (self.tr("Prices of"), self.day, self.day),
        ):
            flow.addWidget(labelled(text, control, buddy))
        flow.addWidget(stacked(self.service, self.hours))
        # The check box where the others have their label: side by side, the two would often take a line of their own.
        flow.addWidget(stacked(self.batch, self.details))
        self.setLayout(flow)

    def _connect(self) -> None:
        state = self._state
        state.changed.connect(self._show)
        self.output.valueChanged.connect(lambda tokens: state.change(output_tokens=tokens))
        self.reasoning.valueChanged.connect(lambda tokens: state.change(reasoning_tokens=tokens))
        self.cached.valueChanged.connect(lambda number: state.change(cached=number))
        self.calls.valueChanged.connect(lambda calls: state.change(calls=calls))
        self.batch.toggled.connect(lambda on: state.change(batch=on))
        self.budget_usd.valueChanged.connect(lambda _: state.change(budget=decimal_of(self.budget_usd)))
        self.factor.valueChanged.connect(lambda _: state.change(factor=decimal_of(self.factor)))
        self.cached_unit.currentIndexChanged.connect(self._on_unit_changed)
        self.service.currentIndexChanged.connect(lambda _: state.change(service=self.service.currentData()))
        self.hours.currentIndexChanged.connect(lambda _: state.change(hours=self.hours.currentData()))
        self.day.dateChanged.connect(lambda day: state.change(on=as_date(day)))

    @Slot()
    def _show(self) -> None:
        """Show the choices, without saying that they changed."""
        choices = self._state.choices
        blockers = [QSignalBlocker(control) for control in self.controls()]
        self.output.setValue(choices.output_tokens)
        self.reasoning.setValue(choices.reasoning_tokens)
        self.cached_unit.setCurrentIndex(self.cached_unit.findData(choices.cached_unit))
        self.cached.setMaximum(100 if choices.cached_unit == PER_CENT else MOST_TOKENS)
        self.cached.setValue(choices.cached)
        self.calls.setValue(choices.calls)
        self.budget_usd.setValue(float(choices.budget))
        self.factor.setValue(float(choices.factor))
        day = self._state.day
        self.day.setDate(QDate(day.year, day.month, day.day))
        self.batch.setChecked(choices.batch)
        self.service.setEnabled(not choices.batch)
        self.service.setCurrentIndex(self.service.findData(choices.service))
        self.hours.setCurrentIndex(self.hours.findData(choices.hours))
        share = Decimal(choices.batch_percent) / 100
        part = f" ({self.locale().toString(choices.batch_percent)}%)" if share < 1 else ""
        self.batch.setText(self.tr("&Batch") + part)
        for blocker in blockers:
            blocker.unblock()

    @Slot(int)
    def _on_unit_changed(self, _index: int) -> None:
        self._state.change(cached_unit=self.cached_unit.currentData())
