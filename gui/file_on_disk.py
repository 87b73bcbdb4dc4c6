"""Notices that the file in the editor changes on disk, and asks what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from gui.prompt.prompt import Prompt
from gui.runtime.notify import Notifier, Offer

if TYPE_CHECKING:
    from gui.prompt.file_service import FileService

SETTLE_MS = 300
"""Changes come in showers; the file is looked at when it has been quiet for so long."""

NOTICE = "changed on disk"
_TOLD_BY_THE_FILE = ("utf-8", "utf-8-sig", "utf-16", "utf-32")
"""Character encodings that reading finds by itself: with another one, the user named it."""


class FileOnDisk(QObject):
    """The file of the prompt on disk. What differs from the content that was opened or saved is a change; the time of
    writing alone is none. Nothing is ever reloaded unasked.

    Signals: ``reload_asked(Path, str | None)`` with the character encoding that the user chose, if he did.
    """

    reload_asked = Signal(object, object)

    def __init__(self, prompt: Prompt, notifier: Notifier, is_saving: Callable[[], bool], parent: QObject) -> None:
        """``is_saving``: whether the file is being written by this window; ``be`` or ``look`` is called after it."""
        super().__init__(parent)
        self._prompt, self._notifier, self._is_saving = prompt, notifier, is_saving
        self._files: FileService | None = None
        self._watcher: QFileSystemWatcher | None = None
        self._path: Path | None = None
        self._known: bytes | None = None
        self._told: bytes | None = None
        self._asked = self._answered = self._outdated = 0
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.look)
        prompt.origin_changed.connect(self._on_origin_changed)

    def start(self, files: FileService) -> None:
        """Watch from now on."""
        self._files = files
        files.digested.connect(self._on_digested)
        self._on_origin_changed()

    def be(self, digest: bytes | None) -> None:
        """Take this as the content that is in the editor, or with None what the file has now."""
        origin = self._prompt.origin
        self._path = origin.path if origin is not None else None
        self._known, self._told = digest, None
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
        """Editors replace a file rather than write into it, so its folder is watched as well."""
        if self._files is None or (self._path is None and self._watcher is None):
            return
        if self._watcher is None:
            self._watcher = QFileSystemWatcher(self)
            self._watcher.fileChanged.connect(self._on_touched)
            self._watcher.directoryChanged.connect(self._on_touched)
        watched = {*self._watcher.files(), *self._watcher.directories()}
        wanted = set() if self._path is None else {str(self._path), str(self._path.parent)}
        if gone := watched - wanted:
            self._watcher.removePaths(list(gone))
        if missing := wanted - watched:
            self._watcher.addPaths(list(missing))

    @Slot()
    def _on_touched(self) -> None:
        self._settle.start()

    @Slot()
    def look(self) -> None:
        """Compare the file with what is known of it, soon."""
        if self._path is not None and self._files is not None:
            self._watch()
            self._asked += 1
            self._files.digest(self._path)

    @Slot(object, object)
    def _on_digested(self, path: Path, digest: bytes | None) -> None:
        """``digest``: None where the file is gone or cannot be read, which it may be for a moment."""
        self._answered += 1
        if self._answered <= self._outdated or digest is None or self._is_saving():
            return
        if self._known is None:
            self._known = digest
        elif digest == self._known:
            self._told = None
            self._notifier.withdraw(NOTICE)
        elif digest != self._told:
            self._told = digest
            self._tell(path, digest)

    def _tell(self, path: Path, digest: bytes) -> None:
        words = self.tr("{name} has changed on disk.")
        if self._prompt.modified:
            words = self.tr("{name} has changed on disk, and your text has changes of its own.")
        self._notifier.warning(
            words.format(name=path.name),
            key=NOTICE,
            offers=(Offer(self.tr("Reload"), self._reload), Offer(self.tr("Keep mine"), lambda: self._keep(digest))),
        )

    def _reload(self) -> None:
        origin = self._prompt.origin
        if origin is not None:
            self.reload_asked.emit(origin.path, None if origin.encoding in _TOLD_BY_THE_FILE else origin.encoding)

    def _keep(self, digest: bytes) -> None:
        """The text of the editor is no longer that of the file: closing and opening another one must not lose it."""
        self._known, self._told = digest, None
        self._prompt.editor.set_modified(True)
        self._notifier.withdraw(NOTICE)
