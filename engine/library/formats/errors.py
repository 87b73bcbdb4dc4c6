"""Errors of tokenizer files and of the libraries that read them, and quoting for their messages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from engine.errors import EngineError, FormatError, UnsupportedTextError
from engine.runtime.tiktoken_core import is_panic

LONGEST_QUOTE = 40
"""Maximum number of quoted characters; a token may have a thousand."""


def quoted(value: object) -> str:
    """Return the ``repr`` of a value. A longer text is truncated, and ends in ``…``."""
    if isinstance(value, str | bytes):
        text = value if isinstance(value, str) else value.decode("ascii", "replace")
        return repr(text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…")
    return shortened(f"{value!r:.{4 * LONGEST_QUOTE}}", LONGEST_QUOTE)


def shortened(sentence: str, longest: int = 200) -> str:
    """Return a message of another library, truncated to ``longest`` characters."""
    return sentence if len(sentence) <= longest else sentence[: longest - 1] + "…"


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
