"""Token counts of all files below folders.

Every text is counted in every requested encoding; every other file is listed with the reason why it was skipped. Known
counts are reused (``engine.corpus.count_cache``).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.corpus.count_cache import CountCache, KnownCounts, count_key
from engine.corpus.file_tokens import BatchCounter, FileBatch, Outcome
from engine.corpus.types import SkippedFile
from engine.corpus.walk import FoundFile
from engine.runtime.threads import in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.encoding.encoding import Encoding

Report = Callable[[int, int], None]
"""Called by any of the threads with the number of files and file bytes done. If it raises, the scan ends."""

SideBySide = Callable[[Sequence[Callable[[], None]]], object]
"""Runs tasks on threads, and returns when all are done or raises the error of one of them."""


@dataclass(frozen=True, slots=True, eq=False)
class FolderCounts:
    """Token counts of n texts, in the order of the walk. Arrays are read-only.

    ``paths``: of the n texts. ``file_bytes``: int64[n]. ``tokens``: int64[len(encodings), n]. ``skipped``: all files
    and folders that were not counted. ``files_read``: number of files that had to be opened. ``problem``: a sentence if
    counts could not be saved, else "".
    """

    encodings: tuple[str, ...]
    paths: tuple[str, ...]
    file_bytes: NDArray[np.int64]
    tokens: NDArray[np.int64]
    skipped: tuple[SkippedFile, ...]
    files_read: int
    problem: str = ""


def on_threads(count: int) -> SideBySide:
    """Return a runner of tasks on ``count`` threads, which live as long as there are tasks."""
    return lambda tasks: in_threads(lambda task: task(), tasks, count)


def count_folder(
    found: Iterable[FoundFile | SkippedFile],
    encodings: Sequence[Encoding],
    *,
    threads: int = 1,
    side_by_side: SideBySide | None = None,
    cache: CountCache | None = None,
    report: Report | None = None,
) -> FolderCounts:
    """Count the files that a walk finds (``FolderWalk.found``) while the walk continues in parallel.

    ``threads``: number of tasks for ``side_by_side``, or of own threads without it. Raises the OSErrors of the walk;
    counts made by then are saved in the cache.
    """
    known = None
    if cache is not None:
        keys = [count_key(encoding.name) for encoding in encodings]
        known = cache.known(keys) if report is None else cache.known(keys, lambda: report(0, 0))
    scan = _Scan(found, encodings, known, report)
    try:
        (side_by_side or on_threads(threads))([scan.work] * threads)
    finally:
        if cache is not None and known is not None:
            cache.keep(known)
    return scan.result()


class _Scan:
    """One scan. Its threads take turns with the walk: a thread without files to count continues the walk."""

    def __init__(
        self,
        found: Iterable[FoundFile | SkippedFile],
        encodings: Sequence[Encoding],
        known: KnownCounts | None,
        report: Report | None,
    ) -> None:
        self._found = iter(found)
        self._encodings = encodings
        self._known = known
        self._report = report
        self._lock = threading.Lock()
        self._sums_lock = threading.Lock()  # separate, as the other lock is held during the walk
        self._outcomes: list[list[Outcome | None]] = []
        self._failed = False
        self._files = self._files_read = self._file_bytes = 0

    def work(self) -> None:
        """Count until no files are left. Runs on several threads at once."""
        counter = BatchCounter(self._encodings, self._known)
        try:
            while (batch := self._next_batch(counter)) is not None:
                counter.count(batch)
                self._tell(batch)
        except BaseException:
            self._failed = True  # stops the other threads
            raise

    def _next_batch(self, counter: BatchCounter) -> FileBatch | None:
        with self._lock:
            if self._failed:
                return None
            batch = counter.take(self._found)
            if not batch.outcomes:
                return None
            self._outcomes.append(batch.outcomes)
            self._files_read += batch.files_read
            return batch

    def _tell(self, batch: FileBatch) -> None:
        with self._sums_lock:
            self._files += len(batch.outcomes)
            self._file_bytes += batch.file_bytes
            files, file_bytes = self._files, self._file_bytes
        if self._report is not None:
            self._report(files, file_bytes)

    def result(self) -> FolderCounts:
        every = [outcome for outcomes in self._outcomes for outcome in outcomes if outcome is not None]
        texts = [outcome for outcome in every if not isinstance(outcome, SkippedFile)]
        sizes = np.array([size for _, size, _ in texts], dtype=np.int64)
        tokens = np.array([tokens for _, _, tokens in texts], dtype=np.int64).reshape(len(texts), len(self._encodings))
        tokens = np.ascontiguousarray(tokens.T)
        for array in (sizes, tokens):
            array.flags.writeable = False
        return FolderCounts(
            tuple(encoding.name for encoding in self._encodings),
            tuple(path for path, _, _ in texts),
            sizes,
            tokens,
            tuple(outcome for outcome in every if isinstance(outcome, SkippedFile)),
            self._files_read,
            self._known.problem if self._known is not None else "",
        )
