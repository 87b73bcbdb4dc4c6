"""Which encodings there are, with a word on each; looked up off the GUI thread, because that loads the engine."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from gui.jobs import JobFailure, JobResult, JobRunner, Ticket


class EncodingList(QObject):
    """Signals: ``listed(tuple[tuple[str, str]])``: name and description of each; ``failed(str)``: a sentence."""

    listed = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Listing the encodings"), _list)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def refresh(self) -> None:
        """Look again."""
        self._lane.submit(None)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.listed.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def _list(_request: None, _ticket: Ticket) -> tuple[tuple[str, str], ...]:
    import engine

    return tuple((entry.name, entry.description) for entry in engine.encoding_entries())
