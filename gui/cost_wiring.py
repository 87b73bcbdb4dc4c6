"""Connects the cost table to the prompt, and the meter of the context window to the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget

from gui.look.corner import plain_corner
from gui.panels.cost_panel import CostPanel
from gui.priced_text import PricedText
from gui.scenario_book import ScenarioBook
from gui.services.costs import CostService
from gui.storage import Storage
from gui.versions import our_version

if TYPE_CHECKING:
    from gui.jobs import JobRunner
    from gui.models.cost_row import CostRow
    from gui.workbench import Workbench

LAST_GOOD_PRICES = "prices-last-good.yaml"


class CostWiring(QObject):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(self, bench: Workbench, runner: JobRunner, dock: QDockWidget, state: dict[str, Any]) -> None:
        super().__init__(bench)
        self._prompt = bench.prompt
        self._meter = bench.panel.meter
        paths = bench.paths
        self.service = service = CostService(
            paths.prices_file,
            paths.data / LAST_GOOD_PRICES,
            parent=self,
            own_encodings=bench.own_encodings.names,
        )
        self.panel = panel = CostPanel(service, bench.theme, bench.notifier, our_version())
        keeping = Storage(runner, self.tr("Saving scenarios"), self)
        book = ScenarioBook(paths.scenarios_file, keeping, self)
        panel.start(Storage(runner, self.tr("Exporting"), self), book)
        bench.parts.restore("scenario", panel.restore_state, state)
        panel.table.setCornerWidget(plain_corner(panel.table))
        before = dock.widget()
        dock.setWidget(panel)
        before.deleteLater()
        service.encodings_changed.connect(self._prompt.watch)
        service.failed.connect(bench.notifier.error)
        self.priced = PricedText(service, self._prompt, dock, self)
        panel.state_changed.connect(bench.keeper.touch)
        panel.model.arranged.connect(self._show_meter)
        panel.table.current_model_changed.connect(self._show_meter)
        actions = [*panel.commands.all_actions(), *self._panel_actions(dock)]
        bench.window.add_menu("tools", self.tr("Cost ta&ble"), actions)
        service.start(runner)

    def _panel_actions(self, dock: QDockWidget) -> list[QAction]:
        """What the buttons of the panel do, for the menu and the command palette."""
        panel, made = self.panel, []
        for name, text, tip, act in (
            ("costChart", self.tr("Show or hide the chart"), panel.chart_button.toolTip(), panel.chart_button.click),
            ("costResetColumns", self.tr("Reset the columns"), "", panel.table.reset_columns),
            ("costFindCheapest", self.tr("Find the cheapes&t…"), panel.cheapest_button.toolTip(), panel.find_cheapest),
            ("costScenario", self.tr("The &whole scenario…"), panel.scenario_bar.details.toolTip(), panel.show_details),
        ):
            action = QAction(text, self, objectName=name)
            action.setStatusTip(tip)
            action.triggered.connect(dock.show)
            action.triggered.connect(act)
            made.append(action)
        for action in panel.names.actions():
            action.triggered.connect(dock.show)
        return [*made, *panel.names.actions()]

    @Slot()
    def _show_meter(self) -> None:
        """Measure the prompt against the context window of a model."""
        row = self.measured()
        if row is None:
            self._meter.set_model("", None)
            return
        self._meter.set_model(row.model.name, row.model.max_input or row.model.context)
        self._meter.set_tokens(row.estimate.input_tokens)

    def measured(self) -> CostRow | None:
        """The row of the pinned model, else of the one selected.

        Where there is neither: the first in the table that counts exactly as the prompt is shown.
        """
        rows = self.panel.model.shown_rows()
        pinned = self.panel.model.arrangement.baseline
        chosen = next((row for row in rows if row.model_id == pinned), None) or self.panel.table.current_row()
        if chosen is not None:
            return chosen
        shown = self._prompt.encoding
        own = (row for row in rows if row.model.count.tokenizer == shown and row.estimate.label == "exact")
        return next(own, rows[0] if rows else None)
