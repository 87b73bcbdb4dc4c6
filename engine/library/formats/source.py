"""Shared code of all format readers: errors, checked JSON, the file to read, and the content found in it.

A tokenizer file is untrusted. Messages quote it shortened. JSON is checked for bad syntax, deep nesting, duplicate keys
and values of wrong types.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.encoding.library_encoding import LibraryTokenizer
from engine.errors import EngineError, FormatError, UnsupportedTextError
from engine.runtime.cancellation import interruptible
from engine.runtime.tiktoken_core import is_panic

if TYPE_CHECKING:
    from engine.library.formats.tokenizer_data import TokenizerData


LONGEST_QUOTE = 40
"""Maximum number of quoted characters; a token may have a thousand."""


def quoted(value: object) -> str:
    """Return the ``repr`` of a value. A longer text is truncated, and ends in ``…``."""
    if isinstance(value, str | bytes):
        text = value if isinstance(value, str) else value.decode("ascii", "replace")
        return repr(shortened(text, LONGEST_QUOTE))
    return shortened(repr(value), LONGEST_QUOTE)


def shortened(text: str, longest: int = 200) -> str:
    """Return a text, truncated to ``longest`` characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


# --- files that only a library can open -------------------------------------------------------------------------------


class OtherKindError(FormatError):
    """Our own engine does not support this kind of tokenizer; a library may run it. The text states why. ``note``: what
    the user should know in that case."""

    def __init__(self, why: str, note: str = "") -> None:
        super().__init__(why)
        self.note = note


class PatternNeededError(FormatError):
    """The file has no split pattern that is known here. The caller may know and pass it."""


# --- calls into libraries, which may raise anything, including panics of Rust code ------------------------------------


@contextlib.contextmanager
def refusing(library: str) -> Iterator[None]:
    """Convert errors of a library that rejects a file to FormatError."""
    with _as_sentence(FormatError, f"{library} rejects it"):
        yield


@contextlib.contextmanager
def giving_up(library: str) -> Iterator[None]:
    """Convert errors of a library that cannot encode a text to UnsupportedTextError."""
    with _as_sentence(UnsupportedTextError, f"{library} failed on this text"):
        yield


@contextlib.contextmanager
def _as_sentence(kind: type[EngineError], prefix: str) -> Iterator[None]:
    try:
        yield
    except EngineError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        lines = str(error).strip().splitlines()
        raise kind(f"{prefix}: {lines[0] if lines else type(error).__name__:.200}") from error


# --- JSON -------------------------------------------------------------------------------------------------------------


_T = TypeVar("_T")

MAX_VALUES = 3_000_000
"""Maximum number of values of all types, including keys. A file with 260,000 tokens and 510,000 merges, each a list,
has two million."""

_AT_A_TIME = 1 << 20
"""Maximum number of characters searched in one call, during which no other thread runs."""

VERSION = 1
"""Version of the files that this program writes beside tokenizers; also assumed if a file has none."""


def parse_json(content: bytes) -> dict[str, Any]:
    """Return the JSON object in the content of a file. Raises FormatError, with line and column."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not valid UTF-8: byte 0x{content[error.start]:02x} at offset {error.start:,}") from None
    # Every value except the first follows one of these. Those inside strings count as well, but are few.
    starts = range(0, len(text), _AT_A_TIME)
    if sum(text.count(mark, start, start + _AT_A_TIME) for start in starts for mark in ",:[{") > MAX_VALUES:
        raise FormatError(f"the file has more than {MAX_VALUES:,} values, the limit for tokenizer files")
    take_turn = interruptible(repeat(None)).__next__

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        take_turn()
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise FormatError(f"duplicate key {quoted(repeated)}")
        return found

    def modest_int(digits: str) -> int:
        take_turn()
        if len(digits) > 20:  # Python refuses thousands of digits with an error of its own
            raise FormatError(f"the number {digits[:20]}… is too large")
        return int(digits)

    def no_number(name: str) -> None:
        raise FormatError(f"{name} is not a number")

    try:
        document = json.loads(
            text, object_pairs_hook=without_repetition, parse_int=modest_int, parse_constant=no_number
        )
    except json.JSONDecodeError as error:
        raise FormatError(f"line {error.lineno}, column {error.colno}: not valid JSON: {error.msg}") from None
    except RecursionError:
        raise FormatError("nested too deeply for a tokenizer file") from None
    if not isinstance(document, dict):
        raise FormatError("valid JSON, but not an object")
    return document


def member(of: dict[str, Any], key: str, kind: type[_T], where: str = "") -> _T:
    """Return a member that must be present and have this type. Raises FormatError."""
    position = f"{where}.{key}" if where else key
    if key not in of:
        raise FormatError(f"{position} is missing")
    return typed(of[key], kind, position)


def typed(value: object, kind: type[_T], where: str) -> _T:
    """Return the value if it has this type. Raises FormatError if it does not."""
    names = {dict: "an object", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise FormatError(f"{where} is not {names[kind]}")
    return value


def refuse_newer(document: dict[str, Any]) -> None:
    """Raise FormatError if a newer version of this program wrote a companion file."""
    version = document.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise FormatError("written by a newer version of Tokenloupe, and left unchanged")


# --- files and their content ------------------------------------------------------------------------------------------


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
        raise FormatError("a folder, not a file")
    if path.exists() and not path.is_file():
        raise FormatError("a device, pipe or socket, not a file")
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
