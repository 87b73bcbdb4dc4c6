"""The vocabulary browser's work: opening, searching, diagnosing and comparing, each in a lane of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.tokenizers.vocabulary.diagnosis_service import Diagnosed, DiagnosisRequest, diagnose_or_read
from gui.tokenizers.vocabulary.lengths_service import Lengths, lengths_of
from gui.tokenizers.vocabulary.token_service import TokenDetail, TokenRequest, look_at

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from engine.entries.comparison import Comparison
    from engine.entries.query import EntryQuery
    from engine.entries.search import EntrySearch, SortKey
    from engine.entries.table import EntryTable
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.services.own_encodings import OpenEncoding
    from gui.tokenizers.vocabulary.filters import Wanted


@dataclass(frozen=True, slots=True, eq=False)
class OpenedVocabulary:
    """An encoding, its entries, what searches them, and how long they are."""

    encoding: Encoding
    entries: EntryTable
    search: EntrySearch
    lengths: Lengths

    @property
    def name(self) -> str:
        """The name of the encoding."""
        return self.entries.name


@dataclass(frozen=True, slots=True, eq=False)
class SearchRequest:
    """Look for entries of a vocabulary and put them in order. ``number``: later searches have higher ones."""

    opened: OpenedVocabulary
    number: int
    query: EntryQuery
    key: SortKey = "id"
    descending: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The ids that a search found, int32[m], read-only; or ``why`` there are none, in a sentence."""

    request: SearchRequest
    ids: NDArray[np.int32] | None
    why: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class CompareRequest:
    """Compare a vocabulary with the encoding of another name."""

    opened: OpenedVocabulary
    other: str


@dataclass
class _Newest:
    """What was asked for last, by kind: older answers are dropped."""

    name: str = ""
    search: SearchRequest | None = None
    token: TokenRequest | None = None
    compare: CompareRequest | None = None
    diagnosis: DiagnosisRequest | None = field(default=None)


class VocabularyService(QObject):
    """Only the answer to what was asked for last is told.

    Signals: ``opened(OpenedVocabulary)``; ``found(Found)``; ``diagnosed(Diagnosed)``; ``diagnosing(float)``: how far it
    is, from 0 to 1; ``token_ready(TokenDetail)``; ``compared(Comparison)``; ``failed(str)``: a sentence;
    ``stopped(str)``: what the user stopped, in a few words.
    """

    opened = Signal(object)
    found = Signal(object)
    diagnosed = Signal(object)
    diagnosing = Signal(float)
    token_ready = Signal(object)
    compared = Signal(object)
    failed = Signal(str)
    stopped = Signal(str)

    def __init__(
        self, runner: JobRunner, open_encoding: OpenEncoding, folder: Path, parent: QObject | None = None
    ) -> None:
        """``folder``: where diagnoses are kept."""
        super().__init__(parent)
        self._newest = _Newest()
        self._opening = runner.conflated(self.tr("Opening the vocabulary"), partial(_open, open_encoding))
        self._searching = runner.conflated(self.tr("Searching the vocabulary"), _search)
        self._diagnosing = runner.conflated(
            self.tr("Diagnosing the vocabulary"), partial(diagnose_or_read, folder / "diagnoses")
        )
        self._looking = runner.conflated(self.tr("Looking at a token"), look_at)
        self._comparing = runner.conflated(self.tr("Comparing vocabularies"), partial(_compare, open_encoding))
        for lane, done in (
            (self._opening, self._on_opened),
            (self._searching, self._on_found),
            (self._diagnosing, self._on_diagnosed),
            (self._looking, self._on_looked),
            (self._comparing, self._on_compared),
        ):
            lane.finished.connect(done)
            lane.failed.connect(self._on_failed)
        self._diagnosing.progressed.connect(self._on_progress)
        self._diagnosing.cancelled.connect(self._on_diagnosis_stopped)
        self._searching.cancelled.connect(self._on_search_stopped)

    @property
    def busy(self) -> bool:
        """Whether something is being worked on."""
        lanes = (self._opening, self._searching, self._diagnosing, self._looking, self._comparing)
        return any(lane.busy for lane in lanes)

    def open(self, name: str) -> None:
        """Open the encoding of a name."""
        self._newest = _Newest(name)
        self._diagnosing.cancel()
        self._opening.submit(name)

    def search(self, request: SearchRequest) -> None:
        """Look for entries."""
        self._newest.search = request
        self._searching.submit(request)

    def diagnose(self, opened: OpenedVocabulary) -> None:
        """Look at all entries, or read what an earlier look found."""
        request = self._newest.diagnosis = DiagnosisRequest(opened.encoding, opened.search)
        self._diagnosing.submit(request)

    def look_at(self, opened: OpenedVocabulary, token_id: int) -> None:
        """Find out about one token."""
        request = self._newest.token = TokenRequest(opened.encoding, opened.search, token_id)
        self._looking.submit(request)

    def compare(self, opened: OpenedVocabulary, other: str) -> None:
        """Compare with the encoding of another name."""
        request = self._newest.compare = CompareRequest(opened, other)
        self._comparing.submit(request)

    @Slot(object)
    def _on_opened(self, result: JobResult) -> None:
        if result.request == self._newest.name:
            self.opened.emit(result.value)

    @Slot(object)
    def _on_found(self, result: JobResult) -> None:
        if result.request is self._newest.search:
            self.found.emit(result.value)

    @Slot(object)
    def _on_diagnosed(self, result: JobResult) -> None:
        diagnosed: Diagnosed = result.value
        if diagnosed.request is self._newest.diagnosis:
            self.diagnosed.emit(diagnosed)

    @Slot(object)
    def _on_progress(self, progress: object) -> None:
        if progress.request is self._newest.diagnosis:
            self.diagnosing.emit(progress.fraction)

    @Slot(object)
    def _on_looked(self, result: JobResult) -> None:
        detail: TokenDetail = result.value
        if detail.request is self._newest.token:
            self.token_ready.emit(detail)

    @Slot(object)
    def _on_compared(self, result: JobResult) -> None:
        if result.request is self._newest.compare:
            comparison: Comparison = result.value
            self.compared.emit(comparison)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        newest = self._newest
        wanted = (newest.name, newest.search, newest.diagnosis, newest.token, newest.compare)
        if any(failure.request is one or failure.request == one for one in wanted):
            self.failed.emit(failure.why)

    @Slot(object)
    def _on_diagnosis_stopped(self, request: DiagnosisRequest) -> None:
        if request is self._newest.diagnosis:
            self.stopped.emit(
                self.tr("The diagnosis was stopped. It begins again when the vocabulary is opened again.")
            )

    @Slot(object)
    def _on_search_stopped(self, request: SearchRequest) -> None:
        if request is self._newest.search:
            self.found.emit(Found(request, None, self.tr("The search was stopped.")))


def _open(open_encoding: OpenEncoding, name: str, _ticket: Ticket) -> OpenedVocabulary:
    from engine.entries.search import EntrySearch
    from engine.entries.table import entries_of

    encoding = open_encoding(name)
    entries = entries_of(encoding)
    return OpenedVocabulary(encoding, entries, EntrySearch(entries), lengths_of(entries))


def _search(request: SearchRequest, ticket: Ticket) -> Found:
    from engine.entries.query import QueryError

    def still_wanted() -> None:
        ticket.progress(-1.0)

    try:
        ids = request.opened.search.ids(request.query, request.key, request.descending, still_wanted)
    except QueryError as error:
        return Found(request, None, str(error))
    return Found(request, ids)


def _compare(open_encoding: OpenEncoding, request: CompareRequest, _ticket: Ticket) -> Comparison:
    from engine.entries.comparison import compare
    from engine.entries.table import entries_of

    return compare(request.opened.entries, entries_of(open_encoding(request.other)))


def query_of(wanted: Wanted) -> EntryQuery:
    """What is asked of the engine for what is chosen in the panel."""
    from engine.entries.query import EntryQuery
    from engine.entries.table import KINDS

    fields = wanted._asdict()
    kind = fields.pop("kind")
    return EntryQuery(**fields, kinds=frozenset(KINDS) if kind is None else frozenset({kind}))


def spelled(content: bytes) -> str:
    """Bytes in the letters that GPT-2's files have for them."""
    from engine.formats.byte_alphabet import spelled as in_letters

    return in_letters(content)
