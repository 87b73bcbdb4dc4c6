"""What the cost table prices: the prompt, or the request of the request tab."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

if TYPE_CHECKING:
    from gui.costs.status import CostStatus
    from gui.prompt.chat.draft_service import RequestReply
    from gui.prompt.counting_service import PromptCounts
    from gui.prompt.prompt import Prompt
    from gui.services.costs import CostService


class PricedText(QObject):
    """Hands the counts of one of the two to the cost service, and says beside the table whose they are."""

    def __init__(self, service: CostService, prompt: Prompt, status: CostStatus, parent: QObject) -> None:
        super().__init__(parent)
        self._service, self._status = service, status
        self._of_request = False
        self._prompt_counts: PromptCounts | None = None
        prompt.counted.connect(self._on_prompt)
        prompt.editor.edited.connect(self._on_edit)
        prompt.editor.text_replaced.connect(self._on_edit)

    @property
    def is_of_request(self) -> bool:
        """True while the request is priced and not the prompt."""
        return self._of_request

    @Slot(bool)
    def price_request(self, on: bool) -> None:
        """Price the request from its next count on, or the prompt again."""
        self._of_request = on
        self._status.set_of_request(on)
        if not on and self._prompt_counts is not None:
            self._service.set_counts(self._prompt_counts)

    @Slot(object)
    def set_request(self, reply: RequestReply) -> None:
        """The request was counted."""
        counts = self._prompt_counts
        if self._of_request and counts is not None and reply.tally is not None and reply.tallies:
            of_request = replace(
                counts,
                encoding=reply.draft.encoding,
                tokens=reply.tally.tokens,
                by_encoding={encoding: tally.tokens for (_, encoding), tally in reply.tallies.items()},
                sample=None,  # it is of the prompt
            )
            self._service.set_counts(of_request, reply.for_models())

    @Slot(object)
    def _on_prompt(self, counts: PromptCounts) -> None:
        self._prompt_counts = counts
        if not self._of_request:
            self._service.set_counts(counts)

    @Slot(int)
    def _on_edit(self, revision: int) -> None:
        if not self._of_request:
            self._service.text_changed(revision)
