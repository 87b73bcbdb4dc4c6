"""Gives the window its tab of whole requests: the page when somebody first looks at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

if TYPE_CHECKING:
    from engine import Encoding
    from gui.cost_wiring import CostWiring
    from gui.jobs import JobRunner
    from gui.panels.request_panel import RequestPanel
    from gui.request_flow import RequestFlow
    from gui.services.encoding_list import EncodingList
    from gui.workbench import Workbench


class RequestWiring(QObject):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(
        self,
        bench: Workbench,
        runner: JobRunner,
        encodings: EncodingList,
        open_encoding: Callable[[str], Encoding],
        costs: CostWiring,
        state: dict[str, Any],
    ) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread. ``state``: as from ``state()``."""
        super().__init__(bench)
        self._bench, self._runner, self._open, self._state = bench, runner, open_encoding, state
        self._costs = costs
        self._listed: tuple[tuple[str, str], ...] = ()
        self.panel: RequestPanel | None = None
        self.flow: RequestFlow | None = None
        encodings.listed.connect(self._on_listed)
        bench.request_page.when_looked_at(self._on_looked_at)

    def state(self) -> dict[str, Any]:
        """What the user made, as JSON holds it."""
        return self._state if self.panel is None else self.panel.state()

    def build(self) -> RequestFlow:
        """Make the page, if nobody has yet."""
        if self.flow is not None:
            return self.flow
        from gui.panels.request_panel import RequestPanel
        from gui.request_flow import RequestFlow
        from gui.services.image_sizes import ImageSizes
        from gui.services.request_templates import image_rules, template_choices
        from gui.services.requests import RequestService

        bench = self._bench
        self.panel = panel = RequestPanel(bench.theme, bench.settings, template_choices(), image_rules())
        bench.request_page.fill(panel)
        panel.bar.picker.fill(self._listed)
        panel.restore_state(self._state)
        service = RequestService(self._runner, self._open, self)
        images = ImageSizes(self._runner, self)
        self.flow = flow = RequestFlow(panel, service, images, bench.notifier, self._watched, self)
        flow.counted.connect(self._costs.priced.set_request)
        flow.pricing_changed.connect(self._on_pricing)
        self._costs.service.encodings_changed.connect(flow.recount)
        panel.state_changed.connect(bench.keeper.touch)
        return flow

    def open(self, path: Path) -> None:
        """Show the request of a file."""
        self._bench.request_page.bring_to_front()
        self.build().open(path)

    @Slot()
    def show(self) -> None:
        """Bring the tab to the front."""
        self._bench.request_page.bring_to_front()
        self.build()
        assert self.panel is not None
        self.panel.focus()

    def _watched(self) -> tuple[str, ...]:
        return tuple(self._costs.service.encodings_needed())

    @Slot(bool)
    def _on_pricing(self, on: bool) -> None:
        self._costs.priced.price_request(on)
        if on:
            self._bench.cost_dock.show()

    @Slot(object)
    def _on_listed(self, encodings: tuple[tuple[str, str], ...]) -> None:
        self._listed = encodings
        if self.panel is not None:
            self.panel.bar.picker.fill(encodings)

    @Slot()
    def _on_looked_at(self) -> None:
        self.build()
