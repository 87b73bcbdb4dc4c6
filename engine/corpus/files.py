"""Reading one file of a corpus: samples, a digest, or its whole text in blocks. Memory does not grow with the file."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from engine.corpus.types import AS_BYTES, CorpusFile, SkippedFile
from engine.errors import EngineError
from engine.text.validity import is_utf8

HEAD_BYTES = 64 << 10
LATER_BYTES = 16 << 10
"""A file is sampled with so much from its start, and so much from its middle and from its end."""

BLOCK_BYTES = 1 << 20

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class CorpusFileError(EngineError):
    """A file that was found cannot be used after all. ``skipped`` is what to report of it."""

    def __init__(self, path: Path, reason: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.skipped = SkippedFile(path, reason, why)

    def __reduce__(self) -> tuple[type[CorpusFileError], tuple[Path, str, str]]:
        return CorpusFileError, (self.skipped.path, self.skipped.reason, self.skipped.why)


def read_samples(path: Path, file_bytes: int) -> list[bytes]:
    """The first bytes of a file, and where it is longer than that, some from its middle and its end. Each begins at
    a multiple of four, the last ends with the file. CorpusFileError."""
    with opened_file(path) as file:
        samples = [read_at(file, 0, HEAD_BYTES, path)]
        if file_bytes > HEAD_BYTES:
            middle, end = (max(HEAD_BYTES, place // 4 * 4) for place in (file_bytes // 2, file_bytes - LATER_BYTES))
            samples.append(read_at(file, middle, LATER_BYTES, path))
            samples.append(read_at(file, end, LATER_BYTES + 3, path))
    return samples


def content_digest(path: Path, report: Callable[[], None]) -> bytes:
    """A digest of a file's bytes. ``report`` is called now and then; what it raises ends the reading.
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
    """The text of a file as UTF-8, in blocks that hold whole characters and at most about four times ``block_bytes``.

    ``is_valid``: ``is_utf8``, or what does the same more quickly.

    Line ends stay as they are; a byte order mark is left out; bytes that the encoding does not know become U+FFFD. Of a
    file that is taken ``AS_BYTES`` all bytes come, in blocks that may end anywhere.

    CorpusFileError, with the reason ``vanished``, ``special`` or ``unreadable`` before the first block, or ``changed``:
    the file is not as long as ``file`` says, or was written to while it was read. Blocks may have come before that.
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
    """As many bytes as the file is said to have, at least four at a time."""
    left = file.file_bytes
    while left > 0:
        block = _read(opened, min(left, max(4, block_bytes)), file.path)
        if not block:
            raise changed(file.path, -left)
        left -= len(block)
        yield block


_LONGEST_CHARACTER = 4


def valid_blocks(blocks: Iterator[bytes], is_valid: Callable[[bytes], bool]) -> Iterator[bytes]:
    """The blocks with whole characters only, and U+FFFD for what is none. Valid ones are copied once at most."""
    held_back = b""
    for block in blocks:
        if len(block) < _LONGEST_CHARACTER:  # the last one may begin inside of a character
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
    """How many bytes at the end begin a character that is not complete."""
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
    """A regular file, open for reading. Never waits, should a pipe have taken its place. CorpusFileError."""
    descriptor = _opened_anything(path)
    try:
        _refuse_special(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise
    return io.FileIO(descriptor)


def read_start(path: str, room: memoryview) -> int:
    """Read a regular file from its start on into ``room``: how many bytes there were. CorpusFileError.

    Without an object for the file, which takes longer to make than a small file takes to read, and with as few calls
    of the system as there can be: it is opened, read and closed.
    """
    descriptor = _opened_anything(path)
    try:
        if hasattr(os, "preadv"):
            count = os.preadv(descriptor, (room,), 0)
            if count:  # no pipe or socket can be read from a place, no folder at all, and devices do not end
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
    except OSError as error:  # of a network drive that is gone nothing can be told either
        raise _unreadable(path, error) from None
    if not stat.S_ISREG(mode):
        what = "a folder has taken its place" if stat.S_ISDIR(mode) else "a device, pipe or socket"
        raise CorpusFileError(Path(path), "special", what)


def read_at(file: BinaryIO, start: int, count: int, path: Path) -> bytes:
    """So many bytes from there on; fewer at the end. CorpusFileError."""
    file.seek(start)
    return _read(file, count, path)


def read_whole(file: BinaryIO, file_bytes: int, path: Path) -> bytes:
    """All bytes of a file just opened, which had so many: with one call of the system if it still has them.
    CorpusFileError."""
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
    """The error of a file that is longer than it was by so many bytes."""
    how = "grew" if difference > 0 else "shrank" if difference < 0 else "was written to"
    return CorpusFileError(path, "changed", f"it {how} after the folder was looked through")
