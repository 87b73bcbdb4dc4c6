"""Evaluation of a trained vocabulary, the price of its savings, and its export.

The evaluation uses text that was held out of training if the folder allowed it; a report says whether it was.
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
"""Labels of counts in the model's own tokens, which can be compared with other token counts."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Tokens of one prompt in the model's own vocabulary and in another; input cost of all calls, in USD.

    Costs are None if the input price is unknown.
    """

    tokens: int
    tokens_instead: int
    calls: int
    usd: Decimal | None
    usd_instead: Decimal | None

    @property
    def tokens_saved(self) -> int:
        """Tokens saved over all calls; negative if the other vocabulary needs more."""
        return (self.tokens - self.tokens_instead) * self.calls

    @property
    def usd_saved(self) -> Decimal | None:
        """Cost saved over all calls, in USD; negative if the other vocabulary costs more. None if unknown."""
        return None if self.usd is None or self.usd_instead is None else self.usd - self.usd_instead


def is_comparable(model: Model, encodings: Collection[str]) -> bool:
    """Return True if a model is counted with one of these encodings and its input has a price."""
    sure = model.count.tokenizer in encodings and model.count.label in SURE
    return sure and model.price.input is not None


def savings(model: Model, tokens: int, tokens_instead: int, calls: int, on: date) -> Savings:
    """Return the cost of a prompt as ``tokens`` and as ``tokens_instead``."""
    usd, usd_instead = (_input_usd(model, one, calls, on) for one in (tokens, tokens_instead))
    return Savings(tokens, tokens_instead, calls, usd, usd_instead)


def _input_usd(model: Model, tokens: int, calls: int, on: date) -> Decimal | None:
    from pricing import estimate
    from pricing.types import Scenario, TokenCount

    found = estimate(model, TokenCount(tokens, tokens, tokens, "exact"), Scenario(on=on))
    return None if found.input_usd is None else found.input_usd * calls


FORMATS = tuple((one.ending, one.title) for one in WRITTEN)
"""File name suffix and title of each export format."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An encoding by name, the file to write, and a text to verify the file with."""

    name: str
    path: Path
    sample: str = ""


class ExportService(QObject):
    """Service that exports encodings; an existing file stays unchanged if that fails.

    Signals: ``saved(Path, tuple[str])`` with sentences about what the format cannot store; ``failed(ExportRequest,
    str)`` with a sentence.
    """

    saved = Signal(object, object)
    failed = Signal(object, str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open = open_encoding
        self._lane = runner.exclusive(self.tr("Saving the tokenizer"), partial(_save, open_encoding), stoppable=False)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def save(self, request: ExportRequest) -> None:
        """Export an encoding; answered by one of the signals."""
        self._lane.submit(request)

    def look_for_keys(self, name: str) -> Callable[[], tuple[str, ...]]:
        """Return a function for a worker thread that lists the tokens with API keys. The function raises
        EngineError."""
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
    """Return the translated title of a format."""
    return QCoreApplication.translate("TokenizerFormats", title)


COMPARED = ("gpt2", "cl100k_base", "o200k_base")
"""The encodings to compare a trained one with."""
MAX_BYTES = 20_000_000
"""Maximum text to evaluate, in bytes: more would hardly change the figures."""
PIECE_CHARACTERS = 200_000
SAMPLE_CHARACTERS = 6_000
LISTED = 100
"""Maximum number of tokens listed of each kind, longest first."""


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """An encoding by name, and the files to evaluate it on.

    ``held_out``: True if they were held out of training, None if unknown. ``sample_file``: index of the file whose text
    is shown side by side.
    """

    name: str
    files: tuple[CorpusFile, ...]
    held_out: bool | None
    sample_file: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """An evaluation of the trained encoding and ``COMPARED``, in this order.

    ``overlaps``: with each of ``COMPARED``. ``longest``: the longest tokens of each encoding. ``sample``: a text, as an
    editor holds it; ``patches``: its tokens in each encoding. ``files``: number of files evaluated, which the
    evaluation may have seen in chunks.
    """

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
    """Service that makes reports one after the other; only the newest request is answered.

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
        """Evaluate an encoding."""
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
    """Evaluate an encoding and the published ones. Runs on a worker thread. Raises EngineError."""
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
    """Return files evenly spread over the list, about ``MAX_BYTES`` in total, at least one."""
    total = sum(file.file_bytes for file in files)
    stride = max(1, -(-total // MAX_BYTES))
    return list(files[::stride])


def _pieces(files: Sequence[CorpusFile]) -> Iterator[tuple[str, str] | SkippedFile]:
    """Yield the texts of files, long ones in chunks of whole lines: long strings would block the GUI thread."""
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
    """Return the beginning of a file; empty if it cannot be read."""
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
