"""Controller of the tokenizer library: import, names, removal, use and assignment to models; and what is dropped."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Qt, Slot
from PySide6.QtWidgets import QWidget

from gui.dialogs import file_choosers
from gui.notify import Offer
from gui.services.encoding import FIRST_ENCODING
from gui.services.price_files import OWN_VENDOR
from gui.tokenizers.library.dialog import TokenizersDialog
from gui.tokenizers.library.dialogs import TokenizerImportDialog, TokenizerModelsDialog, TokenizerNameDialog
from gui.tokenizers.library.service import AssignRequest, Change, ReadRequest, TokenizerFiles
from gui.widgets.dropped_files import DroppedFiles

if TYPE_CHECKING:
    from gui.runtime.jobs import JobRunner
    from gui.services.price_text import Splice
    from gui.tokenizers.library.service import Refusal, TokenizerPreview
    from gui.workbench import Workbench

TOKENIZER = "tokenizer"
"""Key of what is said about tokenizers."""


class TokenizerFlow(QObject):
    """Made when something about tokenizers is first asked for. One dialog of a kind at a time."""

    def __init__(self, bench: Workbench, runner: JobRunner) -> None:
        super().__init__(bench)
        assert bench.encodings is not None
        self._bench, self._encodings = bench, bench.encodings
        self._files = TokenizerFiles(runner, bench.own_encodings, bench.paths.compiled, self)
        self._dialog: TokenizerImportDialog | None = None
        self._manager: TokenizersDialog | None = None
        self._waiting: deque[Path] = deque()
        self._descriptions: dict[str, str] = {}
        self._users: dict[str, tuple[str, ...]] = {}
        self._folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
        self._files.read.connect(self._on_read)
        self._files.refused.connect(self._on_refused)
        self._files.changed.connect(self._on_changed)
        self._files.found.connect(self._on_found)
        self._files.assigned.connect(self._on_assigned)
        self._files.failed.connect(self._on_failed)
        self._files.stopped.connect(self._on_stopped)
        self._encodings.listed.connect(self._on_listed)
        self._encodings.own_listed.connect(self._on_own_listed)

    # --- importing ----------------------------------------------------------------------------------------------------

    @Slot()
    def choose(self) -> None:
        """Ask for a tokenizer file, and show what is in it."""
        filters = [self.tr("Tokenizers (*.json *.model *.tiktoken *.gguf)"), self.tr("All files (*)")]
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
        """Show what is in these files, one after the other."""
        self._waiting.extend(path.absolute() for path in paths)
        self._open_next()

    @Slot(object)
    def open_path(self, path: Path) -> None:
        """Show what is in a file."""
        self.open_paths([path])

    def _open_next(self) -> None:
        if self._dialog is not None or not self._waiting:
            return
        path = self._waiting.popleft()
        self._dialog = dialog = TokenizerImportDialog(self._bench.theme, self._taken(), self._parent())
        dialog.read_asked.connect(self._files.read_file)
        dialog.finished.connect(self._on_import_finished)
        dialog.show_reading(path)
        dialog.open()
        self._files.read_file(ReadRequest(path))

    @Slot(object)
    def _on_read(self, preview: TokenizerPreview) -> None:
        if self._dialog is not None:
            self._dialog.show_preview(preview)

    @Slot(object)
    def _on_refused(self, refusal: Refusal) -> None:
        if self._dialog is not None:
            self._dialog.show_refusal(refusal)

    @Slot(int)
    def _on_import_finished(self, result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is None:
            return
        if result == TokenizerImportDialog.DialogCode.Accepted and dialog.preview is not None:
            self._files.change(Change(dialog.chosen_name, encoding=dialog.preview.encoding))
        else:
            self._files.stop_reading()
        dialog.deleteLater()
        self._open_next()

    # --- the user's own -----------------------------------------------------------------------------------------------

    @Slot()
    def manage(self) -> None:
        """Show the user's own tokenizers."""
        if self._manager is None:
            self._manager = manager = TokenizersDialog(self._bench.window)
            manager.import_asked.connect(self.choose)
            manager.found_chosen.connect(self.open_path)
            manager.find_asked.connect(self._files.find)
            manager.use_asked.connect(self._use)
            manager.rename_asked.connect(self._ask_name)
            manager.remove_asked.connect(self._ask_removal)
            manager.assign_asked.connect(self._ask_models)
            manager.finished.connect(self._on_manager_finished)
            manager.open()
        self._encodings.refresh()

    @Slot()
    def _on_manager_finished(self) -> None:
        manager, self._manager = self._manager, None
        if manager is not None:
            manager.deleteLater()

    @Slot(object)
    def _on_listed(self, encodings: Sequence[tuple[str, str]]) -> None:
        self._descriptions = dict(encodings)

    @Slot(object)
    def _on_own_listed(self, names: Sequence[str]) -> None:
        if self._manager is not None:
            self._manager.show_own([(name, self._descriptions.get(name, "")) for name in names])

    @Slot(list)
    def _on_found(self, tokenizers: list[object]) -> None:
        if self._manager is not None:
            self._manager.show_found(tokenizers)

    @Slot(str)
    def _use(self, name: str) -> None:
        """Count the prompt with a tokenizer, and show the prompt."""
        bench = self._bench
        if self._manager is not None:
            self._manager.accept()
        bench.notifier.withdraw(TOKENIZER)
        bench.prompt.set_encoding(name)
        bench.show_prompt()

    @Slot(str)
    def _ask_name(self, name: str) -> None:
        TokenizerNameDialog(name, self._taken(), self._rename, self._parent()).open()

    def _rename(self, name: str, new_name: str) -> None:
        self._users[name] = self._models_of(name)
        self._files.change(Change(name, new_name))

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
                self.tr("{name} stays: your price file counts these models with it: {models}.").format(
                    name=name, models=", ".join(users)
                )
            )
            box.setInformativeText(self.tr("Change their “count” on the tab Prices first, or assign another."))
            box.setStandardButtons(QMessageBox.StandardButton.Close)
        else:
            box.setText(self.tr("Remove {name}? Its file in the profile is deleted.").format(name=name))
            box.setInformativeText(self.tr("The file that it was imported from is not touched."))
            remove = box.addButton(self.tr("&Remove"), QMessageBox.ButtonRole.DestructiveRole)
            box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
            remove.clicked.connect(lambda: self._files.change(Change(name)))
        box.finished.connect(box.deleteLater)
        box.open()

    @Slot(object)
    def _on_changed(self, change: Change) -> None:
        bench = self._bench
        if change.encoding is not None:
            self._say_added(change.name)
        elif bench.prompt.encoding == change.name:
            bench.prompt.set_encoding(change.new_name or FIRST_ENCODING)
        self._encodings.refresh()
        if bench.costs is not None:
            bench.costs.service.reload_prices(quiet=True)
        users = self._users.pop(change.name, ())
        if users and change.new_name:
            self._assign(change.new_name, users, (change.name,))

    def _say_added(self, name: str) -> None:
        self._bench.notifier.information(
            self.tr("{name} is among your encodings now.").format(name=name),
            key=TOKENIZER,
            offers=(
                Offer(self.tr("Use in the editor"), lambda: self._use(name)),
                Offer(self.tr("Assign to models…"), lambda: self._ask_models(name)),
            ),
        )

    # --- models -------------------------------------------------------------------------------------------------------

    @Slot(str)
    def _ask_models(self, name: str) -> None:
        dialog = TokenizerModelsDialog(name, self._models(), parent=self._parent())
        dialog.accepted.connect(lambda: self._assign(name, dialog.models))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _assign(self, name: str, models: tuple[str, ...], known: tuple[str, ...] = ()) -> None:
        assert self._bench.pricing is not None
        pricing = self._bench.pricing
        why = pricing.why_not_changed()
        if why:
            self._fail(self.tr("No model was assigned: {why}").format(why=why))
            return
        text, revision = pricing.text()
        self._files.assign(AssignRequest(revision, text, pricing.desk.path.name, models, name, known))

    @Slot(object, str, object)
    def _on_assigned(self, splice: Splice | None, why: str, request: AssignRequest) -> None:
        assert self._bench.pricing is not None
        words = self.tr("Counted with {name} from now on: {models}.").format(
            name=request.encoding, models=", ".join(request.models)
        )
        if splice is None:
            self._fail(self.tr("No model was assigned: {why}").format(why=why))
        elif not self._bench.pricing.put(splice, request.revision, words):
            self._fail(self.tr("Your price file changed meanwhile, so no model was assigned."))

    def _models(self) -> list[tuple[str, str, str]]:
        """Id, name and tokenizer of the models that are priced; not those that only stand for encodings."""
        models = self._bench.costs.service.models if self._bench.costs is not None else ()
        rows = (
            (model.id, model.name, model.count.tokenizer or "" if model.count else "")
            for model in models
            if not model.id.startswith(f"{OWN_VENDOR}/")
        )
        return sorted(rows, key=lambda row: row[1].casefold())

    def _models_of(self, name: str) -> tuple[str, ...]:
        """The models that are counted with an encoding."""
        return tuple(model_id for model_id, _, tokenizer in self._models() if tokenizer == name)

    # --- the rest -----------------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._fail(why)
        self._on_stopped()

    @Slot()
    def _on_stopped(self) -> None:
        if self._manager is not None:
            self._manager.show_stopped()
        if self._dialog is not None and self._dialog.preview is None and not self._dialog.says_why:
            self._dialog.reject()

    def _fail(self, why: str) -> None:
        self._bench.notifier.error(why, key=TOKENIZER)

    def _taken(self) -> tuple[str, ...]:
        picker = self._bench.panel.picker
        return tuple(picker.itemText(row) for row in range(picker.count()))

    def _parent(self) -> QWidget:
        return self._manager if self._manager is not None else self._bench.window


class TokenizerWiring(QObject):
    """What has to do with tokenizers is made when somebody first asks for it."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._bench = bench
        self._flow: TokenizerFlow | None = None
        DroppedFiles(bench.window).dropped.connect(self.take_dropped)
        bench.panel.editor.files_dropped.connect(self._on_names_dropped)

    @property
    def flow(self) -> TokenizerFlow | None:
        """What does it all; None before there is a list of encodings."""
        bench = self._bench
        if self._flow is None and bench.encodings is not None and bench.runner is not None:
            self._flow = TokenizerFlow(bench, bench.runner)
        return self._flow

    @Slot()
    def choose(self) -> None:
        """Ask for a tokenizer file, and show what is in it."""
        if self.flow is not None:
            self.flow.choose()

    @Slot()
    def manage(self) -> None:
        """Show the user's own tokenizers."""
        if self.flow is not None:
            self.flow.manage()

    @Slot(list)
    def _on_names_dropped(self, names: list[str]) -> None:
        self.take_dropped([Path(name) for name in names])

    @Slot(list)
    def take_dropped(self, paths: list[Path]) -> None:
        """Tokenizers are imported, folders counted; other files are for the prompt."""
        from gui.core.local_tokenizers import looks_like_tokenizer

        flow = self.flow
        tokenizers = [path for path in paths if flow is not None and looks_like_tokenizer(path)]
        if flow is not None and tokenizers:
            flow.open_paths(tokenizers)
        folders = [path for path in paths if path.is_dir()]
        if self._bench.folders is not None and folders:
            self._bench.folders.count(folders)
            tokenizers += folders
        self._bench.files.open_paths([path for path in paths if path not in tokenizers])
