"""The only access to tiktoken's encoder, built from Tokenloupe's own tables without looking up anything by name.

When its regex engine gives up, the encoder raises ValueError, or in ``encode_ordinary`` panics with a ``BaseException``
of the Rust bridge. Every call that can do so is wrapped in ``guarded``, which lets all other exceptions pass.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from engine.errors import UnsupportedTextError

# The compiled module has no stubs. tiktoken.Encoding wraps its class CoreBPE.
CoreBPE = Any


def build_core(mergeable_ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], pattern: str) -> CoreBPE:
    """Return an encoder for these ranks. The mappings are copied and need not be kept."""
    from tiktoken import _tiktoken  # type: ignore[attr-defined]

    return _tiktoken.CoreBPE(mergeable_ranks, special_tokens, pattern)


def byte_core(pattern: str, special_tokens: Mapping[str, int] | None = None) -> CoreBPE:
    """Return an encoder whose tokens are the bytes of what ``pattern`` matches, and the special tokens. Raises
    ValueError if the pattern is invalid, or if the special tokens are too many for its regex engine."""
    return build_core({bytes([value]): value for value in range(256)}, special_tokens or {}, pattern)


def is_panic(error: BaseException) -> bool:
    """Return True if this is a panic of tiktoken's Rust code. Its class cannot be imported, only recognized."""
    kind = type(error)
    return kind.__name__ == "PanicException" and kind.__module__ == "pyo3_runtime"


class SplitGaveUpError(UnsupportedTextError):
    """The split engine gave up on a text."""


_REGEX_ERROR = "Regex error while tokenizing"


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Turn both ways in which the regex engine gives up into SplitGaveUpError, and no other error."""
    try:
        yield
    except BaseException as error:
        if not is_panic(error) and not (isinstance(error, ValueError) and str(error).startswith(_REGEX_ERROR)):
            raise
        raise SplitGaveUpError(
            "The pattern of this encoding cannot split this text: a run of the same kind of character is too long."
        ) from error
