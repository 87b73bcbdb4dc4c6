"""Notices that files of a folder change. Systems watch only so many things, so this does, too, and says so."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from gui.files.file_tree import TOP
from gui.next_turn import in_next_turn

if TYPE_CHECKING:
    from gui.files.file_tree import FileTree

MOST_FOLDERS = 500
MOST_FILES = 500
"""Of the folders the first are watched, of the files the largest. A folder tells of what comes and goes in it, a file
of what is written to it."""

SLICE = 50
SETTLE_MS = 500
"""Changes come in showers; the folder is looked at when it has been quiet for so long."""


class FolderWatch(QObject):
    """Watches one tree.

    Signals: ``changed()`` some time after something changed, or may have changed before it was watched; ``watching()``
    when all is watched that can be.
    """

    changed = Signal()
    watching = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher: QFileSystemWatcher | None = None
        self._wanted: list[str] = []
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        self._refused = 0
        self._beyond = 0
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.changed)

    @property
    def unwatched(self) -> int:
        """How many files and folders are not watched."""
        return self._beyond + self._refused

    def watch(self, tree: FileTree) -> None:
        """Watch another tree, or the same one once more: then only what is new in it, or was put in the place of
        something else, which is no longer watched, or was refused: it may have been absent for just that moment."""
        folders = np.flatnonzero(np.diff(tree.first_files) == 0)
        folders = folders[folders != TOP]
        files = np.argsort(-tree.file_bytes, kind="stable")[:MOST_FILES]
        self._beyond = max(0, len(folders) - MOST_FOLDERS) + max(0, len(tree.paths) - MOST_FILES)
        self._wanted = [str(tree.path_of(int(node))) for node in folders[:MOST_FOLDERS]]
        self._wanted += [tree.paths[index] for index in files.tolist()]
        watched = self._watched()
        gone = self._names_in_qt().difference(watched.values())
        if self._watcher is None or len(gone) > SLICE:
            self._begin()
            watched.clear()
        elif gone:
            self._watcher.removePaths(list(gone))
        self._waiting = [path for path in self._wanted if path not in watched]
        self._asked.update(self._waiting)
        self._watch_some()

    def _begin(self) -> None:
        """Watch nothing of what was watched so far."""
        if self._watcher is not None:
            self._watcher.deleteLater()
        self._watcher = watcher = QFileSystemWatcher(self)
        watcher.directoryChanged.connect(self._on_changed)
        watcher.fileChanged.connect(self._on_changed)

    def _names_in_qt(self) -> set[str]:
        return {*self._watcher.directories(), *self._watcher.files()} if self._watcher is not None else set()

    def _watched(self) -> dict[str, str]:
        """What is watched of what is wanted, each path with the name that Qt has for it.

        On macOS Qt composes names (NFC), however they are stored. A composed name that is wanted for itself stands for
        itself: other systems tell the two apart.
        """
        there = self._names_in_qt()
        watched = {path: path for path in self._wanted if path in there}
        for path in self._wanted:
            composed = unicodedata.normalize("NFC", path)
            if path not in watched and composed in there and composed not in watched:
                watched[path] = composed
        return watched

    @Slot()
    def _watch_some(self) -> None:
        """A few at a time: each costs a call of the system."""
        if self._watcher is None:
            return
        if not self._waiting:
            self._on_all_asked()
            return
        self._watcher.addPaths(self._waiting[:SLICE])
        del self._waiting[:SLICE]
        in_next_turn(self, self._watch_some)

    def _on_all_asked(self) -> None:
        """What is watched only now may have changed since it was counted, without anybody noticing: so everything is
        looked at once more. Not for what is refused again and again, or that would never end.

        What was refused is seen by our own names: those that Qt gives back may be written otherwise.
        """
        watched = self._watched()
        self._refused = sum(path not in watched for path in self._wanted)
        if not self._asked.isdisjoint(watched):
            self._settle.start()
        self._asked.clear()
        self.watching.emit()

    @Slot()
    def _on_changed(self) -> None:
        self._settle.start()
