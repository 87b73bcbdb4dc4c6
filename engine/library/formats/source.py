"""Input and output of the format readers: a tokenizer file, and its content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.encoding.library_encoding import LibraryTokenizer
from engine.errors import FormatError
from engine.library.formats.tokenizer_data import TokenizerData
from engine.library.formats.validation import parse_json

LONGEST_MAGIC = 8
"""Bytes read to recognize a format with a header."""
LARGEST_FILE = 40 << 20
"""Maximum size of a tokenizer file in bytes; if the tokenizer is in the header, only the header is read. The largest
published tokenizer files have 34 MB."""


def content_of(path: Path, headers: Mapping[bytes, int] | None = None) -> bytes:
    """Return the content of a tokenizer file, or its first bytes if the tokenizer is in the header. ``headers``:
    maximum header size in bytes, by the first bytes of a file. Raises FormatError if it is not a file, empty or too
    large; OSError."""
    if path.is_dir():
        raise FormatError("it is a folder; name the file in it")
    if path.exists() and not path.is_file():
        raise FormatError("it is a device, pipe or socket")
    with path.open("rb") as file:
        start = file.read(LONGEST_MAGIC)
        header = next((size for magic, size in (headers or {}).items() if start.startswith(magic)), 0)
        content = start + file.read((header or LARGEST_FILE + 1) - len(start))
    if len(content) > LARGEST_FILE and not header:
        raise FormatError(f"the file is larger than {LARGEST_FILE >> 20} MB, the limit for tokenizer files")
    if not content:
        raise FormatError("the file is empty")
    return content


@dataclass(frozen=True)
class Source:
    """A tokenizer file to read. ``content``: the whole file, or for a format with a header the bytes that may be the
    header. ``pattern``, ``trusted``: as in ``engine.library.formats.opening.open_tokenizer``."""

    path: Path
    content: bytes
    pattern: str | None = None
    trusted: bool = False

    @property
    def is_json(self) -> bool:
        """True if the content begins like JSON."""
        return self.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")

    @cached_property
    def document(self) -> dict[str, Any]:
        """The JSON document, parsed once for all formats; empty if the content does not begin like JSON. Raises
        FormatError."""
        return parse_json(self.content) if self.is_json else {}


@dataclass(frozen=True, slots=True)
class LibraryData:
    """A validated tokenizer to be run by a library, which has not seen any of it yet. ``reader``, ``payload``: as in
    ``LibraryTokenizer``. ``tokens``: the bytes of its tokens, for texts to check it with. ``open``: passes it to the
    library; raises FormatError. ``normalization``, ``notes``: as in ``TokenizerData``; the steps have the library's
    names. ``was_tried``: True if it was already checked with this version of the library. ``special_tokens``: texts of
    the special tokens that the library recognizes."""

    reader: str
    payload: bytes
    tokens: Sequence[bytes]
    open: Callable[[], LibraryTokenizer]
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    was_tried: bool = False
    special_tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForLibrary:
    """A tokenizer.json as its own library accepts it. ``notes``: as in ``LibraryData``."""

    payload: bytes
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Content of a file. ``for_library``: for a tokenizer.json that our own engine can run, returns the form for its
    original library; raises FormatError. ``kind``: name of its format, set by the caller of the reader."""

    data: TokenizerData | LibraryData
    for_library: Callable[[], ForLibrary] | None = None
    kind: str = ""
