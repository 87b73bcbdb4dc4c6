"""A file of the profile that several windows change: a JSON object with the number of its version.

A window never writes the whole of what it knows. It writes steps, each a small change made to the file as that is in
the moment of writing, which no other window writes in (``engine.atomic_file.change_atomic``). So no choice of another
window is undone, and what a newer program keeps in a file of this version stays there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from gui.core.file_writing import set_aside
from gui.core.versioned_document import VERSION_KEY, DamagedFile, Document, document_bytes, document_of, is_newer
from gui.state.storage import ChangeRequest, Storage, change_now

Step = Callable[[Document], None]
"""Changes a document in place; raises DamagedFile where that is none of its kind. Runs on a worker thread, so it looks
at nothing that changes in place itself."""


class NewerFile(OSError):
    """A file was written by a newer version of the program, and is left as it is."""


class SharedFile(QObject):
    """Writes steps, soon. Those that could not be written are written with the next ones.

    Signals: ``written(dict)`` with the document as it is now; ``failed(str)`` with a reason.
    """

    written = Signal(object)
    failed = Signal(str)

    def __init__(self, path: Path, version: int, parent: QObject | None = None) -> None:
        """``version``: of the documents that this program writes."""
        super().__init__(parent)
        self.path, self._version = path, version
        self._storage: Storage | None = None
        self._unwritten: tuple[Step, ...] = ()

    def use_storage(self, storage: Storage) -> None:
        """Write with ``storage``, which nobody else writes with, from now on; until then on the spot."""
        self._storage = storage
        storage.changed.connect(self._on_changed)
        storage.change_failed.connect(self._on_failed)

    @property
    def is_busy(self) -> bool:
        """Whether there are steps that are not written yet."""
        return bool(self._unwritten) or (self._storage is not None and self._storage.busy)

    def change(self, step: Step) -> None:
        """Make a step."""
        change = _Steps(self.path, self._version, (*self._unwritten, step))
        self._unwritten = ()
        request = ChangeRequest(self.path, change)
        if self._storage is not None:
            self._storage.change(request)
            return
        try:
            self._on_changed(request, change_now(request))
        except OSError as error:
            self._on_failed(request, error.strerror or str(error))

    def finish(self) -> None:
        """The window closes: wait for what is being written, and try once more with what could not be."""
        if self._storage is not None:
            self._storage.finish()
        if self._unwritten:
            self.change(_nothing_more)

    @Slot(object, object)
    def _on_changed(self, _request: ChangeRequest, content: bytes) -> None:
        self.written.emit(document_of(content))

    @Slot(object, str)
    def _on_failed(self, request: ChangeRequest, why: str) -> None:
        assert isinstance(request.change, _Steps)
        self._unwritten = (*request.change.steps, *self._unwritten)
        self.failed.emit(why)


@dataclass(frozen=True, slots=True)
class _Steps:
    """Makes the new content of a file of the old one. A damaged file is set aside first."""

    path: Path
    version: int
    steps: tuple[Step, ...]

    def __call__(self, before: bytes | None) -> bytes:
        try:
            document = self._stepped({} if before is None else document_of(before))
        except DamagedFile:
            set_aside(self.path)
            document = self._stepped({})
        return document_bytes(document)

    def _stepped(self, document: Document) -> Document:
        if is_newer(document, self.version):
            words = "a newer version of this program has written {file}, which is left as it is"
            raise NewerFile(0, QCoreApplication.translate("SharedFile", words).format(file=self.path))
        for step in self.steps:
            step(document)
        return document | {VERSION_KEY: self.version}


def _nothing_more(_document: Document) -> None:
    """The step that only takes the ones before it along."""
