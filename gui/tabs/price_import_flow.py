"""Importing published prices: which files, what of them, and then into the text of the user's file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Slot

from gui.dialogs.price_import import PriceImportDialog
from gui.look.figures import figure
from gui.services.price_imports import ApplyRequest, PreviewRequest, installed
from gui.widgets import file_choosers

if TYPE_CHECKING:
    from gui.look.theme import Theme
    from gui.panels.pricing_panel import PricingPanel
    from gui.runtime.notify import Notifier
    from gui.services.price_imports import Applied, FilterRequest, Preview, PriceImports, ReadTable
    from gui.tabs.price_changes import PriceChanges
    from gui.tabs.pricing_flow import PricingFlow

IMPORT = "price-import"


class PriceImportFlow(QObject):
    """One dialog at a time, for the text of the pricing tab."""

    def __init__(
        self,
        panel: PricingPanel,
        flow: PricingFlow,
        changes: PriceChanges,
        imports: PriceImports,
        theme: Theme,
        notifier: Notifier,
        file_name: str,
        own_encodings: Callable[[], Sequence[str]],
        today: Callable[[], date],
    ) -> None:
        """``file_name``: of the user's file. ``own_encodings``: called on a worker thread."""
        super().__init__(flow)
        self._panel, self._flow, self._changes, self._imports = panel, flow, changes, imports
        self._theme, self._notifier = theme, notifier
        self._file_name, self._own_encodings, self._today = file_name, own_encodings, today
        self._dialog: PriceImportDialog | None = None
        self._tables: tuple[ReadTable, ...] = ()
        self._folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
        panel.import_asked.connect(self.open)
        panel.tables_dropped.connect(self.open)
        imports.previewed.connect(self._on_previewed)
        imports.filtered.connect(self._on_filtered)
        imports.applied.connect(self._on_applied)
        imports.failed.connect(self._on_failed)
        imports.stopped.connect(self._on_stopped)

    @Slot()
    @Slot(list)
    def open(self, paths: Sequence[Path] = ()) -> None:
        """Show the dialog; ``paths``: files to read at once."""
        why = self._flow.why_not_changed()
        if why:
            self._notifier.warning(self.tr("Nothing can be imported now: {why}").format(why=why), key=IMPORT)
            return
        self._notifier.withdraw(IMPORT)
        if self._dialog is None:
            self._tables = ()
            self._dialog = dialog = PriceImportDialog(self._theme, self._panel.window(), installed())
            dialog.browse_asked.connect(self._browse)
            dialog.files_chosen.connect(self._read)
            dialog.filter_asked.connect(self._imports.filter)
            dialog.finished.connect(self._on_finished)
            dialog.open()
        if paths:
            self._read(list(paths))

    @Slot()
    def _browse(self) -> None:
        filters = [self.tr("Price tables (*.json *.py)"), self.tr("All files (*)")]
        title = self.tr("Published price tables")
        chooser = file_choosers.opening(self._dialog, "priceImportFiles", title, self._folder, filters, several=True)
        chooser.filesSelected.connect(self._on_files)
        chooser.open()

    @Slot(list)
    def _on_files(self, names: list[str]) -> None:
        self._folder = str(Path(names[0]).parent)
        self._read([Path(name) for name in names])

    @Slot(list)
    def _read(self, paths: list[Path]) -> None:
        if self._dialog is None:
            return
        self._dialog.show_reading()
        self._imports.preview(
            PreviewRequest(
                tuple(paths),
                self._tables,
                self._panel.editor.text(),
                self._file_name,
                self._today(),
                self._own_encodings,
            )
        )

    @Slot(object)
    def _on_previewed(self, preview: Preview) -> None:
        self._tables = tuple(table for table in preview.tables if table.imported is not None)
        if self._dialog is not None:
            self._dialog.show_preview(preview)

    @Slot(object, object)
    def _on_filtered(self, places: list[int], request: FilterRequest) -> None:
        if self._dialog is not None:
            self._dialog.show_filtered(places, request)

    @Slot(int)
    def _on_finished(self, result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is None:
            return
        if result == PriceImportDialog.DialogCode.Accepted and dialog.rows.ticked_count:
            editor, picked = self._panel.editor, dialog.rows.ticked
            self._imports.apply(
                ApplyRequest(editor.revision, editor.text(), self._file_name, picked, self._own_encodings)
            )
        dialog.deleteLater()

    @Slot(object, object)
    def _on_applied(self, applied: Applied, request: ApplyRequest) -> None:
        first, _, rest = applied.why.partition("\n")
        if first:
            words = self.tr("Nothing was imported: {why}.").format(why=first)
            self._notifier.warning(words, rest, key=IMPORT)
        elif applied.splice is not None:
            models, locale = len({row.model_id for row in request.picked}), self._panel.locale()
            words = self.tr("Imported into your price file: values {values}, models {models}.")
            words = words.format(values=figure(locale, len(request.picked)), models=figure(locale, models))
            if not self._changes.put(applied.splice, request.revision, words):
                self._notifier.warning(self.tr("The text changed meanwhile, so nothing was imported."), key=IMPORT)

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._notifier.error(self.tr("The import failed: {why}. Nothing was changed.").format(why=why), key=IMPORT)
        self._on_stopped()

    @Slot()
    def _on_stopped(self) -> None:
        """What was read before is still there."""
        if self._dialog is not None:
            self._dialog.show_stopped()
