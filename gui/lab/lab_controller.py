"""Controller of the page Lab: runs experiments, and opens their texts on other pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.lab.experiments.card import MERGES, NOT_RUN, TRAINER, WAITING
from gui.lab.lab_service import LabRequest, LabService, cards
from gui.state.storage import Storage

if TYPE_CHECKING:
    from gui.lab.experiments.card import Outcome
    from gui.lab.lab_page import LabPage
    from gui.widgets.page_controller import AppContext


NEEDS = ("gui.lab.lab_page",)
"""Modules to import before the page is built."""


class LabController(QObject):
    """Controller of the page. Created with the worker threads, after the first paint; builds the page on demand."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.pages)
        self._context = context
        self.service = LabService(context.jobs, context.encodings.open, context.paths.compiled, self)
        self.service.finished.connect(self._on_finished)
        self.service.failed.connect(self._on_failed)
        self.service.cancelled.connect(self._on_cancelled)
        self._texts = Storage(context.jobs, self.tr("Saving a Lab text"), self)
        self._texts.written.connect(self._train_on)
        self._texts.failed.connect(self._on_not_written)
        self.panel: LabPage | None = None
        context.pages.when_seen("labTab", NEEDS, self._come_to_front)

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
    def _come_to_front(self) -> None:
        self.build()

    @Slot(str)
    def _run(self, key: str) -> None:
        card = self.build().cards[key]
        card.set_standing(WAITING)
        self.service.run(LabRequest(key, card.inputs(), card.revision))
        self.build().show_summary()

    @Slot()
    def _run_all(self) -> None:
        for key in self.build().cards:
            self._run(key)

    @Slot(str, str, str, str)
    def _take(self, key: str, place: str, text: str, encoding: str) -> None:
        """Open the text of a card on another page."""
        context = self._context
        if place == TRAINER:
            self._texts.write(context.paths.lab / f"{key}.txt", text)
            return
        if place == MERGES:
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

    @Slot(object, object)
    def _on_finished(self, request: LabRequest, outcome: Outcome) -> None:
        card = self.build().cards[request.key]
        if card.revision == request.revision:
            card.show_outcome(outcome)
        self.build().show_summary()

    @Slot(object, str)
    def _on_failed(self, request: LabRequest, why: str) -> None:
        card = self.build().cards[request.key]
        if card.revision == request.revision:
            card.show_problem(why)
        self.build().show_summary()

    @Slot(object)
    def _on_cancelled(self, request: LabRequest) -> None:
        card = self.build().cards[request.key]
        if card.revision == request.revision:
            card.set_standing(NOT_RUN)
        self.build().show_summary()
