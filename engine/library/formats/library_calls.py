"""Calls into libraries of other languages: whatever they raise, a panic of Rust code included, becomes a sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from engine.errors import EngineError, FormatError, UnsupportedTextError
from engine.runtime.tiktoken_core import is_panic


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
