"""Some files at a time: looked up, read, counted. What a file costs apart from its counting is decided here.

Threads that take one file each wait for each other: every call of the system, or of a kernel, gives the interpreter
lock away and takes it back, and for small files two threads at that are slower than one. So a thread *takes* a batch
while no other does: it looks for files, and reads them into memory of its own (``engine.corpus.small_files``). Then it
*counts* the batch with hardly a look at the lock, while another one takes: one call of a kernel for all digests, one
for all tokens.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.corpus.count_cache import Additions
from engine.corpus.file_tokens import FileTokens, count_content, count_file
from engine.corpus.files import CorpusFileError
from engine.corpus.small_files import SmallFiles
from engine.corpus.types import SkippedFile
from engine.corpus.walk import FoundFile
from engine.runtime.cancellation import while_wanted
from engine.text.digests import ContentDigests, SumBlocks, sum_blocks_plainly
from engine.text.validity import is_utf8

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.corpus.count_cache import KnownCounts
    from engine.encoding.encoding import Encoding

BATCH_FILES = 256
BATCH_BYTES = 1 << 21
"""A thread takes so many files at a time, or files of so many bytes. Larger files are read by themselves."""

Outcome = tuple[str, int, tuple[int, ...]] | SkippedFile
"""A text by its path, its bytes as stored and its tokens in each encoding; or why a file is left out."""


@dataclass(slots=True)
class FileBatch:
    """Some of what the walk found.

    ``new``: what is to be remembered of them. ``outcomes``: one for each, None until it is counted. ``small``,
    ``alone``: places and files of those whose bytes are there, and of those that are still to be read. ``files_read``:
    all that are not known. ``file_bytes``: of all.
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
        """``known``: what was counted before, and is added to; None where nothing is remembered."""
        self._encodings = encodings
        self._known = known
        self._digests = None if known is None else ContentDigests(known.secret, _sum_blocks(encodings))
        self._files = SmallFiles(BATCH_BYTES, BATCH_FILES)

    def take(self, found: Iterator[FoundFile | SkippedFile]) -> FileBatch:
        """The next batch, without outcomes where nothing is left. What is not known is read, unless it is large."""
        self._files.clear()
        batch = FileBatch(Additions(time.time_ns()))
        outcomes = batch.outcomes
        unread_bytes = 0
        for item in found:
            if isinstance(item, SkippedFile):
                outcomes.append(item)
            else:
                batch.file_bytes += item.file_bytes
                outcomes.append(None if self._known is None else self._remembered(self._known, item))
                if outcomes[-1] is None:
                    self._read(batch, item)
                    unread_bytes += item.file_bytes
            if len(outcomes) == BATCH_FILES or unread_bytes >= BATCH_BYTES:
                break
        return batch

    def _remembered(self, known: KnownCounts, file: FoundFile) -> Outcome | None:
        """What is known of a file, if it is as it was."""
        content = known.content(file)
        if content is None:
            return None
        if content.reason:
            return SkippedFile(file.path, content.reason, content.why)
        tokens = known.tokens(content.digest)
        return None if tokens is None else (file.name, file.file_bytes, tokens)

    def _read(self, batch: FileBatch, file: FoundFile) -> None:
        """Read the file of the last outcome, if it is small."""
        place = len(batch.outcomes) - 1
        batch.files_read += 1
        try:
            if self._files.read(file):
                batch.small.append((place, file))
            else:
                batch.alone.append((place, file))
        except CorpusFileError as error:
            batch.outcomes[place] = error.skipped

    def count(self, batch: FileBatch) -> None:
        """Count the batch that was taken last."""
        digests = self._digests_of(batch)
        tokens = self._tokens_of(digests)
        new = batch.new
        for index, ((place, file), digest, known) in enumerate(zip(batch.small, digests, tokens, strict=True)):
            if known is not None:
                new.texts.append((file, digest, known))
                batch.outcomes[place] = file.name, file.file_bytes, known
            else:
                batch.outcomes[place] = _outcome(file, self._odd_file(file, index, digest), new)
        for place, file in batch.alone:
            batch.outcomes[place] = _outcome(file, self._lone_file(file), new)
        if self._known is not None:
            self._known.add(new)

    def _digests_of(self, batch: FileBatch) -> list[bytes]:
        """What the contents that are there are known by, empty where nobody asks."""
        if self._digests is None or not batch.small:
            return [b""] * len(batch.small)
        return self._digests.of_many(self._files.content, self._files.spans(range(len(self._files))))

    def _tokens_of(self, digests: list[bytes]) -> list[tuple[int, ...] | None]:
        """The tokens of the contents that are there, in each encoding; None for what is no plain text."""
        tokens: list[tuple[int, ...] | None] = [None] * len(digests)
        if self._known is not None:
            tokens = [self._known.tokens(digest) for digest in digests]
        new = [index for index, known in enumerate(tokens) if known is None and self._files.may_be_plain_text(index)]
        spans = self._files.spans(new)
        counts = [_counts(encoding, self._files.content, spans) for encoding in while_wanted(self._encodings, every=1)]
        for index, *each in zip(new, *counts, strict=True):
            if min(each) >= 0:  # else it is not UTF-8
                tokens[index] = tuple(each)
        return tokens

    def _odd_file(self, file: FoundFile, index: int, digest: bytes) -> FileTokens | SkippedFile:
        """A file whose bytes are there, and are no plain text."""
        try:
            tokens = count_content(file.path, bytes(self._files.view(index)), self._encodings)
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
    """What became of a file, which is to be remembered if it can be relied on."""
    if isinstance(counted, SkippedFile):
        if counted.reason in ("binary", "not UTF-8"):
            new.skipped.append((file, counted))
        return counted
    if counted.file_bytes == file.file_bytes:  # else it is being written to
        new.texts.append((file, counted.digest, counted.tokens))
    return file.name, counted.file_bytes, counted.tokens


def _counts(encoding: Encoding, content: NDArray[np.uint8], byte_spans: NDArray[np.int64]) -> list[int]:
    """How many tokens each of many texts has, -1 for what is not UTF-8: by our own kernels at once, else one by one."""
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
    """Put in the counts of texts that are not encoded as they stand. ``counts``: of all texts as they stand."""
    for place, (start, end) in enumerate(byte_spans.tolist()):
        if counts[place] < 0 or (stored := content[start:end].tobytes()).isascii():
            continue
        text = stored.decode("utf-8")
        if not encoding.takes_as_is(text):
            counts[place] = encoding.count(text)


def _sum_blocks(encodings: Sequence[Encoding]) -> SumBlocks:
    """What digests are made with: the kernel where kernels are in use."""
    natives = (encoding.native for encoding in encodings)
    return next((native.sum_blocks for native in natives if native is not None), sum_blocks_plainly)
