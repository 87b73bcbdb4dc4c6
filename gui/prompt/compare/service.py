"""Comparison of encodings on a text, and its rows for a view, off the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core.text_chunks import ChunkedText, as_chunked, chunked
from gui.editor.offsets import utf16_to_char
from gui.editor.token_spans import TokenSpans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.analysis.comparison.types import TextComparison
    from engine.types import TokenPatch
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import JobFailure, JobProgress, JobResult, JobRunner, Ticket

PROMPT, SELECTION, TYPED = SOURCES = ("prompt", "selection", "typed")
"""Sources of the text to compare."""


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Text, and the encodings to compare on it. ``first``: UTF-16 offset of the text in the prompt, None if it is not
    from the prompt; ``prompt_revision``: revision of the prompt. ``part``: compare only the text between these UTF-16
    offsets."""

    revision: int
    text: ChunkedText | str
    names: tuple[str, ...]
    first: int | None = None
    prompt_revision: int = -1
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Result of a comparison. ``request``: with the text that was compared. ``spans``: token spans of each encoding."""

    request: CompareRequest
    comparison: TextComparison
    spans: tuple[TokenSpans, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowsRequest:
    """Request to break the text of a comparison into rows of ``columns`` columns."""

    compared: Compared
    columns: int


ROWS_AT_ONCE = 300
"""Maximum number of full rows computed without a worker, in 1 to 2 ms, so a new width never shows outdated rows."""


class ComparisonService(QObject):
    """Service that compares encodings.

    Signals: ``compared(Compared)``: the newest request; ``cut(RowsRequest, int32[rows])``: starts of the rows, as
    UTF-16 offsets; ``progressed(float)``; ``stopped()`` by the user; ``failed(str)`` with the reason.
    """

    compared = Signal(object)
    cut = Signal(object, object)
    progressed = Signal(float)
    stopped = Signal()
    failed = Signal(str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread."""
        super().__init__(parent)
        self._newest = -1
        self._comparing = runner.conflated(self.tr("Comparing encodings"), partial(compare_text, open_encoding))
        self._comparing.finished.connect(self._on_compared)
        self._comparing.failed.connect(self._on_not_compared)
        self._comparing.cancelled.connect(self._on_stopped)
        self._comparing.progressed.connect(self._on_progress)
        self._cutting = runner.conflated(self.tr("Splitting a text into rows"), cut_rows)
        self._cutting.finished.connect(self._on_cut)
        self._cutting.failed.connect(self._on_failed)

    def compare(self, request: CompareRequest) -> None:
        """Compare on this text; earlier requests are no longer answered."""
        self._newest = request.revision
        self._comparing.submit(request)

    def cut_rows(self, request: RowsRequest) -> None:
        """Break a text into rows; at once if they are few."""
        if len(request.compared.comparison.units) <= ROWS_AT_ONCE * request.columns:
            self.cut.emit(request, cut_rows(request))
        else:
            self._cutting.submit(request)

    @Slot()
    def stop(self) -> None:
        """Cancel the comparison."""
        self._comparing.cancel()

    @Slot(object)
    def _on_compared(self, result: JobResult) -> None:
        if result.request.revision == self._newest:
            self.compared.emit(result.value)

    @Slot(object)
    def _on_cut(self, result: JobResult) -> None:
        self.cut.emit(result.request, result.value)

    @Slot(object)
    def _on_progress(self, progress: JobProgress) -> None:
        if progress.request.revision == self._newest:
            self.progressed.emit(progress.fraction)

    @Slot(object)
    def _on_stopped(self, request: CompareRequest) -> None:
        if request.revision == self._newest:
            self.stopped.emit()

    @Slot(object)
    def _on_not_compared(self, failure: JobFailure) -> None:
        if failure.request.revision == self._newest:
            self._on_failed(failure)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def compare_text(open_encoding: OpenEncoding, request: CompareRequest, ticket: Ticket) -> Compared:
    """Compare encodings. Runs on a worker thread. Raises EngineError and JobCancelled."""
    from engine.analysis.comparison.compare import compare

    text = as_chunked(request.text).text(ticket.wait_while_busy)
    if request.part is not None:
        text = _between(text, request.part)
        request = replace(request, text=chunked([text]), part=None)
    ticket.progress(0.0)
    comparison, columns = compare([open_encoding(name) for name in request.names], text, ticket.progress)
    length = len(comparison.units)
    spans = [_spans(length, column.utf16_ends, column.ids, column.continues) for column in columns]
    return Compared(request, comparison, tuple(spans))


def _between(text: str, part: tuple[int, int]) -> str:
    """Return the text between two UTF-16 offsets."""
    import numpy as np

    start, end = utf16_to_char(np.array(part, dtype=np.int32), text).tolist()
    return text[start:end]


def spans_of_patch(patch: TokenPatch) -> TokenSpans:
    """Return the token spans of a patch of a whole text."""
    return _spans(patch.utf16_new_end, patch.utf16_ends, patch.ids, patch.continues)


def _spans(
    length: int, utf16_ends: NDArray[np.int32], ids: NDArray[np.int32], continues: NDArray[np.bool_]
) -> TokenSpans:
    spans = TokenSpans(length)
    if len(ids):
        spans.apply(0, length, utf16_ends, ids, continues)
    return spans


def cut_rows(request: RowsRequest, _ticket: Ticket | None = None) -> NDArray[np.int32]:
    """Return the starts of the rows, as UTF-16 offsets (int32[rows]). Runs on a worker thread if they are many."""
    from engine.analysis.comparison.compare import row_starts

    return row_starts(request.compared.comparison.units, request.columns)


def cut_short_text(text: str, columns: int) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    """Return the UTF-16 units of a text and the starts of its rows, at once; for texts of some thousand characters."""
    from engine.analysis.comparison.compare import row_starts
    from engine.text.utf16 import units_of

    units = units_of(text)
    return units, row_starts(units, columns)
