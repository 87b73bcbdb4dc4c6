"""The one place that touches tiktoken's encoder: built from tables of ours, with nothing looked up by name.

Where its regex engine gives up, the encoder raises a ValueError, or in ``encode_ordinary`` panics: a ``BaseException``
of the Rust bridge. Everything that can do so goes through ``guarded``, which lets every other exception pass.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from engine.errors import UnsupportedTextError

# The compiled module has no stubs. Its class CoreBPE is what tiktoken.Encoding itself is made of.
CoreBPE = Any


def build_core(mergeable_ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], pattern: str) -> CoreBPE:
    """An encoder for these ranks. The mappings are copied; they need not be kept."""
    from tiktoken import _tiktoken  # type: ignore[attr-defined]

    return _tiktoken.CoreBPE(mergeable_ranks, special_tokens, pattern)


def byte_core(pattern: str, special_tokens: Mapping[str, int] | None = None) -> CoreBPE:
    """An encoder whose tokens are the bytes of what ``pattern`` matches, and the special ones. ValueError where the
    pattern is none, or the special tokens are more than its regex engine takes together."""
    return build_core({bytes([value]): value for value in range(256)}, special_tokens or {}, pattern)


def is_panic(error: BaseException) -> bool:
    """Whether this is a panic of tiktoken's Rust code. Its class cannot be imported, only recognised."""
    kind = type(error)
    return kind.__name__ == "PanicException" and kind.__module__ == "pyo3_runtime"


class SplitGaveUpError(UnsupportedTextError):
    """The split engine gave up on a text."""


_REGEX_ERROR = "Regex error while tokenizing"


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Turn the two ways in which the regex engine gives up into SplitGaveUpError, and nothing else."""
    try:
        yield
    except BaseException as error:
        if not is_panic(error) and not (isinstance(error, ValueError) and str(error).startswith(_REGEX_ERROR)):
            raise
        raise SplitGaveUpError(
            "The pattern of this encoding cannot split this text: a run of the same kind of character is too long."
        ) from error
