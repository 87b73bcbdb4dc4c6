"""Controller of the page Conversation: recalculates it when the prompt, prices, scenario or favourites change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Slot

from gui.costs.conversation_service import MAX_MODELS, Talk, TalkRequest, conversation_of, converse_with_all, talker_of
from gui.runtime.loading import Loading

if TYPE_CHECKING:
    from gui.costs.conversation_page import ConversationPanel
    from gui.costs.rows import CostRow
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext

DELAY_MS = 80
"""Time within which changes (by typing) are calculated together, in milliseconds."""

NEEDS = ("gui.costs.conversation_page",)
"""Modules loaded when the page is built."""


class ConversationController(QObject):
    """Controller of the page Conversation. Created with the cost table; uses its favourites, prices and scenario."""

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as returned by ``state()``."""
        runner, costs = context.jobs, context.pages.costs
        super().__init__(context.pages)
        assert costs is not None
        self._context, self._costs, self._state = context, costs.panel, state
        self._reference = costs.reference
        self.panel: ConversationPanel | None = None
        self._revision = 0
        self._loading = Loading(self)
        self._lane = runner.conflated(self.tr("Calculating a conversation"), converse_with_all)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._submit)
        costs.panel.model.arranged.connect(self._touch)
        costs.panel.scenario.changed.connect(self._touch)
        costs.reference_changed.connect(self._touch)
        self._page = context.pages.page("conversationTab")
        context.pages.when_seen("conversationTab", NEEDS, self._come_to_front)

    def state(self) -> dict[str, Any]:
        """Return the user's choices for the conversation as JSON data."""
        return self._state if self.panel is None else self.panel.form.choices().plain()

    def build(self) -> ConversationPanel:
        """Build the page unless it exists."""
        if self.panel is not None:
            return self.panel
        from gui.costs.conversation_page import ConversationPanel

        self.panel = panel = ConversationPanel(self._context.theme, self._costs.model.view.text)
        panel.form.show_choices(conversation_of(self._state))
        self._page.fill(panel)
        self._page.lead_to(panel.form.turns)
        panel.form.changed.connect(self._touch)
        panel.form.changed.connect(self._context.session.touch)
        self._touch()
        return panel

    def focus(self) -> None:
        """Show the page and focus its first control."""
        self._page.bring_to_front()
        self.build().form.turns.setFocus()

    @Slot()
    def _come_to_front(self) -> None:
        self.build()
        self._touch()

    @Slot()
    def _touch(self) -> None:
        if self.panel is not None and self._page.is_in_front() and not self._delay.isActive():
            self._delay.start()

    @Slot()
    def _submit(self) -> None:
        assert self.panel is not None
        scenario = self._costs.scenario.scenario()
        rows, words = self._chosen()
        self.panel.remark.say(words)
        self._revision += 1
        talkers = tuple(
            talker_of(
                row.model,
                (row.estimate.input_tokens, row.estimate.input_low, row.estimate.input_high),
                row.estimate.label,
            )
            for row in rows
        )
        self._lane.submit(TalkRequest(self._revision, talkers, self.panel.form.choices(), scenario))

    def _chosen(self) -> tuple[list[CostRow], str]:
        """Return the rows to draw, and a sentence that names them."""
        table = self._costs.model
        chosen = self._reference.rows_beside(table.rows, table.arrangement, len(table.rows))
        if len(chosen) == 1:
            words = self.tr("The model in the header. Favourites, marked with Space in the cost table, join it.")
            return chosen, words
        if len(chosen) > MAX_MODELS:
            words = self.tr("The model in the header, and the first {number} of your favourites.")
            return chosen[:MAX_MODELS], words.format(number=MAX_MODELS - 1)
        return chosen, self.tr("The model in the header, your favourites and the baseline.")

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self._loading.when_loaded(("gui.costs.conversation_plot",), partial(self._show, result))

    def _show(self, result: JobResult) -> None:
        if self.panel is None or result.request.revision != self._revision:
            return
        talks: tuple[Talk, ...] = result.value
        self.panel.show_talks(talks, self._costs.model.view.text)
        if not talks:
            self.panel.remark.say(self.tr("No model shown can count the text in the editor."), "warning")

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if self.panel is not None:
            self.panel.remark.say(
                self.tr("Could not calculate the conversation: {why}.").format(why=failure.why), "error"
            )
