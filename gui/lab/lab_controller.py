"""Controller of the page Lab: lists and runs experiments, and opens their texts on other pages."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.lab.experiments.card import MERGES, NOT_RUN, TRAINER, WAITING, Card, Inputs, Outcome, Tools
from gui.lab.experiments.encoding_cards import MEASURE_CARDS, PIPELINE_CARDS, WORD_CARDS, language_cards
from gui.lab.experiments.training_cards import TRAINING_CARDS, compression_cards, training_speed_card
from gui.state.storage import Storage

if TYPE_CHECKING:
    from gui.core.user_encodings import OpenEncoding
    from gui.lab.lab_page import LabCard, LabPage
    from gui.runtime.jobs import JobFailure, JobResult, Ticket
    from gui.widgets.page_controller import AppContext


@functools.cache
def cards() -> tuple[Card, ...]:
    """Return all cards."""
    others = (*PIPELINE_CARDS, *TRAINING_CARDS, *WORD_CARDS, *language_cards(), *MEASURE_CARDS)
    text = "\n".join(f"{card.title}. {card.question} {card.truth}" for card in others)
    return (
        *PIPELINE_CARDS,
        *TRAINING_CARDS,
        *compression_cards(text),
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


def run_card(open_encoding: OpenEncoding, kernels: Path | None, request: LabRequest, ticket: Ticket) -> Outcome:
    """Run the experiment of a card, on a worker thread; its claims are made only for unchanged inputs.

    ``open_encoding``: opens an encoding by name. ``kernels``: folder of compiled kernels.
    """
    chosen = card(request.key)
    tools = Tools(open_encoding, lambda fraction: ticket.progress(fraction, chosen.title), kernels)
    tools.progress(0.0)
    return chosen.run(request.inputs, tools, request.inputs == chosen.inputs)


NEEDS = ("gui.lab.lab_page",)
"""Modules to import before the page is built."""


class LabController(QObject):
    """Controller of the page. Created with the worker threads, after the first paint; builds the page on demand."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.pages)
        self._context = context
        run = partial(run_card, context.encodings.open, context.paths.compiled)
        self.lane = context.jobs.exclusive(self.tr("Running the Lab"), run)
        self.lane.finished.connect(self._on_finished)
        self.lane.failed.connect(self._on_failed)
        self.lane.cancelled.connect(self._on_cancelled)
        self._texts = Storage(context.jobs, self.tr("Saving a Lab text"), self)
        self._texts.written.connect(self._train_on)
        self._texts.failed.connect(self._on_not_written)
        self.panel: LabPage | None = None
        context.pages.when_page_shown("labTab", NEEDS, self._on_shown)

    def build(self) -> LabPage:
        """Return the page; create it on the first call."""
        if self.panel is not None:
            return self.panel
        from gui.lab.lab_page import LabPage

        context = self._context
        self.panel = panel = LabPage(cards(), context.theme, context.icons)
        context.pages.page("labTab").fill(panel)
        panel.run_all_asked.connect(self._run_all)
        for card in panel.cards.values():
            card.run_asked.connect(self._run)
            card.taken.connect(self._take)
        return panel

    def focus(self) -> None:
        """Show the page and focus its first control."""
        self._context.pages.page("labTab").bring_to_front()
        self.build().focus()

    @Slot()
    def _on_shown(self) -> None:
        self.build()

    @Slot(str)
    def _run(self, key: str) -> None:
        card = self.build().cards[key]
        card.set_status(WAITING)
        self.lane.submit(LabRequest(key, card.inputs(), card.revision))
        self.build().show_summary()

    @Slot()
    def _run_all(self) -> None:
        for key in self.build().cards:
            self._run(key)

    @Slot(str, str, str, str)
    def _take(self, key: str, destination: str, text: str, encoding: str) -> None:
        """Open the text of a card on another page."""
        context = self._context
        if destination == TRAINER:
            self._texts.write(context.paths.lab / f"{key}.txt", text)
            return
        if destination == MERGES:
            if context.pages.merges is not None:
                context.pages.merges.show_text(text, encoding)
            return
        if encoding:
            context.prompt.set_encoding(encoding)
        replaced = context.prompt.replace_all(text)
        context.pages.show_prompt()
        context.notifier.remark(
            self.tr("The prompt now has the text of the experiment. Undo restores the previous text.")
            if replaced
            else self.tr("The prompt is as it was: a big text is on its way there. Wait until it is there.")
        )

    @Slot(object)
    def _train_on(self, path: Path) -> None:
        training = self._context.pages.training
        assert training is not None
        training.show()
        assert training.panel is not None
        training.panel.folder.set_paths([str(path)])

    @Slot(object, str)
    def _on_not_written(self, path: Path, why: str) -> None:
        self._context.notifier.error(
            self.tr("Could not save the text as {path}, so it cannot be used for training: {why}.").format(
                path=path, why=why
            )
        )

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if (card := self._card_of(result.request)) is not None:
            card.show_outcome(result.value)
        self.build().show_summary()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if (card := self._card_of(failure.request)) is not None:
            card.show_problem(failure.why)
        self.build().show_summary()

    @Slot(object)
    def _on_cancelled(self, request: LabRequest) -> None:
        if (card := self._card_of(request)) is not None:
            card.set_status(NOT_RUN)
        self.build().show_summary()

    def _card_of(self, request: LabRequest) -> LabCard | None:
        """Return the card of a request; None if its inputs have changed since."""
        card = self.build().cards[request.key]
        return card if card.revision == request.revision else None
