"""Reads the texts of all licences off the GUI thread: they are in some twenty small files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.licences import overview

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


class LicenceReading(QObject):
    """Signals: ``read(str)``: all of it as one text, or a sentence on why there is none."""

    read = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Reading the licences"), _read)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    @Slot()
    def ask(self) -> None:
        """Read them, soon."""
        self._lane.submit(None)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.read.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.read.emit(self.tr("The licences could not be read: {why}").format(why=failure.why))


def _read(_request: None, ticket: Ticket) -> str:
    """On a worker thread."""
    return overview(ticket.give_way)
