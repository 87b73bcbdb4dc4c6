"""Opens, searches, diagnoses and compares vocabularies, and finds a token in the prompt, on worker threads."""

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
    """An encoding, and what searches its entries: it learns of the diagnosis."""

    encoding: Encoding
    search: EntrySearch


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosed:
    """What was found. ``unkept``: why it could not be kept for the next time, if so."""

    request: DiagnosisRequest
    diagnosis: Diagnosis
    unkept: str = ""


def diagnose_or_read(folder: Path, request: DiagnosisRequest, ticket: Ticket) -> Diagnosed:
    """Read the diagnosis that is kept in ``folder``, or make it and keep it. On a worker thread."""
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
    """A file's content, None where there is none or it cannot be read: it is rebuilt then."""
    try:
        return path.read_bytes()
    except OSError:
        return None


STRETCHES = 200
"""Into so many stretches the ids are cut for the curve of lengths."""


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Byte and merge tokens by their lengths; special tokens, which are not learned, are excluded.

    ``counts``: int64[k], how many tokens have ``i`` bytes, for ``i`` from 0 to the longest. ``ids``: float64[m], the
    middles of stretches of ids; ``means``, ``longest``: float64[m], mean and greatest length in each.
    """

    counts: NDArray[np.int64]
    ids: NDArray[np.float64]
    means: NDArray[np.float64]
    longest: NDArray[np.float64]

    @property
    def total(self) -> int:
        """How many tokens there are."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Their mean length in bytes, 0.0 where there is none."""
        total = self.total
        return float((self.counts * range(len(self.counts))).sum()) / total if total else 0.0

    @property
    def median(self) -> int:
        """The length that half of them do not exceed."""
        return int((self.counts.cumsum() * 2 < self.total).sum())


def lengths_of(entries: EntryTable) -> Lengths:
    """The figures of a vocabulary: a few milliseconds."""
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
    """An id of an encoding, and what searches its entries."""

    encoding: Encoding
    search: EntrySearch
    token_id: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenDetail:
    """What was found out.

    ``rank``: None for what is not merged by rank. ``reachable``: None for an unused id, and
    where it is not known. ``encoded``: the ids that its
    text is encoded to, where that is not itself. ``tree``: None for an unused id. ``steps``: its merges in order.
    The rest is None before there is a diagnosis: ``script``, ``findings`` by name, ``children`` (int64[m], ids of the
    tokens it is a parent of), ``built_in_all`` (tokens that have it in their trees).
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
        """The id."""
        return self.request.token_id

    @property
    def parents(self) -> tuple[int, int] | None:
        """The ids of the two tokens it is merged from."""
        tree = self.tree
        return (
            None
            if tree is None or tree.left is None or tree.right is None
            else (tree.left.token_id, tree.right.token_id)
        )


def look_at(request: TokenRequest, _ticket: Ticket) -> TokenDetail:
    """Find out about a token. On a worker thread."""
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
    """A text of a revision, an encoding, whether text of special tokens is those, and the id of the token."""

    revision: int
    text: ChunkedText
    encoding: Encoding
    special_as_tokens: bool
    token_id: int


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the token occurs: two read-only arrays, int32[n], of UTF-16 offsets in the widget's text, in order."""

    request: PlacesRequest
    utf16_starts: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]


class _TokensOfText:
    """Finds places. Keeps the tokens of the last text: another token of it is then found at once."""

    def __init__(self) -> None:
        self._of: tuple[int, Encoding, bool] | None = None
        self._patch: TokenPatch | None = None

    def find(self, request: PlacesRequest, ticket: Ticket) -> Places:
        """On a worker thread, one at a time."""
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
            self._patch, self._of = text.reset(request.text.text(ticket.stand_back)), of
        return self._patch


class PlacesService(QObject):
    """Signals: ``found(Places)``: of what was asked for last; ``failed(str)``: a sentence."""

    found = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: PlacesRequest | None = None
        self._lane = runner.conflated(self.tr("Finding a token in the prompt"), _TokensOfText().find)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def find(self, request: PlacesRequest) -> None:
        """Look for a token."""
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
    """Remove an entry of an encoding, or with ``new_text`` call a special token otherwise. ``text``: the prompt."""

    encoding: Encoding
    token_id: int
    new_text: str
    text: ChunkedText


@dataclass(frozen=True, slots=True, eq=False)
class EditOutcome:
    """The encoding without the entry, how many entries it lacks, and the tokens of the prompt before and after."""

    request: EditRequest
    edited: Encoding
    removed: int
    tokens_before: int
    tokens_after: int


class EditService(QObject):
    """Edits encodings of the user, and saves them beside the old ones.

    Signals: ``weighed(EditOutcome)``: what an edit would cost; ``kept(str)``: the name of a saved encoding;
    ``failed(str)``: a sentence.
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
        """Make the edit, and count the prompt with it. Nothing is saved."""
        self._weighing.submit(request)

    def keep(self, outcome: EditOutcome) -> None:
        """Save what an edit came to."""
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
    text = request.text.text(ticket.stand_back)
    counts = (len(one.token_ids(text, special_as_tokens=True)) for one in (encoding, made.encoding))
    return EditOutcome(request, made.encoding, len(made.removed), *counts)


def _keep_edited(own: UserEncodings, outcome: EditOutcome, _ticket: Ticket) -> str:
    return own.keep(outcome.edited).name


def query_of(wanted: Wanted) -> EntryQuery:
    """What is asked of the engine for what is chosen in the panel."""
    from engine.vocabulary.entries.search import EntryQuery
    from engine.vocabulary.entries.table import KINDS

    fields = wanted._asdict()
    kind = fields.pop("kind")
    return EntryQuery(**fields, kinds=frozenset(KINDS) if kind is None else frozenset({kind}))


def spelled(content: bytes) -> str:
    """Bytes in the letters that GPT-2's files have for them."""
    from engine.library.formats.spelling import spelled as in_letters

    return in_letters(content)
