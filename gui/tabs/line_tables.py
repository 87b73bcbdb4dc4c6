"""Takes what the lines of a file of requests count to a file: asks where to, has it written, says what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from gui.services.requests import LinesTable
from gui.widgets import file_choosers

if TYPE_CHECKING:
    from gui.panels.request_panel import RequestPanel
    from gui.runtime.notify import Notifier
    from gui.services.requests import RequestService
    from gui.tabs.request_flow import RequestFlow


class LineTables(QObject):
    """Between the page of a file of requests and the service."""

    def __init__(
        self, panel: RequestPanel, flow: RequestFlow, service: RequestService, notifier: Notifier, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._panel, self._flow, self._service, self._notifier = panel, flow, service, notifier
        panel.lines.export_asked.connect(self.ask)
        service.table_written.connect(self._on_written)
        service.table_failed.connect(self._on_failed)

    @Slot()
    def ask(self) -> None:
        """Ask for a file to write the table to."""
        lines = self._flow.lines
        if lines is None:
            return
        proposed = lines.path.with_name(f"{lines.path.stem}-tokens.csv")
        filters = [self.tr("Spreadsheet (*.csv)"), self.tr("JSON (*.json)")]
        title = self.tr("Export the lines")
        dialog = file_choosers.saving(self._panel.window(), "requestLinesExportDialog", title, proposed, filters)
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, path: str) -> None:
        target, dialog, lines = Path(path), self.sender(), self._flow.lines
        if lines is None:
            return
        if not target.suffix:
            chosen = dialog.selectedNameFilter() if isinstance(dialog, QFileDialog) else ""
            target = target.with_suffix(".json" if "*.json)" in chosen else ".csv")
        if target.exists() and target.samefile(lines.path):
            self._notifier.error(self.tr("That is the file of requests itself: choose another name for the table."))
            return
        self._service.list_lines(LinesTable(lines, target))

    @Slot(object)
    def _on_written(self, table: LinesTable) -> None:
        self._notifier.remark(self.tr("What each line counts was written to {path}.").format(path=table.path))

    @Slot(object, str)
    def _on_failed(self, table: LinesTable, why: str) -> None:
        words = self.tr("What each line counts could not be written to {path}: {why}. Nothing was changed.")
        self._notifier.error(words.format(path=table.path, why=why.rstrip(".")))
