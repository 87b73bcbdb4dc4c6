"""Controller of the cost table: feeds it counts of the prompt or request, and shows figures of the reference model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QAction

from gui.core.about import our_version
from gui.core.figures import QUALITIES
from gui.costs.columns import COLUMN_INDEX, COLUMNS, Priced, drawn_runs
from gui.costs.cost_panel import CostPanel
from gui.costs.cost_service import CostService, PricedText
from gui.costs.inspector import Inspector
from gui.costs.prices_service import OWN_VENDOR
from gui.costs.rows import NO_MODEL, ReferenceModel
from gui.costs.scenario_book import ScenarioBook
from gui.look.corner import plain_corner
from gui.state.storage import Storage

if TYPE_CHECKING:
    from gui.costs.rows import CostRow
    from gui.prompt.prompt_panel import StripSplitter
    from gui.widgets.page_controller import AppContext
    from gui.window.pages import Page
    from pricing.types import Model


MODELS_PAGE = "modelsPage"
REFRESH_MS = 100
LAST_GOOD_PRICES = "prices-last-good.yaml"


class CostController(QObject):
    """Controller of the cost table. Created after the first paint of the window, with the worker threads.

    Signals: ``reference_changed()`` when another reference model was chosen.
    """

    reference_changed = Signal()

    def __init__(self, context: AppContext, state: dict[str, Any], model_id: str = "") -> None:
        """``state``: state of the cost panel; ``model_id``: reference model of the last session."""
        super().__init__(context.pages)
        self._context = context
        self.reference = ReferenceModel(model_id)
        self._picker = context.window.header.models
        self._prompt = context.prompt
        paths = context.paths
        self.service = service = CostService(
            paths.prices_file,
            paths.data / LAST_GOOD_PRICES,
            parent=self,
            user_encodings=context.encodings.user.names,
        )
        self.panel = panel = CostPanel(service, context.theme, context.notifier, our_version(), context.window)
        keeping = Storage(context.jobs, self.tr("Saving scenarios"), self)
        book = ScenarioBook(paths.scenarios_file, keeping, self)
        panel.start(Storage(context.jobs, self.tr("Exporting"), self), book)
        context.session.restore("scenario", panel.restore_state, state)
        panel.table.setCornerWidget(plain_corner(panel.table))
        service.encodings_changed.connect(self._prompt.watch)
        service.failed.connect(context.notifier.error)
        self.priced = PricedText(service, self._prompt, panel.status, self)
        panel.state_changed.connect(context.session.touch)
        service.prices_changed.connect(self._offer_models)
        self._picker.chosen.connect(self.choose_model)
        self._picker.priced = self._priced_models
        self._picker.star_clicked.connect(panel.commands.toggle_star)
        self._picker.add_asked.connect(self._on_add)
        self.reference_changed.connect(self._mark_model)
        self.reference_changed.connect(context.session.touch)
        self._picker.show_encoding(self._prompt.encoding)
        self._prompt.encoding_changed.connect(self._picker.show_encoding)
        self.inspector = inspector = Inspector(context.theme)
        self._refresh = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._connect_inspector(inspector)
        context.window.set_inspector(inspector)
        if MODELS_PAGE in context.window.pages.names:
            page = context.pages.page(MODELS_PAGE)
            context.pages.when_seen(MODELS_PAGE, (), partial(self._fill_page, page))
            panel.page_asked.connect(page.bring_to_front)
        actions = [*panel.commands.all_actions(), *self._panel_actions()]
        context.window.add_menu("tools", self.tr("Cost ta&ble"), actions)
        service.start(context.jobs)

    def _panel_actions(self) -> list[QAction]:
        """Return actions for the buttons of the panel, for the menu and the command palette."""
        panel, made = self.panel, []
        for name, text, tip, act in (
            ("costChart", self.tr("Show or hide the chart"), self.tr("Show a chart of the totals"), self._toggle_chart),
            ("costResetColumns", self.tr("Reset the columns"), "", self._reset_columns),
            (
                "costFindCheapest",
                self.tr("Show the cheapes&t exact model"),
                self.tr("List exactly counted models by cost per call"),
                panel.find_cheapest,
            ),
            ("costScenario", self.tr("Change the scenario…"), panel.summary.toolTip(), panel.show_scenario),
        ):
            action = QAction(text, self, objectName=name)
            action.setStatusTip(tip)
            if name != "costChart":
                action.triggered.connect(self.show_costs)
            action.triggered.connect(act)
            made.append(action)
        for action in panel.names.actions():
            action.triggered.connect(self.show_costs)
        return [*made, *panel.names.actions()]

    def place_strip(self, splitter: StripSplitter) -> None:
        """Add the cost strip below the prompt."""
        splitter.set_strip(self.panel)
        self.panel.set_folded(splitter.folded)
        self.panel.fold_asked.connect(splitter.fold)
        splitter.folded_changed.connect(self.panel.set_folded)

    @Slot()
    def show_costs(self) -> None:
        """Show a cost table: the page Models if the strip is not on the current page."""
        if not self.panel.tools.isVisible():
            self._context.pages.page(MODELS_PAGE).bring_to_front()

    def _fill_page(self, page: Page) -> None:
        """Fill the page Models with the full view."""
        view = self.panel.page
        if view.parent() is not page:
            view.table.setCornerWidget(plain_corner(view.table))
            page.fill(view)
            page.lead_to(self.panel.filter)
            view.show()

    @Slot()
    def _toggle_chart(self) -> None:
        self._context.pages.page(MODELS_PAGE).bring_to_front()
        self.panel.page.chart_button.toggle()

    @Slot()
    def _reset_columns(self) -> None:
        self.panel.commands.front.reset_columns()

    # --- inspector ----------------------------------------------------------------------------------------------------

    def _connect_inspector(self, inspector: Inspector) -> None:
        """Connect the inspector, which is updated at most every tenth of a second and only while visible."""
        panel, bill = self.panel, inspector.bill
        self._refresh.timeout.connect(self._show_inspected)
        for change in (
            *(inspector.seen, panel.table.current_model_changed, panel.model.arranged, panel.model.current_changed),
            *(self._prompt.editor.caret_token_changed, self._prompt.counted),
        ):
            change.connect(self._refresh_soon)
        panel.commands.explain.triggered.connect(self._on_explain)
        bill.use_asked.connect(self._on_use)
        bill.prices_asked.connect(panel.commands.edit_asked)
        bill.calibrate_asked.connect(self._context.pages.calibration_asked)
        inspector.token.entry_asked.connect(self._on_entry)

    @Slot()
    def _refresh_soon(self) -> None:
        if self.inspector.isVisible() and not self._refresh.isActive():
            self._refresh.start()

    @Slot()
    def _show_inspected(self) -> None:
        """Show the token at the caret, and the bill of the selected model, else of the reference model."""
        model, editor = self.panel.model, self._context.prompt.editor
        row = self.panel.table.current_row() or self.reference_row()
        self.inspector.bill.show_row(row, model.view if row is not None else None)
        span = editor.token_at(editor.caret_offset())
        place = self.tr("Line {line}, column {column}").format(
            line=self._number(editor.caret_line), column=self._number(editor.caret_column)
        )
        self.inspector.token.show_token(span, self._prompt.token_info(span), editor.token_count, place)

    def _number(self, number: int) -> str:
        return self.panel.model.view.text.number(number)

    @Slot()
    def _on_explain(self) -> None:
        self._context.window.actions_by_name["inspector"].setChecked(True)

    @Slot(str)
    def _on_use(self, model_id: str) -> None:
        self.choose_model(model_id)
        self._offer_models()

    @Slot(int)
    def _on_entry(self, token_id: int) -> None:
        vocabulary = self._context.pages.vocabulary
        if vocabulary is not None:
            vocabulary.show_token(self._prompt.encoding, token_id)

    # --- reference model ----------------------------------------------------------------------------------------------

    @Slot()
    def _mark_model(self) -> None:
        model = self.reference_model()
        self.panel.model.set_current(model.id if model is not None else "")

    def reference_row(self) -> CostRow | None:
        """Return the row of the reference model, whatever the table's order and filter."""
        return self.reference.row(self.panel.model.rows)

    def reference_model(self) -> Model | None:
        """Return the reference model; None before the prices are loaded."""
        return self.reference.of(self.service.models)

    @Slot(str)
    def choose_model(self, model_id: str) -> None:
        """Choose the reference model, and show the tokens of its encoding if that is known."""
        if model_id == self.reference.chosen:
            return
        self.reference.chosen = model_id
        self._picker.show_current(model_id)
        model = self.reference_model()
        if model is not None and model.count.tokenizer and model.count.label == "exact":
            self._prompt.set_encoding(model.count.tokenizer)
        self.reference_changed.emit()

    def _priced_models(self) -> dict[str, Priced]:
        """Return the details of each model for the picker."""

        view, total = self.panel.model.view, COLUMNS[COLUMN_INDEX["total"]]
        return {
            row.model_id: Priced(
                drawn_runs(total, row, view),
                QUALITIES.get(row.estimate.usd_label or row.estimate.label or "", ""),
                view.text.label(row.estimate.usd_label or row.estimate.label or ""),
                row.model_id in view.favourites,
            )
            for row in self.panel.model.rows
        }

    @Slot()
    def _on_add(self) -> None:
        self._context.pages.go_to("pricingTab")

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
