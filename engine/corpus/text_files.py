"""Files -> text, by rules that never guess in silence.

UTF-8 is taken as such; a byte order mark of UTF-16 or UTF-32 is believed; anything else is refused with a reason, and
the caller may ask the user which encoding it is. Line ends and a UTF-8 byte order mark stay as they are stored: they
are billed.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine.errors import EngineError
from engine.runtime.cancellation import while_wanted

BINARY_SAMPLE_BYTES = 8192
"""How much of a file is looked at for NUL bytes, as git does to tell binary files."""

DECODED_AT_A_TIME = 1 << 20
"""Bytes that are decoded in one call: no other thread gets a turn meanwhile, and some encodings take ten milliseconds
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
    for start in while_wanted(range(0, len(data), DECODED_AT_A_TIME), every=1):
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
