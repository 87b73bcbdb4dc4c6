"""Page Models: columns in presets, filter chips, and a chart of the totals.

It shares the tools above the table (``CostTools``) with the strip. pyqtgraph is loaded when the chart is first shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollBar,
    QTabBar,
    QToolTip,
    QWidget,
)

from gui.costs.columns import COLUMN_INDEX, COLUMNS, CostView, drawn_runs
from gui.costs.cost_commands import CostCommands
from gui.costs.cost_table import CostTableModel
from gui.costs.cost_view import PRESETS, CostTable
from gui.costs.rows import CostRow, natural, usd_middle
from gui.costs.scenario import ScenarioSummary
from gui.look.theme import Theme
from gui.runtime.event_loop import PlotTurn, in_next_turn
from gui.runtime.loading import Loading
from gui.widgets.forms import FlowLayout, SpinBox, button_of_kind, column_of, row_of, splitter_of
from gui.widgets.labels import PlainLabel, as_written, plain_tip
from gui.widgets.tool_row import Chip, MenuChip, segments

if TYPE_CHECKING:
    from gui.costs.cost_controller import CostStatus, Foot


# --- filters ----------------------------------------------------------------------------------------------------------

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
        self.filter = QLineEdit(objectName="costFilter", placeholderText=self.tr("Filter models"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName(self.tr("Filter models by words"))
        self.filter.setToolTip(
            self.tr("Shows models that match all words in name, provider, tokenizer or count quality.")
        )
        self.filter.setMinimumWidth(self.filter.fontMetrics().averageCharWidth() * FILTER_CHARACTERS)
        self.filter.setMaximumWidth(220)
        self.chips = QWidget()
        self._flow = FlowLayout(self.chips, gap=8)
        self._flow.add(summary, self.exact, self.favourites, self.vendor)
        row_of((self.chips, 1), self.filter, parent=self, spacing=8)
        self.exact.toggled.connect(lambda on: model.change(exact_only=on))
        self.favourites.toggled.connect(lambda on: model.change(favourites_only=on))
        self.filter.textChanged.connect(lambda text: model.change(filter=text))
        self.vendor.choices.aboutToShow.connect(self._fill_vendors)
        model.arranged.connect(self._show)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the height to the number of lines that the chips need at this width."""
        super().resizeEvent(event)
        self.chips.setMinimumHeight(self._flow.heightForWidth(self.chips.width()))

    def move_to(self, layout: QBoxLayout, stretch: int = 0) -> None:
        """Move to the front of a layout, where the chips may need fewer lines than in the last one."""
        self.chips.setMinimumHeight(0)
        layout.insertWidget(0, self, stretch)

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
        self._flow.add(*self.chips())
        self.cache.toggled.connect(lambda on: model.change(cache_price=on))
        self.budget.toggled.connect(lambda on: model.change(within_budget=on))
        self.retired.toggled.connect(lambda on: model.change(show_retired=not on))
        self.groups.toggled.connect(lambda on: model.change(by_vendor=on))
        self.context.choices.aboutToShow.connect(self._fill_contexts)
        model.arranged.connect(self._show)
        self._show()

    def add(self, *widgets: QWidget) -> None:
        """Add widgets at the right of the chips."""
        self._flow.add(*widgets)

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


# --- chart ------------------------------------------------------------------------------------------------------------

MAX_BARS = 40


DEFAULT_BARS = 12


REDRAW_MS = 150
"""Time within which changes (of figures or of the window's size) are drawn together, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Bar of the chart: lengths as floats in the currency shown, the text as in the table, and the text as drawn."""

    model_id: str
    name: str
    text: str
    middle: float
    low: float
    high: float
    pinned: bool
    figure: str = ""


def bars_of(rows: Sequence[CostRow], view: CostView, most: int) -> list[Bar]:
    """Return bars for the first ``most`` rows with a known total, in the order given."""
    bars: list[Bar] = []
    for row in rows:
        middle, estimate = usd_middle(row), row.estimate
        if middle is None or estimate.usd_low is None or estimate.usd_high is None:
            continue
        pinned = row.model_id == (view.current if view.baseline is None else view.baseline.model_id)
        text = view.text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)
        bars.append(
            Bar(
                row.model_id,
                row.model.name.removesuffix(f" ({row.model.provider})"),
                text,
                *(float(view.text.converted(usd)) for usd in (middle, estimate.usd_low, estimate.usd_high)),
                pinned,
                "".join(run.text for run in drawn_runs(COLUMNS[COLUMN_INDEX["total"]], row, view)),
            )
        )
        if len(bars) == most:
            break
    return bars


class CostChart(QWidget):
    """Bars for the first rows of the table, with their ranges.

    Signals: ``options_changed()`` when the number of bars or the scale changed.
    """

    options_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("costChart")
        self._theme = theme
        self._rows: Sequence[CostRow] = ()
        self._view: CostView | None = None
        self._plot: Any = None
        self._hint = PlainLabel(self.tr("Loading the chart…"), alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._lay_out()
        self.scale.currentChanged.connect(self._on_options)
        self.most.valueChanged.connect(self._on_options)
        self._turn = PlotTurn(theme, self, self._refresh)
        theme.changed.connect(self._turn.ask)
        self._loading: Loading | None = None
        self._redraw = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._redraw.timeout.connect(self._turn.ask)

    def _lay_out(self) -> None:
        options = self._make_options()
        self.scroll = QScrollBar(Qt.Orientation.Vertical, objectName="chartScroll")
        self.scroll.setAccessibleName(self.tr("Bars shown"))
        self.scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scroll.hide()
        self.scroll.valueChanged.connect(self._show_bars)
        self._field = row_of(self.scroll, spacing=0)
        column_of(options, (self._hint, 1), (self._field, 1), parent=self, margins=(12, 0, 12, 8), spacing=4)

    def _make_options(self) -> QHBoxLayout:
        """Return a row with title, number of bars and scale."""
        title = PlainLabel(self.tr("One call"), role="strong")
        self.scale = QTabBar()
        track = segments(self.scale, "chartScale", self.tr("Scale of the chart"))
        for number, (text, tip) in enumerate(
            (
                (self.tr("Linear"), self.tr("A bar twice as long costs twice as much")),
                (self.tr("Log"), self.tr("Each grid line is ten times the one before")),
            )
        ):
            self.scale.addTab(text)
            self.scale.setTabToolTip(number, tip)
        self.most = SpinBox(objectName="chartBars", suffix=self.tr(" bars"), accessibleName=self.tr("Number of bars"))
        self.most.setRange(1, MAX_BARS)
        self.most.setValue(DEFAULT_BARS)
        self.most.setToolTip(self.tr("Maximum number of bars, from the top of the table"))
        return row_of(title, 1, self.most, track)

    @property
    def is_log(self) -> bool:
        """True if the scale is logarithmic."""
        return self.scale.currentIndex() == 1

    def start(self) -> None:
        """Start loading pyqtgraph if the chart is visible, else when it is first shown."""
        self._loading = Loading(self)
        if self.isVisible():
            self._load()

    def set_rows(self, rows: Sequence[CostRow], view: CostView) -> None:
        """Draw these rows soon, or when the chart is next shown."""
        self._rows, self._view = rows, view
        if self.isVisible() and not self._redraw.isActive():
            self._redraw.start()

    def state(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        return {"log": self.is_log, "bars": self.most.value()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        self.scale.setCurrentIndex(1 if state.get("log") is True else 0)
        bars = state.get("bars")
        self.most.setValue(bars if isinstance(bars, int) and not isinstance(bars, bool) else DEFAULT_BARS)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._plot is not None:
            self._turn.ask_later()
        else:
            self._load()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._plot is not None:
            self._redraw.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange) and self._plot is not None:
            self._turn.ask()

    def _load(self) -> None:
        if self._loading is not None:
            self._loading.when_loaded(("gui.costs.plots",), self._make_plot)

    @Slot()
    def _make_plot(self) -> None:
        if self._plot is not None:
            return
        try:
            from gui.costs.plots import BarPlot
        except ImportError as error:
            self._hint.setText(self.tr("Could not load the chart: {reason}").format(reason=error))
            return
        self._plot = BarPlot(self._theme, self)
        self._plot.bar_hovered.connect(self._on_hovered)
        self._plot.hide()
        self._plot.wheel_turned.connect(self._on_wheel)
        self._field.insertWidget(0, self._plot, 1)
        in_next_turn(self, self._turn.ask)  # creating and drawing at once would block the window

    @Slot()
    def _on_options(self) -> None:
        self._refresh()
        self.options_changed.emit()

    @Slot()
    def _refresh(self) -> None:
        self._redraw.stop()
        if not self.isVisible() or self._plot is None or self._view is None:
            return
        bars = bars_of(self._rows, self._view, self.most.value())
        self._hint.setVisible(not bars)
        self._plot.setVisible(bool(bars))
        if not bars:
            self.scroll.hide()
            self._hint.setText(self.tr("No row shown has a known total."))
            self.setAccessibleDescription(self._hint.text())
            return
        visible = self._visible_bars()
        self.scroll.setRange(0, max(0, len(bars) - visible))
        self.scroll.setPageStep(visible)
        self.scroll.setVisible(len(bars) > visible)
        self._plot.draw(bars, self.is_log, self._view.text)
        self._show_bars()
        described = "; ".join(as_written(f"{bar.name}: {bar.text}") for bar in bars)
        self._plot.setAccessibleName(self.tr("Total cost of one call"))
        self._plot.setAccessibleDescription(described)

    @Slot()
    def _show_bars(self) -> None:
        if self._plot is not None:
            self._plot.show_from(self.scroll.value(), self._visible_bars())

    @Slot(object)
    def _on_wheel(self, event: QWheelEvent) -> None:
        if self.scroll.isVisible():
            QCoreApplication.sendEvent(self.scroll, event)

    def _visible_bars(self) -> int:
        """Return the number of bars that fit with readable names."""
        line = self.fontMetrics().height()
        return max(1, (self.height() - self.most.height() - 3 * line) // line)

    @Slot(object, QPointF)
    def _on_hovered(self, bar: Bar | None, pointer: QPointF) -> None:
        if bar is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(pointer.toPoint(), plain_tip(f"{bar.name}: {bar.text}"), self._plot)


# --- the page ---------------------------------------------------------------------------------------------------------

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
        self._lay_out()
        self._connect()
        self._show_preset()

    def take_bars(self, tools: CostTools, foot: Foot) -> None:
        """Move the strip's bar and foot to this page."""
        if tools.parent() is not self:
            tools.move_to(self._bars)
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

    def _lay_out(self) -> None:
        left = QWidget()
        self._left = column_of((self.table, 1), parent=left, spacing=0)
        self.splitter = splitter_of("costSplitter", left, self.chart, [1_000, CHART_WIDTH])
        self.splitter.setStretchFactor(0, 1)
        self.chips.add(self.preset, self.columns_button, self.export_button, self.chart_button)
        self._bars = column_of(self.chips, margins=(16, 0, 16, 0), spacing=8)
        column_of(self._bars, (self.splitter, 1), parent=self, margins=(0, 8, 0, 0), spacing=6)

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
