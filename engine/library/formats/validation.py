"""Validation of untrusted tokenizer files: errors, quotes in their messages, and JSON.

JSON is checked for bad syntax, deep nesting, duplicate keys and values of wrong types.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from itertools import repeat
from typing import Any, TypeVar

from engine.errors import EngineError, FormatError, UnsupportedTextError
from engine.runtime.cancellation import interruptible
from engine.runtime.tiktoken_core import is_panic

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
    with _as_sentence(FormatError, f"{library} does not take it"):
        yield


@contextlib.contextmanager
def giving_up(library: str) -> Iterator[None]:
    """Convert errors of a library that cannot encode a text to UnsupportedTextError."""
    with _as_sentence(UnsupportedTextError, f"{library} gave up on this text"):
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
        raise FormatError("it is nested deeper than any tokenizer file") from None
    if not isinstance(document, dict):
        raise FormatError("it is JSON, but not an object")
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
        raise FormatError("a newer version of this program has written it; it is left as it is")
