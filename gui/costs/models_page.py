"""Page Models: columns in presets, filter chips, and a chart of the totals.

It shares the tools above the table (``CostTools``) and the texts around it (``CostStatus``, ``Foot``) with the strip.
"""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.core.exports import plain
from gui.core.figures import ASSUMED, ESTIMATED, EXACT
from gui.costs.cells import Dot
from gui.costs.chart import CostChart
from gui.costs.columns import excess, excess_text
from gui.costs.cost_commands import CostCommands
from gui.costs.cost_model import CostTableModel
from gui.costs.cost_service import CostService
from gui.costs.cost_view import PRESETS, CostTable
from gui.costs.money_text import age_tone
from gui.costs.prices_service import BUNDLED, KEPT, LAST_GOOD
from gui.costs.rows import natural
from gui.costs.scenario import ScenarioSummary
from gui.look.plain_text import PlainLabel, as_written
from gui.look.theme import Theme
from gui.widgets.chip import Chip, MenuChip
from gui.widgets.forms import button_of_kind
from gui.widgets.labels import RemarkLabel, set_text_colour
from gui.widgets.layouts import FlowLayout

if TYPE_CHECKING:
    from pricing.types import Scenario


FILTER_CHARACTERS = 18
CONTEXTS = (32_000, 128_000, 200_000, 1_000_000)


class CostTools(QWidget):
    """Scenario, common filter chips and text filter, above whichever table is in front."""

    def __init__(self, model: CostTableModel, summary: ScenarioSummary) -> None:
        super().__init__()
        self._model = model
        self.summary = summary
        self.exact = Chip("filterExact", self.tr("Exact only"), self.tr("Show only exactly counted models"))
        self.favourites = Chip("filterFavourites", self.tr("Favourites"), self.tr("Show only favourites"))
        self.vendor = MenuChip("filterVendor", self.tr("Vendor"), self.tr("Show only the models of some vendors"))
        self.filter = QLineEdit(objectName="costFilter")
        self.filter.setPlaceholderText(self.tr("Filter models"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName(self.tr("Filter models by words"))
        self.filter.setToolTip(
            self.tr("Shows models that match all words in name, provider, tokenizer or count quality.")
        )
        self.filter.setMinimumWidth(self.filter.fontMetrics().averageCharWidth() * FILTER_CHARACTERS)
        self.filter.setMaximumWidth(220)
        self.chips = QWidget()
        self._flow = FlowLayout(self.chips, gap=8)
        for widget in (summary, self.exact, self.favourites, self.vendor):
            self._flow.addWidget(widget)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.chips, 1)
        row.addWidget(self.filter)
        self.exact.toggled.connect(lambda on: model.change(exact_only=on))
        self.favourites.toggled.connect(lambda on: model.change(favourites_only=on))
        self.filter.textChanged.connect(lambda text: model.change(filter=text))
        self.vendor.choices.aboutToShow.connect(self._fill_vendors)
        model.arranged.connect(self._show)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the height to the number of lines that the chips need at this width."""
        super().resizeEvent(event)
        self.chips.setMinimumHeight(self._flow.heightForWidth(self.chips.width()))

    def controls(self) -> tuple[QWidget, ...]:
        """Return the controls, in visual order."""
        return self.summary, self.exact, self.favourites, self.vendor, self.filter

    def vendors(self) -> list[str]:
        """Return the names of all providers, in natural order."""
        return sorted({row.model.provider for row in self._model.rows}, key=natural)

    @Slot()
    def _show(self) -> None:
        """Update the chips from the active filters."""
        arrangement = self._model.arrangement
        self.exact.setChecked(arrangement.exact_only)
        self.favourites.setChecked(arrangement.favourites_only)
        vendors = arrangement.vendors
        self.vendor.setChecked(bool(vendors))
        one = next(iter(vendors), "") if len(vendors) == 1 else self._model.view.text.number(len(vendors))
        self.vendor.set_text(self.tr("Vendor: {what}").format(what=one) if vendors else self.tr("Vendor"))
        if self.filter.text() != arrangement.filter:
            self.filter.setText(arrangement.filter)

    @Slot()
    def _fill_vendors(self) -> None:
        menu, chosen = self.vendor.choices, self._model.arrangement.vendors
        menu.clear()
        every = menu.addAction(self.tr("All vendors"))
        every.setCheckable(True)
        every.setChecked(not chosen)
        every.triggered.connect(lambda: self._model.change(vendors=frozenset()))
        menu.addSeparator()
        for name in self.vendors():
            action = QAction(name.replace("&", "&&"), menu, checkable=True)
            action.setData(name)
            action.setChecked(name in chosen)
            action.toggled.connect(self._on_vendor)
            menu.addAction(action)

    @Slot(bool)
    def _on_vendor(self, on: bool) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            chosen = self._model.arrangement.vendors
            self._model.change(vendors=chosen | {action.data()} if on else chosen - {action.data()})


MAX_NAMED = 2
"""Maximum number of models over budget that are named; the others are counted."""


class CostStatus(QObject):
    """Three labels: ``count`` (23 of 91 models), ``remark`` (age of prices, or a problem), ``note`` (scenario)."""

    def __init__(
        self, model: CostTableModel, service: CostService, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._service, self._theme = model, service, theme
        self._tone, self._note_tone = "", "information"
        self.requested_currency = "USD"
        """Currency that the user has chosen; ``refresh`` reports a missing rate."""
        self._of_request = False
        self.count = PlainLabel(objectName="costCount")
        self.remark = RemarkLabel("costRemark")
        self.remark.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.note = PlainLabel(objectName="scenarioNote")
        self.note.setWordWrap(True)
        self.note.hide()
        for label in (self.count, self.remark, self.note):
            label.setProperty("role", "caption")
        service.stale_changed.connect(self.refresh)
        theme.changed.connect(self._colour)
        self.refresh()

    def set_of_request(self, on: bool) -> None:
        """Show whether the costs are those of the request on the page Chat or of the text."""
        self._of_request = on
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Update all labels."""
        count = self._count_text()
        self.count.setText(count)
        self.count.setToolTip(as_written(count))
        text, self._tone = self._remark()
        self.remark.setText(text)
        problems = (str(problem) for problem in self._service.problems)
        self.remark.setToolTip(as_written("\n".join([text, *problems, *self._service.notices])))
        warning = self._budget_warning()
        self._note_tone = "warning" if warning else "information"
        whose = (self.tr("Cost of the request on the Chat page."),) if self._of_request else ()
        note = " ".join((*whose, *warning, *self._scenario_notes()))
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._colour()

    def problem_sentence(self) -> str:
        """Return a sentence on the problem in the user's price file, and the prices in effect instead."""
        number = len(self._service.problems)
        wrong = (
            self.tr("Your price file has a problem.")
            if number == 1
            else self.tr("Your price file has {number} problems.").format(number=self._number(number))
        )
        in_force = {
            KEPT: self.tr("The previous prices stay in use."),
            LAST_GOOD: self.tr("Its last valid version is in use."),
            BUNDLED: self.tr("The built-in prices are in use."),
        }
        return f"{wrong} {in_force.get(self._service.instead, '')}".strip()

    def _count_text(self) -> str:
        result = self._model.result
        text = self.tr("{shown} of {total} models").format(
            shown=self._number(len(result.order)), total=self._number(result.total)
        )
        arrangement = self._model.arrangement
        if result.hidden and not arrangement.show_hidden:
            text += self.tr(" · {number} hidden").format(number=self._number(result.hidden))
        if result.retired and not arrangement.show_retired:
            text += self.tr(" · {number} retired").format(number=self._number(result.retired))
        if result.embedding and not arrangement.show_embedding:
            text += self.tr(" · {number} embedding").format(number=self._number(result.embedding))
        return text

    def _remark(self) -> tuple[str, str]:
        """Return the most important remark and its tone."""
        if self._service.problems:
            return self.problem_sentence(), "error"
        if self._service.stale:
            return self.tr("Counting… Figures are for the previous text."), "stale"
        if not self._model.rows:
            return self.tr("Loading prices…"), "stale"
        checked = [row.estimate.price_checked for row in self._model.shown_rows()]
        days = [day for day in checked if day is not None]
        if not days:
            return "", ""
        return self._age(min(days), max(days)), age_tone(min(days), self._service.today)

    def _age(self, oldest: date, newest: date) -> str:
        text, today = self._model.view.text, self._service.today
        age = text.age(oldest, today)
        if oldest == newest:
            return self.tr("Prices checked {age}").format(age=age)
        first = self._number(max(0, (today - newest).days))
        return self.tr("Prices checked {newest} to {oldest}").format(newest=first, oldest=age)

    def _budget_warning(self) -> tuple[str, ...]:
        """Return a warning that names the visible models over budget, the first with its excess; empty if none is."""
        view = self._model.view
        if view.budget is None or not self._model.rows:
            return ()
        over = [(row, by) for row in self._model.shown_rows() if (by := excess(row, view)) is not None]
        if not over:
            return ()
        surely = [(row, by) for row, by in over if by[0] > 0]
        words = self.tr("⚠ Over the monthly budget of {usd}: {number} of the models shown.")
        sentences = [words.format(usd=view.text.amount(view.budget), number=self._number(len(surely)))]
        if surely:
            named = [
                self.tr("{model} by {usd}").format(model=row.model.name, usd=excess_text(row, view, by))
                for row, by in surely[:MAX_NAMED]
            ]
            rest = len(surely) - len(named)
            more = self.tr(", {number} more").format(number=self._number(rest)) if rest else ""
            sentences.append(", ".join(named) + more + ".")
        perhaps = len(over) - len(surely)
        if perhaps:
            sentences.append(self.tr("{number} more may be.").format(number=self._number(perhaps)))
        return tuple(sentences)

    def _scenario_notes(self) -> list[str]:
        rows, scenario = self._model.shown_rows(), self._service.scenario
        notes: list[str] = []
        if scenario is None:
            return notes
        if any(row.cached_cut for row in rows):
            notes.append(
                self.tr("The scenario caches more tokens than some prompts have; those count as fully cached.")
            )
        if scenario.on != self._service.today:
            day = self._model.view.text.day(scenario.on)
            unpriced = sum(not row.model.has_price_on(scenario.on) for row in rows)
            if unpriced < len(rows):
                notes.append(self.tr("Prices of {day}, as known today.").format(day=day))
            if unpriced:
                number = self._number(unpriced)
                words = self.tr("No known price on {day} for {number} of the models shown.")
                notes.append(words.format(day=day, number=number))
        missing = sum(
            1 for row in rows if scenario.batch and any(name.startswith("batch") for name in row.estimate.unknown)
        )
        if missing:
            notes.append(
                self.tr("No known batch price for {number} of the models shown.").format(number=self._number(missing))
            )
        unsold = sum(f"services.{scenario.service}" in row.estimate.unknown for row in rows)
        if unsold:
            words = self.tr("No known {service} price for {number} of the models shown.")
            notes.append(words.format(service=scenario.service, number=self._number(unsold)))
        return [*notes, *self._hidden_choices(scenario)]

    def _hidden_choices(self, scenario: Scenario) -> list[str]:
        """Return the settings of the scenario dialog that the bar does not show."""
        text, mix, sentences = self._model.view.text, self._service.mix, []
        for ends, words in (
            (scenario.output_range, self.tr("Output: {low} to {high} tokens.")),
            (scenario.reasoning_range, self.tr("Reasoning: {low} to {high} tokens.")),
        ):
            if ends is not None:
                sentences.append(words.format(low=self._number(ends[0]), high=self._number(ends[1])))
        if mix is not None and mix.hit_rate is not None:
            share = text.percent(mix.hit_rate, mix.hit_rate)
            sentences.append(self.tr("Cache hit rate {share}; the other calls write the cache.").format(share=share))
        elif scenario.cache_write_tokens or scenario.cache_write_1h_tokens:
            tokens = self._number(scenario.cache_write_tokens + scenario.cache_write_1h_tokens)
            sentences.append(self.tr("Each call writes {tokens} tokens to the cache.").format(tokens=tokens))
        if mix is not None and mix.batch_share is not None:
            share = text.percent(mix.batch_share, mix.batch_share)
            sentences.append(self.tr("Batch share of calls: {share}.").format(share=share))
        if self.requested_currency not in ("USD", text.currency.code):
            words = self.tr("Your price file has no exchange rate for {code}: amounts are in US dollars.")
            sentences.append(words.format(code=self.requested_currency))
        if not text.currency.is_dollar:
            rate = "$" + text.localised(plain(text.currency.usd))
            sentences.append(
                self.tr("1 {code} = {usd}, from your price file.").format(code=text.currency.code, usd=rate)
            )
        return sentences

    def _number(self, number: int) -> str:
        return self._model.view.text.number(number)

    @Slot()
    def _colour(self) -> None:
        for label, role in (
            (self.remark, self._tone or "stale"),
            (self.count, "stale"),
            (self.note, self._note_tone),
        ):
            set_text_colour(label, self._theme.colour(role))


class Foot(QFrame):
    """Line below a cost table: legend of its marks, number of models shown, and age of their prices."""

    def __init__(self, status: CostStatus, theme: Theme) -> None:
        super().__init__(objectName="foot")
        self._words: list[PlainLabel] = []
        self._count = status.count
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 12, 5)
        row.setSpacing(4)
        for quality, words in (
            (EXACT, self.tr("Exact")),
            (ESTIMATED, self.tr("Estimated range")),
            (ASSUMED, self.tr("Assumed")),
            ("", self.tr("Current model")),
        ):
            label = PlainLabel(words)
            label.setProperty("role", "caption")
            dot = Dot(quality, theme)
            dot.setToolTip(words)
            row.addWidget(dot)
            row.addWidget(label)
            row.addSpacing(8)
            self._words.append(label)
        row.addStretch(1)
        row.addWidget(status.count)
        row.addSpacing(8)
        row.addWidget(status.remark)
        self.setMinimumWidth(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the words of the legend if the number of models would not fit; each dot has its tooltip."""
        super().resizeEvent(event)
        needed = self._count.sizeHint().width() + sum(label.sizeHint().width() + 28 for label in self._words) + 24
        for label in self._words:
            label.setVisible(needed <= self.width())


class MoreChips(QWidget):
    """Further filter chips, only on the page Models."""

    def __init__(self, model: CostTableModel) -> None:
        super().__init__()
        self._model = model
        self.context = MenuChip(
            "filterContext", self.tr("Context"), self.tr("Show only models with a large context window")
        )
        self.cache = Chip(
            "filterCachePrice", self.tr("Has cache price"), self.tr("Show only models with a cached input price")
        )
        self.budget = Chip(
            "filterBudget",
            self.tr("Within budget"),
            self.tr("Show only models within the monthly budget"),
        )
        self.retired = Chip("filterNotRetired", self.tr("Not retired"), self.tr("Hide retired models"))
        self.groups = Chip(
            "groupByVendor", self.tr("Group by vendor"), self.tr("Show the models of each vendor together")
        )
        self._flow = FlowLayout(self, gap=8)
        for chip in self.chips():
            self._flow.addWidget(chip)
        self.cache.toggled.connect(lambda on: model.change(cache_price=on))
        self.budget.toggled.connect(lambda on: model.change(within_budget=on))
        self.retired.toggled.connect(lambda on: model.change(show_retired=not on))
        self.groups.toggled.connect(lambda on: model.change(by_vendor=on))
        self.context.choices.aboutToShow.connect(self._fill_contexts)
        model.arranged.connect(self._show)
        self._show()

    def add(self, widget: QWidget) -> None:
        """Add the widget at the right of the chips."""
        self._flow.addWidget(widget)

    def chips(self) -> tuple[Chip, ...]:
        """Return the chips, in visual order."""
        return self.context, self.cache, self.budget, self.retired, self.groups

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setMinimumHeight(self._flow.heightForWidth(self.width()))

    @Slot()
    def _show(self) -> None:
        arrangement, view = self._model.arrangement, self._model.view
        least = arrangement.context_at_least
        self.context.setChecked(bool(least))
        self.context.set_text(self._context_text(least))
        self.cache.setChecked(arrangement.cache_price)
        self.budget.setChecked(arrangement.within_budget)
        budget = view.budget is not None or arrangement.within_budget
        self.budget.setEnabled(budget)
        self.budget.setVisible(budget)
        self.retired.setChecked(not arrangement.show_retired)
        self.groups.setChecked(arrangement.by_vendor)

    def _context_text(self, least: int) -> str:
        if not least:
            return self.tr("Context")
        short = f"{least // 1_000_000}M" if least >= 1_000_000 else f"{least // 1_000}k"
        return self.tr("Context ≥ {tokens}").format(tokens=short)

    @Slot()
    def _fill_contexts(self) -> None:
        menu, chosen = self.context.choices, self._model.arrangement.context_at_least
        menu.clear()
        for least in sorted({0, *CONTEXTS, chosen}):
            action = QAction(self._context_text(least) if least else self.tr("Any context"), menu, checkable=True)
            action.setData(least)
            action.setChecked(least == chosen)
            action.triggered.connect(self._on_context)
            menu.addAction(action)

    @Slot()
    def _on_context(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._model.change(context_at_least=action.data())


MIN_WITH_CHART = 1000
"""Minimum width of the page at which it has room for the chart, in pixels."""
CHART_WIDTH = 400


class ModelsPage(QFrame):
    """Full view of the rows of the strip. Both share the model and the selection.

    Signals: ``front()`` when the page is shown; ``state_changed()`` when ``state()`` changes.
    """

    front = Signal()
    state_changed = Signal()

    KEYS = ("columns", "chart", "chart_shown", "split")
    """Keys of the cost panel's state that belong to the page."""

    def __init__(
        self,
        model: CostTableModel,
        strip: CostTable,
        commands: CostCommands,
        status: CostStatus,
        theme: Theme,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("modelsView")
        self.setProperty("kind", "surface")
        self._model, self._commands, self._status = model, commands, status
        self.table = CostTable(model, theme, name="modelsTable", columns=PRESETS["prices"], bars=False)
        self.table.share_selection(strip)
        commands.add_table(self.table)
        self.chips = MoreChips(model)
        self.chart = CostChart(theme)
        self._make_tools()
        self._place()
        self._connect()
        self._show_preset()

    def take_bars(self, tools: CostTools, foot: Foot) -> None:
        """Move the strip's bar and foot to this page."""
        if tools.parent() is not self:
            self._bars.insertWidget(0, tools)
            self._bars.addWidget(self._status.note)
            self._left.addWidget(foot)
            order = (*tools.controls(), *self.chips.chips(), self.preset, self.columns_button, self.export_button)
            last = (self.chart_button, self.table, self.chart.most, self.chart.scale, self.chart.scroll)
            for before, after in pairwise((*order, *last)):
                self.setTabOrder(before, after)

    def state(self) -> dict[str, Any]:
        """Return columns and chart as JSON data."""
        return {
            "columns": self.table.columns_state(),
            "chart": self.chart.state(),
            "chart_shown": self.chart_button.isChecked(),
            "split": self.splitter.sizes(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        columns, chart, sizes = (state.get(key) for key in ("columns", "chart", "split"))
        self.table.restore_columns(columns if isinstance(columns, dict) else {})
        self.chart.restore_state(chart if isinstance(chart, dict) else {})
        self.chart_button.setChecked(state.get("chart_shown") is not False)
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes) and all(sizes):
            self.splitter.setSizes(sizes)
        self._show_preset()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.front.emit()
        self._show_chart()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_chart()

    def _make_tools(self) -> None:
        self.preset = QComboBox(objectName="columnPreset")
        for key, name in (
            ("simple", self.tr("Simple")),
            ("prices", self.tr("Prices")),
            ("caching", self.tr("Caching")),
            ("audit", self.tr("Audit")),
            ("everything", self.tr("Everything")),
        ):
            self.preset.addItem(name, key)
        self.preset.setAccessibleName(self.tr("Columns"))
        self.preset.setToolTip(self.tr("Set of columns. The menu beside it selects single columns."))
        self.columns_button = _button(
            "costView", self.tr("Colu&mns"), self.tr("Choose columns and hidden models"), "quiet"
        )
        self.columns_button.setMenu(QMenu(self.columns_button))
        self.export_button = _button("costExport", self.tr("E&xport"), self.tr("Copy or export the table"), "secondary")
        self.export_button.setMenu(QMenu(self.export_button))
        self._commands.export_menu(self.export_button.menu())
        self.chart_button = _button(
            "costChartButton", self.tr("Cha&rt"), self.tr("Show a chart of the totals"), "quiet"
        )
        self.chart_button.setCheckable(True)
        self.chart_button.setChecked(True)

    def _place(self) -> None:
        left = QWidget()
        self._left = QVBoxLayout(left)
        self._left.setContentsMargins(0, 0, 0, 0)
        self._left.setSpacing(0)
        self._left.addWidget(self.table, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="costSplitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.chart)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setSizes([1_000, CHART_WIDTH])
        for widget in (self.preset, self.columns_button, self.export_button, self.chart_button):
            self.chips.add(widget)
        self._bars = QVBoxLayout()
        self._bars.setContentsMargins(16, 0, 16, 0)
        self._bars.setSpacing(8)
        self._bars.addWidget(self.chips)
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 8, 0, 0)
        body.setSpacing(6)
        body.addLayout(self._bars)
        body.addWidget(self.splitter, 1)

    def _connect(self) -> None:
        self.preset.activated.connect(self._on_preset)
        self.columns_button.menu().aboutToShow.connect(self._fill_columns)
        self.chart_button.toggled.connect(self._on_chart)
        self.chart.options_changed.connect(self.state_changed)
        self.splitter.splitterMoved.connect(self.state_changed)
        self.table.layout_changed.connect(self._on_layout)
        self._model.arranged.connect(self._draw)

    @Slot()
    def _draw(self) -> None:
        self.chart.set_rows(self._model.shown_rows(), self._model.view)

    @Slot()
    def _on_preset(self) -> None:
        key = self.preset.currentData()
        if key:
            self.table.show_columns(PRESETS[key])

    @Slot()
    def _on_layout(self) -> None:
        self._show_preset()
        self.state_changed.emit()

    def _show_preset(self) -> None:
        """Select the preset whose columns are shown; none if the columns were chosen individually."""
        shown = set(self.table.visible_keys())
        found = next((key for key, keys in PRESETS.items() if set(keys) == shown), "")
        self.preset.setCurrentIndex(self.preset.findData(found))

    @Slot()
    def _fill_columns(self) -> None:
        self._commands.view_menu(self.columns_button.menu())

    @Slot()
    def _on_chart(self) -> None:
        self._show_chart()
        self.state_changed.emit()

    def _show_chart(self) -> None:
        fits = self.width() >= MIN_WITH_CHART
        self.chart_button.setEnabled(fits)
        self.chart_button.setVisible(fits)
        self.chart.setVisible(self.chart_button.isChecked() and fits)
        if self.chart.isVisible():
            self._draw()


def _button(name: str, text: str, spoken: str, kind: str) -> QPushButton:
    button = button_of_kind(name, text, kind)
    button.setToolTip(spoken)
    button.setAccessibleName(spoken)
    return button
