"""Writes the manifest of a folder that was counted to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from gui.dialogs import file_choosers
from gui.files.manifest import FORMATS, ManifestRequest, manifest_text
from gui.storage import Storage

if TYPE_CHECKING:
    from gui.files.files_controller import FilesFlow
    from gui.files.files_page import FilesPanel
    from gui.jobs import JobFailure, JobResult, JobRunner
    from gui.notify import Notifier


class FilesSaving(QObject):
    """Asks where to, and says what came of it."""

    def __init__(
        self, panel: FilesPanel, flow: FilesFlow, runner: JobRunner, notifier: Notifier, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._panel, self._flow, self._notifier = panel, flow, notifier
        self._lane = runner.exclusive(self.tr("Listing the files"), manifest_text)
        self._lane.finished.connect(self._on_made)
        self._lane.failed.connect(self._on_not_made)
        self._storage = Storage(runner, self.tr("Writing the list of files"), self)
        self._storage.written.connect(self._on_written)
        self._storage.failed.connect(self._on_failed)
        panel.tools.export_asked.connect(self.ask)

    @Slot()
    def ask(self) -> None:
        """Ask for a file to write the list to."""
        filters = [self.tr("Spreadsheet (*.csv)"), self.tr("JSON (*.json)"), self.tr("Markdown (*.md)")]
        title, proposed = self.tr("Export the list of files"), Path.home() / "files.csv"
        dialog = file_choosers.saving(self._panel.window(), "filesExportDialog", title, proposed, filters)
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, path: str) -> None:
        target, dialog = Path(path), self.sender()
        if not target.suffix:
            chosen = dialog.selectedNameFilter() if isinstance(dialog, QFileDialog) else ""
            target = target.with_suffix(next((suffix for suffix in FORMATS if f"*{suffix})" in chosen), ".csv"))
        self.write(target)

    def write(self, path: Path) -> None:
        """Write the list; the ending of the name says in which format."""
        shown, choice, prices = self._flow.shown, self._panel.model.choice, self._flow.prices
        if shown is None or choice is None or prices is None:
            return
        skipped = shown.left_out.skipped
        self._lane.submit(
            ManifestRequest(path, choice.tree, choice.checked.copy(), skipped, prices.models, prices.scenario)
        )

    @Slot(object)
    def _on_made(self, result: JobResult) -> None:
        self._storage.write(result.request.path, result.value)

    @Slot(object)
    def _on_not_made(self, failure: JobFailure) -> None:
        self._on_failed(failure.request.path, failure.why)

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        self._notifier.remark(self.tr("The list of files was written to {path}.").format(path=path))

    @Slot(object, str)
    def _on_failed(self, path: Path, why: str) -> None:
        words = self.tr("The list of files could not be written to {path}: {why}.")
        self._notifier.error(words.format(path=path, why=why.rstrip(".")))
