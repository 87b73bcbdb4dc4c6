"""Where a token occurs in the prompt, whichever encoding it is of: the work of a lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from engine.types import TokenPatch
    from gui.core.text_chunks import HeldText
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


@dataclass(frozen=True, slots=True, eq=False)
class PlacesRequest:
    """A text of a revision, an encoding, whether text of special tokens is those, and the id of the token."""

    revision: int
    text: HeldText
    encoding: Encoding
    special_as_tokens: bool
    token_id: int


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the token occurs: two read-only arrays, int32[n], of UTF-16 offsets in the widget's text, in order."""

    request: PlacesRequest
    utf16_starts: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]


class _TokensOfText:
    """Finds places. Keeps the tokens of the last text: another token of it is then found at once."""

    def __init__(self) -> None:
        self._of: tuple[int, Encoding, bool] | None = None
        self._patch: TokenPatch | None = None

    def find(self, request: PlacesRequest, ticket: Ticket) -> Places:
        """On a worker thread, one at a time."""
        import numpy as np

        patch = self._tokens(request, ticket)
        found = np.flatnonzero(patch.ids == request.token_id)
        ends = patch.utf16_ends[found]
        starts = np.where(found > 0, patch.utf16_ends[found - 1], 0).astype(np.int32) if len(found) else ends
        for array in (starts, ends):
            array.flags.writeable = False
        return Places(request, starts, ends)

    def _tokens(self, request: PlacesRequest, ticket: Ticket) -> TokenPatch:
        import engine

        of = (request.revision, request.encoding, request.special_as_tokens)
        if self._patch is None or of != self._of:
            ticket.progress(-1.0)
            text = engine.EditedText(request.encoding, special_as_tokens=request.special_as_tokens)
            self._patch, self._of = text.reset(request.text.text(ticket.stand_back)), of
        return self._patch


class PlacesService(QObject):
    """Signals: ``found(Places)``: of what was asked for last; ``failed(str)``: a sentence."""

    found = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: PlacesRequest | None = None
        self._lane = runner.conflated(self.tr("Looking for a token in the prompt"), _TokensOfText().find)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def find(self, request: PlacesRequest) -> None:
        """Look for a token."""
        self._wanted = request
        self._lane.submit(request)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if result.request is self._wanted:
            self.found.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if failure.request is self._wanted:
            self.failed.emit(failure.why)
