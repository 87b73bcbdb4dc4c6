"""The tokens of everything below folders.

Every text is counted in every encoding asked for; every other file is listed with why it is left out. What was counted
before is not counted again (``engine.corpus.count_cache``).
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
"""Called with the files and file bytes that are done, by any of the threads. What it raises ends the scan."""

SideBySide = Callable[[Sequence[Callable[[], None]]], object]
"""Does some tasks on threads and returns when all are done; what one of them raises is raised."""


@dataclass(frozen=True, slots=True, eq=False)
class FolderCounts:
    """What was counted, in the order of the walk. Arrays are read-only.

    ``paths``: of n texts. ``file_bytes``: int64[n]. ``tokens``: int64[len(encodings), n]. ``skipped``: all that is left
    out. ``files_read``: so many had to be opened. ``problem``: a sentence where counts could not be kept, else "".
    """

    encodings: tuple[str, ...]
    paths: tuple[str, ...]
    file_bytes: NDArray[np.int64]
    tokens: NDArray[np.int64]
    skipped: tuple[SkippedFile, ...]
    files_read: int
    problem: str = ""


def on_threads(count: int) -> SideBySide:
    """So many threads, which are there as long as there is something to do."""
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
    """Count what a walk finds (``FolderWalk.found``), which continues in parallel.

    ``threads``: so many tasks for ``side_by_side``, or threads of its own. OSError as the walk raises it. What was
    counted by then is kept in the cache.
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
    """One scan. Its threads take turns with the walk: a thread with nothing to count walks on."""

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
        self._sums_lock = threading.Lock()  # of its own: a walk takes its time
        self._outcomes: list[list[Outcome | None]] = []
        self._failed = False
        self._files = self._files_read = self._file_bytes = 0

    def work(self) -> None:
        """Count until nothing is left. On several threads at once."""
        counter = BatchCounter(self._encodings, self._known)
        try:
            while (batch := self._next_batch(counter)) is not None:
                counter.count(batch)
                self._tell(batch)
        except BaseException:
            self._failed = True  # the other threads need not go on
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
