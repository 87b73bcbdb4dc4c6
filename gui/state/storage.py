"""Profile files: written off the GUI thread, in order, and shared by several windows.

A shared file is a JSON object with a version number. A window never overwrites it with its own state. It writes steps:
small changes applied to the file's content at the moment of writing, under a lock
(``engine.runtime.atomic_files.change_atomic``). So no choice of another window is lost, and keys of a newer program
with the same file version are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from gui.core.profile_files import (
    VERSION_KEY,
    DamagedFile,
    Document,
    change_atomic,
    document_bytes,
    document_of,
    is_newer,
    set_aside,
    write_atomic,
)
from gui.core.text_chunks import ChunkedText, utf8_chunks

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


class WriteRequest(NamedTuple):
    """Content for a file. Text is written as UTF-8; lone surrogates are kept (``surrogatepass``)."""

    path: Path
    content: bytes | str | ChunkedText


class ChangeRequest(NamedTuple):
    """A change of a file: maps its content, None if it does not exist, to the new one."""

    path: Path
    change: Callable[[bytes | None], bytes]


def change_now(request: ChangeRequest) -> bytes:
    """Change a file on the calling thread; returns its new content. Raises OSError, and any error of the change."""
    return change_atomic(request.path, request.change)


def write_now(request: WriteRequest) -> int:
    """Write on the calling thread, used while the window closes. Raises OSError."""
    content = request.content
    return write_atomic(request.path, utf8_chunks(content) if isinstance(content, str) else content)


def _write(request: WriteRequest | ChangeRequest, _ticket: Ticket) -> int | bytes:
    return change_now(request) if isinstance(request, ChangeRequest) else write_now(request)


class Storage(QObject):
    """File writer with a job lane of its own; writes in order. ``title``: name of the lane.

    Signals: ``written(Path)``, ``failed(Path, str)`` with the reason; for changes also ``changed(ChangeRequest,
    bytes)`` with the new content, ``change_failed(ChangeRequest, str)``.
    """

    written = Signal(object)
    failed = Signal(object, str)
    changed = Signal(object, object)
    change_failed = Signal(object, str)

    def __init__(self, runner: JobRunner, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._why = ""
        self._lane = runner.exclusive(title, _write, stoppable=False)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    @property
    def busy(self) -> bool:
        """True while anything is being written."""
        return self._lane.busy

    def write(self, path: Path, content: bytes | str | ChunkedText) -> None:
        """Queue the replacement of ``path`` by ``content``."""
        self._lane.submit(WriteRequest(path, content))

    def change(self, request: ChangeRequest) -> None:
        """Queue a change of a file; no other window changes it in between."""
        self._lane.submit(request)

    def finish(self) -> str:
        """Wait until everything is written. Returns the reason of the last failure, or an empty string."""
        self._why = ""
        self._lane.drain()
        return self._why

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.written.emit(result.request.path)
        if isinstance(result.request, ChangeRequest):
            self.changed.emit(result.request, result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._why = failure.why
        self.failed.emit(failure.request.path, failure.why)
        if isinstance(failure.request, ChangeRequest):
            self.change_failed.emit(failure.request, failure.why)


Step = Callable[[Document], None]
"""Changes a document in place; raises DamagedFile if it is not of the expected kind. Runs on a worker thread, so it
must not read mutable state."""


class NewerFile(OSError):
    """Raised for a file of a newer program version, which is left unchanged."""


class SharedFile(QObject):
    """Queue of steps for a shared file. Steps that failed are retried with the next ones.

    Signals: ``written(dict)`` with the current document; ``failed(str)`` with a reason.
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
        """Write with ``storage``, which must have no other writer, from now on; before, writes are synchronous."""
        self._storage = storage
        storage.changed.connect(self._on_changed)
        storage.change_failed.connect(self._on_failed)

    @property
    def is_busy(self) -> bool:
        """True if there are unwritten steps."""
        return bool(self._unwritten) or (self._storage is not None and self._storage.busy)

    def change(self, step: Step) -> None:
        """Apply a step to the file."""
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
        """Wait for pending writes, and retry failed ones once. For a window that closes."""
        if self._storage is not None:
            self._storage.finish()
        if self._unwritten:
            self.change(_no_change)

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
    """The change from the old content of a file to the new one. A damaged file is set aside first."""

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
            words = "{file} was saved by a newer version of Tokenloupe. It was not changed"
            raise NewerFile(0, QCoreApplication.translate("SharedFile", words).format(file=self.path))
        for step in self.steps:
            step(document)
        return document | {VERSION_KEY: self.version}


def _no_change(_document: Document) -> None:
    """Do nothing: a step that only retries the steps before it."""
