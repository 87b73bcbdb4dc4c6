"""Services that open, search, diagnose and compare vocabularies, and find a token in the prompt, on worker threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core.file_writing import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from engine.types import MergeStep, MergeTree, TokenPatch
    from engine.vocabulary.entries.comparison import Comparison
    from engine.vocabulary.entries.diagnostics import Diagnosis
    from engine.vocabulary.entries.search import EntryQuery, EntrySearch, SortKey
    from engine.vocabulary.entries.table import EntryTable
    from gui.core.text_chunks import ChunkedText
    from gui.core.user_encodings import OpenEncoding, UserEncodings
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.tokenizers.vocabulary.filters import Wanted


@dataclass(frozen=True, slots=True, eq=False)
class DiagnosisRequest:
    """An encoding to diagnose, and the search over its entries, which receives the diagnosis."""

    encoding: Encoding
    search: EntrySearch


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosed:
    """Result of a diagnosis. ``unkept``: why it could not be cached, empty if it was."""

    request: DiagnosisRequest
    diagnosis: Diagnosis
    unkept: str = ""


def diagnose_or_read(folder: Path, request: DiagnosisRequest, ticket: Ticket) -> Diagnosed:
    """Read the diagnosis cached in ``folder``, or make and cache it. Runs on a worker thread."""
    from engine.vocabulary.entries.diagnostics import diagnose, diagnosis_key, pack, unpack

    entries = request.search.entries
    request.search.prepare()
    ticket.progress(0.0)
    path = folder / f"{diagnosis_key(request.encoding, entries)}.diagnosis"
    unkept = ""
    kept = _read(path)
    diagnosis = None if kept is None else unpack(kept, len(entries))
    if diagnosis is None:
        diagnosis = diagnose(request.encoding, entries, ticket.progress)
        try:
            write_atomic(path, pack(diagnosis))
        except OSError as error:
            unkept = error.strerror or str(error)
    request.search.set_diagnosis(diagnosis)
    return Diagnosed(request, diagnosis, unkept)


def _read(path: Path) -> bytes | None:
    """Return the content of a file; None if it does not exist or cannot be read, and must be rebuilt."""
    try:
        return path.read_bytes()
    except OSError:
        return None


STRETCHES = 200
"""Number of ranges of IDs in the plot of lengths."""


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Lengths of byte and merge tokens. Special tokens are excluded, since they are not learned.

    ``counts``: int64[k], number of tokens with ``i`` bytes, for ``i`` from 0 to the longest. ``ids``: float64[m], mean
    ID of each range of IDs; ``means``, ``longest``: float64[m], mean and maximum length in each range.
    """

    counts: NDArray[np.int64]
    ids: NDArray[np.float64]
    means: NDArray[np.float64]
    longest: NDArray[np.float64]

    @property
    def total(self) -> int:
        """Number of tokens."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Mean length in bytes, 0.0 if there are no tokens."""
        total = self.total
        return float((self.counts * range(len(self.counts))).sum()) / total if total else 0.0

    @property
    def median(self) -> int:
        """Median length in bytes: half of the tokens are not longer."""
        return int((self.counts.cumsum() * 2 < self.total).sum())


def lengths_of(entries: EntryTable) -> Lengths:
    """Compute the lengths of a vocabulary, in a few milliseconds."""
    import numpy as np

    from engine.vocabulary.entries.table import BYTE, MERGE

    ids = np.flatnonzero((entries.kinds == BYTE) | (entries.kinds == MERGE))
    lengths = entries.byte_lengths[ids]
    parts = [part for part in np.array_split(np.arange(len(ids)), min(STRETCHES, max(1, len(ids)))) if len(part)]
    return Lengths(
        np.bincount(lengths),
        np.array([ids[part].mean() for part in parts], dtype=np.float64),
        np.array([lengths[part].mean() for part in parts], dtype=np.float64),
        np.array([lengths[part].max() for part in parts], dtype=np.float64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class TokenRequest:
    """An ID of an encoding, and the search over its entries."""

    encoding: Encoding
    search: EntrySearch
    token_id: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenDetail:
    """Details of a token.

    ``rank``: None if it is not merged by rank. ``reachable``: None if unknown, or for an unused ID. ``encoded``: the
    IDs that its text encodes to, if these differ from its own. ``tree``: None for an unused ID. ``steps``: its merges,
    in order.

    The rest is None before there is a diagnosis: ``script``, ``findings`` by name, ``children`` (int64[m], IDs of the
    tokens that it is a parent of), ``built_in_all`` (number of tokens that have it in their trees).
    """

    request: TokenRequest
    token_bytes: bytes
    kind: str
    rank: int | None
    reachable: bool | None
    encoded: tuple[int, ...]
    tree: MergeTree | None
    steps: tuple[MergeStep, ...]
    script: str | None
    findings: tuple[str, ...] | None
    children: NDArray[np.int64] | None
    built_in_all: int | None

    @property
    def token_id(self) -> int:
        """The ID of the token."""
        return self.request.token_id

    @property
    def parents(self) -> tuple[int, int] | None:
        """The IDs of the two tokens it is merged from; None if it is not merged."""
        tree = self.tree
        return (
            None
            if tree is None or tree.left is None or tree.right is None
            else (tree.left.token_id, tree.right.token_id)
        )


def look_at(request: TokenRequest, _ticket: Ticket) -> TokenDetail:
    """Return the details of a token. Runs on a worker thread."""
    from engine.vocabulary.entries.diagnostics import children_of, is_reachable

    encoding, search, token_id = request.encoding, request.search, request.token_id
    info = encoding.token_info(token_id)
    reachable = is_reachable(encoding, search.entries, token_id)
    is_merged = info.kind in ("byte", "merge")
    diagnosis = search.diagnosis
    return TokenDetail(
        request,
        info.token_bytes,
        info.kind,
        info.rank,
        reachable,
        tuple(encoding.encode_ordinary(info.token_bytes.decode("utf-8", "replace"))) if reachable is False else (),
        encoding.merge_tree(token_id) if info.token_bytes else None,
        tuple(encoding.merge_steps(info.token_bytes)) if is_merged else (),
        diagnosis and diagnosis.script(token_id),
        diagnosis and diagnosis.findings_of(token_id),
        diagnosis and children_of(token_id, diagnosis.parents),
        diagnosis and int(diagnosis.built_in_all[token_id]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class PlacesRequest:
    """A text with its revision, an encoding, the mode of special tokens, and the ID of the token to find."""

    revision: int
    text: ChunkedText
    encoding: Encoding
    special_as_tokens: bool
    token_id: int


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Occurrences of a token: starts and ends, int32[n], read-only, in UTF-16 units of the editor's text, in order."""

    request: PlacesRequest
    utf16_starts: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]


class _TokensOfText:
    """Finder of occurrences. Caches the tokens of the last text, so that another token is found at once."""

    def __init__(self) -> None:
        self._of: tuple[int, Encoding, bool] | None = None
        self._patch: TokenPatch | None = None

    def find(self, request: PlacesRequest, ticket: Ticket) -> Places:
        """Find the occurrences of a token. Runs on a worker thread, one request at a time."""
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
            self._patch, self._of = text.reset(request.text.text(ticket.wait_while_busy)), of
        return self._patch


class PlacesService(QObject):
    """Service that finds a token in the prompt; only the newest request is answered.

    Signals: ``found(Places)``; ``failed(str)`` with a sentence.
    """

    found = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: PlacesRequest | None = None
        self._lane = runner.conflated(self.tr("Finding a token in the prompt"), _TokensOfText().find)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def find(self, request: PlacesRequest) -> None:
        """Find a token."""
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


@dataclass(frozen=True, slots=True, eq=False)
class OpenedVocabulary:
    """An encoding, its entries, the search over them, and their lengths."""

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
    """Search the entries of a vocabulary and sort them. ``number``: increases with each search."""

    opened: OpenedVocabulary
    number: int
    query: EntryQuery
    key: SortKey = "id"
    descending: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """IDs that a search found, int32[m], read-only; None if it failed. ``why``: the reason, as a sentence."""

    request: SearchRequest
    ids: NDArray[np.int32] | None
    why: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class CompareRequest:
    """Compare a vocabulary with the encoding named ``other``."""

    opened: OpenedVocabulary
    other: str


@dataclass
class _Newest:
    """Newest request of each kind; answers to older ones are dropped."""

    name: str = ""
    search: SearchRequest | None = None
    token: TokenRequest | None = None
    compare: CompareRequest | None = None
    diagnosis: DiagnosisRequest | None = field(default=None)


class VocabularyService(QObject):
    """Service of the page; only the newest request of each kind is answered.

    Signals: ``opened(OpenedVocabulary)``; ``found(Found)``; ``diagnosed(Diagnosed)``; ``diagnosing(float)``: progress
    from 0 to 1; ``token_ready(TokenDetail)``; ``compared(Comparison)``; ``failed(str)`` with a sentence;
    ``stopped(str)``: a note on what the user cancelled.
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
        """``folder``: the parent of the cache of diagnoses."""
        super().__init__(parent)
        self._newest = _Newest()
        self._opening = runner.conflated(self.tr("Opening the vocabulary"), partial(_open, open_encoding))
        self._searching = runner.conflated(self.tr("Searching the vocabulary"), _search)
        self._diagnosing = runner.conflated(
            self.tr("Analysing the vocabulary"), partial(diagnose_or_read, folder / "diagnoses")
        )
        self._looking = runner.conflated(self.tr("Reading a token"), look_at)
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
        """True while a request is being served."""
        lanes = (self._opening, self._searching, self._diagnosing, self._looking, self._comparing)
        return any(lane.busy for lane in lanes)

    def open(self, name: str) -> None:
        """Open the encoding of this name."""
        self._newest = _Newest(name)
        self._diagnosing.cancel()
        self._opening.submit(name)

    def search(self, request: SearchRequest) -> None:
        """Search entries."""
        self._newest.search = request
        self._searching.submit(request)

    def diagnose(self, opened: OpenedVocabulary) -> None:
        """Diagnose all entries, or read the cached diagnosis."""
        request = self._newest.diagnosis = DiagnosisRequest(opened.encoding, opened.search)
        self._diagnosing.submit(request)

    def look_at(self, opened: OpenedVocabulary, token_id: int) -> None:
        """Request the details of a token."""
        request = self._newest.token = TokenRequest(opened.encoding, opened.search, token_id)
        self._looking.submit(request)

    def compare(self, opened: OpenedVocabulary, other: str) -> None:
        """Compare with the encoding of this name."""
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
            self.stopped.emit(self.tr("The analysis was stopped. It restarts when the vocabulary is opened again."))

    @Slot(object)
    def _on_search_stopped(self, request: SearchRequest) -> None:
        if request is self._newest.search:
            self.found.emit(Found(request, None, self.tr("The search was stopped.")))


def _open(open_encoding: OpenEncoding, name: str, _ticket: Ticket) -> OpenedVocabulary:
    from engine.vocabulary.entries.search import EntrySearch
    from engine.vocabulary.entries.table import entries_of

    encoding = open_encoding(name)
    entries = entries_of(encoding)
    return OpenedVocabulary(encoding, entries, EntrySearch(entries), lengths_of(entries))


def _search(request: SearchRequest, ticket: Ticket) -> Found:
    from engine.vocabulary.entries.search import QueryError

    def cancel_check() -> None:
        ticket.progress(-1.0)

    try:
        ids = request.opened.search.ids(request.query, request.key, request.descending, cancel_check)
    except QueryError as error:
        return Found(request, None, str(error))
    return Found(request, ids)


def _compare(open_encoding: OpenEncoding, request: CompareRequest, _ticket: Ticket) -> Comparison:
    from engine.vocabulary.entries.comparison import compare
    from engine.vocabulary.entries.table import entries_of

    return compare(request.opened.entries, entries_of(open_encoding(request.other)))


@dataclass(frozen=True, slots=True, eq=False)
class EditRequest:
    """Removal of an entry, or with ``new_text`` a new text for a special token. ``text``: the prompt."""

    encoding: Encoding
    token_id: int
    new_text: str
    text: ChunkedText


@dataclass(frozen=True, slots=True, eq=False)
class EditOutcome:
    """The edited encoding, the number of entries removed, and the token counts of the prompt before and after."""

    request: EditRequest
    edited: Encoding
    removed: int
    tokens_before: int
    tokens_after: int


class EditService(QObject):
    """Service that edits encodings of the user, and saves the results as new ones.

    Signals: ``weighed(EditOutcome)``: the cost of an edit; ``kept(str)``: the name of a saved encoding; ``failed(str)``
    with a sentence.
    """

    weighed = Signal(object)
    kept = Signal(str)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, own: UserEncodings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._weighing = runner.conflated(self.tr("Counting without the entry"), partial(_weigh, own))
        self._keeping = runner.conflated(self.tr("Saving the tokenizer"), partial(_keep_edited, own))
        self._weighing.finished.connect(self._on_weighed)
        self._keeping.finished.connect(self._on_kept)
        for lane in (self._weighing, self._keeping):
            lane.failed.connect(self._on_failed)

    def weigh(self, request: EditRequest) -> None:
        """Apply an edit and count the prompt with it, without saving."""
        self._weighing.submit(request)

    def keep(self, outcome: EditOutcome) -> None:
        """Save the edited encoding."""
        self._keeping.submit(outcome)

    @Slot(object)
    def _on_weighed(self, result: JobResult) -> None:
        self.weighed.emit(result.value)

    @Slot(object)
    def _on_kept(self, result: JobResult) -> None:
        self.kept.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def _weigh(own: UserEncodings, request: EditRequest, ticket: Ticket) -> EditOutcome:
    from engine.training.trained_encoding import edit_entries

    ticket.progress(-1.0)
    encoding, token_id = request.encoding, request.token_id
    name = own.free_name(encoding.name)
    if request.new_text:
        old = encoding.token_info(token_id).token_bytes.decode("utf-8")
        made = edit_entries(encoding, name, rename={old: request.new_text})
    else:
        made = edit_entries(encoding, name, remove=(token_id,))
    text = request.text.text(ticket.wait_while_busy)
    counts = (len(one.token_ids(text, special_as_tokens=True)) for one in (encoding, made.encoding))
    return EditOutcome(request, made.encoding, len(made.removed), *counts)


def _keep_edited(own: UserEncodings, outcome: EditOutcome, _ticket: Ticket) -> str:
    return own.keep(outcome.edited).name


def query_of(wanted: Wanted) -> EntryQuery:
    """Convert the search of the panel to a query of the engine."""
    from engine.vocabulary.entries.search import EntryQuery
    from engine.vocabulary.entries.table import KINDS

    fields = wanted._asdict()
    kind = fields.pop("kind")
    return EntryQuery(**fields, kinds=frozenset(KINDS) if kind is None else frozenset({kind}))


def spelled(content: bytes) -> str:
    """Format bytes in the byte alphabet of GPT-2."""
    from engine.library.formats.spelling import spelled as in_letters

    return in_letters(content)
