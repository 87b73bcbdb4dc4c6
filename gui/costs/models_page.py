"""Page Models: columns in presets, filter chips, and a chart of the totals."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.costs.chart import CostChart
from gui.costs.cost_commands import CostCommands
from gui.costs.cost_model import CostTableModel
from gui.costs.cost_view import PRESETS, CostTable
from gui.costs.rows import natural
from gui.costs.scenario import ScenarioSummary
from gui.costs.status import CostStatus, Foot
from gui.look.theme import Theme
from gui.widgets.chip import Chip, MenuChip
from gui.widgets.layouts import FlowLayout

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
        for least in self._contexts():
            action = QAction(self._context_text(least) if least else self.tr("Any context"), menu, checkable=True)
            action.setData(least)
            action.setChecked(least == chosen)
            action.triggered.connect(self._on_context)
            menu.addAction(action)

    def _contexts(self) -> Iterable[int]:
        return sorted({0, *CONTEXTS, self._model.arrangement.context_at_least})

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
        self.columns_button = self._button(
            "costView", self.tr("Colu&mns"), self.tr("Choose columns and hidden models"), "quiet"
        )
        self.columns_button.setMenu(QMenu(self.columns_button))
        self.export_button = self._button(
            "costExport", self.tr("E&xport"), self.tr("Copy or export the table"), "secondary"
        )
        self.export_button.setMenu(QMenu(self.export_button))
        self._commands.export_menu(self.export_button.menu())
        self.chart_button = self._button(
            "costChartButton", self.tr("Cha&rt"), self.tr("Show a chart of the totals"), "quiet"
        )
        self.chart_button.setCheckable(True)
        self.chart_button.setChecked(True)

    @staticmethod
    def _button(name: str, text: str, spoken: str, kind: str) -> QPushButton:
        button = QPushButton(text, objectName=name)
        button.setAutoDefault(False)
        button.setToolTip(spoken)
        button.setAccessibleName(spoken)
        button.setProperty("kind", kind)
        return button

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
        self.splitter.splitterMoved.connect(self._on_state)
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

    @Slot()
    def _on_state(self) -> None:
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
