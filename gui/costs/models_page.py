"""The page Models: every column that one wants, in presets, and a chart of the totals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QFrame, QMenu, QPushButton, QSplitter, QVBoxLayout, QWidget

from gui.costs.chart import CostChart
from gui.costs.cost_commands import CostCommands
from gui.costs.cost_model import CostTableModel
from gui.costs.cost_view import PRESETS, CostTable
from gui.costs.filters import CostTools, MoreChips
from gui.costs.status import CostStatus, Foot
from gui.look.theme import Theme

LEAST_WITH_CHART = 1000
"""Narrower pages have no room for the chart."""
CHART_WIDTH = 400


class ModelsPage(QFrame):
    """Shows the rows of the strip in full. They have one model and one selection.

    Signals: ``front()`` when the page comes into sight; ``state_changed()`` when ``state()`` would give something else.
    """

    front = Signal()
    state_changed = Signal()

    KEYS = ("columns", "chart", "chart_shown", "split")
    """What of the state of the cost panel is the page's."""

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
        """Have the bar of the strip and its foot stand here."""
        if tools.parent() is not self:
            self._bars.insertWidget(0, tools)
            self._bars.addWidget(self._status.note)
            self._left.addWidget(foot)
            order = (*tools.controls(), *self.chips.chips(), self.preset, self.columns_button, self.export_button)
            last = (self.chart_button, self.table, self.chart.most, self.chart.scale, self.chart.scroll)
            for before, after in pairwise((*order, *last)):
                self.setTabOrder(before, after)

    def state(self) -> dict[str, Any]:
        """Columns and chart, as JSON holds them."""
        return {
            "columns": self.table.columns_state(),
            "chart": self.chart.state(),
            "chart_shown": self.chart_button.isChecked(),
            "split": self.splitter.sizes(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave."""
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
        self.preset.setToolTip(self.tr("Which columns the table shows. The menu beside it chooses them one by one."))
        self.columns_button = self._button(
            "costView", self.tr("Colu&mns"), self.tr("Columns, and models left out"), "quiet"
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
        """Name the preset whose columns are shown; none where others were chosen one by one."""
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
        fits = self.width() >= LEAST_WITH_CHART
        self.chart_button.setEnabled(fits)
        self.chart_button.setVisible(fits)
        self.chart.setVisible(self.chart_button.isChecked() and fits)
        if self.chart.isVisible():
            self._draw()
