"""List of available encodings with descriptions, loaded off the GUI thread, since that imports the engine."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from gui.core.user_encodings import OpenEncoding, UserEncodings
from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


class EncodingList(QObject):
    """List of the encodings, loaded in the background.

    Signals: ``listed(tuple[tuple[str, str]])`` with name and description of each; ``own_listed(tuple[str])`` with the
    names of the user's own; ``failed(str)`` with a sentence, also for each unusable file of the user.
    """

    listed = Signal(object)
    own_listed = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, user: UserEncodings, open_encoding: OpenEncoding, parent: QObject) -> None:
        """``user``: the user's own encodings. ``open_encoding``: opens any encoding, on a worker thread."""
        super().__init__(parent)
        self.user, self.open = user, open_encoding
        self._told: set[str] = set()
        self._lane = runner.conflated(self.tr("Listing the encodings"), partial(_list, user))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def refresh(self) -> None:
        """Reload the list."""
        self._lane.submit(None)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        encodings, own, problems = result.value
        self.listed.emit(encodings)
        self.own_listed.emit(own)
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self.failed.emit(problem)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def _list(own: UserEncodings, _request: None, _ticket: Ticket) -> tuple[tuple[Any, ...], ...]:
    """Return name and description of each encoding, the names of the user's own, and problems with files."""
    import engine

    problems = own.find()
    entries = engine.encoding_entries()
    names = tuple(entry.name for entry in entries if entry.kind != "bundled")
    return tuple((entry.name, _described(entry)) for entry in entries), names, problems


def _described(entry: Any) -> str:
    """Return the description of an entry, with the Unicode version of a bundled one."""
    unicode = getattr(entry, "unicode", "")
    return f"{entry.description} · Unicode {unicode}" if unicode else str(entry.description)
