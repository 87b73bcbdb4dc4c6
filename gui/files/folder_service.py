"""Counts the files of folders off the GUI thread, on all processors, and knows what it counted before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from engine.training_types import CorpusRules, CorpusSurvey
from gui.files.file_tree import FileTree, tree_of
from gui.jobs import PROCESSORS

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobProgress, JobResult, JobRunner, Ticket
    from gui.services.own_encodings import OpenEncoding


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """What to count. ``encodings``: names, the one that is shown first. ``quiet``: nobody asked for it. ``before``:
    what is shown already; it is the answer, too, where nothing has changed."""

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
    from engine.corpus_walk import FolderWalk
    from engine.count_cache import CountCache
    from engine.folder_counts import count_folder

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
        raise RefusedScan(_tr("There is no file or folder {path}.").format(path=error.filename)) from None
    except OSError as error:
        words = _tr("{path} cannot be looked through: {why}.")
        raise RefusedScan(words.format(path=error.filename, why=error.strerror or error)) from None
    tree = tree_of(request.roots, request.encodings, counts.paths, counts.file_bytes, counts.tokens)
    before = request.before
    if before is not None and before.tree.is_like(tree) and before.left_out.skipped == counts.skipped:
        return before
    _ = tree.node_tokens, tree.node_bytes  # made here, not when they are first shown
    reasons: dict[str, int] = {}
    for file in counts.skipped:
        reasons[file.reason] = reasons.get(file.reason, 0) + 1
    left_out = CorpusSurvey(request.roots, (), counts.skipped, reasons, 0, 0, 0)
    return ScannedFolder(replace(request, before=None), tree, left_out, counts.problem)


def _tr(text: str) -> str:
    return QCoreApplication.translate("FolderScan", text)
