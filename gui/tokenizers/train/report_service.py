"""Measures a trained vocabulary, prices what it saves, and exports it.

What is measured on was held back from training wherever the folder allowed that; a report says which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from engine.library.formats.table import WRITTEN
from gui.core.api_keys import keys_in_vocabulary
from gui.editor.offsets import document_text

if TYPE_CHECKING:
    from engine import Encoding
    from engine.corpus.types import CorpusFile, SkippedFile
    from engine.library.formats.saving import Saved
    from engine.training.evaluation import Evaluation, Overlap
    from engine.types import TokenPatch
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from pricing.types import Model

SURE = ("exact", "assumed")
"""Labels of counts that are the model's own tokens, so that tokens can be weighed against tokens."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Tokens of one prompt in the model's own vocabulary and in another; money of all calls, input alone.

    The money is None where the price of the input is not known.
    """

    tokens: int
    tokens_instead: int
    calls: int
    usd: Decimal | None
    usd_instead: Decimal | None

    @property
    def tokens_saved(self) -> int:
        """Over all calls; negative where the other vocabulary needs more."""
        return (self.tokens - self.tokens_instead) * self.calls

    @property
    def usd_saved(self) -> Decimal | None:
        """Over all calls; negative where the other vocabulary costs more."""
        return None if self.usd is None or self.usd_instead is None else self.usd - self.usd_instead


def is_comparable(model: Model, encodings: Collection[str]) -> bool:
    """Whether a model counts with one of these encodings, and its input has a price."""
    sure = model.count.tokenizer in encodings and model.count.label in SURE
    return sure and model.price.input is not None


def savings(model: Model, tokens: int, tokens_instead: int, calls: int, on: date) -> Savings:
    """What a prompt of ``tokens`` costs, and what it would cost as ``tokens_instead``."""
    usd, usd_instead = (_input_usd(model, one, calls, on) for one in (tokens, tokens_instead))
    return Savings(tokens, tokens_instead, calls, usd, usd_instead)


def _input_usd(model: Model, tokens: int, calls: int, on: date) -> Decimal | None:
    from pricing import estimate
    from pricing.types import Scenario, TokenCount

    found = estimate(model, TokenCount(tokens, tokens, tokens, "exact"), Scenario(on=on))
    return None if found.input_usd is None else found.input_usd * calls


FORMATS = tuple((one.ending, one.title) for one in WRITTEN)
"""Endings, and what is written in a file of each."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An encoding by its name, the file for it, and a text to prove the file on."""

    name: str
    path: Path
    sample: str = ""


class ExportService(QObject):
    """Signals: ``saved(Path, tuple[str])`` with sentences about what the format has no room for;
    ``failed(ExportRequest, str)`` with a sentence; what was there before is still there."""

    saved = Signal(object, object)
    failed = Signal(object, str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open = open_encoding
        self._lane = runner.exclusive(self.tr("Saving the tokenizer"), partial(_save, open_encoding), stoppable=False)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def save(self, request: ExportRequest) -> None:
        """Write a file; one of the signals answers."""
        self._lane.submit(request)

    def look_for_keys(self, name: str) -> Callable[[], tuple[str, ...]]:
        """What says, on a worker thread, which tokens of an encoding hold an API key. Raises EngineError."""
        return partial(_keys_of, self._open, name)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.saved.emit(result.request.path, result.value.losses)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.request, failure.why)


def _save(open_encoding: OpenEncoding, request: ExportRequest, _ticket: Ticket) -> Saved:
    import engine

    return engine.save_encoding(open_encoding(request.name), request.path, request.sample)


def _keys_of(open_encoding: OpenEncoding, name: str) -> tuple[str, ...]:
    return keys_in_vocabulary(open_encoding(name))


def format_title(title: str) -> str:
    """The title of a format in the user's language."""
    return QCoreApplication.translate("TokenizerFormats", title)


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
    None if unknown.

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
        self._lane = runner.conflated(self.tr("Evaluating the vocabulary"), partial(make_report, open_encoding))
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
            self.failed.emit(self.tr("Stopped before the evaluation was complete."))


def make_report(open_encoding: OpenEncoding, request: ReportRequest, ticket: Ticket) -> Report:
    """Measure an encoding beside the others. On a worker thread. EngineError."""
    from engine.training.evaluation import evaluate, longest_tokens, overlap

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
    from engine.training.evaluation import texts_of

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
    from engine.training.evaluation import texts_of

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
