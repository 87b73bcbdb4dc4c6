"""Reading one file of a corpus: samples, a digest, or its text in blocks, whatever its character encoding.

Memory use does not grow with the file.

``encoding_of`` detects the character encoding of a file from samples. A byte order mark is trusted. Without one, bytes
with zeros in the right positions are UTF-16; anything else with a zero byte is binary, as for git. Bytes that are not
UTF-8 are either binary (they contain control characters, which text does not) or assumed to be Windows-1252.

``read_samples``, ``content_digest`` and ``read_blocks`` read a file. ``file_chunks`` divides one into spans that can be
counted separately, since each ends at a boundary where splitting a text does not change its pretokens. A ``FileChunk``
holds two byte offsets that have not been examined yet. ``read_chunk`` starts at the first boundary at or after the
first offset, and ends at the first boundary at or after the second. The reader of the next span finds the same boundary
in the same way, so every byte is read exactly once.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from engine.corpus.types import AS_BYTES, CorpusFile, SkippedFile
from engine.errors import EngineError
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
            middle, end = (max(HEAD_BYTES, place // 4 * 4) for place in (file_bytes // 2, file_bytes - LATER_BYTES))
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
    with opened_file(file.path) as opened:
        before = os.fstat(opened.fileno())
        if before.st_size != file.file_bytes:
            raise changed(file.path, before.st_size - file.file_bytes)
        yield from _text_blocks(opened, file, block_bytes, is_valid)
        after = os.fstat(opened.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise changed(file.path, after.st_size - before.st_size)


def _text_blocks(
    opened: BinaryIO, file: CorpusFile, block_bytes: int, is_valid: Callable[[bytes], bool]
) -> Iterator[bytes]:
    plain = file.encoding in ("utf-8", "utf-8-sig")
    blocks = _raw_blocks(opened, file, block_bytes)
    if file.encoding == AS_BYTES:
        yield from blocks
        return
    pieces = valid_blocks(blocks, is_valid) if plain else _decoded(blocks, file.encoding)
    is_first = True
    for piece in pieces:
        block = piece.removeprefix(codecs.BOM_UTF8) if is_first else piece
        is_first = False
        if block:
            yield block


def _raw_blocks(opened: BinaryIO, file: CorpusFile, block_bytes: int) -> Iterator[bytes]:
    """Yield the expected number of bytes in blocks of at least four, except for the last."""
    left = file.file_bytes
    while left > 0:
        block = _read(opened, min(left, max(4, block_bytes)), file.path)
        if not block:
            raise changed(file.path, -left)
        left -= len(block)
        yield block


_LONGEST_CHARACTER = 4


def valid_blocks(blocks: Iterator[bytes], is_valid: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Yield the blocks with whole characters only; invalid bytes become U+FFFD. Valid blocks are copied once at
    most."""
    held_back = b""
    for block in blocks:
        if len(block) < _LONGEST_CHARACTER:  # the last block may begin inside a character
            block, held_back = held_back + block, b""
        end = len(block) - _unfinished(block)
        whole = block
        if held_back or end < len(block):
            whole = b"".join((held_back, memoryview(block)[:end]))
        held_back = block[end:]
        yield _repaired(whole, is_valid)
    yield _repaired(held_back, is_valid)


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


def read_start(path: str, room: memoryview) -> int:
    """Read a regular file from its start into ``room``, and return the number of bytes read. Raises CorpusFileError.

    Creates no file object, which takes longer than reading a small file, and makes as few system calls as possible:
    open, read, close.
    """
    descriptor = _opened_anything(path)
    try:
        if hasattr(os, "preadv"):
            count = os.preadv(descriptor, (room,), 0)
            if count:  # a pipe, socket or folder raises; a device never ends, so it does not have the expected size
                return count
        _refuse_special(descriptor, path)
        content = os.read(descriptor, len(room))
        room[: len(content)] = content
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
        raise CorpusFileError(Path(path), "vanished", "it vanished before it was read") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _refuse_special(descriptor: int, path: Path | str) -> None:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError as error:  # a disconnected network drive has no status either
        raise _unreadable(path, error) from None
    if not stat.S_ISREG(mode):
        what = "a folder has taken its place" if stat.S_ISDIR(mode) else "a device, pipe or socket"
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
    return CorpusFileError(path, "changed", f"it {how} after the folder was looked through")


_WINDOW_BYTES = 1 << 16


class FileChunk(NamedTuple):
    """Span of a file in bytes, before its ends are moved to boundaries."""

    start: int
    end: int


def file_chunks(file_bytes: int, chunk_bytes: int) -> list[FileChunk]:
    """Divide a whole file into spans of about the same size."""
    count = max(1, round(file_bytes / chunk_bytes))
    places = [file_bytes * number // count for number in range(count + 1)]
    return [FileChunk(start, end) for start, end in itertools.pairwise(places)]


def read_chunk(
    file: CorpusFile,
    chunk: FileChunk,
    cuts: re.Pattern[str],
    is_valid: Callable[[bytes], bool] = is_utf8,
) -> Iterator[bytes]:
    """Yield the text of a span of a UTF-8 file, in blocks of whole characters, like ``read_blocks``.

    ``cuts``: pattern that matches at each boundary; it may look at one character before it. Raises CorpusFileError.
    """
    with opened_file(file.path) as opened:
        before = os.fstat(opened.fileno())
        if before.st_size != file.file_bytes:
            raise changed(file.path, before.st_size - file.file_bytes)
        start = _cut_from(opened, file, chunk.start, cuts)
        end = _cut_from(opened, file, chunk.end, cuts)
        opened.seek(start)
        blocks = valid_blocks(_blocks(opened, file, start, end), is_valid)
        is_first = start == 0
        for block in blocks:
            text = block.removeprefix(codecs.BOM_UTF8) if is_first else block
            is_first = False
            if text:
                yield text
        after = os.fstat(opened.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise changed(file.path, after.st_size - before.st_size)


def _blocks(opened: BinaryIO, file: CorpusFile, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        block = read_at(opened, start, min(BLOCK_BYTES, end - start), file.path)
        if not block:
            raise changed(file.path, start - end)
        start += len(block)
        yield block


def _cut_from(opened: BinaryIO, file: CorpusFile, place: int, cuts: re.Pattern[str]) -> int:
    """Return the offset of the first boundary at or after ``place``; the end of the file if there is none, 0 for 0.

    Invalid UTF-8 is decoded to surrogates here, so that the length of every character in bytes can be recovered. In the
    text these bytes become U+FFFD, which no boundary pattern treats differently.
    """
    while 0 < place < file.file_bytes:
        low = max(0, place - 2 * _LONGEST_CHARACTER)
        window = read_at(opened, low, place - low + _WINDOW_BYTES, file.path)
        low += _to_character(window)
        text = window[_to_character(window) :].decode("utf-8", "surrogateescape")
        for match in cuts.finditer(text):
            cut = low + len(text[: match.start()].encode("utf-8", "surrogateescape"))
            if cut >= place:
                return cut
        if place + _WINDOW_BYTES >= file.file_bytes:
            return file.file_bytes
        place += _WINDOW_BYTES
    return place


def _to_character(window: bytes) -> int:
    """Return the number of bytes at the start of a window that belong to a character that begins before it."""
    return next((at for at in range(min(_LONGEST_CHARACTER, len(window))) if window[at] & 0xC0 != 0x80), 0)
