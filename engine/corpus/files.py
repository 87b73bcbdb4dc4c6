"""Reading one file: samples, a digest, or its text, whatever its character encoding.

``encoding_of`` detects the character encoding of a file from samples. A byte order mark is trusted. Without one, bytes
with zeros in the right positions are UTF-16; anything else with a zero byte is binary, as for git. Bytes that are not
UTF-8 are either binary (they contain control characters, which text does not) or assumed to be Windows-1252.

``read_samples``, ``content_digest`` and ``read_blocks`` read a file of a corpus in memory that does not grow with it.
``file_chunks`` divides one into spans that can be counted separately, since each ends at a boundary where splitting a
text does not change its pretokens. A ``FileChunk`` holds two byte offsets that have not been examined yet.
``read_chunk`` starts at the first boundary at or after the first offset, and ends at the first boundary at or after the
second. The reader of the next span finds the same boundary in the same way, so every byte is read exactly once.

``read_stored`` and ``decode_stored`` return the whole text of a file that is to be billed, by stricter rules: its
encoding is never guessed silently. A byte order mark of UTF-16 or UTF-32 is trusted; without one, the bytes must be
UTF-8. Anything else is refused with a reason, and the caller may ask the user for the encoding. Line ends and a UTF-8
byte order mark stay as they are stored, because they are billed.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import hashlib
import io
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from engine.corpus.types import AS_BYTES, CorpusFile, SkippedFile
from engine.errors import EngineError
from engine.runtime.cancellation import interruptible
from engine.text.offsets import is_utf8

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins like that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNLIKELY = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
"""Bytes that do not occur in Windows-1252 text. Escape (0x1b) is not included, as terminal logs are full of it."""
_MAX_UNLIKELY = 0.02

_UNLIKELY_CHARACTERS = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffd-\uffff]")
_MAX_UNLIKELY_WIDE = 0.001  # not 0: a sample may begin or end between two surrogates
_FEWEST_ZEROS = 0.05
_MAX_ZEROS = 0.02
"""Bounds for UTF-16 without a byte order mark: the minimum share of zeros among the upper bytes of its units (any
script has spaces and line ends), and the maximum share among the lower bytes."""

_CONTINUATION = re.compile(rb"\A[\x80-\xbf]{0,3}")
_FEWEST_VALID = 4
"""Invalid bytes count as damage to UTF-8 if this many times more valid characters are beyond ASCII."""


def encoding_of(samples: Sequence[bytes]) -> str | None:
    """Return the encoding of a file, None for a binary one. ``samples`` are taken from the file in order: the first at
    its start, the last at its end, each at a multiple of two bytes."""
    start = samples[0]
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    content = b"".join(samples)
    if b"\0" in content:
        return _encoding_with_zeros(content)
    valid, invalid = _utf8_census(samples)
    if invalid == 0 or valid >= _FEWEST_VALID * invalid:
        return "utf-8"
    if start.startswith(b"%PDF-") or len(_UNLIKELY.findall(content)) > _MAX_UNLIKELY * len(content):
        return None
    return "cp1252"


def _utf8_census(samples: Sequence[bytes]) -> tuple[int, int]:
    """Return the number of valid UTF-8 characters beyond ASCII, and of invalid sequences. A sample may begin or end
    inside a character."""
    valid = invalid = 0
    for position, sample in enumerate(samples):
        if sample.isascii():
            continue
        whole = _CONTINUATION.sub(b"", sample) if position else sample
        text, _ = codecs.utf_8_decode(whole, "replace", position == len(samples) - 1)
        replaced = text.count("\ufffd") - whole.count("\ufffd".encode())
        invalid += replaced
        valid += len(text) - len(text.encode("ascii", "ignore")) - replaced
    return valid, invalid


def _encoding_with_zeros(content: bytes) -> str | None:
    """Return the kind of UTF-16 without a byte order mark, or None."""
    units = len(content) // 2
    first, second = content[: 2 * units : 2].count(0), content[1 : 2 * units : 2].count(0)
    if units == 0 or max(first, second) < _FEWEST_ZEROS * units or min(first, second) > _MAX_ZEROS * units:
        return None
    name = "utf-16-be" if first > second else "utf-16-le"
    text = content[: 2 * units].decode(name, "replace")
    unlikely = len(_UNLIKELY_CHARACTERS.findall(text))
    return name if unlikely <= _MAX_UNLIKELY_WIDE * units else None


HEAD_BYTES = 64 << 10
LATER_BYTES = 16 << 10
"""Sizes of the samples of a file, in bytes: of its start, and of its middle and its end."""

BLOCK_BYTES = 1 << 20

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class CorpusFileError(EngineError):
    """A file that was found cannot be used. ``skipped`` is the entry to report for it."""

    def __init__(self, path: Path, reason: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.skipped = SkippedFile(path, reason, why)

    def __reduce__(self) -> tuple[type[CorpusFileError], tuple[Path, str, str]]:
        return CorpusFileError, (self.skipped.path, self.skipped.reason, self.skipped.why)


def read_samples(path: Path, file_bytes: int) -> list[bytes]:
    """Return the first bytes of a file and, if it is longer than that, samples of its middle and its end. Each begins
    at a multiple of four; the last ends with the file. Raises CorpusFileError."""
    with opened_file(path) as file:
        samples = [read_at(file, 0, HEAD_BYTES, path)]
        if file_bytes > HEAD_BYTES:
            middle, end = (max(HEAD_BYTES, start // 4 * 4) for start in (file_bytes // 2, file_bytes - LATER_BYTES))
            samples.append(read_at(file, middle, LATER_BYTES, path))
            samples.append(read_at(file, end, LATER_BYTES + 3, path))
    return samples


def content_digest(path: Path, report: Callable[[], None]) -> bytes:
    """Return a digest of the bytes of a file. ``report`` is called after each block; if it raises, reading ends. Raises
    CorpusFileError."""
    digest = hashlib.blake2b(digest_size=16)
    with opened_file(path) as file:
        while block := _read(file, BLOCK_BYTES, path):
            digest.update(block)
            report()
    return digest.digest()


def read_blocks(
    file: CorpusFile, block_bytes: int = BLOCK_BYTES, is_valid: Callable[[bytes], bool] = is_utf8
) -> Iterator[bytes]:
    """Yield the text of a file as UTF-8, in blocks of whole characters and at most about four times ``block_bytes``.

    ``is_valid``: ``is_utf8``, or a faster equivalent.

    Line ends stay as they are; a byte order mark is dropped; bytes that are invalid in the encoding become U+FFFD. A
    file with the encoding ``AS_BYTES`` yields all of its bytes, in blocks that may end anywhere.

    Raises CorpusFileError, with the reason ``vanished``, ``special`` or ``unreadable`` before the first block, or
    ``changed`` if the size of the file is not that of ``file`` or the file was written to while it was read. Blocks may
    have been yielded before that.
    """
    with _opened_unchanged(file) as opened:
        blocks = _raw_blocks(opened, file, 0, file.file_bytes, max(_LONGEST_CHARACTER, block_bytes))
        if file.encoding == AS_BYTES:
            yield from blocks
        elif file.encoding in ("utf-8", "utf-8-sig"):
            yield from _without_mark(valid_blocks(blocks, is_valid))
        else:
            yield from _without_mark(_decoded(blocks, file.encoding))


@contextlib.contextmanager
def _opened_unchanged(file: CorpusFile) -> Iterator[BinaryIO]:
    """Open a file. Raises CorpusFileError if its size is not the expected one, or if it was written to meanwhile."""
    with opened_file(file.path) as opened:
        before = os.fstat(opened.fileno())
        if before.st_size != file.file_bytes:
            raise changed(file.path, before.st_size - file.file_bytes)
        yield opened
        after = os.fstat(opened.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise changed(file.path, after.st_size - before.st_size)


def _raw_blocks(opened: BinaryIO, file: CorpusFile, start: int, end: int, block_bytes: int) -> Iterator[bytes]:
    """Yield the bytes between two offsets."""
    while start < end:
        block = read_at(opened, start, min(block_bytes, end - start), file.path)
        if not block:
            raise changed(file.path, start - end)
        start += len(block)
        yield block


def _without_mark(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks of UTF-8 from the start of a file without its byte order mark, and without empty ones."""
    first = next(blocks, b"")
    yield from filter(None, itertools.chain([first.removeprefix(codecs.BOM_UTF8)], blocks))


_LONGEST_CHARACTER = 4


def valid_blocks(blocks: Iterator[bytes], is_valid: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Yield the blocks with whole characters only; invalid bytes become U+FFFD. Valid blocks are copied once at
    most."""
    leftover = b""
    for block in blocks:
        if len(block) < _LONGEST_CHARACTER:  # the last block may begin inside a character
            block, leftover = leftover + block, b""
        end = len(block) - _unfinished(block)
        whole = block
        if leftover or end < len(block):
            whole = b"".join((leftover, memoryview(block)[:end]))
        leftover = block[end:]
        yield _repaired(whole, is_valid)
    yield _repaired(leftover, is_valid)


def _repaired(content: bytes, is_valid: Callable[[bytes], bool]) -> bytes:
    return content if is_valid(content) else content.decode("utf-8", "replace").encode("utf-8")


def _unfinished(content: bytes) -> int:
    """Return the number of bytes at the end that belong to an incomplete character."""
    for back in range(1, min(3, len(content)) + 1):
        value = content[-back]
        if value < 0x80:
            return 0
        if value >= 0xC0:
            needed = 2 if value < 0xE0 else 3 if value < 0xF0 else 4
            return back if back < needed else 0
    return 0


def _decoded(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8")
    yield decoder.decode(b"", final=True).encode("utf-8")


def opened_file(path: Path | str) -> io.FileIO:
    """Open a regular file for reading. Never blocks, even if a pipe has replaced the file. Raises CorpusFileError."""
    descriptor = _opened_anything(path)
    try:
        _refuse_special(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise
    return io.FileIO(descriptor)


def read_start(path: str, buffer: memoryview) -> int:
    """Read a regular file from its start into ``buffer``, and return the number of bytes read. Raises CorpusFileError.

    Creates no file object, which takes longer than reading a small file, and makes as few system calls as possible:
    open, read, close.
    """
    descriptor = _opened_anything(path)
    try:
        if hasattr(os, "preadv"):
            count = os.preadv(descriptor, (buffer,), 0)
            if count:  # a pipe, socket or folder raises; a device never ends, so it does not have the expected size
                return count
        _refuse_special(descriptor, path)
        content = os.read(descriptor, len(buffer))
        buffer[: len(content)] = content
        return len(content)
    except OSError as error:
        _refuse_special(descriptor, path)
        raise _unreadable(path, error) from None
    finally:
        os.close(descriptor)


def _opened_anything(path: Path | str) -> int:
    try:
        return os.open(path, _FLAGS)
    except FileNotFoundError:
        raise CorpusFileError(Path(path), "vanished", "deleted before it was read") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _refuse_special(descriptor: int, path: Path | str) -> None:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError as error:  # a disconnected network drive has no status either
        raise _unreadable(path, error) from None
    if not stat.S_ISREG(mode):
        what = "replaced by a folder" if stat.S_ISDIR(mode) else "a device, pipe or socket"
        raise CorpusFileError(Path(path), "special", what)


def read_at(file: BinaryIO, start: int, count: int, path: Path) -> bytes:
    """Return ``count`` bytes from offset ``start``; fewer at the end of the file. Raises CorpusFileError."""
    file.seek(start)
    return _read(file, count, path)


def read_whole(file: BinaryIO, file_bytes: int, path: Path) -> bytes:
    """Return all bytes of a newly opened file of ``file_bytes`` bytes: with one system call if the size is still the
    same. Raises CorpusFileError."""
    content = _read(file, file_bytes + 1, path)
    if len(content) == file_bytes:
        return content
    return content + _read(file, -1, path)


def _read(file: BinaryIO, count: int, path: Path) -> bytes:
    try:
        return file.read(count) or b""
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path | str, error: OSError) -> CorpusFileError:
    return CorpusFileError(Path(path), "unreadable", f"cannot be read: {error.strerror or error}")


def changed(path: Path, difference: int) -> CorpusFileError:
    """Return the error for a file that is ``difference`` bytes longer than before."""
    how = "grew" if difference > 0 else "shrank" if difference < 0 else "was written to"
    return CorpusFileError(path, "changed", f"it {how} after the folder was scanned")


_WINDOW_BYTES = 1 << 16


class FileChunk(NamedTuple):
    """Span of a file in bytes, before its ends are moved to boundaries."""

    start: int
    end: int


def file_chunks(file_bytes: int, chunk_bytes: int) -> list[FileChunk]:
    """Divide a whole file into spans of about the same size."""
    count = max(1, round(file_bytes / chunk_bytes))
    offsets = [file_bytes * number // count for number in range(count + 1)]
    return [FileChunk(start, end) for start, end in itertools.pairwise(offsets)]


def read_chunk(
    file: CorpusFile,
    chunk: FileChunk,
    cuts: re.Pattern[str],
    is_valid: Callable[[bytes], bool] = is_utf8,
) -> Iterator[bytes]:
    """Yield the text of a span of a UTF-8 file, in blocks of whole characters, like ``read_blocks``.

    ``cuts``: pattern that matches at each boundary; it may look at one character before it. Raises CorpusFileError.
    """
    with _opened_unchanged(file) as opened:
        start = _cut_from(opened, file, chunk.start, cuts)
        end = _cut_from(opened, file, chunk.end, cuts)
        blocks = valid_blocks(_raw_blocks(opened, file, start, end, BLOCK_BYTES), is_valid)
        yield from filter(None, blocks) if start else _without_mark(blocks)


def _cut_from(opened: BinaryIO, file: CorpusFile, byte_offset: int, cuts: re.Pattern[str]) -> int:
    """Return the offset of the first boundary at or after ``byte_offset``; the end of the file if there is none, 0 for
    0.

    Invalid UTF-8 is decoded to surrogates here, so that the length of every character in bytes can be recovered. In the
    text these bytes become U+FFFD, which no boundary pattern treats differently.
    """
    while 0 < byte_offset < file.file_bytes:
        low = max(0, byte_offset - 2 * _LONGEST_CHARACTER)
        window = read_at(opened, low, byte_offset - low + _WINDOW_BYTES, file.path)
        low += _to_character(window)
        text = window[_to_character(window) :].decode("utf-8", "surrogateescape")
        for match in cuts.finditer(text):
            cut = low + len(text[: match.start()].encode("utf-8", "surrogateescape"))
            if cut >= byte_offset:
                return cut
        if byte_offset + _WINDOW_BYTES >= file.file_bytes:
            return file.file_bytes
        byte_offset += _WINDOW_BYTES
    return byte_offset


def _to_character(window: bytes) -> int:
    """Return the number of bytes at the start of a window that belong to a character that begins before it."""
    return next((at for at in range(min(_LONGEST_CHARACTER, len(window))) if window[at] & 0xC0 != 0x80), 0)


# --- text as it is stored ---------------------------------------------------------------------------------------------

BINARY_SAMPLE_BYTES = 8192
"""Bytes at the start of a file that are checked for NUL bytes, as git does to detect binary files."""


DECODED_AT_A_TIME = 1 << 20
"""Maximum number of bytes decoded in one call. No other thread runs during the call, and some encodings take ten
milliseconds for this many."""


_WIDE_MARKS = (
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
    """The bytes are not text: they contain NUL bytes and have no byte order mark."""


class UnknownTextEncodingError(EngineError):
    """The bytes may be text, but not in UTF-8. ``byte_offset`` is where the first invalid sequence starts."""

    def __init__(self, message: str, byte_offset: int) -> None:
        super().__init__(message)
        self.byte_offset = byte_offset


def decode_stored(data: bytes, encoding: str | None = None) -> StoredText:
    """Return the text of ``data``, decoded from ``encoding`` if the user named one.

    Raises BinaryFileError if the bytes are not text, UnknownTextEncodingError if the encoding is unknown or does not
    fit.
    """
    if encoding is None:
        check_is_text(data)
    encoding = encoding or marked_encoding(data) or "utf-8"
    return StoredText("".join(decoded_parts(data, encoding)), encoding, len(data))


def marked_encoding(start: bytes) -> str | None:
    """Return the encoding named by the byte order mark at the start of a file; None without a mark, and for that of
    UTF-8, which is the default anyway."""
    return next((name for mark, name in _WIDE_MARKS if start.startswith(mark)), None)


def decoded_parts(data: bytes, encoding: str, errors: str = "strict") -> Iterator[str]:
    """Yield the text of ``data`` in chunks; ``errors`` as for ``bytes.decode``. Raises UnknownTextEncodingError."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for start in interruptible(range(0, len(data), DECODED_AT_A_TIME), every=1):
        pending = len(decoder.getstate()[0])
        stop = start + DECODED_AT_A_TIME
        try:
            yield decoder.decode(data[start:stop], final=stop >= len(data))
        except UnicodeDecodeError as error:
            raise UnknownTextEncodingError(*not_in(encoding, error, start - pending)) from None


def not_in(encoding: str, error: UnicodeDecodeError, byte_start: int) -> tuple[str, int]:
    """Return the arguments of ``UnknownTextEncodingError`` for a chunk that begins at byte offset ``byte_start`` of a
    file."""
    byte_offset = byte_start + error.start
    byte = error.object[error.start]
    return f"not valid {encoding.upper()}: byte 0x{byte:02x} at offset {byte_offset:,}", byte_offset


def read_stored(path: Path, encoding: str | None = None) -> StoredText:
    """Return the text of a file. Raises OSError, and the errors of ``decode_stored``.

    The first bytes are checked before the rest is read. A device is refused, as it may be endless; a pipe is not.
    """
    with _opened_anywhere(path) as file:
        start = file.read(BINARY_SAMPLE_BYTES)
        if encoding is None:
            check_is_text(start)
        return decode_stored(start + file.read() if len(start) == BINARY_SAMPLE_BYTES else start, encoding)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, whatever they are. Raises OSError, also for a device."""
    with _opened_anywhere(path) as file:
        return file.read()


def _opened_anywhere(path: Path) -> BinaryIO:
    file = path.open("rb")
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        file.close()
        raise OSError(errno.EINVAL, "a device, not a file", str(path))
    return file


def check_is_text(start: bytes) -> None:
    """Raise BinaryFileError if a file with this start is not text."""
    if marked_encoding(start) is None and b"\0" in start[:BINARY_SAMPLE_BYTES]:
        raise BinaryFileError("a binary file: it contains NUL bytes")
