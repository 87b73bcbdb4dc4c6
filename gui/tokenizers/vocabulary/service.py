"""Service that opens, searches, diagnoses and compares vocabularies, and jobs on single tokens, edits and exports.

Everything but the service itself runs on worker threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core import exports
from gui.core.api_keys import keys_in_tokens
from gui.core.exports import ExportTable, Value
from gui.core.profile_files import write_atomic
from gui.runtime.jobs import NewestRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from engine.types import MergeStep, MergeTree, TokenPatch
    from engine.vocabulary.entries import EntryTable
    from engine.vocabulary.entry_diagnostics import Comparison, Diagnosis
    from engine.vocabulary.entry_search import EntryQuery, EntrySearch, SortKey
    from gui.core.text_chunks import ChunkedText
    from gui.core.user_encodings import OpenEncoding, UserEncodings
    from gui.runtime.jobs import JobRunner, Ticket
    from gui.tokenizers.vocabulary.panel import Wanted


ID_RANGES = 200
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

    from engine.vocabulary.entries import BYTE, MERGE

    ids = np.flatnonzero((entries.kinds == BYTE) | (entries.kinds == MERGE))
    lengths = entries.byte_lengths[ids]
    ranges = np.array_split(np.arange(len(ids)), min(ID_RANGES, len(ids))) if len(ids) else []
    return Lengths(
        np.bincount(lengths),
        np.array([ids[one].mean() for one in ranges], dtype=np.float64),
        np.array([lengths[one].mean() for one in ranges], dtype=np.float64),
        np.array([lengths[one].max() for one in ranges], dtype=np.float64),
    )


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
class Diagnosed:
    """Result of a diagnosis. ``uncached``: why it could not be cached, empty if it was."""

    opened: OpenedVocabulary
    diagnosis: Diagnosis
    uncached: str = ""


def diagnose_or_read(folder: Path, opened: OpenedVocabulary, ticket: Ticket) -> Diagnosed:
    """Read the diagnosis cached in ``folder``, or make and cache it. Runs on a worker thread."""
    from engine.vocabulary.entry_diagnostics import diagnose, diagnosis_key, pack, unpack

    entries = opened.entries
    opened.search.prepare()
    ticket.progress(0.0)
    path = folder / f"{diagnosis_key(opened.encoding, entries)}.diagnosis"
    uncached = ""
    cached = _read(path)
    diagnosis = None if cached is None else unpack(cached, len(entries))
    if diagnosis is None:
        diagnosis = diagnose(opened.encoding, entries, ticket.progress)
        try:
            write_atomic(path, pack(diagnosis))
        except OSError as error:
            uncached = error.strerror or str(error)
    opened.search.set_diagnosis(diagnosis)
    return Diagnosed(opened, diagnosis, uncached)


def _read(path: Path) -> bytes | None:
    """Return the content of a file; None if it does not exist or cannot be read, and must be rebuilt."""
    try:
        return path.read_bytes()
    except OSError:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class TokenRequest:
    """An ID of a vocabulary."""

    opened: OpenedVocabulary
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
    from engine.vocabulary.entry_diagnostics import children_of, is_reachable

    encoding, token_id = request.opened.encoding, request.token_id
    info = encoding.token_info(token_id)
    reachable = is_reachable(encoding, request.opened.entries, token_id)
    is_merged = info.kind in ("byte", "merge")
    diagnosis = request.opened.search.diagnosis
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
class OccurrencesRequest:
    """A text with its revision, an encoding, the mode of special tokens, and the ID of the token to find."""

    revision: int
    text: ChunkedText
    encoding: Encoding
    special_as_tokens: bool
    token_id: int


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Occurrences of a token: starts and ends, int32[n], read-only, in UTF-16 units of the editor's text, in order."""

    request: OccurrencesRequest
    utf16_starts: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]


class TokensOfText:
    """Finder of occurrences. Caches the tokens of the last text, so that another token is found at once."""

    def __init__(self) -> None:
        self._of: tuple[int, Encoding, bool] | None = None
        self._patch: TokenPatch | None = None

    def find(self, request: OccurrencesRequest, ticket: Ticket) -> Occurrences:
        """Find the occurrences of a token. Runs on a worker thread, one request at a time."""
        import numpy as np

        patch = self._tokens(request, ticket)
        found = np.flatnonzero(patch.ids == request.token_id)
        ends = patch.utf16_ends[found]
        starts = np.where(found > 0, patch.utf16_ends[found - 1], 0).astype(np.int32) if len(found) else ends
        for array in (starts, ends):
            array.flags.writeable = False
        return Occurrences(request, starts, ends)

    def _tokens(self, request: OccurrencesRequest, ticket: Ticket) -> TokenPatch:
        import engine

        of = (request.revision, request.encoding, request.special_as_tokens)
        if self._patch is None or of != self._of:
            ticket.progress(-1.0)
            text = engine.EditedText(request.encoding, special_as_tokens=request.special_as_tokens)
            self._patch, self._of = text.reset(request.text.text(ticket.wait_while_busy)), of
        return self._patch


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


class VocabularyService(QObject):
    """Service of the page; only the newest request of each kind is answered.

    Signals: ``opened(OpenedVocabulary)``; ``found(Found)``; ``diagnosed(Diagnosed)``; ``diagnosing(float, str)``:
    progress from 0 to 1, and a note; ``token_ready(TokenDetail)``; ``compared(Comparison)``; ``failed(str)`` with a
    sentence; ``stopped(str)``: a note on what the user cancelled.
    """

    opened = Signal(object)
    found = Signal(object)
    diagnosed = Signal(object)
    diagnosing = Signal(float, str)
    token_ready = Signal(object)
    compared = Signal(object)
    failed = Signal(str)
    stopped = Signal(str)

    def __init__(
        self, runner: JobRunner, open_encoding: OpenEncoding, folder: Path, parent: QObject | None = None
    ) -> None:
        """``folder``: the parent of the cache of diagnoses."""
        super().__init__(parent)
        self._opening = NewestRequest(
            runner.conflated(self.tr("Opening the vocabulary"), partial(_open, open_encoding))
        )
        self._searching = NewestRequest(runner.conflated(self.tr("Searching the vocabulary"), _search))
        self._diagnosing = NewestRequest(
            runner.conflated(self.tr("Analysing the vocabulary"), partial(diagnose_or_read, folder / "diagnoses"))
        )
        self._looking = NewestRequest(runner.conflated(self.tr("Reading a token"), look_at))
        self._comparing = NewestRequest(
            runner.conflated(self.tr("Comparing vocabularies"), partial(_compare, open_encoding))
        )
        self._lanes = {
            self._opening: self.opened,
            self._searching: self.found,
            self._diagnosing: self.diagnosed,
            self._looking: self.token_ready,
            self._comparing: self.compared,
        }
        for lane, answered in self._lanes.items():
            lane.answered.connect(answered)
            lane.failed.connect(self.failed)
        self._diagnosing.progressed.connect(self.diagnosing)
        self._diagnosing.cancelled.connect(self._on_diagnosis_stopped)
        self._searching.cancelled.connect(self._on_search_stopped)

    @property
    def busy(self) -> bool:
        """True while a request is being served."""
        return any(lane.busy for lane in self._lanes)

    def open(self, name: str) -> None:
        """Open the encoding of this name; answers about the one before are dropped."""
        for lane in self._lanes:
            lane.forget()
        self._opening.submit(name)

    def search(self, request: SearchRequest) -> None:
        """Search entries."""
        self._searching.submit(request)

    def diagnose(self, opened: OpenedVocabulary) -> None:
        """Diagnose all entries, or read the cached diagnosis."""
        self._diagnosing.submit(opened)

    def look_at(self, opened: OpenedVocabulary, token_id: int) -> None:
        """Request the details of a token."""
        self._looking.submit(TokenRequest(opened, token_id))

    def compare(self, opened: OpenedVocabulary, other: str) -> None:
        """Compare with the encoding of this name."""
        self._comparing.submit(CompareRequest(opened, other))

    @Slot()
    def _on_diagnosis_stopped(self) -> None:
        self.stopped.emit(self.tr("The analysis was stopped. It restarts when the vocabulary is opened again."))

    @Slot(object)
    def _on_search_stopped(self, request: SearchRequest) -> None:
        self.found.emit(Found(request, None, self.tr("The search was stopped.")))


def _open(open_encoding: OpenEncoding, name: str, _ticket: Ticket) -> OpenedVocabulary:
    from engine.vocabulary.entries import entries_of
    from engine.vocabulary.entry_search import EntrySearch

    encoding = open_encoding(name)
    entries = entries_of(encoding)
    return OpenedVocabulary(encoding, entries, EntrySearch(entries), lengths_of(entries))


def _search(request: SearchRequest, ticket: Ticket) -> Found:
    from engine.vocabulary.entry_search import QueryError

    def cancel_check() -> None:
        ticket.progress(-1.0)

    try:
        ids = request.opened.search.ids(request.query, request.key, request.descending, cancel_check)
    except QueryError as error:
        return Found(request, None, str(error))
    return Found(request, ids)


def _compare(open_encoding: OpenEncoding, request: CompareRequest, _ticket: Ticket) -> Comparison:
    from engine.vocabulary.entries import entries_of
    from engine.vocabulary.entry_diagnostics import compare

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


def weigh_edit(own: UserEncodings, request: EditRequest, ticket: Ticket) -> EditOutcome:
    """Edit an encoding and count the prompt with it, without saving it."""
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


def save_edited(own: UserEncodings, outcome: EditOutcome, _ticket: Ticket) -> str:
    """Save the edited encoding; return its name."""
    return own.keep(outcome.edited).name


def query_of(wanted: Wanted) -> EntryQuery:
    """Convert the search of the panel to a query of the engine."""
    from engine.vocabulary.entries import KINDS
    from engine.vocabulary.entry_search import EntryQuery

    fields = wanted._asdict()
    kind = fields.pop("kind")
    return EntryQuery(**fields, kinds=frozenset(KINDS) if kind is None else frozenset({kind}))


def spelled(content: bytes) -> str:
    """Format bytes in the byte alphabet of GPT-2."""
    from engine.library.formats.spelling import spelled as in_letters

    return in_letters(content)


EXPORTED = (
    "id",
    "text",
    "hex",
    "bytes",
    "kind",
    "script",
    "left",
    "right",
    "built_directly",
    "built_in_all",
    "findings",
)
BOM = "\ufeff"
"""Marks a CSV file as UTF-8 for spreadsheets."""
ENTRIES_PER_REPORT = 2048


@dataclass(frozen=True, slots=True, eq=False)
class ExportRequest:
    """Entries (int32[n], in order) to export. ``path``: its suffix selects the format, JSON for ``.json``, else CSV."""

    search: EntrySearch
    ids: NDArray[np.int32]
    path: Path


def export_entries(request: ExportRequest, ticket: Ticket) -> int:
    """Export entries to a file; return its size in bytes. Raises OSError."""
    table = export_table(request, ticket)
    text = exports.to_json(table) if request.path.suffix.lower() == ".json" else BOM + exports.to_csv(table)
    return write_atomic(request.path, text.encode("utf-8"))


def keys_among(request: ExportRequest) -> tuple[str, ...]:
    """Describe the entries that contain an API key."""
    entries = request.search.entries
    return keys_in_tokens((token_id, entries.token_bytes(token_id)) for token_id in request.ids.tolist())


def export_table(request: ExportRequest, ticket: Ticket) -> ExportTable:
    """Return the entries as a table. Columns that need a diagnosis are empty until there is one."""
    rows: list[tuple[Value, ...]] = []
    ids = request.ids.tolist()
    for number, token_id in enumerate(ids):
        if number % ENTRIES_PER_REPORT == 0:
            ticket.progress(number / len(ids))
        rows.append(_row(request.search, token_id))
    about = (("encoding", request.search.entries.name), ("entries", len(ids)))
    return ExportTable(EXPORTED, tuple(rows), about)


def _row(search: EntrySearch, token_id: int) -> tuple[Value, ...]:
    entries, diagnosis = search.entries, search.diagnosis
    content = entries.token_bytes(token_id)
    known: tuple[Value, ...] = (None,) * 6
    if diagnosis is not None:
        left, right = int(diagnosis.left[token_id]), int(diagnosis.right[token_id])
        known = (
            diagnosis.script(token_id),
            left if left >= 0 else None,
            right if right >= 0 else None,
            int(diagnosis.built_directly[token_id]),
            int(diagnosis.built_in_all[token_id]),
            ", ".join(diagnosis.findings_of(token_id)),
        )
    text = content.decode("utf-8", "replace")
    return (token_id, text, content.hex(), len(content), entries.kind(token_id), *known)
