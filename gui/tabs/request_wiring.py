"""Gives the window its tab of whole requests: the page when somebody first looks at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Slot

from gui.core.request_tokens import templates_and_encodings
from gui.widgets.page_controller import TabBuilding, TabWiring

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.costs.wiring import CostWiring
    from gui.panels.request_panel import RequestPanel
    from gui.tabs.line_tables import LineTables
    from gui.tabs.request_flow import RequestFlow
    from gui.widgets.page_controller import TabParts


NEEDS = (
    "engine.requests.image_rules",
    "engine.requests.templates",
    "gui.panels.request_panel",
    "gui.services.image_sizes",
    "gui.services.request_templates",
    "gui.services.requests",
    "gui.tabs.line_tables",
    "gui.tabs.request_flow",
)
"""What making the page loads."""


class RequestWiring(TabWiring["RequestPanel"]):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(self, parts: TabParts, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(parts, state)
        assert parts.bench.costs is not None
        self._costs: CostWiring = parts.bench.costs
        self.flow: RequestFlow | None = None
        self.tables: LineTables | None = None
        self._building = TabBuilding(self._steps, self._bench.window.closed, self)
        self._bench.page("requestTab").when_looked_at(NEEDS, self._bench.load_first, self._come_to_front)

    def build(self) -> RequestFlow:
        """Make the page now, if nobody has yet."""
        self._building.finish()
        assert self.flow is not None
        return self.flow

    def _steps(self) -> Iterator[None]:
        from gui.panels.request_panel import RequestPanel
        from gui.services.image_sizes import ImageSizes
        from gui.services.request_templates import image_rules, template_choices
        from gui.services.requests import RequestService
        from gui.tabs.line_tables import LineTables
        from gui.tabs.request_flow import RequestFlow

        bench = self._bench
        panel = RequestPanel()
        yield from panel.make(bench.theme, bench.settings, bench.icons, template_choices(), image_rules())
        yield
        self._show_encodings(panel)
        bench.parts.restore("request", panel.restore_state, self._state)
        service = RequestService(self._runner, self._open, self)
        images = ImageSizes(self._runner, self)
        flow = RequestFlow(panel, service, images, bench.notifier, self._watched, self)
        self.tables = LineTables(panel, flow, service, bench.notifier, self)
        flow.counted.connect(self._costs.priced.set_request)
        flow.pricing_changed.connect(self._on_pricing)
        flow.others_dropped.connect(bench.dropped.take)
        self._costs.service.encodings_changed.connect(flow.recount)
        panel.state_changed.connect(bench.keeper.touch)
        self.panel, self.flow = panel, flow
        yield
        bench.page("requestTab").fill(panel)
        bench.window.view_bar.add_tools("requestTab", panel.bar)

    def open(self, path: Path) -> None:
        """Show the request of a file."""
        self._bench.page("requestTab").bring_to_front()
        self.build().open(path)

    def focus(self) -> None:
        """Show the page, with the keyboard in its first control."""
        self._bench.page("requestTab").bring_to_front()
        self.build()
        assert self.panel is not None
        self.panel.focus()

    def _watched(self) -> tuple[tuple[str, str], ...]:
        return templates_and_encodings(self._costs.service.models)

    @Slot(bool)
    def _on_pricing(self, on: bool) -> None:
        self._costs.priced.price_request(on)
        if on:
            said = self.tr("The header, the strip under the prompt and Cost › Models now price this request.")
            self._bench.notifier.remark(said)

    def _show_encodings(self, panel: RequestPanel) -> None:
        panel.bar.picker.fill(self._listed)

    @Slot()
    def _come_to_front(self) -> None:
        self._building.begin()
