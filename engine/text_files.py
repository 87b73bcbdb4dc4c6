"""Files and folders -> text, by rules that never guess in silence.

UTF-8 is taken as such; a byte order mark of UTF-16 or UTF-32 is believed; anything else is refused with a reason, and
the caller may ask the user which encoding it is. Line ends and a UTF-8 byte order mark stay as they are stored: they
are billed.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.corpus_walk import FolderWalk
from engine.errors import EngineError
from engine.training_types import CorpusRules, SkippedFile

BINARY_SAMPLE_BYTES = 8192
"""How much of a file is looked at for NUL bytes, as git does to tell binary files."""

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
        for mark, name in _MARKS:
            if data.startswith(mark):
                return _decode(data, name)
        if b"\0" in data[:BINARY_SAMPLE_BYTES]:
            raise BinaryFileError("it is a binary file: it holds NUL bytes")
        return _decode(data, "utf-8")
    return _decode(data, encoding)


def _decode(data: bytes, encoding: str) -> StoredText:
    try:
        return StoredText(data.decode(encoding), encoding, len(data))
    except UnicodeDecodeError as error:
        raise UnknownTextEncodingError(
            f"it is not {encoding.upper()}: byte 0x{data[error.start]:02x} at offset {error.start:,}", error.start
        ) from None


def read_stored(path: Path, encoding: str | None = None) -> StoredText:
    """The text of a file. Raises as ``decode_stored`` does, and OSError."""
    return decode_stored(path.read_bytes(), encoding)


def texts_below(folder: Path) -> Iterator[tuple[str, StoredText] | SkippedFile]:
    """Every file below ``folder`` in the order of its path: its path with its text, or why it was left out.

    Hidden files and folders are skipped; how links are dealt with is said in ``engine.corpus_walk``.
    """
    for found in FolderWalk(CorpusRules(honour_gitignore=False)).found([folder]):
        yield found if isinstance(found, SkippedFile) else _text_of(found.path)


def _text_of(path: Path) -> tuple[str, StoredText] | SkippedFile:
    try:
        return str(path), read_stored(path)
    except EngineError as error:
        return SkippedFile(path, "unreadable", str(error))
    except OSError as error:
        return SkippedFile(path, "unreadable", error.strerror or str(error))
