"""Token counts of all files below folders, counted in batches.

``count_folder`` counts every text in every requested encoding and lists every other file with the reason why it was
skipped. Known counts are reused (``engine.corpus.count_cache``).

``count_file`` counts one file. Its memory use does not grow with the file if the encodings have safe boundaries: a
large file is then read and counted in chunks.

``BatchCounter`` counts a ``FileBatch`` at a time, so that small files cost little more than their counting. The bytes
of the files are stored consecutively in one reused buffer (``SmallFiles``); nothing is decoded, and our own encoder
counts all of them in one kernel call. Threads that take one file each would wait for each other: every system call and
every kernel call releases the interpreter lock and acquires it again, and for small files two such threads are slower
than one. So one thread at a time *takes* a batch: it finds files and reads them into its own buffer. It then *counts*
the batch while another thread takes the next one. Counting hardly needs the lock: one kernel call for all digests, one
for all tokens.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from engine.corpus.count_cache import Additions, CountCache, KnownCounts, count_key
from engine.corpus.files import (
    BINARY_SAMPLE_BYTES,
    BinaryFileError,
    CorpusFileError,
    UnknownTextEncodingError,
    check_is_text,
    decode_stored,
    marked_encoding,
    not_in,
    opened_file,
    read_at,
    read_start,
    read_whole,
)
from engine.corpus.types import SkippedFile
from engine.corpus.walk import FoundFile
from engine.errors import UnsupportedTextError
from engine.runtime.cancellation import interruptible
from engine.runtime.threads import in_threads
from engine.split.safe_boundaries import BoundaryFinder
from engine.text.digests import ContentDigests, RunningDigest, SumBlocks, sum_blocks_plainly
from engine.text.offsets import is_utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.encoding.encoding import Encoding


PADDING = 64
"""Zero bytes after each text, because a scanner may read past its end. Zeros continue no match."""

_ZEROS = bytes(PADDING)


class SmallFiles:
    """Reusable buffer for the contents of small files. Not thread-safe."""

    def __init__(self, most_bytes: int, most_files: int) -> None:
        """``most_bytes``: maximum size of one file, and the fill level from which no more files are taken.
        ``most_files``: maximum number of files held at once."""
        self.most_bytes = most_bytes
        self._most_files = most_files
        self._buffer = bytearray(2 * most_bytes + most_files * PADDING)
        self._view = memoryview(self._buffer)
        self.content = np.frombuffer(self._buffer, dtype=np.uint8)
        self.content.flags.writeable = False
        self._spans: list[tuple[int, int]] = []
        self._end = self._text_bytes = 0

    def clear(self) -> None:
        """Empty the buffer for the next files."""
        self._spans.clear()
        self._end = self._text_bytes = 0

    def read(self, file: FoundFile) -> bool:
        """Append a file to the buffer. Return False if the file is too large, its size has changed or the buffer is
        full; the caller then reads it separately. Raises CorpusFileError."""
        size, start = file.file_bytes, self._end
        if size > self.most_bytes or self._text_bytes >= self.most_bytes or len(self._spans) == self._most_files:
            return False
        stop = start + size
        # Reading one byte more than expected detects that the file has grown.
        if read_start(file.name, self._view[start : stop + 1]) != size:
            return False
        self._end = stop + PADDING
        self._view[stop : self._end] = _ZEROS
        self._spans.append((start, stop))
        self._text_bytes += size
        return True

    def __len__(self) -> int:
        return len(self._spans)

    def spans(self, indices: Sequence[int]) -> NDArray[np.int64]:
        """Return the spans of these files in ``content``: int64[n, 2], in bytes."""
        return np.array([self._spans[index] for index in indices], dtype=np.int64).reshape(len(indices), 2)

    def view(self, index: int) -> memoryview:
        """Return the bytes of a file. They are valid until the buffer is cleared."""
        start, end = self._spans[index]
        return self._view[start:end]

    def may_be_plain_text(self, index: int) -> bool:
        """Return True if a file has no NUL byte near its start. If it is also valid UTF-8, ``decode_stored`` would
        return the same text: a file that starts with the byte order mark of another encoding is never UTF-8."""
        start, end = self._spans[index]
        return self._buffer.find(0, start, min(end, start + BINARY_SAMPLE_BYTES)) < 0


# --- large files ------------------------------------------------------------------------------------------------------

LARGE_BYTES = 8 << 20
"""Size in bytes above which a file is read in chunks."""


BLOCK_BYTES = 4 << 20


MAX_UNCUT = 16_000_000
"""Maximum number of characters of a large file that are held while no boundary is found."""


class FileTokens(NamedTuple):
    """Token counts of a file in each encoding, its size in bytes, and the digest of its content (b"" if not
    requested)."""

    tokens: tuple[int, ...]
    file_bytes: int
    digest: bytes


KnownTokens = Callable[[bytes], tuple[int, ...] | None]
"""Returns the known token counts of a content by its digest; None if the content is new."""


def count_file(
    path: Path, encodings: Sequence[Encoding], digests: ContentDigests | None = None, known: KnownTokens | None = None
) -> FileTokens:
    """Read a file, and count it unless its content is already known, which requires ``digests``. Raises CorpusFileError
    if it cannot be read or is not text."""
    with opened_file(path) as file, _refused(path):
        size = os.fstat(file.fileno()).st_size
        if size > LARGE_BYTES and all(encoding.has_safe_boundaries for encoding in encodings):
            return _count_blocks(file, path, encodings, RunningDigest(digests) if digests is not None else None)
        content = read_whole(file, size, path)
        digest = digests.of(content) if digests is not None else b""
        tokens = known(digest) if known is not None else None
        return FileTokens(tokens or _tokens(content, encodings), len(content), digest)


def _tokens(content: bytes, encodings: Sequence[Encoding]) -> tuple[int, ...]:
    text = decode_stored(content).text
    return tuple(encoding.count(text) for encoding in interruptible(encodings, every=1))


@contextlib.contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Convert errors about the content of a file to CorpusFileError."""
    try:
        yield
    except BinaryFileError as error:
        raise CorpusFileError(path, "binary", str(error)) from None
    except UnknownTextEncodingError as error:
        raise CorpusFileError(path, "not UTF-8", str(error)) from None
    except UnsupportedTextError as error:
        raise CorpusFileError(path, "unreadable", str(error)) from None
    except MemoryError:
        raise CorpusFileError(path, "unreadable", "too large for the free memory") from None


def _count_blocks(
    file: BinaryIO, path: Path, encodings: Sequence[Encoding], digest: RunningDigest | None
) -> FileTokens:
    totals = [0] * len(encodings)
    finder = BoundaryFinder()
    size, rest = 0, ""
    for block, text in _decoded(file, path):
        size += len(block)
        if digest is not None:
            digest.update(block)
        first = max(1, len(rest) - finder.reach)  # the earlier text was searched already
        rest += text
        cut = finder.last(rest, first, len(rest)) if block else len(rest)
        if cut > 0:
            for index, encoding in enumerate(encodings):
                totals[index] += encoding.count(rest[:cut])
            rest = rest[cut:]
        elif len(rest) > MAX_UNCUT:
            raise UnsupportedTextError(f"over {MAX_UNCUT / 1e6:,.0f} MB of it have no word boundary")
    return FileTokens(tuple(totals), size, digest.digest() if digest is not None else b"")


def _decoded(file: BinaryIO, path: Path) -> Iterator[tuple[bytes, str]]:
    """Yield the bytes of a file in blocks, each with the text that it adds; the last block is empty. Raises
    BinaryFileError, UnknownTextEncodingError and CorpusFileError."""
    start = read_at(file, 0, BINARY_SAMPLE_BYTES, path)
    check_is_text(start)
    encoding = marked_encoding(start) or "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    byte_offset, block = 0, b" "
    while block:
        block = read_at(file, byte_offset, BLOCK_BYTES, path)
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise UnknownTextEncodingError(*not_in(encoding, error, byte_offset - pending)) from None
        byte_offset += len(block)
        yield block, text


# --- batches of small files -------------------------------------------------------------------------------------------

BATCH_FILES = 256


BATCH_BYTES = 1 << 21
"""Maximum number of files in a batch, and the number of bytes to read at which it is full. Larger files are read
alone."""


Outcome = tuple[str, int, tuple[int, ...]] | SkippedFile
"""A text as its path, its stored size in bytes and its token count in each encoding; or a skipped file."""


@dataclass(slots=True)
class FileBatch:
    """Some of the files that the walk found.

    ``new``: results to add to the cache. ``outcomes``: one for each file, None until it is counted. ``small``: indices
    into ``outcomes`` with the files that are already in the buffer; ``alone``: the same for files still to be read.
    ``files_read``: number of files that were not in the cache. ``file_bytes``: total size of all files.
    """

    new: Additions
    outcomes: list[Outcome | None] = field(default_factory=list)
    small: list[tuple[int, FoundFile]] = field(default_factory=list)
    alone: list[tuple[int, FoundFile]] = field(default_factory=list)
    files_read: int = 0
    file_bytes: int = 0


class BatchCounter:
    """Takes and counts batches, one after the other, on one thread."""

    def __init__(self, encodings: Sequence[Encoding], known: KnownCounts | None) -> None:
        """``known``: earlier counts, to which the new ones are added; None if nothing is cached."""
        self._encodings = encodings
        self._known = known
        self._digests = None if known is None else ContentDigests(known.secret, _sum_blocks(encodings))
        self._files = SmallFiles(BATCH_BYTES, BATCH_FILES)

    def take(self, found: Iterator[FoundFile | SkippedFile]) -> FileBatch:
        """Return the next batch, without outcomes if no files are left. Files that are not in the cache are read unless
        they are large."""
        self._files.clear()
        batch = FileBatch(Additions(time.time_ns()))
        outcomes = batch.outcomes
        unread_bytes = 0
        for item in found:
            if isinstance(item, SkippedFile):
                outcomes.append(item)
            else:
                batch.file_bytes += item.file_bytes
                outcomes.append(None if self._known is None else self._cached(self._known, item))
                if outcomes[-1] is None:
                    self._read(batch, item)
                    unread_bytes += item.file_bytes
            if len(outcomes) == BATCH_FILES or unread_bytes >= BATCH_BYTES:
                break
        return batch

    def _cached(self, known: KnownCounts, file: FoundFile) -> Outcome | None:
        """Return the cached outcome of a file, None if there is none or the file has changed."""
        content = known.content(file)
        if content is None:
            return None
        if content.reason:
            return SkippedFile(file.path, content.reason, content.why)
        tokens = known.tokens(content.digest)
        return None if tokens is None else (file.name, file.file_bytes, tokens)

    def _read(self, batch: FileBatch, file: FoundFile) -> None:
        """Read the file of the last outcome if it is small."""
        index = len(batch.outcomes) - 1
        batch.files_read += 1
        try:
            (batch.small if self._files.read(file) else batch.alone).append((index, file))
        except CorpusFileError as error:
            batch.outcomes[index] = error.skipped

    def count(self, batch: FileBatch) -> None:
        """Count the batch that was taken last."""
        digests = self._digests_of(batch)
        tokens = self._tokens_of(digests)
        new = batch.new
        for buffered, ((index, file), digest, known) in enumerate(zip(batch.small, digests, tokens, strict=True)):
            if known is not None:
                new.texts.append((file, digest, known))
                batch.outcomes[index] = file.name, file.file_bytes, known
            else:
                batch.outcomes[index] = _outcome(file, self._irregular_file(file, buffered, digest), new)
        for index, file in batch.alone:
            batch.outcomes[index] = _outcome(file, self._lone_file(file), new)
        if self._known is not None:
            self._known.add(new)

    def _digests_of(self, batch: FileBatch) -> list[bytes]:
        """Return the digests of the buffered contents, b"" for each if digests are not used."""
        if self._digests is None or not batch.small:
            return [b""] * len(batch.small)
        return self._digests.of_many(self._files.content, self._files.spans(range(len(self._files))))

    def _tokens_of(self, digests: list[bytes]) -> list[tuple[int, ...] | None]:
        """Return the token counts of the buffered contents in each encoding; None for each content that is not plain
        UTF-8 text."""
        tokens: list[tuple[int, ...] | None] = [None] * len(digests)
        if self._known is not None:
            tokens = [self._known.tokens(digest) for digest in digests]
        new = [index for index, known in enumerate(tokens) if known is None and self._files.may_be_plain_text(index)]
        spans = self._files.spans(new)
        counts = [_counts(encoding, self._files.content, spans) for encoding in interruptible(self._encodings, every=1)]
        for index, *each in zip(new, *counts, strict=True):
            if min(each) >= 0:  # otherwise it is not UTF-8
                tokens[index] = tuple(each)
        return tokens

    def _irregular_file(self, file: FoundFile, index: int, digest: bytes) -> FileTokens | SkippedFile:
        """Count a buffered file that is not plain UTF-8 text."""
        try:
            with _refused(file.path):
                tokens = _tokens(bytes(self._files.view(index)), self._encodings)
            return FileTokens(tokens, file.file_bytes, digest)
        except CorpusFileError as error:
            return error.skipped

    def _lone_file(self, file: FoundFile) -> FileTokens | SkippedFile:
        try:
            known = None if self._known is None else self._known.tokens
            return count_file(file.path, self._encodings, self._digests, known)
        except CorpusFileError as error:
            return error.skipped


def _outcome(file: FoundFile, counted: FileTokens | SkippedFile, new: Additions) -> Outcome:
    """Return the outcome of a file, and add it to ``new`` if it is reliable."""
    if isinstance(counted, SkippedFile):
        if counted.reason in ("binary", "not UTF-8"):
            new.skipped.append((file, counted))
        return counted
    if counted.file_bytes == file.file_bytes:  # otherwise the file is being written to
        new.texts.append((file, counted.digest, counted.tokens))
    return file.name, counted.file_bytes, counted.tokens


def _counts(encoding: Encoding, content: NDArray[np.uint8], byte_spans: NDArray[np.int64]) -> list[int]:
    """Return the token count of each text, -1 if it is not UTF-8. Our own kernels count all of them at once; otherwise
    each text is counted separately."""
    native = encoding.native
    if native is not None and native.can_scan:
        counts: list[int] = native.count_texts(content, byte_spans).tolist()
        if encoding.prepares:
            _count_prepared(encoding, content, byte_spans, counts)
        return counts
    texts = (content[start:end].tobytes() for start, end in byte_spans.tolist())
    return [encoding.count(text) if is_utf8(text) else -1 for text in texts]


def _count_prepared(
    encoding: Encoding, content: NDArray[np.uint8], byte_spans: NDArray[np.int64], counts: list[int]
) -> None:
    """Replace the counts of texts that the encoding normalizes first. ``counts``: those of the stored texts."""
    for index, (start, end) in enumerate(byte_spans.tolist()):
        if counts[index] < 0 or (stored := content[start:end].tobytes()).isascii():
            continue
        text = stored.decode("utf-8")
        if not encoding.takes_as_is(text):
            counts[index] = encoding.count(text)


def _sum_blocks(encodings: Sequence[Encoding]) -> SumBlocks:
    """Return the function that computes the block sums of digests: the kernel if kernels are in use."""
    natives = (encoding.native for encoding in encodings)
    return next((native.sum_blocks for native in natives if native is not None), sum_blocks_plainly)


# --- folders ----------------------------------------------------------------------------------------------------------

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
                self._report_progress(batch)
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

    def _report_progress(self, batch: FileBatch) -> None:
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
