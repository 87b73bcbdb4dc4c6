"""Scenario: a summary button, and the popover with all fields that it opens.

The fields exist from the start, so that scripts can set them without opening the popover. Every change takes effect at
once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QPoint, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QValidator
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from gui.core.figures import MAX_TOKENS, Run
from gui.costs.cost_service import DAYS, HOUR, MINUTES, expected_hit_percent
from gui.costs.cost_table import RunsLabel
from gui.costs.money_text import CostText
from gui.costs.scenario_book import (
    DOLLARS,
    HOURS,
    MAX_BUDGET,
    MAX_CALLS,
    MAX_FACTOR,
    MIN_FACTOR,
    PER_CENT,
    SERVICES,
    TOKENS,
    ScenarioChoices,
    ScenarioState,
)
from gui.look.quantities import date_format
from gui.look.theme import Theme
from gui.widgets.forms import (
    DoubleSpinBox,
    Popover,
    SpinBox,
    amount_box,
    as_date,
    button_of_kind,
    column_of,
    decimal_of,
    label_of,
    labelled,
    row_of,
    separator,
    side_by_side,
    tokens_box,
)
from gui.widgets.labels import PlainLabel

FIRST_HITS = Decimal(80)
"""Default hit rate in percent, before the user sets one."""
FIELD_WIDTH = 132
BUTTON_MARGIN, MIN_SUMMARY = 42, 120
GAP = 4
"""Gap between the summary button and its popover, in pixels."""


class CachedBox(SpinBox):
    """Number of tokens, or a share: typing ``60%`` also selects the unit.

    Signals: ``share_typed(int)`` when a number with a percent sign was typed.
    """

    share_typed = Signal(int)

    def validate(self, text: str, position: int) -> object:
        """Accept a percent sign after the number."""
        if text.rstrip().endswith("%"):
            number = text.rstrip().rstrip("%").strip()
            return (
                (QValidator.State.Acceptable if number.isdecimal() else QValidator.State.Intermediate),
                text,
                position,
            )
        return super().validate(text, position)

    def valueFromText(self, text: str) -> int:
        number = text.rstrip().rstrip("%").strip()
        if text.rstrip().endswith("%") and number.isdecimal():
            share = min(int(number), 100)
            self.share_typed.emit(share)
            return share
        return super().valueFromText(text)


class ScenarioPopover(Popover):
    """All fields of a scenario: output, cache, calls and money; its foot shows the resulting cost."""

    def __init__(self, state: ScenarioState, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("scenarioPopover")
        self.setWindowTitle(self.tr("Scenario"))
        self._state = state
        self._make_output()
        self._make_cache()
        self._make_calls()
        self._make_money()
        self.named = button_of_kind("scenarioMenu", "", "secondary")
        self.named.setAccessibleName(self.tr("Saved scenarios"))
        self.named.setFixedWidth(self.named.fontMetrics().averageCharWidth() * 20 + 36)
        self.reset_button = button_of_kind("scenarioReset", self.tr("&Reset"), "quiet")
        self.reset_button.setAccessibleName(self.tr("Reset the scenario"))
        self.save_as = button_of_kind("scenarioKeep", self.tr("Sa&ve as…"), "secondary")
        self.model = PlainLabel(objectName="scenarioModel", role="strong")
        self.call = RunsLabel("scenarioCall", theme)
        self.month = RunsLabel("scenarioMonth", theme)
        self._fields: dict[str, QSpinBox | QDoubleSpinBox | QComboBox] = {
            "output_tokens": self.output,
            "reasoning_tokens": self.reasoning,
            "cached": self.cached,
            "cached_unit": self.cached_unit,
            "hit_percent": self.hits,
            "for_an_hour": self.lifetime,
            "cache_write": self.write,
            "cache_write_1h": self.write_1h,
            "calls": self.calls,
            "calls_a_day": self.per_day,
            "batch_percent": self.batch_share,
            "service": self.service,
            "hours": self.hours,
            "budget": self.budget_usd,
            "factor": self.factor,
            "currency": self.currency,
        }
        """Controls by the choice that each of them alone shows."""
        for control in self.controls():
            if isinstance(control, QAbstractSpinBox | QComboBox):
                _stretch(control)
        self._lay_out()
        self._connect()
        self.set_currencies({})
        self._show()

    def open_at(self, button: QWidget) -> None:
        """Show the popover beside a button without covering it: above, or below if there is more room."""
        self.adjustSize()
        screen = button.screen().availableGeometry()
        corner = button.mapToGlobal(QPoint(0, 0))
        above, below = corner.y() - screen.top(), screen.bottom() - corner.y() - button.height()
        needed, behind = self._needed_height(), corner.x() + button.width() + GAP
        if needed > max(above, below) - 2 * GAP and behind + self.width() <= screen.right():
            height = min(needed, screen.height() - 2 * GAP)
            left, top = behind, max(min(corner.y(), screen.bottom() - height - GAP), screen.top() + GAP)
        else:
            height = min(needed, max(above, below) - 2 * GAP)
            top = corner.y() + button.height() + GAP if below >= height else corner.y() - height - GAP
            left = min(max(corner.x(), screen.left()), max(screen.right() - self.width(), screen.left()))
        self.resize(self.width(), height)
        self.move(left, max(top, screen.top()))
        self.show()
        self.raise_()
        self.activateWindow()
        self.output.setFocus(Qt.FocusReason.PopupFocusReason)
        self.output.selectAll()

    def set_costs(self, name: str, call: Sequence[Run], month: Sequence[Run]) -> None:
        """Show the cost of one call and of a month of calls with the reference model."""
        self.model.setText(name)
        self.call.set_runs(call)
        self.month.set_runs(month)

    def set_currencies(self, rates: Mapping[str, Decimal]) -> None:
        """Set the currencies to choose from besides the dollar; the selected one stays even without a rate."""
        blocker = QSignalBlocker(self.currency)
        chosen = self._state.choices.currency
        self.currency.clear()
        self.currency.addItem(self.tr("US dollars"), DOLLARS)
        for code, usd in sorted(rates.items()):
            self.currency.addItem(self.tr("{code}, at ${usd} each").format(code=code, usd=usd), code)
        if self.currency.findData(chosen) < 0:
            self.currency.addItem(self.tr("{code}, no exchange rate").format(code=chosen), chosen)
        self.currency.setCurrentIndex(self.currency.findData(chosen))
        tip = self.tr(
            "Other currencies need an exchange rate at the top of your price file, such as “rates: {EUR: 1.16}”."
        )
        self.currency.setToolTip("" if rates else tip)
        blocker.unblock()

    def _make_output(self) -> None:
        self.output = tokens_box("outputTokens", self.tr("Expected output tokens"))
        self.output.setToolTip(self.tr("Tokens that the model writes in answer to one call."))
        self.reasoning = tokens_box("reasoningTokens", self.tr("Expected reasoning tokens"))
        self.reasoning.setToolTip(self.tr("Reasoning tokens, billed in addition to the output."))
        self.ranged: dict[str, QCheckBox] = {}
        self.low: dict[str, QSpinBox] = {}
        self.high: dict[str, QSpinBox] = {}
        for name, spoken in (("output", self.tr("output tokens")), ("reasoning", self.tr("reasoning tokens"))):
            ranged = self.ranged[name] = QCheckBox(self.tr("Range"), objectName=f"{name}Ranged")
            ranged.setAccessibleName(self.tr("Enter {what} as a range").format(what=spoken))
            self.low[name] = tokens_box(f"{name}Low", self.tr("Minimum {what}").format(what=spoken))
            self.high[name] = tokens_box(f"{name}High", self.tr("Maximum {what}").format(what=spoken))

    def _make_cache(self) -> None:
        self.cached = CachedBox(objectName="cachedTokens")
        self.cached.setRange(0, MAX_TOKENS)
        self.cached.setGroupSeparatorShown(True)
        self.cached.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.cached.setAccessibleName(self.tr("Cached part of the prompt"))
        self.cached.setToolTip(self.tr("Part of the prompt read from the cache: tokens, or a share such as 60%."))
        self.cached_unit = QComboBox(objectName="cachedUnit")
        self.cached_unit.addItem(self.tr("tokens"), TOKENS)
        self.cached_unit.addItem(self.tr("% of prompt"), PER_CENT)
        self.cached_unit.setAccessibleName(self.tr("Unit of the cached part"))
        self.every = QRadioButton(self.tr("&Every call hits the cache"), objectName="cacheEvery")
        self.some = QRadioButton(self.tr("Some calls hit the cache, the others &write it"), objectName="cacheSome")
        self.write = tokens_box("cacheWriteTokens", self.tr("Tokens written to the cache, lifetime of minutes"))
        self.write_1h = tokens_box("cacheWriteHourTokens", self.tr("Tokens written to the 1-hour cache"))
        self.hits = DoubleSpinBox(objectName="cacheHitRate", decimals=1, singleStep=5, suffix=self.tr("% of calls"))
        self.hits.setRange(0, 100)
        self.hits.setAccessibleName(self.tr("Cache hit rate, in percent"))
        self.lifetime = QComboBox(objectName="cacheLifetime")
        self.lifetime.addItem(self.tr("{number} minutes").format(number=MINUTES), False)
        self.lifetime.addItem(self.tr("{number} minutes").format(number=HOUR), True)
        self.lifetime.setAccessibleName(self.tr("Cache lifetime"))
        self.estimate = button_of_kind("cacheEstimate", self.tr("From calls per d&ay"), "secondary")
        self.estimate.setToolTip(
            self.tr(
                "Estimates the hit rate: the share of calls, at random times, that arrive within the cache "
                "lifetime of the previous one. Needs calls per day."
            )
        )
        self.break_even = PlainLabel(objectName="cacheBreakEven", role="caption", wordWrap=True)
        self.break_even.hide()

    def _make_calls(self) -> None:
        self.calls = tokens_box("callsPerMonth", self.tr("Calls per month"))
        self.calls.setRange(1, MAX_CALLS)
        self.per_day = tokens_box("callsPerDay", self.tr("Calls per day; 0 if unknown"))
        self.per_day.setRange(0, MAX_CALLS // DAYS)
        self.per_day.setSpecialValueText(self.tr("not set"))
        self.per_day.setToolTip(self.tr("Sets the calls per month: 30 days."))
        self.batch = QCheckBox(self.tr("&Batch prices"), objectName="batchToggle")
        self.batch.setAccessibleName(self.tr("Use batch prices"))
        self.batch.setToolTip(self.tr("Batch prices: cheaper, with results within a day."))
        self.batch_share = SpinBox(objectName="batchShare", suffix=self.tr("% of calls"))
        self.batch_share.setRange(1, 100)
        self.batch_share.setAccessibleName(self.tr("Batch share of calls, in percent"))
        self.service = QComboBox(objectName="serviceTier")
        names = (self.tr("Flex tier"), self.tr("Priority tier"), self.tr("Fast tier"), self.tr("Ultrafast tier"))
        for name, key in zip((self.tr("Standard tier"), *names), ("", *SERVICES), strict=True):
            self.service.addItem(name, key)
        self.service.setAccessibleName(self.tr("Service tier"))
        self.service.setToolTip(self.tr("Service tiers of some vendors. Models without the tier have no price."))
        self.hours = QComboBox(objectName="pricingHours")
        names = (self.tr("Peak hours"), self.tr("Off-peak hours"), self.tr("Average week"))
        for name, key in zip((self.tr("Any hour"), *names), ("", *HOURS), strict=True):
            self.hours.addItem(name, key)
        self.hours.setAccessibleName(self.tr("Time of day of the calls"))
        self.hours.setToolTip(self.tr("For prices that depend on the time of day. Any hour: costs are a range."))

    def _make_money(self) -> None:
        self.budget_usd = amount_box("costBudget", self.tr("Budget per month, in US dollars; 0 for no limit"))
        self.budget_usd.setRange(0, float(MAX_BUDGET))
        self.budget_usd.setPrefix("$ ")
        self.budget_usd.setSpecialValueText(self.tr("No limit"))
        self.budget_usd.setToolTip(self.tr("Marks models whose monthly cost is higher."))
        self.factor = DoubleSpinBox(objectName="costFactor", decimals=2, singleStep=0.05, prefix="× ")
        self.factor.setRange(float(MIN_FACTOR), float(MAX_FACTOR))
        self.factor.setAccessibleName(self.tr("Cost multiplier"))
        self.factor.setToolTip(self.tr("Multiplies the total cost: region, discount, tax."))
        self.day = QDateEdit(objectName="costDate", calendarPopup=True, displayFormat=date_format(self.locale()))
        self.day.setDateRange(QDate(2020, 1, 1), QDate(2099, 12, 31))
        self.day.setAccessibleName(self.tr("Price date"))
        self.day.setToolTip(self.tr("Announced price changes and retirements apply from their date."))
        self.currency = QComboBox(objectName="costCurrency", accessibleName=self.tr("Currency of amounts"))

    def _lay_out(self) -> None:
        # Before its contents: a widget that changes its parent is polished again, with all its children.
        self._scroll = QScrollArea(self)
        page = QWidget(self._scroll.viewport(), objectName="plain")
        title = PlainLabel(self.tr("Scenario"), role="section")
        saved = label_of(self.named, self.tr("&Saved"), "caption")
        head = row_of(title, 1, saved, self.named)
        column = column_of(head, parent=page, margins=(18, 14, 18, 10), spacing=5)
        for words, grid in (
            (self.tr("Output"), self._output_grid()),
            (self.tr("Prompt cache"), self._cache_grid()),
            (self.tr("Calls"), self._calls_grid()),
            (self.tr("Money"), self._money_grid()),
        ):
            heading = PlainLabel(words, role="strong")
            column.addWidget(heading)
            column.addLayout(grid)
        column.addStretch(1)
        self._scroll.setAccessibleName(self.tr("Fields of the scenario"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(page)
        for shown in (page, self._scroll.viewport()):
            shown.setAutoFillBackground(False)  # else it hides ground and corners of the popover
        self._page = page
        page.setMinimumWidth(4 * FIELD_WIDTH + 90)
        self._scroll.setMinimumWidth(
            page.minimumSizeHint().width() + self._scroll.verticalScrollBar().sizeHint().width()
        )
        line = separator()
        line.setFrameShape(QFrame.Shape.HLine)
        self._foot = self._foot_row()
        column_of((self._scroll, 1), line, self._foot, parent=self, margins=(1, 1, 1, 1), spacing=0)

    def _output_grid(self) -> QGridLayout:
        grid = _grid()
        minimum, maximum = self.tr("Minimum"), self.tr("Maximum")
        for row, (name, text, box) in enumerate(
            (
                ("output", self.tr("&Output tokens"), self.output),
                ("reasoning", self.tr("Reason&ing tokens"), self.reasoning),
            )
        ):
            low, high = self.low[name], self.high[name]
            _fill(grid, row, labelled(text, box, box), labelled("", self.ranged[name], None))
            grid.addWidget(labelled(minimum, low, low), row, 2)
            grid.addWidget(labelled(maximum, high, high), row, 3)
        return grid

    def _cache_grid(self) -> QGridLayout:
        grid = _grid()
        cached = labelled(self.tr("Cache&d part"), side_by_side(self.cached, self.cached_unit), self.cached)
        grid.addWidget(cached, 0, 0, 1, 2)
        grid.addWidget(labelled(self.tr("Cache write"), self.write, self.write), 0, 2)
        grid.addWidget(labelled(self.tr("1-hour cache write"), self.write_1h, self.write_1h), 0, 3)
        grid.addWidget(self.every, 1, 0, 1, 2)
        grid.addWidget(self.some, 1, 2, 1, 2)
        _fill(
            grid,
            2,
            labelled(self.tr("Hit rate"), self.hits, self.hits),
            labelled(self.tr("Lifetime"), self.lifetime, self.lifetime),
            labelled("", self.estimate, None),
        )
        grid.addWidget(self.break_even, 3, 0, 1, 4)
        return grid

    def _calls_grid(self) -> QGridLayout:
        grid = _grid()
        _fill(
            grid,
            0,
            labelled(self.tr("Calls per &month"), self.calls, self.calls),
            labelled(self.tr("Calls per da&y"), self.per_day, self.per_day),
            labelled(self.tr("Service tier"), self.service, self.service),
            labelled(self.tr("Hours"), self.hours, self.hours),
        )
        _fill(grid, 1, self.batch, self.batch_share)
        return grid

    def _money_grid(self) -> QGridLayout:
        grid = _grid()
        _fill(
            grid,
            0,
            labelled(self.tr("B&udget per month"), self.budget_usd, self.budget_usd),
            labelled(self.tr("&Factor"), self.factor, self.factor),
            labelled(self.tr("&Prices as of"), self.day, self.day),
            labelled(self.tr("&Currency"), self.currency, self.currency),
        )
        return grid

    def _foot_row(self) -> QHBoxLayout:
        call, month = (PlainLabel(words, role="caption") for words in (self.tr("one call"), self.tr("per month")))
        items = (self.model, call, self.call, month, self.month, 1, self.reset_button, self.save_as)
        return row_of(*items, margins=(18, 10, 18, 12), spacing=8)

    def _needed_height(self) -> int:
        return self._page.sizeHint().height() + self._foot.sizeHint().height() + 6

    def _connect(self) -> None:
        state = self._state
        state.changed.connect(self._show)
        for name, control in self._fields.items():
            changed = control.currentIndexChanged if isinstance(control, QComboBox) else control.valueChanged
            changed.connect(partial(self._on_field, name))
        for name in ("output", "reasoning"):
            self.ranged[name].toggled.connect(partial(self._on_ranged, name))
            for box in (self.low[name], self.high[name]):
                box.valueChanged.connect(partial(self._on_ends, name))
        self.cached.share_typed.connect(self._on_share)
        self.some.toggled.connect(lambda some: state.change(hit_percent=FIRST_HITS if some else None))
        self.estimate.clicked.connect(self._on_estimate)
        self.reset_button.clicked.connect(state.reset)
        self.batch.toggled.connect(lambda on: state.change(batch=on))
        self.day.dateChanged.connect(lambda day: state.change(on=as_date(day)))

    def controls(self) -> tuple[QWidget, ...]:
        """Return every control that shows a choice."""
        ranges = (*self.ranged.values(), *self.low.values(), *self.high.values())
        return *self._fields.values(), *ranges, self.every, self.some, self.batch, self.day

    @Slot()
    def _show(self) -> None:
        """Show the choices without emitting ``changed``."""
        choices = self._state.choices
        blockers = [QSignalBlocker(control) for control in self.controls()]
        self.cached.setMaximum(100 if choices.cached_unit == PER_CENT else MAX_TOKENS)
        for name, control in self._fields.items():
            value = getattr(choices, name)
            if isinstance(control, QComboBox):
                control.setCurrentIndex(control.findData(value))
            elif isinstance(control, QDoubleSpinBox):
                control.setValue(float(FIRST_HITS if value is None else value))
            else:
                control.setValue(value)
        self._show_ranges(choices)
        self._show_cache(choices)
        self.batch.setChecked(choices.batch)
        self.batch_share.setEnabled(choices.batch)
        self.service.setEnabled(not choices.batch)
        day = self._state.day
        self.day.setDate(QDate(day.year, day.month, day.day))
        for blocker in blockers:
            blocker.unblock()

    def _show_ranges(self, choices: ScenarioChoices) -> None:
        for name in ("output", "reasoning"):
            likely, ends = getattr(choices, f"{name}_tokens"), getattr(choices, f"{name}_range")
            self.ranged[name].setChecked(ends is not None)
            self.low[name].setMaximum(likely)
            self.high[name].setMinimum(likely)
            for box, end in zip((self.low[name], self.high[name]), ends or (likely, likely), strict=True):
                box.setEnabled(ends is not None)
                box.setValue(end)

    def _show_cache(self, choices: ScenarioChoices) -> None:
        some = choices.hit_percent is not None
        (self.some if some else self.every).setChecked(True)
        for button in (self.every, self.some):  # one stop for Tab; arrow keys select the other
            policy = Qt.FocusPolicy.StrongFocus if button.isChecked() else Qt.FocusPolicy.ClickFocus
            button.setFocusPolicy(policy)
        for box in (self.write, self.write_1h):
            box.setEnabled(not some)
        for control in (self.hits, self.lifetime, self.break_even):
            control.setEnabled(some)
        self.estimate.setEnabled(some and choices.calls_a_day > 0)

    def _on_field(self, name: str, _value: object) -> None:
        control = self._fields[name]
        if isinstance(control, QComboBox):
            value = control.currentData()
        else:
            value = decimal_of(control) if isinstance(control, QDoubleSpinBox) else control.value()
        self._state.change(**{name: value})

    def _on_ranged(self, name: str, on: bool) -> None:
        likely = getattr(self._state.choices, f"{name}_tokens")
        # From half to twice as many: a default that shows the idea of a range.
        self._state.change(**{f"{name}_range": (likely // 2, likely * 2) if on else None})

    def _on_ends(self, name: str, _value: int) -> None:
        self._state.change(**{f"{name}_range": (self.low[name].value(), self.high[name].value())})

    @Slot(int)
    def _on_share(self, share: int) -> None:
        choices = self._state.choices
        if (choices.cached_unit, choices.cached) != (PER_CENT, share):
            self._state.change(cached_unit=PER_CENT, cached=share)

    @Slot()
    def _on_estimate(self) -> None:
        choices = self._state.choices
        self._state.change(hit_percent=expected_hit_percent(choices.calls_a_day, choices.for_an_hour))


class ScenarioSummary(QPushButton):
    """Button that shows the scenario in one line and opens its fields."""

    def __init__(self, state: ScenarioState, popover: ScenarioPopover) -> None:
        super().__init__(objectName="scenarioSummary")
        self._state, self._popover = state, popover
        self._closed_by_press = False
        self._summary = ""
        self.setProperty("kind", "summary")
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.setToolTip(self.tr("Edit output, cache, calls, batch, price date, budget and currency"))
        state.changed.connect(self._show)
        popover.finished.connect(self._on_closed)
        self.clicked.connect(self.open)
        self._show()

    @Slot()
    def open(self) -> None:
        """Open the popover."""
        if self._closed_by_press:
            self._closed_by_press = False
            self.setChecked(False)
            return
        self.setChecked(True)
        self._popover.open_at(self)

    @Slot()
    def _on_closed(self) -> None:
        # If a press on this button closed the popover by taking its focus, it must not reopen it.
        self._closed_by_press = self.underMouse() and QApplication.mouseButtons() != Qt.MouseButton.NoButton
        self.setChecked(False)

    @Slot()
    def _show(self) -> None:
        self._summary = " · ".join(summary_parts(self._state.choices, self.locale()))
        self.setAccessibleName(self.tr("Scenario: {summary}").format(summary=self._summary))
        self.updateGeometry()
        self._fit()

    def _fit(self) -> None:
        width = self.width() - BUTTON_MARGIN
        cut = self.fontMetrics().elidedText(self._summary, Qt.TextElideMode.ElideRight, width)
        self.setText(f"{cut}  ▾".replace("&", "&&"))

    def sizeHint(self) -> QSize:
        return QSize(
            self.fontMetrics().horizontalAdvance(self._summary) + BUTTON_MARGIN + 2, super().sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_SUMMARY, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def tr(text: str) -> str:
    """Translate in the context of the summary."""
    return QCoreApplication.translate("ScenarioSummary", text)


def summary_parts(choices: ScenarioChoices, locale: QLocale) -> list[str]:
    """Return the parts of the summary: output, cache and calls always, others if they differ from their defaults."""
    usual, text = ScenarioChoices(), CostText(locale)

    ends = choices.output_range
    output = text.number(choices.output_tokens) if ends is None else f"{text.number(ends[0])}–{text.number(ends[1])}"
    cached = tr("{share}% cached") if choices.cached_unit == PER_CENT or not choices.cached else tr("{share} cached")
    parts = [tr("{tokens} out").format(tokens=output)]
    if choices.reasoning_tokens:
        parts.append(tr("{tokens} reasoning").format(tokens=text.number(choices.reasoning_tokens)))
    parts.append(cached.format(share=text.number(choices.cached)))
    parts.append(tr("{calls} calls / month").format(calls=text.number(choices.calls)))
    if choices.batch:
        parts.append(tr("batch"))
    elif choices.service:
        parts.append(choices.service)
    if choices.hours:
        parts.append(choices.hours)
    if choices.factor != usual.factor:
        parts.append(f"× {choices.factor}")
    if choices.on is not None:
        parts.append(text.day(choices.on))
    return parts


def _grid() -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 4)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(6)
    for column in range(4):
        grid.setColumnStretch(column, 1)
        grid.setColumnMinimumWidth(column, FIELD_WIDTH)
    return grid


def _fill(grid: QGridLayout, row: int, *widgets: QWidget) -> None:
    for column, widget in enumerate(widgets):
        grid.addWidget(widget, row, column)


def _stretch(control: QWidget) -> None:
    """Let a control fill its column, however long its largest value is."""
    control.setMinimumWidth(64)
    control.setMaximumWidth(10_000)
    control.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
