"""Opening, saving and watching the file of the prompt, and the dialog that asks for its character encoding."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPlainTextEdit,
    QSplitter,
    QWidget,
)

from gui.core.text_chunks import ChunkedText
from gui.core.token_text import visible_line
from gui.prompt.prompt import Origin, Prompt
from gui.runtime.event_loop import in_next_turn
from gui.runtime.notify import Notifier, Offer
from gui.state.settings import SettingsStore
from gui.state.storage import Storage
from gui.widgets import file_choosers
from gui.widgets.forms import Dialog, button_row, column_of, label_of
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from gui.prompt.file_service import Candidate, FileService, OpenedFile, UndecidedFile

SETTLE_MS = 300
"""Delay before a changed file is read, in milliseconds: changes come in bursts."""

NOTICE = "changed on disk"

_DETECTED_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32")
"""Character encodings that are detected when a file is read; any other was chosen by the user."""

MEGABYTE = 1_000_000


class EncodingChooser(Dialog):
    """Choice of a character encoding with a preview; ``chosen`` holds it once accepted."""

    def __init__(self, file: UndecidedFile, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file = file
        self.setObjectName("encodingChooser")
        self.setWindowTitle(self.tr("Character encoding of {name}").format(name=visible_line(file.path.name)))
        words = PlainLabel(
            self.tr(
                "{name} could not be decoded: {why}. Choose the character encoding that makes the text below look "
                "right."
            ).format(name=visible_line(file.path.name), why=file.why),
            self,
        )
        words.setWordWrap(True)
        self._list = QListWidget(self, objectName="encodingCandidates", accessibleName=self.tr("Character encodings"))
        self._preview = QPlainTextEdit(self, objectName="encodingPreview", readOnly=True, tabChangesFocus=True)
        self._preview.setAccessibleName(self.tr("Preview of the text"))
        label = label_of(self._list, self.tr("&Character encoding"))
        buttons = button_row(self, QDialogButtonBox.StandardButton.Open, QDialogButtonBox.StandardButton.Cancel)
        self._open = buttons.button(QDialogButtonBox.StandardButton.Open)
        split = QSplitter(self)
        split.addWidget(self._list)
        split.addWidget(self._preview)
        split.setStretchFactor(1, 1)
        column_of(words, label, (split, 1), buttons, parent=self, margins=None)
        self.resize(720, 420)
        self._list.currentItemChanged.connect(self._show_candidate)
        self._list.itemActivated.connect(self._accept_item)
        for candidate in file.candidates:
            self._add(candidate)
        self._list.setCurrentRow(0)

    def _add(self, candidate: Candidate) -> None:
        item = QListWidgetItem(candidate.title, self._list)
        item.setData(Qt.ItemDataRole.UserRole, candidate)
        if not candidate.preview:
            item.setText(self.tr("{title}: cannot decode this file").format(title=candidate.title))
            item.setFlags(Qt.ItemFlag.NoItemFlags)

    @property
    def chosen(self) -> str | None:
        """Python's name of the selected encoding; None if there is none or it cannot decode the file."""
        item = self._list.currentItem()
        candidate = item.data(Qt.ItemDataRole.UserRole) if item else None
        return candidate.encoding if candidate and candidate.preview else None

    @Slot()
    def _show_candidate(self) -> None:
        item = self._list.currentItem()
        candidate = item.data(Qt.ItemDataRole.UserRole) if item else None
        self._preview.setPlainText(candidate.preview if candidate else "")
        self._open.setEnabled(self.chosen is not None)

    @Slot()
    def _accept_item(self) -> None:
        if self.chosen is not None:
            self.accept()


class FileOnDisk(QObject):
    """Watcher of the prompt's file on disk. Only content that differs from what was opened or saved counts as a change,
    not a new modification time. Files are never reloaded without asking.

    Signals: ``reload_asked(Path, str | None)`` with the character encoding that the user chose, if any.
    """

    reload_asked = Signal(object, object)

    def __init__(self, prompt: Prompt, notifier: Notifier, is_saving: Callable[[], bool], parent: QObject) -> None:
        """``is_saving`` returns True while this window writes the file; call ``be`` or ``look`` afterwards."""
        super().__init__(parent)
        self._prompt, self._notifier, self._is_saving = prompt, notifier, is_saving
        self._files: FileService | None = None
        self._watcher: QFileSystemWatcher | None = None
        self._path: Path | None = None
        self._known: bytes | None = None
        self._warned_of: bytes | None = None
        self._asked = self._answered = self._outdated = 0
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.look)
        prompt.origin_changed.connect(self._on_origin_changed)

    def start(self, files: FileService) -> None:
        """Start watching."""
        self._files = files
        files.digested.connect(self._on_digested)
        self._on_origin_changed()

    def be(self, digest: bytes | None) -> None:
        """Set the digest of the content in the editor; None takes the digest that the file has now."""
        origin = self._prompt.origin
        self._path = origin.path if origin is not None else None
        self._known, self._warned_of = digest, None
        self._outdated = self._asked
        self._settle.stop()
        self._notifier.withdraw(NOTICE)
        self._watch()
        if digest is None:
            self.look()

    @Slot()
    def _on_origin_changed(self) -> None:
        self.be(None)

    def _watch(self) -> None:
        """Watch the file and its folder: editors replace a file instead of writing into it."""
        if self._files is None or (self._path is None and self._watcher is None):
            return
        if self._watcher is None:
            self._watcher = QFileSystemWatcher(self)
            self._watcher.fileChanged.connect(self._on_touched)
            self._watcher.directoryChanged.connect(self._on_touched)
        watched = {*self._watcher.files(), *self._watcher.directories()}
        needed = set() if self._path is None else {str(self._path), str(self._path.parent)}
        if gone := watched - needed:
            self._watcher.removePaths(list(gone))
        if missing := needed - watched:
            self._watcher.addPaths(list(missing))

    @Slot()
    def _on_touched(self) -> None:
        self._settle.start()

    @Slot()
    def look(self) -> None:
        """Compare the file with the known digest; the answer comes later."""
        if self._path is not None and self._files is not None:
            self._watch()
            self._asked += 1
            self._files.digest(self._path)

    @Slot(object, object)
    def _on_digested(self, path: Path, digest: bytes | None) -> None:
        """Warn if the content changed. ``digest`` is None if the file is missing or unreadable, even for a moment."""
        self._answered += 1
        if self._answered <= self._outdated or digest is None or self._is_saving():
            return
        if self._known is None:
            self._known = digest
        elif digest == self._known:
            self._warned_of = None
            self._notifier.withdraw(NOTICE)
        elif digest != self._warned_of:
            self._warned_of = digest
            self._warn(path, digest)

    def _warn(self, path: Path, digest: bytes) -> None:
        words = self.tr("{name} changed on disk.")
        if self._prompt.modified:
            words = self.tr("{name} changed on disk, and you have unsaved changes.")
        self._notifier.warning(
            words.format(name=path.name),
            key=NOTICE,
            offers=(Offer(self.tr("Reload"), self._reload), Offer(self.tr("Keep mine"), lambda: self._keep(digest))),
        )

    def _reload(self) -> None:
        origin = self._prompt.origin
        if origin is not None:
            self.reload_asked.emit(origin.path, None if origin.encoding in _DETECTED_ENCODINGS else origin.encoding)

    def _keep(self, digest: bytes) -> None:
        """Mark the text as modified: it differs from the file, and closing or opening another must not lose it."""
        self._known, self._warned_of = digest, None
        self._prompt.editor.set_modified(True)
        self._notifier.withdraw(NOTICE)


class FileActions(QObject):
    """Actions of the File menu.

    Signals: ``shown(Path)`` when a file's text is in the prompt.
    """

    shown = Signal(object)

    def __init__(
        self,
        prompt: Prompt,
        settings: SettingsStore,
        notifier: Notifier,
        window: QWidget,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self._settings = settings
        self._notifier = notifier
        self._window = window
        self._files: FileService | None = None
        self._storage: Storage | None = None
        self._waiting: list[Path] = []
        self._expected = False
        self._arriving: tuple[str, Callable[[], None]] | None = None
        self._replaced: tuple[int, str, Callable[[], None]] | None = None
        self._saving: list[Path] = []
        self._writing: deque[int] = deque()
        self._on_disk = FileOnDisk(prompt, notifier, lambda: bool(self._writing), self)
        self._on_disk.reload_asked.connect(self.open_path)
        prompt.text_ready.connect(self._on_text_ready)
        prompt.editor.stop_asked.connect(self._cancel_opening)
        prompt.editor.load_finished.connect(self._on_loaded)
        prompt.editor.paste_cancelled.connect(self._on_paste_cancelled)

    def start(self, files: FileService, storage: Storage) -> None:
        """Start reading and writing; ``storage`` has no other writer."""
        self._files = files
        self._storage = storage
        files.opened.connect(self._on_opened)
        files.undecided.connect(self._on_undecided)
        files.refused.connect(self._on_refused)
        storage.written.connect(self._on_written)
        storage.failed.connect(self._on_save_failed)
        self._on_disk.start(files)
        waiting, self._waiting = self._waiting, []
        for path in waiting:
            self.open_path(path)

    # --- opening ----------------------------------------------------------------------------------------------------

    @Slot()
    def choose(self) -> None:
        """Ask for a file and open it."""
        dialog = file_choosers.opening(self._window, "openDialog", self.tr("Open a text file"), self._folder())
        dialog.fileSelected.connect(self._on_chosen)
        dialog.open()

    @Slot(str)
    def _on_chosen(self, path: str) -> None:
        self.open_path(Path(path))

    @property
    def expected(self) -> bool:
        """True if a file was named at the start; its text replaces the restored text."""
        return self._expected

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open the first of these files; add the others to the recent files."""
        if not paths:
            return
        first, *others = paths
        for path in reversed(others):
            self.remember(path.absolute())
        if others:
            self._notifier.information(
                self.tr("The editor holds one file: opened {name}. The others are under File, Open recent.").format(
                    name=first.name
                ),
                key="several",
            )
        self.open_path(first)

    def open_path(self, path: Path, encoding: str | None = None) -> None:
        """Open a file; ``encoding`` is the character encoding that the user chose, if any."""
        if self._files is None:
            self._waiting.append(path)
            self._expected = True
            return
        most = self._settings.values.largest_file_mb * MEGABYTE
        self._files.open(path.absolute(), most_bytes=most, encoding=encoding)

    @Slot(object)
    def _on_opened(self, file: OpenedFile) -> None:
        self._notifier.withdraw("file")
        self.show_instead(file.path.name, lambda: self._show(file))

    def _show(self, file: OpenedFile) -> None:
        self._prompt.show_file(file)
        self._on_disk.be(file.digest)
        self.remember(file.path)
        self.shown.emit(file.path)

    def show_instead(self, name: str, show: Callable[[], None]) -> None:
        """Show another text, called ``name``. The current text is read first, so that Esc restores it while the other
        loads. If it is unsaved, a notice offers it afterwards."""
        self._arriving = (name, show)
        self._prompt.request_text()

    def _show_over(self, name: str, show: Callable[[], None], text: ChunkedText) -> None:
        prompt = self._prompt
        stored, origin, modified, selection = (
            prompt.stored_text,
            prompt.origin,
            prompt.modified,
            prompt.editor.selected_range(),
        )
        unsaved = modified and not prompt.empty
        show()

        def bring_back() -> None:
            prompt.show_text(text.text() if stored is None else stored, origin, modified=modified)
            prompt.editor.select_range(*selection)
            self._notifier.withdraw("replaced")

        if prompt.editor.is_loading:
            self._replaced = (prompt.editor.revision, name, bring_back)
        if not unsaved:
            return
        self._notifier.information(
            self.tr("Opened {name}. Your unsaved text was kept.").format(name=name),
            key="replaced",
            offers=(Offer(self.tr("Restore it"), bring_back),),
        )

    @Slot()
    def _cancel_opening(self) -> None:
        """Cancel loading a file and restore the text from before."""
        if self._replaced is None or self._replaced[0] != self._prompt.editor.revision:
            return  # the text of the last session: there is none to restore
        (_revision, name, bring_back), self._replaced = self._replaced, None
        bring_back()
        self._notifier.information(
            self.tr("Cancelled opening {name}. The previous text is restored.").format(name=name), key="file"
        )

    @Slot()
    def _on_loaded(self) -> None:
        self._replaced = None

    @Slot()
    def _on_paste_cancelled(self) -> None:
        self._notifier.remark(self.tr("Cancelled pasting. The text is unchanged."))

    @Slot(object)
    def _on_undecided(self, file: UndecidedFile) -> None:
        dialog = EncodingChooser(file, self._window)
        dialog.accepted.connect(self._on_encoding_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot()
    def _on_encoding_chosen(self) -> None:
        dialog = self.sender()
        if isinstance(dialog, QDialog):
            self.open_path(dialog.file.path, dialog.chosen)

    @Slot(object, str)
    def _on_refused(self, path: Path, why: str) -> None:
        offers = ()
        if str(path) in self._settings.values.recent:
            offers = (Offer(self.tr("Remove from recent files"), lambda: self._forget_and_withdraw(str(path))),)
        self._notifier.error(why, key="file", offers=offers)

    def _forget_and_withdraw(self, path: str) -> None:
        self.forget(path)
        self._notifier.withdraw("file")

    # --- recent files -----------------------------------------------------------------------------------------------

    def remember(self, path: Path) -> None:
        """Put a file at the top of the recent files."""
        most = self._settings.values.recent_files
        others = [known for known in self._settings.values.recent if known != str(path)]
        self._settings.set("recent", tuple([str(path), *others][:most]))

    def forget(self, path: str) -> None:
        """Remove a file from the recent files."""
        self._settings.set("recent", tuple(known for known in self._settings.values.recent if known != path))

    def fill_recent(self, menu: QMenu) -> None:
        """Fill the menu of recent files. Missing files are disabled; one action removes all of them."""
        menu.clear()
        recent = self._settings.values.recent
        gone = [path for path in recent if not Path(path).is_file()]
        for number, path in enumerate(recent, 1):
            name = visible_line(Path(path).name).replace("&", "&&")
            folder = visible_line(str(Path(path).parent)).replace("&", "&&")
            mnemonic = f"&{number} " if number < 10 else ""
            action = menu.addAction(f"{mnemonic}{name}   ({folder})")
            action.setData(path)
            action.setEnabled(path not in gone)
            if path in gone:
                action.setText(self.tr("{file} (missing)").format(file=action.text()))
            action.triggered.connect(self._on_recent)
        if not recent:
            menu.addAction(self.tr("No recent files")).setEnabled(False)
            return
        menu.addSeparator()
        if gone:
            menu.addAction(self.tr("Remove missing files")).triggered.connect(self._forget_missing)
        menu.addAction(self.tr("Clear the list")).triggered.connect(self._forget_all)

    @Slot()
    def _on_recent(self) -> None:
        self.open_path(Path(self.sender().data()))

    @Slot()
    def _forget_missing(self) -> None:
        self._settings.set("recent", tuple(path for path in self._settings.values.recent if Path(path).is_file()))

    @Slot()
    def _forget_all(self) -> None:
        self._settings.set("recent", ())

    # --- saving -----------------------------------------------------------------------------------------------------

    @property
    def is_saving(self) -> bool:
        """True while the text is being saved to a file."""
        return bool(self._saving or self._writing)

    @Slot()
    def save(self) -> None:
        """Save the text to its file; ask for a name if it has none."""
        origin = self._prompt.origin
        if origin is None:
            self.choose_target()
        else:
            self.save_to(origin.path)

    @Slot()
    def choose_target(self) -> None:
        """Ask where to save the text, and save it."""
        origin = self._prompt.origin
        suggested = origin.path if origin else Path(self._folder()) / self.tr("prompt.txt")
        dialog = file_choosers.saving(self._window, "saveDialog", self.tr("Save the text"), suggested)
        dialog.fileSelected.connect(self._on_target_chosen)
        dialog.open()

    @Slot(str)
    def _on_target_chosen(self, path: str) -> None:
        self.save_to(Path(path))

    def save_to(self, path: Path) -> None:
        """Write the text to a file: UTF-8, with CRLF line ends if its original file had them."""
        if self._storage is None:
            return
        if self._prompt.stored_text is not None:
            self._write(path, self._prompt.stored_text)
        else:
            self._saving.append(path)
            self._prompt.request_text()

    @Slot(int, object)
    def _on_text_ready(self, revision: int, text: ChunkedText) -> None:
        if revision != self._prompt.editor.revision:
            if self._saving or self._arriving is not None:
                in_next_turn(self._prompt, self._prompt.request_text)
            return
        saving, self._saving = self._saving, []
        for path in saving:
            self._write(path, self._as_saved(text))
        if self._arriving is not None:
            (name, show), self._arriving = self._arriving, None
            self._show_over(name, show, text)

    def _write(self, path: Path, text: str | ChunkedText) -> None:
        assert self._storage is not None
        self._writing.append(self._prompt.editor.revision)
        self._storage.write(path.absolute(), text)

    def finish(self) -> str:
        """Write everything that is still to be saved, blocking, because the window is closing. Returns the error, or ""
        if there is none."""
        if self._storage is None:
            return ""
        saving, self._saving = self._saving, []
        if saving:
            text = self._as_saved(self._prompt.read_now())
            for path in saving:
                self._write(path, text)
        return self._storage.finish()

    def _as_saved(self, text: ChunkedText) -> ChunkedText:
        """Return the editor's text with the line ends of its file."""
        origin = self._prompt.origin
        return text.with_crlf() if origin is not None and origin.crlf else text

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        self._notifier.withdraw("save")
        self.remember(path)
        if self._writing.popleft() == self._prompt.editor.revision:
            origin = self._prompt.origin
            self._prompt.set_saved(Origin(path, "utf-8", origin is not None and origin.crlf))
            self._notify_encoding(path, origin)
        if self._prompt.origin is not None and path == self._prompt.origin.path:
            self._on_disk.be(None)
        self._notifier.remark(self.tr("Saved {name}").format(name=path.name))

    def _notify_encoding(self, path: Path, before: Origin | None) -> None:
        """Notify the user if saving changed the character encoding: texts are always saved as UTF-8."""
        if before is not None and before.path == path and not before.encoding.startswith(("utf-8", "ascii")):
            words = self.tr("Saved {name} as UTF-8. It was {encoding} before.")
            self._notifier.information(
                words.format(name=path.name, encoding=before.encoding.upper()), key="saved-encoding"
            )

    @Slot(object, str)
    def _on_save_failed(self, path: Path, why: str) -> None:
        self._writing.popleft()
        self._on_disk.look()
        self._notifier.error(
            self.tr("Could not save {name}: {why}. Your text is still here.").format(name=path.name, why=why),
            key="save",
            offers=(
                Offer(self.tr("Try again"), lambda: self.save_to(path)),
                Offer(self.tr("Save as…"), self.choose_target),
            ),
        )

    def _folder(self) -> str:
        recent = self._settings.values.recent
        return str(Path(recent[0]).parent) if recent else str(Path.home())
