"""Gives the window its advisor: the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.services.advice import AdviceService
from gui.services.savings import PricedModel

if TYPE_CHECKING:
    from gui.panels.advisor_panel import AdvisorPanel
    from gui.tabs.advisor_flow import AdvisorFlow
    from gui.tabs.tab_wiring import TabParts


class AdvisorWiring(QObject):
    """Made after the first picture of the window, with the worker threads and the cost table."""

    def __init__(self, parts: TabParts) -> None:
        bench = parts.bench
        super().__init__(bench)
        self._bench = bench
        self.panel: AdvisorPanel | None = None
        self.flow: AdvisorFlow | None = None
        self.service = AdviceService(parts.runner, parts.open_encoding, self)
        bench.advisor_page.when_looked_at(self._on_looked_at)

    def build(self) -> AdvisorFlow:
        """Make the page, if nobody has yet."""
        if self.flow is not None:
            return self.flow
        from gui.panels.advisor_panel import AdvisorPanel
        from gui.tabs.advisor_flow import AdvisorFlow

        bench, costs = self._bench, self._bench.costs
        assert costs is not None
        self.panel = AdvisorPanel(bench.theme)
        bench.advisor_page.fill(self.panel)
        bench.advisor_page.lead_to(self.panel.run)
        self.flow = flow = AdvisorFlow(self.panel, bench.prompt, self.service, self._priced, bench.notifier, self)
        flow.place_asked.connect(self._bench.show_place)
        table = costs.panel.table
        for change in (costs.service.estimated, costs.panel.model.arranged, table.current_model_changed):
            change.connect(self._reprice)
        return flow

    def focus(self) -> None:
        """Put the keyboard into the page that is in front."""
        self.build()
        assert self.panel is not None
        self.panel.focus()

    def _priced(self) -> PricedModel | None:
        costs = self._bench.costs
        assert costs is not None
        row, scenario = costs.measured(), costs.service.scenario
        return None if row is None or scenario is None else PricedModel(row.model, scenario, costs.service.mix)

    @Slot()
    def _reprice(self) -> None:
        assert self.flow is not None
        assert self.panel is not None
        assert self._bench.costs is not None
        self.panel.set_text(self._bench.costs.panel.model.view.text)
        self.flow.reprice()

    @Slot()
    def _on_looked_at(self) -> None:
        """Whoever turns to the page wants to know of the text as it is now."""
        if not self.build().fresh:
            self.build().run()
