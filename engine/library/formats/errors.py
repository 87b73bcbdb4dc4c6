"""Errors of tokenizer files and of the libraries that read them, with short quotes for their messages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from engine.errors import EngineError, FormatError, UnsupportedTextError
from engine.runtime.tiktoken_core import is_panic

LONGEST_QUOTE = 40
"""Characters of the value itself; a token may have a thousand."""


def quoted(value: object) -> str:
    """Return the ``repr`` of a value. A longer text is cut off, and ends in ``…``."""
    if isinstance(value, str | bytes):
        text = value if isinstance(value, str) else value.decode("ascii", "replace")
        return repr(text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…")
    return shortened(f"{value!r:.{4 * LONGEST_QUOTE}}", LONGEST_QUOTE)


def shortened(sentence: str, longest: int = 200) -> str:
    """Return a message of another library, cut off behind ``longest`` characters."""
    return sentence if len(sentence) <= longest else sentence[: longest - 1] + "…"


# --- files that only a library can open -------------------------------------------------------------------------------


class OtherKindError(FormatError):
    """The tokenizer is none of those that our own engine can be; a library may still run it. The text says why.
    ``note``: what a user should know of it then."""

    def __init__(self, why: str, note: str = "") -> None:
        super().__init__(why)
        self.note = note


class PatternNeededError(FormatError):
    """The file does not name its split pattern. The caller may know it and pass it."""


# --- calls into libraries, which may raise anything, a panic of Rust code included ------------------------------------


@contextlib.contextmanager
def refusing(library: str) -> Iterator[None]:
    """FormatError where a library does not take a file."""
    with _as_sentence(FormatError, f"{library} does not take it"):
        yield


@contextlib.contextmanager
def giving_up(library: str) -> Iterator[None]:
    """UnsupportedTextError where a library gives up on a text."""
    with _as_sentence(UnsupportedTextError, f"{library} gave up on this text"):
        yield


@contextlib.contextmanager
def _as_sentence(kind: type[EngineError], words: str) -> Iterator[None]:
    try:
        yield
    except EngineError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        lines = str(error).strip().splitlines()
        raise kind(f"{words}: {lines[0] if lines else type(error).__name__:.200}") from error
