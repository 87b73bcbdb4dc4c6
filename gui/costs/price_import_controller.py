"""Controller of the import of published prices, and of price changes made outside the editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Slot

from gui.costs.price_facts_service import typed_amount
from gui.costs.price_import_dialog import PriceImportDialog, field_words
from gui.costs.price_import_service import ApplyRequest, PreviewRequest, PriceImports, installed
from gui.look.quantities import figure
from gui.runtime.notify import Notifier, Offer
from gui.widgets import file_choosers

if TYPE_CHECKING:
    from gui.costs.price_editor import PriceEditor
    from gui.costs.price_import_service import Applied, FilterRequest, Preview, ReadTable
    from gui.costs.prices_controller import PricesController
    from gui.costs.prices_page import PricingPanel
    from gui.costs.prices_service import Change, ChangeRequest, PriceFileService, Splice
    from gui.look.icons import Icons
    from gui.look.theme import Theme
    from gui.runtime.jobs import JobRunner
    from pricing.types import Model


CHANGED = "price-file-put"


class PriceChanges(QObject):
    """Controller of price changes made outside the editor: applies each to the editor's text as one undo step, and
    saves it if nothing else is unsaved."""

    def __init__(
        self,
        editor: PriceEditor,
        prices: PricesController,
        price_file: PriceFileService,
        notifier: Notifier,
        models: Callable[[], tuple[Model, ...]],
    ) -> None:
        """``models``: returns the models whose prices are in effect."""
        super().__init__(prices)
        self._models = models
        self._editor, self._prices, self._price_file, self._notifier = editor, prices, price_file, notifier
        self._waiting: list[tuple[str, str, str]] = []
        self._made: list[tuple[int, int, bool]] = []
        """Revisions before and after each change that can be undone from outside the editor, and True if saved."""
        prices.opened.connect(self._on_opened)
        price_file.changed.connect(self._on_changed)

    @Slot(str, str, str)
    def change_price(self, model_id: str, path: str, typed: str) -> None:
        """Set a price to the typed text; empty text restores the built-in price."""
        if not self._prices.is_open:
            self._waiting.append((model_id, path, typed))
            return
        why = self._prices.why_not_changed()
        if why:
            self._prices.refuse(why.rstrip("."))
            return
        self._prices.withdraw_refusal()
        editor = self._editor
        self._price_file.change(editor.text(), editor.revision, model_id, path, "money", typed or None, from_table=True)

    def put(self, splice: Splice, revision: int, words: str, key: str = CHANGED) -> bool:
        """Edit the text of this revision, and show a notice with Undo. Returns False if the text has changed since."""
        if revision != self._editor.revision or self._prices.why_not_changed():
            return False
        saves = self._prices.is_saved
        self._editor.apply(splice)
        self._made.append((revision, self._editor.revision, saves))
        self._prices.check()
        if saves:
            self._prices.save(quiet=True)
        else:
            words += " " + self.tr("Not saved yet: the Prices page has other unsaved changes.")
        self._notifier.done(words, key=key, offers=(Offer(self.tr("Undo"), self.take_back),))
        return True

    @Slot()
    def take_back(self) -> None:
        """Undo the last change made by ``put``."""
        before, after, saves = self._made.pop() if self._made else (-1, -1, False)
        if after != self._editor.revision:
            self._made.clear()
            self._notifier.remark(self.tr("No price change to undo here. Undo on the Prices page goes further back."))
            return
        self._editor.undo()
        if self._made and self._made[-1][1] == before:
            earlier, _, saved = self._made.pop()
            self._made.append((earlier, self._editor.revision, saved))
        self._notifier.withdraw(CHANGED)
        self._notifier.remark(self.tr("Undid the last change to your price file."))
        self._prices.check()
        if saves:
            self._prices.save(quiet=True)

    @Slot()
    def _on_opened(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            self.change_price(*change)

    @Slot(object, object)
    def _on_changed(self, change: Change, request: ChangeRequest) -> None:
        if not request.from_table:
            return
        if change.why:
            self._prices.refuse(change.why)
        elif change.splice is not None and not self.put(change.splice, request.revision, self._words(request)):
            self._prices.refuse(self.tr("the text of your price file changed in the meantime"))

    def _words(self, request: ChangeRequest) -> str:
        """Return a sentence on the change, with the old and the new price."""
        model = next((model for model in self._models() if model.id == request.model_id), None)
        unit = "$" if model is None or model.exchange_rate == 1 else ""  # prices of the file may be in another currency
        usd = getattr(model.price.rates, request.path.removeprefix("price."), None) if model is not None else None
        before = typed_amount(model, usd, model.origin.get(request.path, "")) if model and usd is not None else ""
        words = self.tr("{model}: {field} {before} → {after} in your price file.")
        if request.typed is None:
            words = self.tr("{model}: {field} {before} → the built-in price.")
        return words.format(
            model=model.name if model is not None else request.model_id,
            field=field_words(request.path),
            before=unit + before if before else self.tr("n/a"),
            after=unit + (request.typed or "").removeprefix("$"),
        )


IMPORT = "price-import"


class PriceImportController(QObject):
    """Controller of the import dialog, for the text on the page Prices. One dialog at a time."""

    def __init__(
        self,
        panel: PricingPanel,
        prices: PricesController,
        changes: PriceChanges,
        runner: JobRunner,
        theme: Theme,
        icons: Icons,
        file_name: str,
        user_encodings: Callable[[], Sequence[str]],
        today: Callable[[], date],
    ) -> None:
        """``file_name``: name of the user's file. ``user_encodings``: called on a worker thread."""
        super().__init__(prices)
        self._panel, self._prices, self._changes = panel, prices, changes
        self._imports = imports = PriceImports(runner, self)
        self._theme, self._icons, self._notifier = theme, icons, prices.notifier
        self._file_name, self._user_encodings, self._today = file_name, user_encodings, today
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
        why = self._prices.why_not_changed()
        if why:
            self._notifier.warning(self.tr("Cannot import now: {why}").format(why=why), key=IMPORT)
            return
        self._notifier.withdraw(IMPORT)
        if self._dialog is None:
            self._tables = ()
            self._dialog = dialog = PriceImportDialog(self._theme, self._icons, self._panel.window(), installed())
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
                self._user_encodings,
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
                ApplyRequest(editor.revision, editor.text(), self._file_name, picked, self._user_encodings)
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
            words = self.tr("Imported into your price file. Values: {values}; models: {models}.")
            words = words.format(values=figure(locale, len(request.picked)), models=figure(locale, models))
            if not self._changes.put(applied.splice, request.revision, words):
                self._notifier.warning(self.tr("The text changed in the meantime. Nothing was imported."), key=IMPORT)

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._notifier.error(self.tr("The import failed: {why}. Nothing was changed.").format(why=why), key=IMPORT)
        self._on_stopped()

    @Slot()
    def _on_stopped(self) -> None:
        """Show the previous results again."""
        if self._dialog is not None:
            self._dialog.show_stopped()
