"""Count the tokens of files, some files at a time, by rules that never guess in silence.

``decode_stored`` turns bytes into text. UTF-8 is taken as such; a byte order mark of UTF-16 or UTF-32 is believed;
anything else is refused with a reason, and the caller may ask the user which encoding it is. Line ends and a UTF-8 byte
order mark stay as they are stored: they are billed.

``count_file`` counts one file. Memory does not grow with it where its encodings have safe cuts: a large file is read
and counted piece by piece.

``BatchCounter`` counts a ``FileBatch`` at a time, so that a small file costs little beside its counting. The bytes of
the files stand one behind the other in one stretch of memory that is used again and again (``SmallFiles``); nothing is
decoded, and our own encoder counts all of them in one call of a kernel. Threads that take one file each wait for each
other: every system call, and every call of a kernel, releases the interpreter lock and takes it back, and for small
files two such threads are slower than one. So one thread at a time *takes* a batch: it looks for files, and reads them
into memory of its own. Then it *counts* the batch, hardly touching the lock, while another thread takes: one call of a
kernel for all digests, one for all tokens.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from engine.corpus.count_cache import Additions
from engine.corpus.files import CorpusFileError, opened_file, read_at, read_start, read_whole
from engine.corpus.types import SkippedFile
from engine.corpus.walk import FoundFile
from engine.errors import EngineError, UnsupportedTextError
from engine.runtime.cancellation import interruptible
from engine.split.safe_cuts import CutFinder
from engine.text.digests import ContentDigests, RunningDigest, SumBlocks, sum_blocks_plainly
from engine.text.validity import is_utf8

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.corpus.count_cache import KnownCounts
    from engine.corpus.walk import FoundFile
    from engine.encoding.encoding import Encoding
    from engine.text.digests import ContentDigests


BINARY_SAMPLE_BYTES = 8192
"""How much of a file is looked at for NUL bytes, as git does to tell binary files."""

DECODED_AT_A_TIME = 1 << 20
"""Bytes that are decoded in one call: no other thread runs during it, and some encodings take ten milliseconds
for so many."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class StoredText:
    """The text of a file, the name of the character encoding it was stored in, and its size in bytes."""

    text: str
    encoding: str
    size: int


class BinaryFileError(EngineError):
    """The bytes are no text: they hold NUL bytes and no byte order mark."""


class UnknownTextEncodingError(EngineError):
    """The bytes may be text, but not in UTF-8. ``byte_offset`` is where UTF-8 stops making sense."""

    def __init__(self, message: str, byte_offset: int) -> None:
        super().__init__(message)
        self.byte_offset = byte_offset


def decode_stored(data: bytes, encoding: str | None = None) -> StoredText:
    """The text that ``data`` holds, in ``encoding`` where the user named one.

    Raises BinaryFileError for bytes that are no text, UnknownTextEncodingError where the encoding cannot be told or
    does not fit.
    """
    if encoding is None:
        check_is_text(data)
        encoding = marked_encoding(data)
    return _decode(data, encoding or "utf-8")


def marked_encoding(start: bytes) -> str | None:
    """The encoding that a byte order mark at the start of a file names, None without one; that of UTF-8 says
    nothing."""
    return next((name for mark, name in _MARKS if start.startswith(mark)), None)


def _decode(data: bytes, encoding: str) -> StoredText:
    return StoredText("".join(decoded_parts(data, encoding)), encoding, len(data))


def decoded_parts(data: bytes, encoding: str, errors: str = "strict") -> Iterator[str]:
    """The text of ``data``, part by part; ``errors`` as for ``bytes.decode``. UnknownTextEncodingError."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for start in interruptible(range(0, len(data), DECODED_AT_A_TIME), every=1):
        held_back = len(decoder.getstate()[0])
        stop = start + DECODED_AT_A_TIME
        try:
            yield decoder.decode(data[start:stop], final=stop >= len(data))
        except UnicodeDecodeError as error:
            raise UnknownTextEncodingError(*not_in(encoding, error, start - held_back)) from None


def not_in(encoding: str, error: UnicodeDecodeError, byte_start: int) -> tuple[str, int]:
    """What ``UnknownTextEncodingError`` says of bytes that begin at ``byte_start`` of a file."""
    place = byte_start + error.start
    return f"it is not {encoding.upper()}: byte 0x{error.object[error.start]:02x} at offset {place:,}", place


def read_stored(path: Path, encoding: str | None = None) -> StoredText:
    """The text of a file. Raises as ``decode_stored`` does, and OSError.

    Its first bytes are looked at before the rest is read. A device is refused, as it may have no end; a pipe is not.
    """
    with _opened(path) as file:
        start = file.read(BINARY_SAMPLE_BYTES)
        if encoding is None:
            check_is_text(start)
        return decode_stored(start + file.read() if len(start) == BINARY_SAMPLE_BYTES else start, encoding)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, whatever they are. Raises OSError, also for a device."""
    with _opened(path) as file:
        return file.read()


def _opened(path: Path) -> BinaryIO:
    file = path.open("rb")
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        file.close()
        raise OSError(errno.EINVAL, "it is a device, not a file", str(path))
    return file


def check_is_text(start: bytes) -> None:
    """Raise BinaryFileError if a file that starts so is no text."""
    if marked_encoding(start) is None and b"\0" in start[:BINARY_SAMPLE_BYTES]:
        raise BinaryFileError("it is a binary file: it holds NUL bytes")


PADDING = 64
"""Bytes behind each text that a scanner may read. They are zeros, which continue nothing."""

_ZEROS = bytes(PADDING)


class SmallFiles:
    """Room for files of together so many bytes. Used by one thread at a time."""

    def __init__(self, most_bytes: int, most_files: int) -> None:
        """``most_bytes``: of one file, and of those before another one is taken. ``most_files``: at once."""
        self.most_bytes = most_bytes
        self._most_files = most_files
        self._room = bytearray(2 * most_bytes + most_files * PADDING)
        self._view = memoryview(self._room)
        self.content = np.frombuffer(self._room, dtype=np.uint8)
        self.content.flags.writeable = False
        self._spans: list[tuple[int, int]] = []
        self._end = self._text_bytes = 0

    def clear(self) -> None:
        """Make room for others."""
        self._spans.clear()
        self._end = self._text_bytes = 0

    def read(self, file: FoundFile) -> bool:
        """Read a file behind those that are there. False where that has to be done another way: it is too large, or has
        not as many bytes as were found. CorpusFileError."""
        size, start = file.file_bytes, self._end
        if size > self.most_bytes or self._text_bytes >= self.most_bytes or len(self._spans) == self._most_files:
            return False
        stop = start + size
        # One byte more than there should be: it tells that the file has grown.
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
        """int64[n, 2]: where these files start and end in ``content``."""
        return np.array([self._spans[index] for index in indices], dtype=np.int64).reshape(len(indices), 2)

    def view(self, index: int) -> memoryview:
        """The bytes of a file. They are there until the room is cleared."""
        start, end = self._spans[index]
        return self._view[start:end]

    def may_be_plain_text(self, index: int) -> bool:
        """Whether a file has no NUL byte near its start. If it is UTF-8 as well, ``decode_stored`` would take it for
        the same text: what begins with the byte order mark of another encoding is never UTF-8."""
        start, end = self._spans[index]
        return self._room.find(0, start, min(end, start + BINARY_SAMPLE_BYTES)) < 0


LARGE_BYTES = 8 << 20
"""Files of more bytes are read piece by piece."""

PIECE_BYTES = 4 << 20

MOST_UNCUT = 16_000_000
"""Characters of a large file that are kept waiting for a place where they can be cut."""


class FileTokens(NamedTuple):
    """The tokens of a file in each encoding, its bytes, and the digest of its content, b"" if it is not asked for."""

    tokens: tuple[int, ...]
    file_bytes: int
    digest: bytes


KnownTokens = Callable[[bytes], tuple[int, ...] | None]
"""The tokens of a content that was counted before, by its digest; None for a new one."""


def count_file(
    path: Path, encodings: Sequence[Encoding], digests: ContentDigests | None = None, known: KnownTokens | None = None
) -> FileTokens:
    """Read a file, and count it unless its content is known, for which ``digests`` are wanted. CorpusFileError where it
    cannot be read or is no text."""
    with opened_file(path) as file, _refused(path):
        size = os.fstat(file.fileno()).st_size
        if size > LARGE_BYTES and all(encoding.has_safe_cuts for encoding in encodings):
            return _count_pieces(file, path, encodings, RunningDigest(digests) if digests is not None else None)
        content = read_whole(file, size, path)
        digest = digests.of(content) if digests is not None else b""
        tokens = known(digest) if known is not None else None
        return FileTokens(tokens or _tokens(content, encodings), len(content), digest)


def count_content(path: Path, content: bytes, encodings: Sequence[Encoding]) -> tuple[int, ...]:
    """The tokens of what was read from a file, in each encoding. CorpusFileError where it is no text."""
    with _refused(path):
        return _tokens(content, encodings)


def _tokens(content: bytes, encodings: Sequence[Encoding]) -> tuple[int, ...]:
    text = decode_stored(content).text
    return tuple(encoding.count(text) for encoding in interruptible(encodings, every=1))


@contextlib.contextmanager
def _refused(path: Path) -> Iterator[None]:
    """What is wrong with the content of a file, told of the file."""
    try:
        yield
    except BinaryFileError as error:
        raise CorpusFileError(path, "binary", str(error)) from None
    except UnknownTextEncodingError as error:
        raise CorpusFileError(path, "not UTF-8", str(error)) from None
    except UnsupportedTextError as error:
        raise CorpusFileError(path, "unreadable", str(error)) from None
    except MemoryError:
        raise CorpusFileError(path, "unreadable", "too big for the memory that is free") from None


def _count_pieces(
    file: BinaryIO, path: Path, encodings: Sequence[Encoding], digest: RunningDigest | None
) -> FileTokens:
    totals = [0] * len(encodings)
    finder = CutFinder()
    size, rest = 0, ""
    for block, text in _decoded(file, path):
        size += len(block)
        if digest is not None:
            digest.update(block)
        first = max(1, len(rest) - finder.reach)  # further to the left there is none
        rest += text
        cut = finder.last(rest, first, len(rest)) if block else len(rest)
        if cut > 0:
            for index, encoding in enumerate(encodings):
                totals[index] += encoding.count(rest[:cut])
            rest = rest[cut:]
        elif len(rest) > MOST_UNCUT:
            raise UnsupportedTextError(f"over {MOST_UNCUT / 1e6:,.0f} MB of it have no place where a word ends")
    return FileTokens(tuple(totals), size, digest.digest() if digest is not None else b"")


def _decoded(file: BinaryIO, path: Path) -> Iterator[tuple[bytes, str]]:
    """The bytes of a file, block by block, and the text that each adds; the last block is empty. BinaryFileError,
    UnknownTextEncodingError, CorpusFileError."""
    start = read_at(file, 0, BINARY_SAMPLE_BYTES, path)
    encoding = marked_encoding(start)
    if encoding is None:
        if b"\0" in start:
            decode_stored(start)  # raises what is raised for a small one
        encoding = "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    place, block = 0, b" "
    while block:
        block = read_at(file, place, PIECE_BYTES, path)
        held_back = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise UnknownTextEncodingError(*not_in(encoding, error, place - held_back)) from None
        place += len(block)
        yield block, text


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
        """The digests of the contents, empty if they are not asked for."""
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
        counts = [_counts(encoding, self._files.content, spans) for encoding in interruptible(self._encodings, every=1)]
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
