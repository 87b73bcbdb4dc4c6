"""Service that runs cards of the Lab on a worker thread, one after the other."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.lab.experiments.card import Card, Inputs, Outcome, Tools
from gui.lab.experiments.measure_cards import CARDS as MEASURE_CARDS
from gui.lab.experiments.measure_cards import compression_cards, training_speed_card
from gui.lab.experiments.pipeline_cards import CARDS as PIPELINE_CARDS
from gui.lab.experiments.training_cards import CARDS as TRAINING_CARDS
from gui.lab.experiments.word_cards import CARDS as WORD_CARDS
from gui.lab.experiments.word_cards import language_cards
from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

if TYPE_CHECKING:
    from pathlib import Path

    from gui.core.user_encodings import OpenEncoding


@functools.cache
def cards() -> tuple[Card, ...]:
    """Return all cards."""
    others = (*PIPELINE_CARDS, *TRAINING_CARDS, *WORD_CARDS, *language_cards(), *MEASURE_CARDS)
    said = "\n".join(f"{card.title}. {card.question} {card.truth}" for card in others)
    return (
        *PIPELINE_CARDS,
        *TRAINING_CARDS,
        *compression_cards(said),
        *WORD_CARDS,
        *language_cards(),
        *MEASURE_CARDS,
        training_speed_card(),
    )


def card(key: str) -> Card:
    """Return the card with that key. Raises KeyError."""
    return {one.key: one for one in cards()}[key]


@dataclass(frozen=True, slots=True)
class LabRequest:
    """A card to run. ``revision``: number of changes of its inputs; an outcome belongs to one revision."""

    key: str
    inputs: Inputs
    revision: int


class LabService(QObject):
    """Service that runs cards in order of their requests.

    Signals: ``finished(LabRequest, Outcome)``; ``failed(LabRequest, str)`` with a sentence; ``cancelled(LabRequest)``
    for a request without a result.
    """

    finished = Signal(object, object)
    failed = Signal(object, str)
    cancelled = Signal(object)

    def __init__(
        self, runner: JobRunner, open_encoding: OpenEncoding, kernels: Path, parent: QObject | None = None
    ) -> None:
        """``open_encoding``: opens an encoding by name, on a worker thread. ``kernels``: folder of compiled kernels."""
        super().__init__(parent)
        self._lane = runner.exclusive(self.tr("Running the Lab"), partial(run_card, open_encoding, kernels))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self.cancelled)

    def run(self, request: LabRequest) -> None:
        """Run a card once those before it are done."""
        self._lane.submit(request)

    def stop(self) -> None:
        """Cancel the running card and all pending ones."""
        self._lane.cancel()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.finished.emit(result.request, result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.request, failure.why)


def run_card(open_encoding: OpenEncoding, kernels: Path | None, request: LabRequest, ticket: Ticket) -> Outcome:
    """Run the experiment of a card; its claims are made only for unchanged inputs."""
    chosen = card(request.key)
    tools = Tools(open_encoding, lambda fraction: ticket.progress(fraction, chosen.title), kernels)
    tools.progress(0.0)
    return chosen.run(request.inputs, tools, request.inputs == chosen.inputs)
