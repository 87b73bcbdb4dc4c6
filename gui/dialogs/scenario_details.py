"""The whole scenario in a window of its own, beside which the cost table follows every change."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QGridLayout,
    QGroupBox,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.dialogs.buttons import close_row
from gui.look.plain_label import PlainLabel
from gui.models.scenario_choices import DOLLARS, MOST_CALLS
from gui.models.scenario_state import ScenarioState
from gui.panels.number_boxes import decimal_of, tokens_box
from gui.services.call_plans import DAYS, HOUR, MINUTES, expected_hit_percent

FIRST_HITS = Decimal(80)
"""Per cent of the calls, before anybody says how many."""


class ScenarioDetails(QDialog):
    """Shows and changes the choices; every change counts at once, so there is nothing to accept."""

    def __init__(self, state: ScenarioState, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("scenarioDialog")
        self.setWindowTitle(self.tr("The whole scenario"))
        self._state = state
        self._page = QWidget()
        column = QVBoxLayout(self._page)
        column.addWidget(self._output_group())
        column.addWidget(self._cache_group())
        column.addWidget(self._calls_group())
        column.addWidget(self._money_group())
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setAccessibleName(self.tr("The whole scenario"))
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._page)
        buttons = close_row(self)
        self.reset_button = QPushButton(self.tr("&Reset"), objectName="scenarioReset")
        self.reset_button.setAccessibleName(self.tr("Reset the scenario"))
        self.reset_button.setToolTip(self.tr("Back to the scenario of the first start."))
        self.reset_button.setAutoDefault(False)
        buttons.addButton(self.reset_button, QDialogButtonBox.ButtonRole.ResetRole)
        body = QVBoxLayout(self)
        body.addWidget(scroll, 1)
        body.addWidget(buttons)
        self._connect()
        self.set_currencies({})
        self._show()
        width = self._page.minimumSizeHint().width() + scroll.verticalScrollBar().sizeHint().width()
        scroll.setMinimumWidth(width)
        self.resize(self.sizeHint().width(), self._page.sizeHint().height() + buttons.sizeHint().height() + 40)

    def set_currencies(self, rates: Mapping[str, Decimal]) -> None:
        """Offer these besides the dollar; the one chosen stays on the list even without a rate."""
        blocker = QSignalBlocker(self.currency)
        chosen = self._state.choices.currency
        self.currency.clear()
        self.currency.addItem(self.tr("US dollars"), DOLLARS)
        for code, usd in sorted(rates.items()):
            self.currency.addItem(self.tr("{code}, at ${usd} each").format(code=code, usd=usd), code)
        if self.currency.findData(chosen) < 0:
            self.currency.addItem(self.tr("{code}, without a rate").format(code=chosen), chosen)
        self.currency.setCurrentIndex(self.currency.findData(chosen))
        self._no_rates.setVisible(not rates)
        blocker.unblock()

    def _output_group(self) -> QGroupBox:
        group = QGroupBox(self.tr("Output, as far as it can be guessed"))
        grid = QGridLayout(group)
        for column, text in enumerate((self.tr("likely"), "", self.tr("at least"), self.tr("at most"))):
            grid.addWidget(PlainLabel(text), 0, column + 1)
        self.likely: dict[str, QSpinBox] = {}
        self.ranged: dict[str, QCheckBox] = {}
        self.low: dict[str, QSpinBox] = {}
        self.high: dict[str, QSpinBox] = {}
        for row, (name, label, spoken) in enumerate(
            (
                ("output", self.tr("&Output tokens"), self.tr("output tokens")),
                ("reasoning", self.tr("Reason&ing tokens"), self.tr("reasoning tokens")),
            ),
            start=1,
        ):
            likely = self.likely[name] = tokens_box(f"{name}Likely", self.tr("Likely {what}").format(what=spoken))
            ranged = self.ranged[name] = QCheckBox(self.tr("a range"), objectName=f"{name}Ranged")
            ranged.setAccessibleName(self.tr("Expect a range of {what}").format(what=spoken))
            low = self.low[name] = tokens_box(f"{name}Low", self.tr("Fewest {what}").format(what=spoken))
            high = self.high[name] = tokens_box(f"{name}High", self.tr("Most {what}").format(what=spoken))
            words = PlainLabel(label)
            words.setBuddy(likely)
            for column, widget in enumerate((words, likely, ranged, low, high)):
                grid.addWidget(widget, row, column)
        grid.setColumnStretch(5, 1)
        return group

    def _cache_group(self) -> QGroupBox:
        group = QGroupBox(self.tr("Prompt cache"))
        self.every = QRadioButton(self.tr("&Every call reads the cached part"), objectName="cacheEvery")
        self.some = QRadioButton(self.tr("&Some calls read it, the others write it"), objectName="cacheSome")
        self.write = tokens_box("cacheWriteTokens", self.tr("Tokens written to the cache for some minutes"))
        self.write_1h = tokens_box("cacheWriteHourTokens", self.tr("Tokens written to the cache for an hour"))
        self.hits = QDoubleSpinBox(objectName="cacheHitRate")
        self.hits.setRange(0, 100)
        self.hits.setDecimals(1)
        self.hits.setSingleStep(5)
        self.hits.setSuffix(self.tr(" % of the calls"))
        self.hits.setAccessibleName(self.tr("Calls that find the cached part, in per cent"))
        self.lifetime = QComboBox(objectName="cacheLifetime")
        self.lifetime.addItem(self.tr("{number} minutes").format(number=MINUTES), False)
        self.lifetime.addItem(self.tr("{number} minutes").format(number=HOUR), True)
        self.lifetime.setAccessibleName(self.tr("How long the cached part stays"))
        self.estimate = QPushButton(self.tr("From calls a &day"), objectName="cacheEstimate")
        self.estimate.setAutoDefault(False)
        self.estimate.setToolTip(
            self.tr("How many calls at random moments come within that time after the one before. Needs calls a day.")
        )
        self.break_even = QLabel(objectName="cacheBreakEven")
        self.break_even.setTextFormat(Qt.TextFormat.PlainText)
        self.break_even.setWordWrap(True)
        grid = QGridLayout(group)
        grid.addWidget(self.every, 0, 0, 1, 4)
        self._row(grid, 1, (self.tr("Written each time"), self.write), (self.tr("for an hour"), self.write_1h))
        grid.addWidget(self.some, 2, 0, 1, 4)
        self._row(grid, 3, (self.tr("Found by"), self.hits), (self.tr("kept for"), self.lifetime))
        grid.addWidget(self.estimate, 4, 1, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self.break_even, 5, 0, 1, 5)
        grid.setColumnStretch(4, 1)
        return group

    def _calls_group(self) -> QGroupBox:
        group = QGroupBox(self.tr("Calls"))
        self.per_day = tokens_box("callsPerDay", self.tr("Calls a day; 0 for not said"))
        self.per_day.setRange(0, MOST_CALLS // DAYS)
        self.per_day.setSpecialValueText(self.tr("not said"))
        self.per_month = PlainLabel(objectName="callsOfMonth")
        self.batch_share = QSpinBox(objectName="batchShare")
        self.batch_share.setRange(1, 100)
        self.batch_share.setSuffix(self.tr(" % of the calls"))
        self.batch_share.setAccessibleName(self.tr("Calls through the batch service, in per cent"))
        self.batched = QCheckBox(self.tr("in &batch:"), objectName="batchShareOn")
        self.batched.setAccessibleName(self.tr("Send calls through the batch service"))
        grid = QGridLayout(group)
        self._row(grid, 0, (self.tr("Calls a da&y"), self.per_day))
        grid.addWidget(self.per_month, 0, 2, 1, 3)
        grid.addWidget(self.batched, 1, 0)
        grid.addWidget(self.batch_share, 1, 1)
        grid.setColumnStretch(4, 1)
        return group

    def _money_group(self) -> QGroupBox:
        group = QGroupBox(self.tr("Money"))
        self.currency = QComboBox(objectName="costCurrency")
        self.currency.setAccessibleName(self.tr("Currency that amounts are shown in"))
        self._no_rates = QLabel(
            self.tr("Other currencies need a rate in your price file, such as “rates: {EUR: 1.16}” at its top.")
        )
        self._no_rates.setTextFormat(Qt.TextFormat.PlainText)
        self._no_rates.setWordWrap(True)
        grid = QGridLayout(group)
        self._row(grid, 0, (self.tr("Sho&w amounts in"), self.currency))
        grid.addWidget(self._no_rates, 1, 0, 1, 5)
        grid.setColumnStretch(4, 1)
        return group

    @staticmethod
    def _row(grid: QGridLayout, row: int, *pairs: tuple[str, QWidget]) -> None:
        for place, (text, control) in enumerate(pairs):
            label = PlainLabel(text)
            label.setBuddy(control)
            grid.addWidget(label, row, 2 * place)
            grid.addWidget(control, row, 2 * place + 1)

    def _connect(self) -> None:
        state = self._state
        state.changed.connect(self._show)
        for name in ("output", "reasoning"):
            self.likely[name].valueChanged.connect(lambda tokens, name=name: state.change(**{f"{name}_tokens": tokens}))
            self.ranged[name].toggled.connect(lambda on, name=name: self._on_ranged(name, on))
            for box in (self.low[name], self.high[name]):
                box.valueChanged.connect(lambda _, name=name: self._on_ends(name))
        self.write.valueChanged.connect(lambda tokens: state.change(cache_write=tokens))
        self.write_1h.valueChanged.connect(lambda tokens: state.change(cache_write_1h=tokens))
        self.some.toggled.connect(lambda some: state.change(hit_percent=FIRST_HITS if some else None))
        self.hits.valueChanged.connect(lambda _: state.change(hit_percent=decimal_of(self.hits)))
        self.lifetime.currentIndexChanged.connect(lambda _: state.change(for_an_hour=self.lifetime.currentData()))
        self.estimate.clicked.connect(self._on_estimate)
        self.per_day.valueChanged.connect(lambda calls: state.change(calls_a_day=calls))
        self.batched.toggled.connect(lambda on: state.change(batch=on))
        self.batch_share.valueChanged.connect(lambda share: state.change(batch_percent=share))
        self.currency.currentIndexChanged.connect(lambda _: state.change(currency=self.currency.currentData()))
        self.reset_button.clicked.connect(state.reset)

    @Slot()
    def _show(self) -> None:
        """Show the choices, without saying that they changed."""
        choices = self._state.choices
        kinds = (QSpinBox, QDoubleSpinBox, QComboBox, QCheckBox, QRadioButton)
        blockers = [QSignalBlocker(control) for kind in kinds for control in self._page.findChildren(kind)]
        for name in ("output", "reasoning"):
            likely, ends = getattr(choices, f"{name}_tokens"), getattr(choices, f"{name}_range")
            self.likely[name].setValue(likely)
            self.ranged[name].setChecked(ends is not None)
            self.low[name].setMaximum(likely)
            self.high[name].setMinimum(likely)
            for box, end in zip((self.low[name], self.high[name]), ends or (likely, likely), strict=True):
                box.setEnabled(ends is not None)
                box.setValue(end)
        some = choices.hit_percent is not None
        (self.some if some else self.every).setChecked(True)
        self.write.setValue(choices.cache_write)
        self.write_1h.setValue(choices.cache_write_1h)
        self.hits.setValue(float(FIRST_HITS if choices.hit_percent is None else choices.hit_percent))
        self.lifetime.setCurrentIndex(int(choices.for_an_hour))
        for box in (self.write, self.write_1h):
            box.setEnabled(not some)
        for control in (self.hits, self.lifetime):
            control.setEnabled(some)
        self.estimate.setEnabled(some and choices.calls_a_day > 0)
        self.break_even.setEnabled(some)
        self.per_day.setValue(choices.calls_a_day)
        month = self.tr("{calls} calls a month").format(calls=self.locale().toString(choices.calls))
        self.per_month.setText(f"= {month}" if choices.calls_a_day else f"({month})")
        self.batched.setChecked(choices.batch)
        self.batch_share.setValue(choices.batch_percent)
        self.batch_share.setEnabled(choices.batch)
        self.currency.setCurrentIndex(self.currency.findData(choices.currency))
        for blocker in blockers:
            blocker.unblock()

    def _on_ranged(self, name: str, on: bool) -> None:
        likely = getattr(self._state.choices, f"{name}_tokens")
        # Half to twice as many: a start that shows what a range is.
        self._state.change(**{f"{name}_range": (likely // 2, likely * 2) if on else None})

    def _on_ends(self, name: str) -> None:
        self._state.change(**{f"{name}_range": (self.low[name].value(), self.high[name].value())})

    @Slot()
    def _on_estimate(self) -> None:
        choices = self._state.choices
        self._state.change(hit_percent=expected_hit_percent(choices.calls_a_day, choices.for_an_hour))
