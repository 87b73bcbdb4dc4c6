"""Writing files off the GUI thread, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from gui.core.file_writing import change_atomic, write_atomic
from gui.core.text_chunks import HeldText, utf8_pieces

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


class WriteRequest(NamedTuple):
    """Content for a file. Text is written as UTF-8; lone surrogates are written as such, to be read back."""

    path: Path
    content: bytes | str | HeldText
    keep_backup: bool = False


class ChangeRequest(NamedTuple):
    """A change of a file: from its content, None where there is none, to the new one."""

    path: Path
    change: Callable[[bytes | None], bytes]


def change_now(request: ChangeRequest) -> bytes:
    """Change a file on the calling thread; returns its new content. Raises OSError, and what the change raises."""
    return change_atomic(request.path, request.change)


def write_now(request: WriteRequest) -> int:
    """Write on the calling thread; for the moment when the window closes. Raises OSError."""
    content: bytes | Iterable[bytes] = (
        utf8_pieces(request.content) if isinstance(request.content, str) else request.content
    )
    return write_atomic(request.path, content, keep_backup=request.keep_backup)


def _write(request: WriteRequest | ChangeRequest, _ticket: Ticket) -> int | bytes:
    return change_now(request) if isinstance(request, ChangeRequest) else write_now(request)


class Storage(QObject):
    """Writes files in a job lane of its own, in the order asked for. ``title`` is the lane's name.

    Signals: ``written(Path)``, ``failed(Path, str)`` with the reason; for changes of a file also
    ``changed(ChangeRequest, bytes)`` with the new content, ``change_failed(ChangeRequest, str)``.
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
        """Whether something is still being written."""
        return self._lane.busy

    def write(self, path: Path, content: bytes | str | HeldText, *, keep_backup: bool = False) -> None:
        """Replace ``path`` by ``content``, soon."""
        self._lane.submit(WriteRequest(path, content, keep_backup))

    def change(self, request: ChangeRequest) -> None:
        """Change a file, soon; no other window changes it in between."""
        self._lane.submit(request)

    def finish(self) -> str:
        """Wait until all of it is written. Returns why the last that was not is not, or nothing."""
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
