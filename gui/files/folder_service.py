"""Services that count folders off the GUI thread, suggest files to uncheck, watch for changes, and price files."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QFileSystemWatcher, QObject, QTimer, Signal, Slot

from engine.corpus.types import CorpusRules, CorpusSurvey
from gui.core.exports import ExportTable, Value, to_csv, to_json, to_markdown
from gui.costs.cost_service import fitting, new_cards
from gui.files.file_tree import TOP, FileChoice, FileTree, Proposal, Way, tree_of
from gui.runtime.event_loop import in_next_turn
from gui.runtime.jobs import PROCESSORS, NewestRequest

if TYPE_CHECKING:
    from decimal import Decimal

    from numpy.typing import NDArray

    from engine.corpus.types import SkippedFile
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from pricing.types import Model, Scenario


# --- counting ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """Folders to count.

    ``encodings``: names, the first is shown. ``quiet``: True if the user did not request it. ``before``: the result
    shown, which is returned again if nothing has changed.
    """

    roots: tuple[Path, ...]
    encodings: tuple[str, ...]
    rules: CorpusRules
    quiet: bool = False
    before: ScannedFolder | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ScannedFolder:
    """Counted folders.

    ``request``: without ``before``. ``left_out``: the skipped files, by reason. ``problem``: a sentence if counts could
    not be cached for next time, else "".
    """

    request: ScanRequest
    tree: FileTree
    left_out: CorpusSurvey
    problem: str


class RefusedScan(Exception):
    """A folder that cannot be counted; the text is a sentence for the user."""


class FolderScan(QObject):
    """Service that counts folders; only the newest request is answered.

    Signals: ``scanned(ScannedFolder)``, ``failed(str)`` with a sentence, ``stopped()``, ``progressed(str)`` with a note
    on the files done, ``busy_changed(bool)``.
    """

    scanned = Signal(object)
    failed = Signal(str)
    stopped = Signal()
    progressed = Signal(str)
    busy_changed = Signal(bool)

    def __init__(
        self, runner: JobRunner, open_encoding: OpenEncoding, cache: Path, parent: QObject | None = None
    ) -> None:
        """``open_encoding``: opens an encoding by name, on a worker thread. ``cache``: file that caches counts."""
        super().__init__(parent)
        lane = runner.conflated(self.tr("Counting a folder"), partial(scan_folder, open_encoding, cache))
        lane.busy_changed.connect(self.busy_changed)
        self._lane, self._newest = lane, NewestRequest(lane)
        self._newest.answered.connect(self.scanned)
        self._newest.failed.connect(self.failed)
        self._newest.cancelled.connect(self.stopped)
        self._newest.progressed.connect(self._on_progressed)

    @property
    def busy(self) -> bool:
        """True while a folder is counted."""
        return self._lane.busy

    def scan(self, request: ScanRequest) -> None:
        """Count; cancels the previous scan."""
        self._newest.submit(request, cancel=True)

    def stop(self) -> None:
        """Cancel the scan."""
        self._lane.cancel()

    @Slot(float, str)
    def _on_progressed(self, _fraction: float, note: str) -> None:
        self.progressed.emit(note)


def scan_folder(open_encoding: OpenEncoding, cache: Path, request: ScanRequest, ticket: Ticket) -> ScannedFolder:
    """Count folders, on a worker thread and its helpers. Raises RefusedScan or EngineError."""
    from engine.corpus.count_cache import CountCache
    from engine.corpus.folder_counts import count_folder
    from engine.corpus.walk import FolderWalk

    def report(files: int, file_bytes: int) -> None:
        words = _tr("{files} files, {size} MB")
        ticket.progress(-1.0, words.format(files=f"{files:,}", size=f"{file_bytes / 1e6:,.0f}"))

    ticket.progress(-1.0)
    encodings = [open_encoding(name) for name in request.encodings]
    try:
        counts = count_folder(
            FolderWalk(request.rules).found(request.roots),
            encodings,
            threads=PROCESSORS,
            side_by_side=ticket.side_by_side,
            cache=CountCache(cache),
            report=report,
        )
    except FileNotFoundError as error:
        raise RefusedScan(_tr("No such file or folder: {path}.").format(path=error.filename)) from None
    except OSError as error:
        words = _tr("Could not scan {path}: {why}.")
        raise RefusedScan(words.format(path=error.filename, why=error.strerror or error)) from None
    tree = tree_of(request.roots, request.encodings, counts.paths, counts.file_bytes, counts.tokens)
    before = request.before
    if before is not None and before.tree.is_like(tree) and before.left_out.skipped == counts.skipped:
        return before
    _ = tree.node_tokens, tree.node_bytes, tree.node_types  # computed here, not when first shown
    reasons = dict(Counter(file.reason for file in counts.skipped))
    left_out = CorpusSurvey(request.roots, (), counts.skipped, reasons, 0, 0, 0)
    return ScannedFolder(replace(request, before=None), tree, left_out, counts.problem)


def _tr(text: str) -> str:
    return QCoreApplication.translate("FolderScan", text)


# --- fitting into a limit ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class FitRequest:
    """Files to fit into ``limit`` tokens. ``checked``: bool[m], a copy. ``quiet``: True if not requested by the
    user."""

    tree: FileTree
    checked: NDArray[np.bool_]
    limit: int
    way: Way
    quiet: bool


class FolderFit(QObject):
    """Service that calculates suggestions; only the newest request is answered, unless it was withdrawn.

    Signals: ``proposed(FitRequest, Proposal)``, ``failed(str)`` with a sentence.
    """

    proposed = Signal(object, object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Calculating what fits"), work_out)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self._on_cancelled)
        self._pending: FitRequest | None = None

    @property
    def waited_for(self) -> bool:
        """True if a suggestion is pending, requested by the user or not."""
        return self._pending is not None

    @property
    def is_requested(self) -> bool:
        """True if a suggestion that the user requested is pending."""
        return self._pending is not None and not self._pending.quiet

    def ask(self, request: FitRequest) -> None:
        """Request a suggestion; replaces a pending request."""
        self._pending = request
        self._lane.cancel()
        self._lane.submit(request)

    def withdraw(self) -> None:
        """Cancel the pending request."""
        self._pending = None
        self._lane.cancel()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if self._answers(result.request):
            self.proposed.emit(result.request, result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if self._answers(failure.request):
            self.failed.emit(self.tr("Could not calculate what fits: {why}").format(why=failure.why))

    @Slot(object)
    def _on_cancelled(self, request: FitRequest) -> None:
        if self._answers(request):
            self.failed.emit(self.tr("Stopped. Nothing was suggested."))

    def _answers(self, request: FitRequest) -> bool:
        """Return True if this request is still pending; it no longer is afterwards."""
        is_pending = request is self._pending
        if is_pending:
            self._pending = None
        return is_pending


def work_out(request: FitRequest, ticket: Ticket) -> Proposal:
    """Return a suggestion. Runs on a worker thread."""
    return FileChoice(request.tree, request.checked).fit(request.limit, request.way, report=ticket.progress)


# --- watching ---------------------------------------------------------------------------------------------------------

MAX_FOLDERS = 500
MAX_FILES = 500
"""Maximum numbers of watched folders (the first ones) and files (the largest).

A watched folder notifies of files that are added or removed, a watched file of its own changes.
"""

SLICE = 50
SETTLE_MS = 500
"""Quiet time before a change is reported, in milliseconds: changes come in bursts."""


class FolderWatch(QObject):
    """Watch on the files and folders of one tree.

    Signals: ``changed()`` after a change, or when a change before the watch may have been missed; ``watching()`` when
    everything that can be watched is.
    """

    changed = Signal()
    watching = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher: QFileSystemWatcher | None = None
        self._paths: list[str] = []
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        self._refused = 0
        self._beyond = 0
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.changed)

    @property
    def unwatched(self) -> int:
        """Number of files and folders that are not watched."""
        return self._beyond + self._refused

    def watch(self, tree: FileTree) -> None:
        """Watch another tree, or update the watch of the same one.

        An update adds only paths that are new, that were replaced on disk and so are no longer watched, or that were
        refused before: those may have been absent just for that moment.
        """
        folders = np.flatnonzero(np.diff(tree.first_files) == 0)
        folders = folders[folders != TOP]
        files = np.argsort(-tree.file_bytes, kind="stable")[:MAX_FILES]
        self._beyond = max(0, len(folders) - MAX_FOLDERS) + max(0, len(tree.paths) - MAX_FILES)
        self._paths = [str(tree.path_of(int(node))) for node in folders[:MAX_FOLDERS]]
        self._paths += [tree.paths[index] for index in files.tolist()]
        watched = self._watched()
        gone = self._names_in_qt().difference(watched.values())
        if self._watcher is None or len(gone) > SLICE:
            self._begin()
            watched.clear()
        elif gone:
            self._watcher.removePaths(list(gone))
        self._waiting = [path for path in self._paths if path not in watched]
        self._asked.update(self._waiting)
        self._watch_some()

    def _begin(self) -> None:
        """Start with a new watcher that watches nothing."""
        if self._watcher is not None:
            self._watcher.deleteLater()
        self._watcher = watcher = QFileSystemWatcher(self)
        watcher.directoryChanged.connect(self._on_changed)
        watcher.fileChanged.connect(self._on_changed)

    def _names_in_qt(self) -> set[str]:
        return {*self._watcher.directories(), *self._watcher.files()} if self._watcher is not None else set()

    def _watched(self) -> dict[str, str]:
        """Return the paths that are watched, each with the name that Qt has for it.

        On macOS Qt composes names (NFC), however they are stored. A composed name that is itself a path of the tree
        matches only itself: other systems tell the two apart.
        """
        there = self._names_in_qt()
        watched = {path: path for path in self._paths if path in there}
        for path in self._paths:
            composed = unicodedata.normalize("NFC", path)
            if path not in watched and composed in there and composed not in watched:
                watched[path] = composed
        return watched

    @Slot()
    def _watch_some(self) -> None:
        """Watch a few paths per event-loop turn: each takes a system call."""
        if self._watcher is None:
            return
        if not self._waiting:
            self._on_all_watched()
            return
        self._watcher.addPaths(self._waiting[:SLICE])
        del self._waiting[:SLICE]
        in_next_turn(self, self._watch_some)

    def _on_all_watched(self) -> None:
        """Report a change if paths are newly watched: they may have changed unnoticed since they were counted.

        Paths that are refused every time do not count as new, or this would never end. Refused paths are found by the
        names in the tree, since the names that Qt returns may be normalized differently.
        """
        watched = self._watched()
        self._refused = sum(path not in watched for path in self._paths)
        if not self._asked.isdisjoint(watched):
            self._settle.start()
        self._asked.clear()
        self.watching.emit()

    @Slot()
    def _on_changed(self) -> None:
        self._settle.start()


# --- prices of files --------------------------------------------------------------------------------------------------

MAX_CACHED = 20_000
"""Maximum number of cached prices: a few screens of cells."""


class FilePrice(NamedTuple):
    """Tokens as a model counts them and their cost as input, each with its range and label. None if unknown."""

    label: str | None
    tokens: int | None
    low: int | None
    high: int | None
    usd: Decimal | None
    usd_low: Decimal | None
    usd_high: Decimal | None
    usd_label: str | None


UNKNOWN = FilePrice(None, None, None, None, None, None, None, None)


class FilePrices:
    """Prices of one set of models in one scenario. Rows are priced only when they are shown."""

    def __init__(self, models: Sequence[Model], scenario: Scenario | None) -> None:
        """``scenario``: None until it is known; until then there are no prices."""
        self.models = tuple(models)
        self.scenario = scenario
        self._cards = new_cards()
        self._cached: dict[tuple[int, int], FilePrice] = {}

    def encoding_of(self, model: int) -> str | None:
        """Return the name of the encoding that a model is counted with."""
        return self.models[model].count.tokenizer

    def price(self, model: int, counts: Mapping[str, int]) -> FilePrice:
        """Return the cost of a text as the prompt of one call to a model. ``counts``: its tokens by encoding."""
        tokens = counts.get(self.encoding_of(model) or "")
        if tokens is None or self.scenario is None:
            return UNKNOWN
        key = (model, tokens)
        if key not in self._cached:
            if len(self._cached) >= MAX_CACHED:
                self._cached.clear()
            self._cached[key] = self._estimated(self.models[model], counts, self.scenario)
        return self._cached[key]

    def _estimated(self, model: Model, counts: Mapping[str, int], scenario: Scenario) -> FilePrice:
        from pricing import count_for, estimate

        count = count_for(model, counts)
        if count is None:
            return UNKNOWN
        cost = estimate(model, count, fitting(scenario, count)[0], self._cards)
        return FilePrice(
            count.label,
            *(count.tokens, count.low, count.high),
            *(cost.input_usd, cost.input_usd_low, cost.input_usd_high, cost.usd_label),
        )


# --- manifest ---------------------------------------------------------------------------------------------------------

FORMATS = {".csv": to_csv, ".json": to_json, ".md": to_markdown}
"""Writers by file suffix."""

_FILES_A_REPORT = 500


@dataclass(frozen=True, slots=True, eq=False)
class ManifestRequest:
    """Target and content of a manifest. ``checked``: bool[m], a copy. ``skipped``: files to list without figures."""

    path: Path
    tree: FileTree
    checked: NDArray[np.bool_]
    skipped: tuple[SkippedFile, ...]
    models: tuple[Model, ...]
    scenario: Scenario | None


def manifest_text(request: ManifestRequest, ticket: Ticket) -> str:
    """Return the manifest in the format of the file suffix, CSV if it has none. Runs on a worker thread."""
    table = manifest_table(request, ticket)
    return FORMATS.get(request.path.suffix.casefold(), to_csv)(table)


def manifest_table(request: ManifestRequest, ticket: Ticket) -> ExportTable:
    """Return a table with a row for each counted file, then for each skipped file with the reason."""
    tree, prices = request.tree, FilePrices(request.models, request.scenario)
    figures = [f"tokens {name}" for name in tree.encodings]
    money = [name for model in request.models for name in (f"{model.id} tokens", f"{model.id} input USD")]
    columns = ("path", "included", "bytes", *figures, *money, "skipped because")
    checked, sizes, tokens = request.checked.tolist(), tree.file_bytes.tolist(), tree.tokens.T.tolist()
    rows: list[tuple[Value, ...]] = []
    for index, path in enumerate(tree.paths):
        if index % _FILES_A_REPORT == 0:
            ticket.progress(index / len(tree.paths))
        counts = dict(zip(tree.encodings, tokens[index], strict=True))
        costs: list[Value] = []
        for model in range(len(request.models)):
            price = prices.price(model, counts)
            costs += (price.tokens, price.usd)
        rows.append((_shown(path), checked[index], sizes[index], *tokens[index], *costs, ""))
    nothing = [None] * (len(columns) - 3)
    rows += ((_shown(str(file.path)), False, *nothing, file.why) for file in request.skipped)
    return ExportTable(columns, tuple(rows), numeric=frozenset(columns[2:-1]))


def _shown(path: str) -> str:
    """Return a path as text that any file can store; paths need not be valid UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()
