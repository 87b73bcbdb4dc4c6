"""Gives the window its pricing tab: the watch over the price file at the start, the page when it is first looked at."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from gui.services.price_desk import PriceDesk

if TYPE_CHECKING:
    from gui.panels.price_editor import PriceEditor
    from gui.services.price_text import FileText, ReadRequest, Splice
    from gui.tabs.price_finder import PriceFinder
    from gui.tabs.pricing_flow import PricingFlow
    from gui.widgets.page_controller import TabParts


NEEDS = (
    "gui.panels.pricing_panel",
    "gui.services.price_facts",
    "gui.services.price_imports",
    "gui.tabs.price_changes",
    "gui.tabs.price_import_flow",
    "gui.tabs.pricing_flow",
)
"""What making the page loads."""


class PricingWiring(QObject):
    """Made after the first picture of the window, with the cost table.

    Signals: ``undo_changed()`` when there is something to undo or redo in the text, or no longer.
    """

    undo_changed = Signal()

    def __init__(self, parts: TabParts, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        bench, runner = parts.bench, parts.runner
        super().__init__(bench)
        assert bench.costs is not None
        costs, panel = bench.costs.service, bench.costs.panel
        self._bench, self._costs, self._state, self._runner = bench, costs, state, runner
        self._digest: str | None = None
        self.flow: PricingFlow | None = None
        self.editor: PriceEditor | None = None
        self.desk = PriceDesk(bench.paths.prices_file, runner, bench.own_encodings.names, self)
        self.desk.read.connect(self._on_read)
        self.desk.touched.connect(self._on_touched)
        costs.prices_changed.connect(self._on_prices)
        costs.prices_problem.connect(self._on_prices)
        panel.problems_listed = self._lists_problems
        panel.commands.edit_asked.connect(self.show_model)
        panel.commands.undo_asked.connect(self.take_back)
        panel.model.price_typed.connect(self.change_price)
        self.undo_changed.connect(bench.wiring.show_undo)
        self.desk.read_file()
        bench.page("pricingTab").when_looked_at(NEEDS, bench.load_first, self._come_to_front)

    def state(self) -> dict[str, Any]:
        """What the user arranged and has not saved, as JSON holds it."""
        return self._state if self.flow is None else self.flow.state()

    def build(self) -> PricingFlow:
        """Make the page, if nobody has yet."""
        if self.flow is not None:
            return self.flow
        from gui.panels.pricing_panel import PricingPanel
        from gui.services.price_facts import fields_below
        from gui.services.price_imports import PriceImports
        from gui.tabs.price_changes import PriceChanges
        from gui.tabs.price_import_flow import PriceImportFlow
        from gui.tabs.pricing_flow import PricingFlow

        bench = self._bench
        panel = PricingPanel(bench.theme, bench.icons, fields_below, lambda: self._costs.today)
        bench.page("pricingTab").fill(panel)
        bench.page("pricingTab").lead_to(panel.editor)
        self._panel, self.editor = panel, panel.editor
        panel.editor.undoAvailable.connect(self.undo_changed)
        panel.editor.redoAvailable.connect(self.undo_changed)
        bench.parts.restore("pricing", panel.restore_state, self._state)
        self.flow = flow = PricingFlow(panel, self.desk, bench.notifier, self._state, self)
        flow.written.connect(self._on_written)
        flow.state_changed.connect(bench.keeper.touch)
        desk, own_encodings, today = self.desk, bench.own_encodings.names, lambda: self._costs.today
        self._changes = PriceChanges(panel.editor, flow, self.desk, bench.notifier, lambda: self._costs.models)
        self._imports = PriceImportFlow(
            panel,
            flow,
            self._changes,
            PriceImports(self._runner, self),
            bench.theme,
            bench.notifier,
            desk.path.name,
            own_encodings,
            today,
        )
        self._on_prices()
        return flow

    def _lists_problems(self) -> bool:
        return self.flow is not None and self.flow.lists_problems

    def show_model(self, model_id: str) -> None:
        """Bring the tab to the front with the prices of this model."""
        self._bench.page("pricingTab").bring_to_front()
        self.build().show_model(model_id)

    @Slot(str, str, str)
    def change_price(self, model_id: str, path: str, typed: str) -> None:
        """Put a price that was typed elsewhere into the user's file."""
        self.build()
        self._changes.change_price(model_id, path, typed)

    def why_not_changed(self) -> str:
        """Why the text of the user's file cannot be changed now, as a sentence; empty where it can."""
        return self.build().why_not_changed()

    def text(self) -> tuple[str, int]:
        """The text of the user's file as it is edited, and its revision."""
        self.build()
        return self._panel.editor.text(), self._panel.editor.revision

    def put(self, splice: Splice, revision: int, words: str) -> bool:
        """Change the text of this revision, and say so, with the way back. Returns whether it was still that text."""
        self.build()
        return self._changes.put(splice, revision, words)

    @Slot()
    def take_back(self) -> None:
        """Take the last change back that came from elsewhere."""
        if self.flow is not None:
            self._changes.take_back()

    @cached_property
    def finder(self) -> PriceFinder:
        """Find and replace in the text. Made when it is first asked for."""
        from gui.services.find import FindService
        from gui.tabs.price_finder import PriceFinder

        self.build()
        service = FindService(self._runner, self)
        return PriceFinder(self._panel.find_bar, self._panel.editor, service, self._bench.notifier)

    def import_prices(self) -> None:
        """Bring the tab to the front, and ask which published prices are to be taken over."""
        self._bench.page("pricingTab").bring_to_front()
        self.build()
        self._imports.open()

    def focus(self) -> None:
        """Show the page, with the keyboard in its first control."""
        self._bench.page("pricingTab").bring_to_front()
        self.build().focus()

    @Slot()
    def _come_to_front(self) -> None:
        self.build()

    @Slot()
    def _on_touched(self) -> None:
        if self.flow is not None:
            self.flow.look_again()
        else:
            self.desk.read_file()

    @Slot(object, object)
    def _on_read(self, file: FileText, _request: ReadRequest) -> None:
        """Without a page nobody else hears that the file is another one."""
        known, self._digest = self._digest, file.digest
        if self.flow is None and known is not None and known != file.digest:
            self._costs.reload_prices()

    @Slot(bool)
    def _on_written(self, quiet: bool) -> None:
        self._costs.reload_prices(quiet=quiet)

    @Slot()
    def _on_prices(self) -> None:
        if self.flow is not None:
            self.flow.show_prices_in_force(not self._costs.problems)
