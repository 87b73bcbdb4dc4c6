"""Controller of the page Library: lists tokenizers, imports, renames and removes them, and assigns them to models."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths, Qt, Slot
from PySide6.QtWidgets import QWidget

from gui.costs.prices_service import OWN_VENDOR
from gui.prompt.counting_service import FIRST_ENCODING
from gui.runtime.notify import Offer
from gui.tokenizers.library.service import (
    ENDINGS,
    AssignRequest,
    Change,
    ReadRequest,
    Refusal,
    assign_tokenizer,
    change_tokenizer,
    details_of,
    find_tokenizers,
    list_tokenizers,
    read_tokenizer,
)
from gui.widgets import file_choosers
from gui.widgets.page_controller import PageController

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.tokenizers.library.dialogs import TokenizerImportDialog
    from gui.tokenizers.library.page import LibraryPage
    from gui.widgets.page_controller import AppContext

TOKENIZER = "tokenizer"
"""Key of notifications about tokenizers."""
PAGE = "libraryTab"
NEEDS = (
    "gui.tokenizers.library.dialogs",
    "gui.tokenizers.library.page",
)
"""Modules to import before the page is built."""


class LibraryController(PageController["LibraryPage"]):
    """Controller of the page. Created with the worker threads, after the first paint; builds the page on demand."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, {})
        context = self._context
        self._encodings = context.encodings
        own, runner, kernels = context.encodings.user, self._runner, context.paths.compiled
        self._listing = runner.conflated(self.tr("Listing the tokenizers"), partial(list_tokenizers, own))
        self._opening = runner.conflated(self.tr("Opening a tokenizer"), partial(details_of, own, self._open))
        self._reading = runner.exclusive(self.tr("Reading a tokenizer"), partial(read_tokenizer, own, kernels))
        self._changing = runner.exclusive(
            self.tr("Saving a tokenizer"), partial(change_tokenizer, own), stoppable=False
        )
        self._finding = runner.exclusive(self.tr("Finding tokenizers"), find_tokenizers)
        self._assigning = runner.exclusive(self.tr("Assigning a tokenizer"), partial(assign_tokenizer, own))
        self._dialog: TokenizerImportDialog | None = None
        self._waiting: deque[Path] = deque()
        self._users: dict[str, tuple[str, ...]] = {}
        self._folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
        self._reading.finished.connect(self._on_read)
        self._changing.finished.connect(self._on_changed)
        self._finding.finished.connect(self._on_found)
        self._assigning.finished.connect(self._on_assigned)
        for lane in (self._reading, self._changing, self._finding, self._assigning):
            lane.failed.connect(self._on_failed)
            lane.cancelled.connect(self._on_stopped)
        for lane in (self._listing, self._opening):
            lane.failed.connect(self._on_unknown)
        context.pages.when_page_shown(PAGE, NEEDS, self._on_shown)

    # --- the page -----------------------------------------------------------------------------------------------------

    def build(self) -> LibraryPage:
        """Return the page; create it on the first call."""
        if self.panel is not None:
            return self.panel
        from gui.tokenizers.library.page import LibraryPage

        context = self._context
        self.panel = page = LibraryPage(context.theme, context.icons)
        context.pages.page(PAGE).fill(page)
        context.pages.page(PAGE).focus_first(page.filter)
        context.window.view_bar.add_tools(PAGE, page.tools)
        page.import_asked.connect(self.choose)
        page.found_chosen.connect(self.open_path)
        page.find_asked.connect(self._find)
        page.selected.connect(self._opening.submit)
        page.details.use_asked.connect(self._use)
        page.details.vocabulary_asked.connect(self._show_vocabulary)
        page.details.rename_asked.connect(self._ask_name)
        page.details.remove_asked.connect(self._ask_removal)
        page.details.assign_asked.connect(self._ask_models)
        context.prompt.counted.connect(self._show_counts)
        self._show_counts()
        self._listing.finished.connect(self._on_entries)
        self._opening.finished.connect(self._on_details)
        self._encodings.own_listed.connect(self._list)
        context.pages.costs.service.prices_changed.connect(self._show_models)
        self._show_models()
        self._list()
        return page

    @Slot()
    def _list(self) -> None:
        self._listing.submit(None)

    @Slot(object)
    def _on_entries(self, result: JobResult) -> None:
        assert self.panel is not None
        self.panel.show_entries(result.value)

    @Slot(object)
    def _on_details(self, result: JobResult) -> None:
        assert self.panel is not None
        self.panel.show_details(result.value)

    def focus(self) -> None:
        """Show the page and focus its search field."""
        self._context.pages.page(PAGE).bring_to_front()
        self.build().filter.setFocus()

    @Slot()
    def _on_shown(self) -> None:
        self.build()
        self._show_models()
        self._show_counts()

    @Slot()
    def _show_models(self) -> None:
        assert self.panel is not None
        users: dict[str, list[str]] = {}
        for _, name, tokenizer in self._models():
            users.setdefault(tokenizer, []).append(name)
        self.panel.show_models(users)

    @Slot()
    def _show_counts(self) -> None:
        """Show the token counts of the prompt while the page is in front."""
        counts = self._context.prompt.counts
        if self.panel is not None and counts is not None and self._context.pages.page(PAGE).is_in_front():
            self.panel.show_counts({**counts.by_encoding, counts.encoding: counts.tokens})

    @Slot(str)
    def _show_vocabulary(self, name: str) -> None:
        if self._context.pages.vocabulary is not None:
            self._context.pages.vocabulary.show_encoding(name)

    # --- importing ----------------------------------------------------------------------------------------------------

    @Slot()
    def choose(self) -> None:
        """Ask for a tokenizer file, and show its content."""
        known = " ".join(f"*{ending}" for ending in ENDINGS)
        filters = [self.tr("Tokenizers ({endings})").format(endings=known), self.tr("All files (*)")]
        title = self.tr("Import a tokenizer")
        chooser = file_choosers.opening(self._parent(), "tokenizerFile", title, self._folder, filters)
        chooser.fileSelected.connect(self._on_file)
        chooser.open()

    @Slot(str)
    def _on_file(self, name: str) -> None:
        self._folder = str(Path(name).parent)
        self.open_paths([Path(name)])

    @Slot(list)
    def open_paths(self, paths: Sequence[Path]) -> None:
        """Show the content of these files, one after the other."""
        self._waiting.extend(path.absolute() for path in paths)
        self._open_next()

    @Slot(object)
    def open_path(self, path: Path) -> None:
        """Show the content of a file."""
        self.open_paths([path])

    def _open_next(self) -> None:
        if self._dialog is not None or not self._waiting:
            return
        from gui.tokenizers.library.dialogs import TokenizerImportDialog

        path = self._waiting.popleft()
        self._dialog = dialog = TokenizerImportDialog(self._taken(), self._parent())
        dialog.read_asked.connect(self._read)
        dialog.finished.connect(self._on_import_finished)
        dialog.show_reading(path)
        dialog.open()
        self._read(ReadRequest(path))

    @Slot(object)
    def _read(self, request: ReadRequest) -> None:
        """Read and check a file; cancels the previous read."""
        self._reading.cancel()
        self._reading.submit(request)

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        if self._dialog is None:
            return
        if isinstance(result.value, Refusal):
            self._dialog.show_refusal(result.value)
        else:
            self._dialog.show_preview(result.value)

    @Slot(int)
    def _on_import_finished(self, result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is None:
            return
        if result == dialog.DialogCode.Accepted and dialog.preview is not None:
            self._changing.submit(Change(dialog.chosen_name, encoding=dialog.preview.encoding))
        else:
            self._reading.cancel()
        dialog.deleteLater()
        self._open_next()

    # --- use, names and removal ---------------------------------------------------------------------------------------

    @Slot()
    def _find(self) -> None:
        self._finding.submit(None)

    @Slot(object)
    def _on_found(self, result: JobResult) -> None:
        if self.panel is not None:
            self.panel.show_found(result.value)

    @Slot(str)
    def _use(self, name: str) -> None:
        self._context.notifier.withdraw(TOKENIZER)
        super()._use(name)

    @Slot(str)
    def _ask_name(self, name: str) -> None:
        from gui.tokenizers.library.dialogs import TokenizerNameDialog

        TokenizerNameDialog(name, self._taken(), self._rename, self._parent()).open()

    def _rename(self, name: str, new_name: str) -> None:
        self._users[name] = self._models_of(name)
        self._changing.submit(Change(name, new_name))

    @Slot(str)
    def _ask_removal(self, name: str) -> None:
        from PySide6.QtWidgets import QMessageBox

        users = self._models_of(name)
        box = QMessageBox(self._parent())
        box.setObjectName("tokenizerRemoval")
        box.setWindowTitle(self.tr("Remove a tokenizer"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        if users:
            box.setText(
                self.tr("{name} was not removed: your price file uses it for these models: {models}.").format(
                    name=name, models=", ".join(users)
                )
            )
            box.setInformativeText(self.tr("Change their “count” on the Prices page first, or assign another."))
            box.setStandardButtons(QMessageBox.StandardButton.Close)
        else:
            box.setText(self.tr("Remove {name}? Its file in the profile is deleted.").format(name=name))
            box.setInformativeText(self.tr("The file it was imported from is not deleted."))
            remove = box.addButton(self.tr("&Remove"), QMessageBox.ButtonRole.DestructiveRole)
            box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
            remove.clicked.connect(lambda: self._changing.submit(Change(name)))
        box.finished.connect(box.deleteLater)
        box.open()

    @Slot(object)
    def _on_changed(self, result: JobResult) -> None:
        context, change = self._context, result.request
        if change.encoding is not None:
            self._show_added(change.name)
        elif context.prompt.encoding == change.name:
            context.prompt.set_encoding(change.new_name or FIRST_ENCODING)
        self._encodings.refresh()
        context.pages.costs.service.reload_prices(quiet=True)
        users = self._users.pop(change.name, ())
        if users and change.new_name:
            self._assign(change.new_name, users, (change.name,))

    def _show_added(self, name: str) -> None:
        self._context.notifier.done(
            self.tr("Added {name} to your encodings.").format(name=name),
            key=TOKENIZER,
            offers=(
                Offer(self.tr("Use in the editor"), lambda: self._use(name)),
                Offer(self.tr("Assign to models…"), lambda: self._ask_models(name)),
            ),
        )

    # --- models -------------------------------------------------------------------------------------------------------

    @Slot(str)
    def _ask_models(self, name: str) -> None:
        from gui.tokenizers.library.dialogs import TokenizerModelsDialog

        dialog = TokenizerModelsDialog(name, self._models(), parent=self._parent())
        dialog.accepted.connect(lambda: self._assign(name, dialog.models))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _assign(self, name: str, models: tuple[str, ...], known: tuple[str, ...] = ()) -> None:
        assert self._context.pages.pricing is not None
        pricing = self._context.pages.pricing
        why = pricing.why_not_changed()
        if why:
            self._fail(self.tr("Could not assign models: {why}").format(why=why))
            return
        text, revision = pricing.text()
        self._assigning.submit(AssignRequest(revision, text, pricing.price_file.path.name, models, name, known))

    @Slot(object)
    def _on_assigned(self, result: JobResult) -> None:
        request: AssignRequest = result.request
        splice, why = result.value
        assert self._context.pages.pricing is not None
        words = self.tr("Now counted with {name}: {models}.").format(
            name=request.encoding, models=", ".join(request.models)
        )
        if splice is None:
            self._fail(self.tr("Could not assign models: {why}").format(why=why))
        elif not self._context.pages.pricing.put(splice, request.revision, words):
            self._fail(self.tr("Your price file changed in the meantime. No model was assigned."))

    def _models(self) -> list[tuple[str, str, str]]:
        """Return ID, name and tokenizer of the priced models, without those that only represent encodings."""
        models = self._context.pages.costs.service.models
        rows = (
            (model.id, model.name, model.count.tokenizer or "" if model.count else "")
            for model in models
            if not model.id.startswith(f"{OWN_VENDOR}/")
        )
        return sorted(rows, key=lambda row: row[1].casefold())

    def _models_of(self, name: str) -> tuple[str, ...]:
        """Return the IDs of the models that are counted with an encoding."""
        return tuple(model_id for model_id, _, tokenizer in self._models() if tokenizer == name)

    # --- errors and cancellation --------------------------------------------------------------------------------------

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._fail(failure.why)
        self._on_stopped()

    @Slot(object)
    def _on_unknown(self, failure: JobFailure) -> None:
        self._fail(failure.why)

    @Slot()
    def _on_stopped(self) -> None:
        if self.panel is not None:
            self.panel.show_stopped()
        if self._dialog is not None and self._dialog.preview is None and not self._dialog.says_why:
            self._dialog.reject()

    def _fail(self, why: str) -> None:
        self._context.notifier.error(why, key=TOKENIZER)

    def _taken(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._listed)

    def _parent(self) -> QWidget:
        return self._context.window
