"""The tokens of everything below folders: every text in every encoding asked for, every other file with why it is left
out. What was counted before is not counted again (``engine.count_cache``).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.corpus_files import CorpusFileError
from engine.corpus_walk import FoundFile
from engine.count_cache import CountCache, KnownCounts, count_key
from engine.file_tokens import count_file
from engine.in_threads import in_threads
from engine.training_types import SkippedFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.encoding import Encoding

BATCH_FILES = 64
BATCH_BYTES = 1 << 21
"""A thread takes so many files at a time, or files of so many bytes."""

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
    paths: tuple[Path, ...]
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
    """Count what a walk finds (``FolderWalk.found``), which goes on meanwhile.

    ``threads``: so many tasks for ``side_by_side``, or threads of its own. OSError as the walk raises it.
    """
    keys = [count_key(encoding.name) for encoding in encodings]
    known = cache.known(keys) if cache is not None else KnownCounts(tuple(keys), counts=tuple({} for _ in keys))
    scan = _Scan(found, encodings, known, report)
    (side_by_side or on_threads(threads))([scan.work] * threads)
    if cache is not None:
        cache.keep(known)
    return scan.result()


@dataclass(slots=True)
class _Batch:
    """Some of what the walk found, and what became of it: tokens, or why it is left out."""

    found: list[FoundFile | SkippedFile]
    counted: list[tuple[Path, int, tuple[int, ...]] | SkippedFile]


class _Scan:
    """One scan. Its threads take turns with the walk: whoever has nothing to count looks for more."""

    def __init__(
        self,
        found: Iterable[FoundFile | SkippedFile],
        encodings: Sequence[Encoding],
        known: KnownCounts,
        report: Report | None,
    ) -> None:
        self._found = iter(found)
        self._encodings = encodings
        self._known = known
        self._report = report
        self._lock = threading.Lock()
        self._batches: list[_Batch] = []
        self._failed = False
        self._files = self._file_bytes = self._read = 0

    def work(self) -> None:
        """Count until nothing is left. On several threads at once."""
        try:
            while (batch := self._next_batch()) is not None:
                for found in batch.found:
                    batch.counted.append(found if isinstance(found, SkippedFile) else self._counted(found))
                self._tell(batch)
        except BaseException:
            self._failed = True  # the other threads need not go on
            raise

    def _next_batch(self) -> _Batch | None:
        with self._lock:
            if self._failed:
                return None
            found = list(_some(self._found))
            if not found:
                return None
            self._batches.append(_Batch(found, []))
            return self._batches[-1]

    def _counted(self, file: FoundFile) -> tuple[Path, int, tuple[int, ...]] | SkippedFile:
        content = self._known.content(file)
        if content is not None and content.reason:
            return SkippedFile(file.path, content.reason, content.why)
        tokens = self._known.tokens(content.digest) if content is not None else None
        if tokens is not None:
            return file.path, file.file_bytes, tokens
        self._note_reading()
        try:
            read = count_file(file.path, self._encodings, self._known.tokens)
        except CorpusFileError as error:
            if error.skipped.reason in ("binary", "not UTF-8"):
                self._known.add_skipped(file, error.skipped)
            return error.skipped
        if read.file_bytes == file.file_bytes:  # else it is being written to
            self._known.add_text(file, read.digest, read.tokens)
        return file.path, read.file_bytes, read.tokens

    def _note_reading(self) -> None:
        with self._lock:
            self._read += 1

    def _tell(self, batch: _Batch) -> None:
        with self._lock:
            self._files += len(batch.found)
            self._file_bytes += sum(found.file_bytes for found in batch.found if isinstance(found, FoundFile))
            files, file_bytes = self._files, self._file_bytes
        if self._report is not None:
            self._report(files, file_bytes)

    def result(self) -> FolderCounts:
        every = [counted for batch in self._batches for counted in batch.counted]
        texts = [counted for counted in every if not isinstance(counted, SkippedFile)]
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
            tuple(counted for counted in every if isinstance(counted, SkippedFile)),
            self._read,
            self._known.problem,
        )


def _some(found: Iterator[FoundFile | SkippedFile]) -> Iterator[FoundFile | SkippedFile]:
    """The next files, for one batch."""
    size = 0
    for number, item in enumerate(found, 1):
        yield item
        size += item.file_bytes if isinstance(item, FoundFile) else 0
        if number == BATCH_FILES or size >= BATCH_BYTES:
            return
