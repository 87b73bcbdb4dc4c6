"""Counts requests off the GUI thread: the newest draft, and files with many of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.jobs import JobCancelled, JobFailure, JobProgress, JobResult, JobRunner, Ticket
from gui.services.request_count import RequestDraft, count_draft
from gui.services.request_templates import template_of

if TYPE_CHECKING:
    from engine.requests.bodies.reader import ReadBody
    from engine.requests.lines import LinesReport
    from gui.services.own_encodings import OpenEncoding

SLICE_SECONDS = 0.05
BODY_BYTES = 64 << 20
"""A larger file is read line by line, or not at all."""


@dataclass(frozen=True, slots=True)
class BodySource:
    """Where a request is to be read from: a file, or a text that somebody pasted."""

    path: Path | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class ManyRequests:
    """The file has a request on each line."""

    path: Path


@dataclass(frozen=True, slots=True)
class LinesRequest:
    """A file of requests, and how to count them."""

    path: Path
    template: str
    template_file: Path | None
    encoding: str
    image_rule: str


@dataclass(frozen=True, slots=True, eq=False)
class CountedLines:
    """What a file of requests counts. ``is_complete``: whether it was read to its end."""

    report: LinesReport
    is_complete: bool


class RequestService(QObject):
    """Signals: ``counted(RequestReply)`` for the newest draft; ``read(BodySource, ReadBody)``,
    ``many(BodySource, ManyRequests)``, ``unreadable(BodySource, str)``: what a file or a pasted text is;
    ``lines_counted(LinesRequest, CountedLines)``, ``lines_failed(LinesRequest, str)``, ``lines_progressed(float)``: of
    a file of many; ``failed(str)``: a sentence where counting a draft went wrong."""

    counted = Signal(object)
    read = Signal(object, object)
    many = Signal(object, object)
    unreadable = Signal(object, str)
    lines_counted = Signal(object, object)
    lines_failed = Signal(object, str)
    lines_progressed = Signal(float)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread."""
        super().__init__(parent)
        self._newest = -1
        self._counting = runner.conflated(self.tr("Counting the request"), partial(count_draft, open_encoding))
        self._counting.finished.connect(self._on_counted)
        self._counting.failed.connect(self._on_failed)
        self._reading = runner.conflated(self.tr("Reading a request"), read_source_of)
        self._reading.finished.connect(self._on_read)
        self._reading.failed.connect(self._on_unreadable)
        self._lines = runner.exclusive(self.tr("Counting a file of requests"), partial(count_lines, open_encoding))
        self._lines.finished.connect(self._on_lines)
        self._lines.failed.connect(self._on_lines_failed)
        self._lines.progressed.connect(self._on_progress)

    def count(self, draft: RequestDraft) -> None:
        """Count this draft. Those before it are not answered any more."""
        self._newest = draft.revision
        self._counting.submit(draft)

    def open(self, source: BodySource) -> None:
        """Read a request."""
        self._reading.submit(source)

    def count_lines(self, request: LinesRequest) -> None:
        """Count a file of requests. One that is being counted is stopped."""
        self._lines.cancel()
        self._lines.submit(request)

    def stop_lines(self) -> None:
        """Stop counting a file; what is counted by then is told."""
        self._lines.cancel()

    @Slot(object)
    def _on_counted(self, result: JobResult) -> None:
        if result.request.revision == self._newest:
            self.counted.emit(result.value)

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        if isinstance(result.value, ManyRequests):
            self.many.emit(result.request, result.value)
        else:
            self.read.emit(result.request, result.value)

    @Slot(object)
    def _on_unreadable(self, failure: JobFailure) -> None:
        self.unreadable.emit(failure.request, failure.why)

    @Slot(object)
    def _on_lines(self, result: JobResult) -> None:
        self.lines_counted.emit(result.request, result.value)

    @Slot(object)
    def _on_lines_failed(self, failure: JobFailure) -> None:
        self.lines_failed.emit(failure.request, failure.why)

    @Slot(object)
    def _on_progress(self, progress: JobProgress) -> None:
        self.lines_progressed.emit(progress.fraction)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def read_source_of(source: BodySource, _ticket: Ticket | None = None) -> ReadBody | ManyRequests:
    """The request of a file or text, or that it has many. RequestError; OSError."""
    from engine.requests.bodies.reader import read_body
    from engine.requests.errors import RequestError

    if source.path is None:
        return read_body(source.text)
    if source.path.suffix.lower() in (".jsonl", ".ndjson"):
        return ManyRequests(source.path)
    with source.path.open("rb") as file:
        first = file.readline(BODY_BYTES)
        rest = file.read(BODY_BYTES)
    try:
        return read_body(first + rest)
    except RequestError:
        # Whatever its name: a request on the first line, and more behind it.
        if rest.strip() and _is_request(first):
            return ManyRequests(source.path)
        raise


def _is_request(line: bytes) -> bool:
    from engine.requests.bodies.reader import read_body
    from engine.requests.errors import RequestError

    try:
        read_body(line)
    except RequestError:
        return False
    return True


def count_lines(open_encoding: OpenEncoding, request: LinesRequest, ticket: Ticket) -> CountedLines:
    """Count a file line by line; stopped, what was counted by then. EngineError; OSError."""
    from engine.requests.counting import RequestCounter
    from engine.requests.lines import RequestLines

    with (
        template_of(request.template, request.template_file) as template,
        request.path.open("rb") as file,
    ):
        counter = RequestCounter(template, open_encoding(request.encoding), image_rule=request.image_rule or None)
        counting = RequestLines(file, counter.tally)
        size = max(1, os.fstat(file.fileno()).st_size)
        try:
            while not counting.done:
                counting.advance(SLICE_SECONDS)
                ticket.progress(min(1.0, counting.n_bytes / size))
        except JobCancelled:
            return CountedLines(counting.report(), is_complete=False)
        return CountedLines(counting.report(), is_complete=True)
