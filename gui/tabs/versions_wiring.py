"""Gives the window its versions tab: the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.services.versions.desk import VersionDesk

if TYPE_CHECKING:
    from gui.panels.versions_panel import VersionsPanel
    from gui.tabs.versions_flow import VersionsFlow
    from gui.widgets.page_controller import TabParts


NEEDS = (
    "gui.panels.versions_panel",
    "gui.tabs.versions_flow",
)
"""What making the page loads."""


class VersionsWiring(QObject):
    """Made after the first picture of the window, with the worker threads and the cost table."""

    def __init__(self, parts: TabParts) -> None:
        bench = parts.bench
        super().__init__(bench)
        self._bench = bench
        self.panel: VersionsPanel | None = None
        self.flow: VersionsFlow | None = None
        self.desk = VersionDesk(bench.paths.versions, parts.runner, parts.open_encoding, self)
        bench.page("versionsTab").when_looked_at(NEEDS, bench.load_first, self._come_to_front)

    def build(self) -> VersionsFlow:
        """Make the page, if nobody has yet."""
        if self.flow is not None:
            return self.flow
        from gui.panels.versions_panel import VersionsPanel
        from gui.tabs.versions_flow import VersionsFlow

        bench = self._bench
        assert bench.costs is not None
        self.panel = VersionsPanel(bench.theme, bench.icons)
        bench.page("versionsTab").fill(self.panel)
        bench.window.view_bar.add_tools("versionsTab", self.panel.comparison.tools)
        bench.page("versionsTab").lead_to(self.panel.list.name)
        self.flow = VersionsFlow(self.panel, bench.prompt, self.desk, bench.costs, bench.notifier, self)
        return self.flow

    def focus(self) -> None:
        """Put the keyboard into the name of a new version."""
        self._bench.page("versionsTab").bring_to_front()
        self.build()
        assert self.panel is not None
        self.panel.list.name.setFocus()

    @Slot()
    def _come_to_front(self) -> None:
        self.build().look_again()
