"""Gives the window its tab that compares encodings: the page when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

if TYPE_CHECKING:
    from gui.compare_exports import CompareExports
    from gui.compare_flow import CompareFlow
    from gui.jobs import JobRunner
    from gui.panels.compare_panel import ComparePanel
    from gui.services.comparisons import OpenEncoding
    from gui.services.encoding_list import EncodingList
    from gui.workbench import Workbench


class CompareWiring(QObject):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(
        self,
        bench: Workbench,
        runner: JobRunner,
        encodings: EncodingList,
        open_encoding: OpenEncoding,
        state: dict[str, Any],
    ) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread. ``state``: as from ``state()``."""
        super().__init__(bench)
        self._bench, self._runner, self._open, self._state = bench, runner, open_encoding, state
        self._listed: tuple[tuple[str, str], ...] = ()
        self.panel: ComparePanel | None = None
        self.flow: CompareFlow | None = None
        self.exports: CompareExports | None = None
        encodings.listed.connect(self._on_listed)
        bench.compare_page.when_looked_at(self._on_looked_at)

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it."""
        return self._state if self.panel is None else self.panel.state()

    def build(self) -> CompareFlow:
        """Make the page, if nobody has yet."""
        if self.flow is not None:
            return self.flow
        from gui.compare_exports import CompareExports
        from gui.compare_flow import CompareFlow
        from gui.panels.compare_panel import ComparePanel
        from gui.services.comparisons import ComparisonService
        from gui.storage import Storage

        bench = self._bench
        self.panel = panel = ComparePanel(bench.theme, bench.settings)
        bench.compare_page.fill(panel)
        panel.encodings.fill(self._listed)
        panel.restore_state(self._state)
        service = ComparisonService(self._runner, self._open, self)
        self.flow = flow = CompareFlow(panel, bench.prompt, service, bench.notifier, self)
        storage = Storage(self._runner, self.tr("Exporting the comparison"), self)
        self.exports = CompareExports(panel, flow, storage, bench.notifier, self)
        flow.place_asked.connect(self._show_place)
        panel.state_changed.connect(bench.keeper.touch)
        return flow

    @Slot()
    def show(self) -> None:
        """Bring the tab to the front."""
        self._bench.compare_page.bring_to_front()
        self.build()
        assert self.panel is not None
        self.panel.focus()

    @Slot(object)
    def _on_listed(self, encodings: tuple[tuple[str, str], ...]) -> None:
        self._listed = encodings
        if self.panel is not None:
            self.panel.encodings.fill(encodings)

    @Slot()
    def _on_looked_at(self) -> None:
        self.build().refresh_if_old()

    @Slot(int, int)
    def _show_place(self, utf16_start: int, utf16_end: int) -> None:
        editor = self._bench.panel.editor
        self._bench.window.tabs.setCurrentWidget(self._bench.panel)
        editor.select_range(utf16_end, utf16_start)  # the caret at the beginning, which is then in sight
        editor.setFocus()
