"""Counting of requests off the GUI thread: the newest draft, files of requests, and the sizes of images."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from gui.prompt.chat.draft_service import RequestDraft, count_draft, template_of
from gui.runtime.jobs import JobCancelled, JobFailure, JobProgress, JobResult, JobRunner, Ticket

if TYPE_CHECKING:
    from engine.requests.bodies.reader import ReadBody
    from engine.requests.lines import LineCount, LinesReport, RequestLines
    from engine.requests.types import Image
    from gui.core.user_encodings import OpenEncoding

SLICE_SECONDS = 0.05
BODY_BYTES = 64 << 20
"""Maximum size of a body read as one request, in bytes. A larger file is read line by line, or not at all."""


@dataclass(frozen=True, slots=True)
class BodySource:
    """Source of a request: a file, or pasted text."""

    path: Path | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class ManyRequests:
    """File with a request on each line."""

    path: Path


@dataclass(frozen=True, slots=True)
class LinesRequest:
    """File of requests, and how to count them."""

    path: Path
    template: str
    template_file: Path | None
    encoding: str
    image_rule: str


@dataclass(frozen=True, slots=True)
class LinesTable:
    """Counts of each line of a file, to be written to ``path``."""

    lines: LinesRequest
    path: Path


@dataclass(frozen=True, slots=True, eq=False)
class CountedLines:
    """Counts of a file of requests. ``is_complete``: True if it was read to its end."""

    report: LinesReport
    is_complete: bool


class RequestService(QObject):
    """Service that counts requests.

    Signals: ``counted(RequestReply)`` for the newest draft; ``read(BodySource, ReadBody)``,
    ``many(BodySource, ManyRequests)``, ``unreadable(BodySource, str)``: result of reading a file or pasted text;
    ``lines_counted(LinesRequest, CountedLines)``, ``lines_failed(LinesRequest, str)``, ``lines_progressed(float)`` for
    a file of requests; ``table_written(LinesTable)``, ``table_failed(LinesTable, str)`` for a table of its lines;
    ``failed(str)``: a sentence if counting a draft failed.
    """

    counted = Signal(object)
    read = Signal(object, object)
    many = Signal(object, object)
    unreadable = Signal(object, str)
    lines_counted = Signal(object, object)
    lines_failed = Signal(object, str)
    lines_progressed = Signal(float)
    table_written = Signal(object)
    table_failed = Signal(object, str)
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
        self._tables = runner.exclusive(self.tr("Listing the lines of a file"), partial(list_lines, open_encoding))
        self._tables.finished.connect(self._on_table)
        self._tables.failed.connect(self._on_no_table)

    def count(self, draft: RequestDraft) -> None:
        """Count this draft. Earlier drafts are no longer answered."""
        self._newest = draft.revision
        self._counting.submit(draft)

    def open(self, source: BodySource) -> None:
        """Read a request."""
        self._reading.submit(source)

    def count_lines(self, request: LinesRequest) -> None:
        """Count a file of requests. Cancels the one that is being counted."""
        self._lines.cancel()
        self._lines.submit(request)

    def stop_lines(self) -> None:
        """Stop counting a file; the lines counted so far are reported."""
        self._lines.cancel()

    def list_lines(self, table: LinesTable) -> None:
        """Write the counts of each line. If the user cancels, nothing is written."""
        self._tables.submit(table)

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
    def _on_table(self, result: JobResult) -> None:
        self.table_written.emit(result.request)

    @Slot(object)
    def _on_no_table(self, failure: JobFailure) -> None:
        self.table_failed.emit(failure.request, failure.why)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def read_source_of(source: BodySource, _ticket: Ticket | None = None) -> ReadBody | ManyRequests:
    """Return the request of a file or text, or ManyRequests if it has several. Raises RequestError and OSError."""
    from engine.requests.bodies.reader import read_body
    from engine.requests.types import RequestError

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
        # Whatever the file's name: a request on the first line and more text after it.
        if rest.strip() and _is_request(first):
            return ManyRequests(source.path)
        raise


def _is_request(line: bytes) -> bool:
    from engine.requests.bodies.reader import read_body
    from engine.requests.types import RequestError

    try:
        read_body(line)
    except RequestError:
        return False
    return True


def count_lines(open_encoding: OpenEncoding, request: LinesRequest, ticket: Ticket) -> CountedLines:
    """Count a file line by line; if cancelled, return the counts so far. Raises EngineError and OSError."""
    with _counting(open_encoding, request) as (counting, size):
        try:
            _run(counting, size, ticket)
        except JobCancelled:
            return CountedLines(counting.report(), is_complete=False)
        return CountedLines(counting.report(), is_complete=True)


def list_lines(open_encoding: OpenEncoding, table: LinesTable, ticket: Ticket) -> None:
    """Write the counts of each line. The lines are counted again, so that memory does not grow with the file.

    Raises EngineError, OSError and, if cancelled, JobCancelled; then nothing is written.
    """
    from engine.requests.lines import written_table

    with written_table(table.path) as tell, _counting(open_encoding, table.lines, tell) as (counting, size):
        _run(counting, size, ticket)


@contextlib.contextmanager
def _counting(
    open_encoding: OpenEncoding, request: LinesRequest, tell: Callable[[LineCount], None] | None = None
) -> Iterator[tuple[RequestLines, int]]:
    """Yield the counter of a file, and the size of the file in bytes."""
    from engine.requests.counting import RequestCounter
    from engine.requests.lines import RequestLines

    with (
        template_of(request.template, request.template_file) as template,
        request.path.open("rb") as file,
    ):
        counter = RequestCounter(template, open_encoding(request.encoding), image_rule=request.image_rule or None)
        yield RequestLines(file, counter.tally, tell), os.fstat(file.fileno()).st_size


def _run(counting: RequestLines, size: int, ticket: Ticket) -> None:
    while not counting.done:
        counting.advance(SLICE_SECONDS)
        ticket.progress(min(1.0, counting.n_bytes / max(1, size)))


class SizedImage(NamedTuple):
    """Image file as a message holds it; 0 by 0 if its format is unknown."""

    path: Path
    image: Image


class ImageSizes(QObject):
    """Service that reads the sizes of images. Signals: ``sized(SizedImage)``; ``failed(str)``: a sentence."""

    sized = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.exclusive(self.tr("Looking at an image"), _look)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def ask(self, path: Path) -> None:
        """Read the size of this image."""
        self._lane.submit(path)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.sized.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(self.tr("Could not read {name}: {why}").format(name=failure.request.name, why=failure.why))


def _look(path: Path, _ticket: Ticket) -> SizedImage:
    from engine.requests.images import size_of_file
    from engine.requests.types import Image

    width, height = size_of_file(path) or (0, 0)
    return SizedImage(path, Image(width, height, name=path.name))
