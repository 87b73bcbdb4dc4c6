"""Gives the window its tab that compares encodings: the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Slot

from gui.widgets.page_controller import TabWiring

if TYPE_CHECKING:
    from gui.panels.compare_panel import ComparePanel
    from gui.tabs.compare_exports import CompareExports
    from gui.tabs.compare_flow import CompareFlow
    from gui.widgets.page_controller import TabParts


NEEDS = (
    "gui.widgets.api_key_check",
    "gui.panels.compare_panel",
    "gui.services.comparisons",
    "gui.state.storage",
    "gui.tabs.compare_exports",
    "gui.tabs.compare_flow",
)
"""What making the page loads."""


class CompareWiring(TabWiring["ComparePanel"]):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(self, parts: TabParts, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(parts, state)
        self.flow: CompareFlow | None = None
        self.exports: CompareExports | None = None
        self._bench.page("compareTab").when_looked_at(NEEDS, self._bench.load_first, self._come_to_front)

    def build(self) -> CompareFlow:
        """Make the page, if nobody has yet."""
        if self.flow is not None:
            return self.flow
        from gui.panels.compare_panel import ComparePanel
        from gui.services.comparisons import ComparisonService
        from gui.state.storage import Storage
        from gui.tabs.compare_exports import CompareExports
        from gui.tabs.compare_flow import CompareFlow
        from gui.widgets.api_key_check import KeyGuard

        bench = self._bench
        self.panel = panel = ComparePanel(bench.theme, bench.settings, bench.icons)
        bench.page("compareTab").fill(panel)
        bench.window.view_bar.add_tools("compareTab", panel.tools)
        self._show_encodings(panel)
        bench.parts.restore("compare", panel.restore_state, self._state)
        service = ComparisonService(self._runner, self._open, self)
        self.flow = flow = CompareFlow(panel, bench.prompt, service, bench.notifier, self)
        storage = Storage(self._runner, self.tr("Exporting the comparison"), self)
        guard = KeyGuard(self._runner, bench.notifier, panel, self)
        self.exports = CompareExports(panel, flow, storage, guard, bench.notifier, self)
        flow.place_asked.connect(self._bench.show_place)
        panel.state_changed.connect(bench.keeper.touch)
        return flow

    def focus(self) -> None:
        """Show the page, with the keyboard in its first control."""
        self._bench.page("compareTab").bring_to_front()
        self.build()
        assert self.panel is not None
        self.panel.focus()

    def _show_encodings(self, panel: ComparePanel) -> None:
        panel.encodings.fill(self._listed)

    @Slot()
    def _come_to_front(self) -> None:
        self.build().refresh_if_old()
