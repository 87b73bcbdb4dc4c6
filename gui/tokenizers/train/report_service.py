"""How well a trained encoding does on the user's own texts, beside those of others: the work of a lane.

What is measured on was held back from training wherever the folder allowed that; a report says which it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.editor.offsets import document_text

if TYPE_CHECKING:
    from engine import Encoding
    from engine.evaluation import Evaluation, Overlap
    from engine.training_types import CorpusFile, SkippedFile
    from engine.types import TokenPatch
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.services.own_encodings import OpenEncoding

COMPARED = ("gpt2", "cl100k_base", "o200k_base")
"""The encodings that a trained one is measured beside."""
MOST_BYTES = 20_000_000
"""So much text is measured at most: figures of more would hardly be others."""
PIECE_CHARACTERS = 200_000
SAMPLE_CHARACTERS = 6_000
LISTED = 100
"""Tokens of each kind that are listed, the longest ones."""


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """An encoding by its name, and the files to measure it on. ``held_out``: whether it has not been trained on them,
    None where nobody knows.

    ``sample_file``: of the files, the one whose text is shown side by side.
    """

    name: str
    files: tuple[CorpusFile, ...]
    held_out: bool | None
    sample_file: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """``evaluation`` has the trained encoding first, then ``COMPARED``; ``overlaps`` belong to those, in order.
    ``longest``: the longest tokens of each encoding. ``sample``: a text, as an editor holds it, and ``patches`` its
    tokens in each encoding. ``files``: how many were measured, of which the evaluation may have seen pieces."""

    request: ReportRequest
    files: int
    evaluation: Evaluation
    overlaps: tuple[Overlap, ...]
    longest: tuple[tuple[bytes, ...], ...]
    sample: str
    patches: tuple[TokenPatch, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the encodings, the trained one first."""
        return self.evaluation.encodings


class ReportService(QObject):
    """Makes reports, one after the other; only the newest asked for is told.

    Signals: ``made(Report)``, ``failed(str)`` with a sentence.
    """

    made = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Measuring the vocabulary"), partial(make_report, open_encoding))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self._on_cancelled)
        self._wanted: ReportRequest | None = None

    def ask(self, request: ReportRequest) -> None:
        """Measure an encoding."""
        self._wanted = request
        self._lane.submit(request)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if result.request is self._wanted:
            self.made.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if failure.request is self._wanted:
            self.failed.emit(failure.why)

    @Slot(object)
    def _on_cancelled(self, request: ReportRequest) -> None:
        if request is self._wanted:
            self.failed.emit(self.tr("Stopped before everything was measured."))


def make_report(open_encoding: OpenEncoding, request: ReportRequest, ticket: Ticket) -> Report:
    """Measure an encoding beside the others. On a worker thread. EngineError."""
    from engine.evaluation import evaluate, longest_tokens, overlap

    encodings = [open_encoding(name) for name in (request.name, *COMPARED)]
    files = _some_of(request.files)
    total = max(1, sum(file.file_bytes for file in files))
    evaluation = evaluate(encodings, _pieces(files), lambda seen: ticket.progress(min(1.0, seen / total)))
    mine, *others = encodings
    sample = document_text(_sample(request))
    return Report(
        request,
        len(files) - len(evaluation.skipped),
        evaluation,
        tuple(overlap(mine, other, LISTED) for other in others),
        tuple(tuple(token.token_bytes for token in longest_tokens(one, LISTED)) for one in encodings),
        sample,
        tuple(_tokens(encoding, sample) for encoding in encodings),
    )


def _some_of(files: Sequence[CorpusFile]) -> list[CorpusFile]:
    """Files from all over the list that come to no more than is measured; at least one."""
    total = sum(file.file_bytes for file in files)
    stride = max(1, -(-total // MOST_BYTES))
    return list(files[::stride])


def _pieces(files: Sequence[CorpusFile]) -> Iterator[tuple[str, str] | SkippedFile]:
    """The texts of files, long ones in pieces of whole lines: big strings would keep the window waiting."""
    from engine.evaluation import texts_of

    for found in texts_of(files):
        if not isinstance(found, tuple):
            yield found
            continue
        name, text = found
        start = 0
        while start < len(text):
            end = text.find("\n", start + PIECE_CHARACTERS) + 1 or len(text)
            yield name, text[start:end]
            start = end


def _sample(request: ReportRequest) -> str:
    """The beginning of a file; nothing where it cannot be read."""
    from engine.evaluation import texts_of

    file = request.files[request.sample_file] if request.files else None
    found = next(iter(texts_of([file], SAMPLE_CHARACTERS)), None) if file is not None else None
    if not isinstance(found, tuple):
        return ""
    text = found[1][:SAMPLE_CHARACTERS]
    whole_lines = text.rfind("\n") + 1
    return text[:whole_lines] if whole_lines and len(found[1]) > SAMPLE_CHARACTERS else text


def _tokens(encoding: Encoding, text: str) -> TokenPatch:
    import engine

    return engine.EditedText(encoding).reset(text)
