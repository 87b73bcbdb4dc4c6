"""Read one file of a corpus: samples, a digest, or its text in blocks, whatever its character encoding.

Memory does not grow with the file.

``encoding_of`` tells from samples of a file which character encoding it is stored in. A byte order mark is believed.
Without one, bytes with zeros in the right places are UTF-16; anything else with a zero byte is binary, as for git. What
is not UTF-8 is either binary (it has control characters, as no text has) or taken for Windows-1252.

``read_samples``, ``content_digest`` and ``read_blocks`` read a file. ``stretches_of`` divides one into stretches that
can be counted apart, since each ends where a text may be cut without changing its pretokens. A ``Stretch`` is named by
two places in the file that have not been examined. ``read_stretch`` begins at the first cut at or behind the first
place, and ends at the first cut at or behind the second. The reader of the next stretch looks for the same cut in the
same way, so every byte is read exactly once.
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
from engine.text.validity import is_utf8

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins like that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNLIKELY = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
"""Bytes that text in Windows-1252 does not have. Escape (0x1b) is not among them: logs of terminals are full of it."""
_MOST_UNLIKELY = 0.02

_UNLIKELY_CHARACTERS = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffd-\uffff]")
_MOST_UNLIKELY_WIDE = 0.001  # not none: a sample may begin or end between two surrogates
_FEWEST_ZEROS = 0.05
_MOST_ZEROS = 0.02
"""UTF-16 without a byte order mark: of the upper bytes of its units at least so many are zero, in any script, for its
spaces and line ends; of the lower bytes at most so many."""

_CONTINUATION = re.compile(rb"\A[\x80-\xbf]{0,3}")
_FEWEST_VALID = 4
"""Invalid bytes in UTF-8 are taken for damage where there are so many times more valid characters beyond ASCII."""


def encoding_of(samples: Sequence[bytes]) -> str | None:
    """The encoding of a file, None for a binary one. ``samples`` are parts of it in order: the first is its start,
    the last its end, and each begins at a multiple of two bytes."""
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
    if start.startswith(b"%PDF-") or len(_UNLIKELY.findall(content)) > _MOST_UNLIKELY * len(content):
        return None
    return "cp1252"


def _utf8_census(samples: Sequence[bytes]) -> tuple[int, int]:
    """Characters beyond ASCII that are valid UTF-8, and places that are not. A sample may begin or end in the middle
    of a character."""
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
    """UTF-16 without a byte order mark, or None."""
    units = len(content) // 2
    first, second = content[: 2 * units : 2].count(0), content[1 : 2 * units : 2].count(0)
    if units == 0 or max(first, second) < _FEWEST_ZEROS * units or min(first, second) > _MOST_ZEROS * units:
        return None
    name = "utf-16-be" if first > second else "utf-16-le"
    text = content[: 2 * units].decode(name, "replace")
    unlikely = len(_UNLIKELY_CHARACTERS.findall(text))
    return name if unlikely <= _MOST_UNLIKELY_WIDE * units else None


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


_WINDOW_BYTES = 1 << 16


class Stretch(NamedTuple):
    """Where in a file it begins and ends, in bytes, before cuts are looked for."""

    start: int
    end: int


def stretches_of(file_bytes: int, stretch_bytes: int) -> list[Stretch]:
    """A whole file, in stretches of about the same size."""
    count = max(1, round(file_bytes / stretch_bytes))
    places = [file_bytes * number // count for number in range(count + 1)]
    return [Stretch(start, end) for start, end in itertools.pairwise(places)]


def read_stretch(
    file: CorpusFile,
    stretch: Stretch,
    cuts: re.Pattern[str],
    is_valid: Callable[[bytes], bool] = is_utf8,
) -> Iterator[bytes]:
    """The text of a stretch of a UTF-8 file, in blocks of whole characters, as ``corpus_files.read_blocks`` gives them.

    ``cuts``: what is matched at a cut; it may look at one character before itself. CorpusFileError.
    """
    with opened_file(file.path) as opened:
        before = os.fstat(opened.fileno())
        if before.st_size != file.file_bytes:
            raise changed(file.path, before.st_size - file.file_bytes)
        start = _cut_from(opened, file, stretch.start, cuts)
        end = _cut_from(opened, file, stretch.end, cuts)
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
    """The first cut at ``place`` or behind it; the end of the file where there is none, its start at its start.

    Bytes that are no UTF-8 stand for themselves here, so that every character can be counted back into bytes. What the
    text has in their place, U+FFFD, is for no pattern of cuts anything else than they are.
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
    """How many bytes at the start of a window belong to a character that begins before it."""
    return next((at for at in range(min(_LONGEST_CHARACTER, len(window))) if window[at] & 0xC0 != 0x80), 0)
