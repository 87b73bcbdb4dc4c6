"""Gives the window its advisor: the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.services.advice import AdviceService
from gui.services.savings import PricedModel
from gui.widgets.page_controller import TabBuilding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.panels.advisor_panel import AdvisorPanel
    from gui.tabs.advisor_flow import AdvisorFlow
    from gui.widgets.page_controller import TabParts


NEEDS = (
    "gui.panels.advisor_panel",
    "gui.tabs.advisor_flow",
)
"""What making the page loads."""


class AdvisorWiring(QObject):
    """Made after the first picture of the window, with the worker threads and the cost table."""

    def __init__(self, parts: TabParts) -> None:
        bench = parts.bench
        super().__init__(bench)
        self._bench = bench
        self.panel: AdvisorPanel | None = None
        self.flow: AdvisorFlow | None = None
        self._has_old_prices = False
        self._building = TabBuilding(self._steps, bench.window.closed, self)
        self.service = AdviceService(parts.runner, parts.open_encoding, self)
        bench.page("savingsTab").when_looked_at(NEEDS, bench.load_first, self._come_to_front)

    def build(self) -> AdvisorFlow:
        """Make the page now, if nobody has yet."""
        self._building.finish()
        assert self.flow is not None
        return self.flow

    def _steps(self) -> Iterator[None]:
        from gui.panels.advisor_panel import AdvisorPanel
        from gui.tabs.advisor_flow import AdvisorFlow

        bench, costs = self._bench, self._bench.costs
        assert costs is not None
        panel = AdvisorPanel(bench.theme, bench.icons)
        yield from panel.make()
        yield
        flow = AdvisorFlow(panel, bench.prompt, self.service, self._priced, bench.notifier, self)
        flow.place_asked.connect(self._bench.show_place)
        for change in (costs.service.estimated, costs.panel.model.arranged, costs.reference_changed):
            change.connect(self._reprice)
        self.panel, self.flow = panel, flow
        yield
        bench.page("savingsTab").fill(panel)
        bench.window.view_bar.add_tools("savingsTab", panel.tools)
        bench.page("savingsTab").lead_to(panel.run)
        yield

    def focus(self) -> None:
        """Put the keyboard into the page that is in front."""
        self._bench.page("savingsTab").bring_to_front()
        self.build()
        assert self.panel is not None
        self.panel.focus()

    def _priced(self) -> PricedModel | None:
        costs = self._bench.costs
        assert costs is not None
        row, scenario = costs.reference_row(), costs.service.scenario
        return None if row is None or scenario is None else PricedModel(row.model, scenario, costs.service.mix)

    @Slot()
    def _reprice(self) -> None:
        """Whatever money hangs on may be another; that is seen only on this page, and dozens of amounts take a while
        beside each key typed in the prompt."""
        self._has_old_prices = not self._bench.page("savingsTab").is_in_front()
        if self._has_old_prices:
            return
        assert self.flow is not None
        assert self.panel is not None
        assert self._bench.costs is not None
        self.panel.set_text(self._bench.costs.panel.model.view.text)
        self.flow.reprice()

    @Slot()
    def _come_to_front(self) -> None:
        """Whoever turns to the page wants to know of the text as it is now."""
        self._building.when_built(self._look)

    def _look(self) -> None:
        flow = self.build()
        if not self._bench.page("savingsTab").is_in_front():
            return
        if self._has_old_prices:
            self._reprice()
        if not flow.fresh:
            flow.run()
