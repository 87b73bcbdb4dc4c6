"""Search for the heaviest parts of the prompt and for edits that save tokens, off the GUI thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QObject, Signal, Slot

from engine.runtime.cancellation import ENTRIES, interruptible
from gui.core.savings.proposals import MAX_SECONDS, advise, together
from gui.core.savings.ranking import Preview, RankedPart, previews, rank_lines, rank_sections, ranked_parts
from gui.core.savings.types import Advice, SectionKind, Watch
from gui.core.text_chunks import ChunkedText
from gui.editor.text_transfer import Piece, gathered
from gui.prompt.savings.labels import kind_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


LINES = "line"
ADVISING_SHARE = 0.7
"""Fraction of the work that finding edits takes; the rest is ranking."""


@dataclass(frozen=True, slots=True)
class AdviceRequest:
    """Text of ``revision`` to search, and how its tokens are counted."""

    revision: int
    text: ChunkedText
    encoding: str
    special_as_tokens: bool


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Result of a search. ``rankings`` by kind of part, including ``LINES``; empty if the positions of the tokens are
    unknown. ``previews`` by kind of suggestion."""

    request: AdviceRequest
    advice: Advice
    rankings: Mapping[str, tuple[RankedPart, ...]]
    previews: Mapping[str, tuple[Preview, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class CombineRequest:
    """Request to count these suggestions together."""

    findings: Findings
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Combination:
    """Effect of several suggestions, counted on the edited text, and the edits that apply them in the editor."""

    revision: int
    names: frozenset[str]
    tokens_before: int
    tokens_after: int
    pieces: tuple[Piece, ...]


class SavingsService(QObject):
    """Service that finds savings.

    Signals: ``found(Findings)``; ``combined(Combination, CombineRequest)``; ``progressed(float, str)``: fraction done
    and current step; ``stopped()`` by the user; ``failed(str)`` with the reason.
    """

    found = Signal(object)
    combined = Signal(object, object)
    progressed = Signal(float, str)
    stopped = Signal()
    failed = Signal(str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread."""
        super().__init__(parent)
        self._looking = runner.conflated(self.tr("Finding savings"), partial(look, open_encoding))
        self._looking.finished.connect(self._on_found)
        self._looking.failed.connect(self._on_failed)
        self._looking.cancelled.connect(self._on_stopped)
        self._looking.progressed.connect(self._on_progress)
        self._combining = runner.conflated(self.tr("Counting combined savings"), partial(combine, open_encoding))
        self._combining.finished.connect(self._on_combined)
        self._combining.failed.connect(self._on_failed)

    def look(self, request: AdviceRequest) -> None:
        """Search a text."""
        self._looking.submit(request)

    def combine(self, request: CombineRequest) -> None:
        """Count several suggestions together."""
        self._combining.submit(request)

    def stop(self) -> None:
        """Cancel the search."""
        self._looking.cancel()

    @Slot(object)
    def _on_found(self, result: JobResult) -> None:
        self.found.emit(result.value)

    @Slot(object)
    def _on_combined(self, result: JobResult) -> None:
        self.combined.emit(result.value, result.request)

    @Slot(object)
    def _on_progress(self, progress: object) -> None:
        self.progressed.emit(progress.fraction, progress.note)

    @Slot(object)
    def _on_stopped(self, _request: object) -> None:
        self.stopped.emit()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def look(open_encoding: OpenEncoding, request: AdviceRequest, ticket: Ticket) -> Findings:
    """Find heaviest parts and suggestions. Runs on a worker thread. Raises EngineError and JobCancelled."""
    stage = [0.0, ""]
    watch = Watch(MAX_SECONDS, check=lambda: ticket.progress(*stage))

    def begin(share: float, name: str) -> None:
        stage[:] = share * ADVISING_SHARE, kind_words(name).title
        ticket.progress(*stage)

    text = request.text.text(ticket.wait_while_busy)
    encoding = open_encoding(request.encoding)
    advice = advise(text, _counter(encoding, request.special_as_tokens), watch, begin)
    shown = {one.kind.name: previews(text, one.effect.edits) for one in advice.proposals}
    return Findings(request, advice, _rankings(text, encoding, request.special_as_tokens, ticket), shown)


def combine(open_encoding: OpenEncoding, request: CombineRequest, ticket: Ticket) -> Combination:
    """Count the effect of several suggestions. Runs on a worker thread. Raises EngineError and JobCancelled."""
    asked = request.findings.request
    ticket.progress(0.0)
    text = asked.text.text(ticket.wait_while_busy)
    chosen = [one for one in request.findings.advice.proposals if one.kind.name in request.names]
    effect = together(text, chosen, _counter(open_encoding(asked.encoding), asked.special_as_tokens))
    pieces = gathered(text, interruptible(effect.edits), ticket.wait_while_busy)
    return Combination(asked.revision, request.names, effect.tokens_before, effect.tokens_after, pieces)


def _counter(encoding: Encoding, special_as_tokens: bool) -> Callable[[str], int]:
    if not special_as_tokens:
        return encoding.count
    return lambda text: len(encoding.token_ids(text, special_as_tokens=True))


def _rankings(
    text: str, encoding: Encoding, special_as_tokens: bool, ticket: Ticket
) -> dict[str, tuple[RankedPart, ...]]:
    kinds: tuple[SectionKind, ...] = get_args(SectionKind)
    ends = _token_ends(text, encoding, special_as_tokens)
    found = {}
    for number, kind in enumerate((LINES, *kinds)):
        ticket.progress(ADVISING_SHARE + (1 - ADVISING_SHARE) * number / (len(kinds) + 1))
        try:
            ranking = rank_lines(text, ends) if kind == LINES else rank_sections(text, ends, kind)
        except ValueError:
            return {}
        found[kind] = ranked_parts(text, ranking)
    return found


def _token_ends(text: str, encoding: Encoding, special_as_tokens: bool) -> NDArray[np.int64]:
    if not special_as_tokens:
        return encoding.token_ends(text)
    import numpy as np

    from engine.encoding.preprocessing_encoding import NormalizingEncoding
    from engine.runtime.running_sums import running_sums
    from engine.text.byte_map import ByteMap
    from engine.text.validity import without_surrogates

    text = without_surrogates(text)
    ids = encoding.token_ids(text, special_as_tokens=True)
    if isinstance(encoding, NormalizingEncoding):
        return ByteMap(text).of_units(encoding.utf16_ends(text, ids, special_as_tokens=True))
    pieces = (ids[first : first + ENTRIES].tolist() for first in range(0, len(ids), ENTRIES))  # there may be millions
    lengths = (len(token) for piece in interruptible(pieces, every=1) for token in encoding.decode_tokens_bytes(piece))
    return running_sums(np.fromiter(lengths, np.int64, len(ids)), np.empty(len(ids), np.int64))
