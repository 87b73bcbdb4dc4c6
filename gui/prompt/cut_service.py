"""Cutting the prompt to a number of tokens, off the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core.text_chunks import ChunkedText
from gui.editor.offsets import utf16_length
from gui.editor.text_transfer import common_prefix
from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

if TYPE_CHECKING:
    from engine.encoding.cutting import Kept
    from gui.core.user_encodings import OpenEncoding


@dataclass(frozen=True, slots=True)
class CutRequest:
    """Text to cut. ``most``: maximum number of tokens left, counted as ordinary text; ``keep``: the part to keep."""

    revision: int
    encoding: str
    text: ChunkedText
    most: int
    keep: Kept


@dataclass(frozen=True, slots=True)
class TextCut:
    """Span to remove, as UTF-16 offsets, and the number of tokens before and after."""

    utf16_start: int
    utf16_end: int
    before: int
    after: int


class CutService(QObject):
    """Service that finds cuts. Signals: ``found(CutRequest, TextCut)``; ``failed(str)`` with the reason."""

    found = Signal(object, object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread."""
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Cutting the text"), partial(_cut, open_encoding))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def find(self, request: CutRequest) -> None:
        """Find the cut. Only the newest request is answered."""
        self._lane.submit(request)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.found.emit(result.request, result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def _cut(open_encoding: OpenEncoding, request: CutRequest, ticket: Ticket) -> TextCut:
    from engine.encoding.cutting import cut

    encoding = open_encoding(request.encoding)
    text = request.text.text(ticket.wait_while_busy)
    before = encoding.count(text)
    ticket.progress(0.3)
    left = cut(encoding, text, request.most, request.keep)
    ticket.progress(0.9)
    front = common_prefix(left, text)
    behind = min(len(left) - front, len(text) - front)
    if text[len(text) - behind :] != left[front:]:
        raise ValueError("cannot cut the text there")
    start = utf16_length(text[:front])
    return TextCut(start, start + utf16_length(text[front : len(text) - behind]), before, encoding.count(left))
