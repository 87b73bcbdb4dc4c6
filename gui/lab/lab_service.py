"""Runs cards of the Lab on a worker thread, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.lab.experiments.catalogue import card
from gui.lab.experiments.types import Inputs, Outcome, Tools
from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

if TYPE_CHECKING:
    from gui.services.own_encodings import OpenEncoding


@dataclass(frozen=True, slots=True)
class LabRequest:
    """Run a card. ``revision`` counts the changes of its inputs: an outcome belongs to those of that moment."""

    key: str
    inputs: Inputs
    revision: int


class LabService(QObject):
    """Signals: ``finished(LabRequest, Outcome)``; ``failed(LabRequest, str)`` with a sentence;
    ``cancelled(LabRequest)`` for one that got no answer."""

    finished = Signal(object, object)
    failed = Signal(object, str)
    cancelled = Signal(object)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread."""
        super().__init__(parent)
        self._lane = runner.exclusive(self.tr("Running the Lab"), partial(run_card, open_encoding))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self.cancelled)

    def run(self, request: LabRequest) -> None:
        """Run a card as soon as those before it are done."""
        self._lane.submit(request)

    def stop(self) -> None:
        """Run nothing more."""
        self._lane.cancel()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.finished.emit(result.request, result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.request, failure.why)


def run_card(open_encoding: OpenEncoding, request: LabRequest, ticket: Ticket) -> Outcome:
    """Do the experiment of a card; its claims are made where nothing of it was changed."""
    chosen = card(request.key)
    tools = Tools(open_encoding, lambda fraction: ticket.progress(fraction, chosen.title))
    tools.progress(0.0)
    return chosen.run(request.inputs, tools, request.inputs == chosen.inputs)
