"""Count folders off the GUI thread, propose what to drop so that the rest fits, and watch for changes on the disk."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication, QFileSystemWatcher, QObject, QTimer, Signal, Slot

from engine.corpus.types import CorpusRules, CorpusSurvey
from gui.files.file_tree import TOP, FileChoice, FileTree, Proposal, Way, tree_of
from gui.runtime.event_loop import in_next_turn
from gui.runtime.jobs import PROCESSORS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import JobFailure, JobProgress, JobResult, JobRunner, Ticket


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """What to count. ``encodings``: names, the one that is shown first. ``quiet``: the user did not ask for it.
    ``before``: what is shown already; it is the answer, too, where nothing has changed."""

    roots: tuple[Path, ...]
    encodings: tuple[str, ...]
    rules: CorpusRules
    quiet: bool = False
    before: ScannedFolder | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ScannedFolder:
    """What was found. ``request`` is without ``before``. ``left_out`` has what was skipped, by reason; ``problem`` is a
    sentence about what could not be kept for next time, or ""."""

    request: ScanRequest
    tree: FileTree
    left_out: CorpusSurvey
    problem: str


class RefusedScan(Exception):
    """A folder cannot be counted; the text is a sentence for the user."""


class FolderScan(QObject):
    """Counts folders; only the newest request is answered for.

    Signals: ``scanned(ScannedFolder)``, ``failed(str)`` with a sentence, ``stopped()``, ``progressed(str)`` with what
    has been done, ``busy_changed(bool)``.
    """

    scanned = Signal(object)
    failed = Signal(str)
    stopped = Signal()
    progressed = Signal(str)
    busy_changed = Signal(bool)

    def __init__(
        self, runner: JobRunner, open_encoding: OpenEncoding, cache: Path, parent: QObject | None = None
    ) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread. ``cache``: the file of counts."""
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Counting a folder"), partial(scan_folder, open_encoding, cache))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.progressed.connect(self._on_progressed)
        self._lane.cancelled.connect(self._on_cancelled)
        self._lane.busy_changed.connect(self.busy_changed)
        self._wanted: ScanRequest | None = None

    @property
    def busy(self) -> bool:
        """Whether a folder is being counted."""
        return self._lane.busy

    def scan(self, request: ScanRequest) -> None:
        """Count; another scan under way ends."""
        self._wanted = request
        self._lane.cancel()
        self._lane.submit(request)

    def stop(self) -> None:
        """End the scan."""
        self._lane.cancel()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if result.request is self._wanted:
            self.scanned.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if failure.request is self._wanted:
            self.failed.emit(failure.why)

    @Slot(object)
    def _on_cancelled(self, request: ScanRequest) -> None:
        if request is self._wanted:
            self.stopped.emit()

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        if progress.request is self._wanted:
            self.progressed.emit(progress.note)


def scan_folder(open_encoding: OpenEncoding, cache: Path, request: ScanRequest, ticket: Ticket) -> ScannedFolder:
    """Count folders. On a worker thread, with the help of others. RefusedScan, EngineError."""
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
    _ = tree.node_tokens, tree.node_bytes, tree.node_types  # made here, not when they are first shown
    reasons: dict[str, int] = {}
    for file in counts.skipped:
        reasons[file.reason] = reasons.get(file.reason, 0) + 1
    left_out = CorpusSurvey(request.roots, (), counts.skipped, reasons, 0, 0, 0)
    return ScannedFolder(replace(request, before=None), tree, left_out, counts.problem)


def _tr(text: str) -> str:
    return QCoreApplication.translate("FolderScan", text)


@dataclass(frozen=True, slots=True, eq=False)
class FitRequest:
    """What is to fit, into how many tokens. ``checked``: bool[m], a copy. ``quiet``: the user did not ask for it."""

    tree: FileTree
    checked: NDArray[np.bool_]
    limit: int
    way: Way
    quiet: bool


class FolderFit(QObject):
    """Makes proposals; only the newest request is answered, and none that was withdrawn.

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
        self._wanted: FitRequest | None = None

    @property
    def waited_for(self) -> bool:
        """Whether a proposal is to come, also one that the user did not ask for."""
        return self._wanted is not None

    @property
    def asked_for(self) -> bool:
        """Whether the user asked for the proposal that is to come."""
        return self._wanted is not None and not self._wanted.quiet

    def ask(self, request: FitRequest) -> None:
        """Ask for a proposal; another one that has not come is no longer wanted."""
        self._wanted = request
        self._lane.cancel()
        self._lane.submit(request)

    def withdraw(self) -> None:
        """Want no proposal any more."""
        self._wanted = None
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
        """Whether somebody waits for the answer to this; they do no more."""
        wanted = request is self._wanted
        if wanted:
            self._wanted = None
        return wanted


def work_out(request: FitRequest, ticket: Ticket) -> Proposal:
    """A proposal. On a worker thread."""
    return FileChoice(request.tree, request.checked).fit(request.limit, request.way, report=ticket.progress)


MOST_FOLDERS = 500
MOST_FILES = 500
"""Of the folders the first are watched, of the files the largest. A folder tells of what comes and goes in it, a file
of what is written to it."""

SLICE = 50
SETTLE_MS = 500
"""Changes come in showers; the folder is looked at when it has been quiet for so long."""


class FolderWatch(QObject):
    """Watches one tree.

    Signals: ``changed()`` some time after something changed, or may have changed before it was watched; ``watching()``
    when all is watched that can be.
    """

    changed = Signal()
    watching = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher: QFileSystemWatcher | None = None
        self._wanted: list[str] = []
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        self._refused = 0
        self._beyond = 0
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.changed)

    @property
    def unwatched(self) -> int:
        """How many files and folders are not watched."""
        return self._beyond + self._refused

    def watch(self, tree: FileTree) -> None:
        """Watch another tree, or the same one once more: then only what is new in it, or was put in the place of
        something else, which is no longer watched, or was refused: it may have been absent for just that moment."""
        folders = np.flatnonzero(np.diff(tree.first_files) == 0)
        folders = folders[folders != TOP]
        files = np.argsort(-tree.file_bytes, kind="stable")[:MOST_FILES]
        self._beyond = max(0, len(folders) - MOST_FOLDERS) + max(0, len(tree.paths) - MOST_FILES)
        self._wanted = [str(tree.path_of(int(node))) for node in folders[:MOST_FOLDERS]]
        self._wanted += [tree.paths[index] for index in files.tolist()]
        watched = self._watched()
        gone = self._names_in_qt().difference(watched.values())
        if self._watcher is None or len(gone) > SLICE:
            self._begin()
            watched.clear()
        elif gone:
            self._watcher.removePaths(list(gone))
        self._waiting = [path for path in self._wanted if path not in watched]
        self._asked.update(self._waiting)
        self._watch_some()

    def _begin(self) -> None:
        """Watch nothing of what was watched so far."""
        if self._watcher is not None:
            self._watcher.deleteLater()
        self._watcher = watcher = QFileSystemWatcher(self)
        watcher.directoryChanged.connect(self._on_changed)
        watcher.fileChanged.connect(self._on_changed)

    def _names_in_qt(self) -> set[str]:
        return {*self._watcher.directories(), *self._watcher.files()} if self._watcher is not None else set()

    def _watched(self) -> dict[str, str]:
        """What is watched of what is wanted, each path with the name that Qt has for it.

        On macOS Qt composes names (NFC), however they are stored. A composed name that is wanted for itself stands for
        itself: other systems tell the two apart.
        """
        there = self._names_in_qt()
        watched = {path: path for path in self._wanted if path in there}
        for path in self._wanted:
            composed = unicodedata.normalize("NFC", path)
            if path not in watched and composed in there and composed not in watched:
                watched[path] = composed
        return watched

    @Slot()
    def _watch_some(self) -> None:
        """A few at a time: each costs a call of the system."""
        if self._watcher is None:
            return
        if not self._waiting:
            self._on_all_asked()
            return
        self._watcher.addPaths(self._waiting[:SLICE])
        del self._waiting[:SLICE]
        in_next_turn(self, self._watch_some)

    def _on_all_asked(self) -> None:
        """What is watched only now may have changed since it was counted, without anybody noticing: so everything is
        looked at once more. Not for what is refused again and again, or that would never end.

        What was refused is seen by our own names: those that Qt gives back may be written otherwise.
        """
        watched = self._watched()
        self._refused = sum(path not in watched for path in self._wanted)
        if not self._asked.isdisjoint(watched):
            self._settle.start()
        self._asked.clear()
        self.watching.emit()

    @Slot()
    def _on_changed(self) -> None:
        self._settle.start()
