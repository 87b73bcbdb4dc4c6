"""Writes the entries that the vocabulary browser shows to a file, after a look for keys that were learned as tokens."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Slot
from PySide6.QtWidgets import QFileDialog

from gui.core.paths import suggested_file
from gui.dialogs import file_choosers
from gui.look.figures import figure
from gui.notify import Offer
from gui.tokenizers.vocabulary.export_service import ExportRequest, keys_among

if TYPE_CHECKING:
    from gui.key_guard import KeyGuard
    from gui.notify import Notifier
    from gui.tokenizers.vocabulary.controller import VocabularyFlow
    from gui.tokenizers.vocabulary.export_service import VocabularyExport
    from gui.tokenizers.vocabulary.panel import VocabularyPanel

EXPORT = "vocabulary-export"


class VocabularySaving(QObject):
    """Asks where to, and says what came of it."""

    def __init__(
        self,
        panel: VocabularyPanel,
        flow: VocabularyFlow,
        export: VocabularyExport,
        guard: KeyGuard,
        notifier: Notifier,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel, self._flow, self._export, self._notifier = panel, flow, export, notifier
        self._guard = guard
        panel.filters.export_asked.connect(self.ask)
        export.written.connect(self._on_written)
        export.failed.connect(self._on_failed)

    @Slot()
    def ask(self) -> None:
        """Ask for a file to write what is shown to."""
        shown = self._flow.vocabulary
        if shown is None:
            return
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        start = str(folder / suggested_file(shown.name, ".csv"))
        filters = [self.tr("Spreadsheet (*.csv)"), self.tr("JSON (*.json)")]
        title = self.tr("Export what is shown")
        dialog = file_choosers.saving(self._panel.window(), "vocabExportDialog", title, start, filters)
        dialog.selectFile(start)
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, path: str) -> None:
        target = Path(path)
        if not target.suffix:
            dialog = self.sender()
            is_json = isinstance(dialog, QFileDialog) and "json" in dialog.selectedNameFilter()
            target = target.with_suffix(".json" if is_json else ".csv")
        self.write(target)

    def write(self, path: Path) -> None:
        """Write what is shown; the ending says in which format."""
        shown, ids = self._flow.vocabulary, self._panel.model.ids
        if shown is not None and ids is not None:
            request = ExportRequest(shown.search, ids, path)
            look = partial(keys_among, request)
            self._guard.before(self.tr("The vocabulary"), look, partial(self._export.write, request))

    @Slot(object, int)
    def _on_written(self, path: Path, count: int) -> None:
        self._notifier.withdraw(EXPORT)
        number = figure(self._panel.locale(), count)
        self._notifier.remark(self.tr("{count} entries were exported to {path}.").format(count=number, path=path))

    @Slot(object, str)
    def _on_failed(self, path: Path, why: str) -> None:
        self._notifier.error(
            self.tr("The entries could not be exported to {path}: {why}. Nothing else was changed.").format(
                path=path, why=why.rstrip(".")
            ),
            key=EXPORT,
            offers=(Offer(self.tr("Try again"), lambda: self.write(path)),),
        )
