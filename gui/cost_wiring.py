"""Connects the cost table to the prompt, and the model chosen beside it to what shows one model's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from gui.look.corner import plain_corner
from gui.models.reference_model import NO_MODEL, ReferenceModel
from gui.panels.cost_panel import CostPanel
from gui.priced_text import PricedText
from gui.scenario_book import ScenarioBook
from gui.services.costs import CostService
from gui.services.price_files import OWN_VENDOR
from gui.storage import Storage
from gui.versions import our_version
from gui.window.header import HeaderFigures

if TYPE_CHECKING:
    from gui.jobs import JobRunner
    from gui.models.cost_row import CostRow
    from gui.window.tab_dock import TabDock
    from gui.workbench import Workbench
    from pricing.types import Model

LAST_GOOD_PRICES = "prices-last-good.yaml"


class CostWiring(QObject):
    """Made after the first picture of the window, with the worker threads.

    Signals: ``reference_changed()`` when another model was chosen.
    """

    reference_changed = Signal()

    def __init__(
        self, bench: Workbench, runner: JobRunner, dock: TabDock, state: dict[str, Any], model_id: str = ""
    ) -> None:
        """``state``: of the cost panel; ``model_id``: chosen in an earlier window."""
        super().__init__(bench)
        self.reference = ReferenceModel(model_id)
        self._picker = bench.window.header.models
        self._prompt = bench.prompt
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
        dock.set_panel(panel)
        service.encodings_changed.connect(self._prompt.watch)
        service.failed.connect(bench.notifier.error)
        self.priced = PricedText(service, self._prompt, dock.dock, self)
        panel.state_changed.connect(bench.keeper.touch)
        service.prices_changed.connect(self._offer_models)
        self._picker.chosen.connect(self.choose_model)
        self.reference_changed.connect(self._mark_model)
        self.reference_changed.connect(bench.keeper.touch)
        self._figures = HeaderFigures(bench.window.header, self._prompt, self)
        self._picker.show_encoding(self._prompt.encoding)
        self._prompt.encoding_changed.connect(self._picker.show_encoding)
        actions = [*panel.commands.all_actions(), *self._panel_actions(dock)]
        bench.window.add_menu("tools", self.tr("Cost ta&ble"), actions)
        service.start(runner)

    def _panel_actions(self, dock: TabDock) -> list[QAction]:
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
    def _mark_model(self) -> None:
        model = self.reference_model()
        self.panel.model.set_current(model.id if model is not None else "")

    def reference_row(self) -> CostRow | None:
        """The row of the model by which the prompt is measured, in whatever order and filter the table is."""
        return self.reference.row(self.panel.model.rows)

    def reference_model(self) -> Model | None:
        """That model, None before the prices are loaded."""
        return self.reference.of(self.service.models)

    @Slot(str)
    def choose_model(self, model_id: str) -> None:
        """Measure by another model, and show the tokens of its own encoding where that is known."""
        if model_id == self.reference.chosen:
            return
        self.reference.chosen = model_id
        self._picker.show_current(model_id)
        model = self.reference_model()
        if model is not None and model.count.tokenizer and model.count.label == "exact":
            self._prompt.set_encoding(model.count.tokenizer)
        self.reference_changed.emit()

    @Slot()
    def _offer_models(self) -> None:
        current, today = self.reference_model(), self.service.today
        offered = [
            model
            for model in self.service.models
            if model is current or not (model.vendor == OWN_VENDOR or model.only_reads or model.is_retired(today))
        ]
        self._picker.fill(offered, current.id if current is not None else NO_MODEL)
        self.reference_changed.emit()
