"""Gives the window its tab for files: the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication

from gui.tabs.tab_wiring import TabWiring

if TYPE_CHECKING:
    from pathlib import Path

    from gui.costs.cost_controller import CostWiring
    from gui.panels.files_panel import FilesPanel
    from gui.tabs.files_flow import FilesFlow
    from gui.tabs.tab_wiring import TabParts


NEEDS = (
    "gui.panels.files_panel",
    "gui.services.folder_fit",
    "gui.services.folder_scan",
    "gui.tabs.files_flow",
    "gui.tabs.files_saving",
)
"""What making the page loads."""


class FilesWiring(TabWiring["FilesPanel"]):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(self, parts: TabParts, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(parts, state)
        assert parts.bench.costs is not None
        self._costs: CostWiring = parts.bench.costs
        self.flow: FilesFlow | None = None
        self._bench.page("filesTab").when_looked_at(NEEDS, self._bench.load_first, self._come_to_front)

    def build(self) -> FilesPanel:
        """Make the page, if nobody has yet."""
        if self.panel is not None:
            return self.panel
        from gui.panels.files_panel import FilesPanel
        from gui.services.folder_fit import FolderFit
        from gui.services.folder_scan import FolderScan
        from gui.tabs.files_flow import FilesFlow
        from gui.tabs.files_saving import FilesSaving

        bench = self._bench
        self.panel = panel = FilesPanel(bench.theme, bench.icons, self._costs.panel.model.view.text)
        bench.parts.restore("files", panel.restore_state, self._state)
        scan = FolderScan(self._runner, self._open, bench.paths.counts_file, self)
        self.flow = flow = FilesFlow(
            panel, scan, FolderFit(self._runner, self), self._costs, bench.prompt.encoding, self
        )
        self.saving = FilesSaving(panel, flow, self._runner, bench.notifier, self)
        bench.prompt.encoding_changed.connect(self._on_encoding)
        flow.file_opened.connect(self._on_file_opened)
        panel.state_changed.connect(bench.keeper.touch)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self._on_application_state)
        bench.page("filesTab").fill(panel)
        bench.page("filesTab").setFocusProxy(panel.folder.field)
        return panel

    def focus(self) -> FilesPanel:
        """Show the page, with the keyboard in the field for a folder."""
        self._bench.page("filesTab").bring_to_front()
        panel = self.build()
        panel.folder.field.setFocus()
        return panel

    def count(self, paths: list[Path]) -> None:
        """Count these folders and files in the tab."""
        self.focus().set_paths(paths)

    @Slot()
    def _come_to_front(self) -> None:
        self.build()

    @Slot()
    def _on_encoding(self) -> None:
        if self.flow is not None:
            self.flow.set_encoding(self._bench.prompt.encoding)

    @Slot(object)
    def _on_file_opened(self, path: Path) -> None:
        self._bench.show_prompt()
        self._bench.files.open_path(path)

    @Slot(Qt.ApplicationState)
    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive and self.flow is not None:
            self.flow.look_again()
