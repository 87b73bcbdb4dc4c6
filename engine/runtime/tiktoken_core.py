"""The only access to tiktoken's encoder, built from Tokenloupe's own tables without looking up anything by name.

When its regex engine gives up, the encoder raises ValueError, or in ``encode_ordinary`` panics with a ``BaseException``
of the Rust bridge. Every call that can do so is wrapped in ``guarded``, which lets all other exceptions pass.

*Short texts.* The encoder of 200,000 tokens takes 0.1 s to build, during which no other Python thread runs: a window
that was just opened would freeze for the few words in it. Merging only ever looks at substrings of the text, so an
encoder of those substrings that are tokens gives the same ids. Building it takes a few milliseconds for a sentence, and
tens of milliseconds for 16 KB. As each text needs its own, only the first texts are encoded this way; while kernels are
about to take over, longer texts and more of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


MAX_SHORT_BYTES = 1 << 14
"""Maximum size of a text, and of all texts together: finding the substrings of more takes longer than building the
encoder of all tokens, though other threads run meanwhile."""

MAX_AWAITING_BYTES = 1 << 16
"""Maximum size of a text while another encoder is about to take over."""

MAX_AWAITING_TOTAL = 1 << 18
"""Maximum size of all texts together, in bytes, while another encoder is about to take over."""

MIN_COUNTED_BYTES = 1024
"""Minimum size that a text counts as: building an encoder takes milliseconds even for one word."""


class ShortTextCores:
    """Builds encoders of only the tokens that a short text can have, for the first texts of a vocabulary."""

    def __init__(self, find: Callable[[], TokenFinder]) -> None:
        """``find``: called for the first short text."""
        self._find = find
        self._finder: TokenFinder | None = None
        self._bytes = 0

    def core_for(
        self, text: str | bytes, build: Callable[[dict[bytes, int], bytes], CoreBPE], *, awaiting: bool
    ) -> CoreBPE | None:
        """Return an encoder for this text only. None if it is too long or neither str nor bytes (tiktoken raises the
        error), and after too many texts.

        ``build`` gets token bytes to id, and the text in UTF-8. ``awaiting``: True while another encoder is about to
        take over; then longer and more texts are short.
        """
        longest = (
            min(MAX_AWAITING_BYTES, MAX_AWAITING_TOTAL - self._bytes) if awaiting else MAX_SHORT_BYTES - self._bytes
        )
        if not isinstance(text, str | bytes) or len(text) > longest:
            return None
        content = text if isinstance(text, bytes) else text.encode("utf-8")
        if len(content) > longest:
            return None
        self._bytes += max(len(content), MIN_COUNTED_BYTES)
        if self._finder is None:
            self._finder = self._find()
        return build(self._finder.tokens_within(content), content)


RARE = 100
"""Tokens of a length are searched one by one if they are so many times fewer than the bytes of the text."""

LONG = 256
"""Length in bytes from which they always are: the substrings of that length would take much memory."""


class TokenFinder:
    """Finds the tokens in short texts without a dictionary of the vocabulary, which would take 30 MB: the tokens of
    each length are a sorted array."""

    def __init__(self, tokens: bytes, offsets: NDArray[np.int64], ids: NDArray[Any]) -> None:
        """``tokens``: the tokens' bytes, concatenated; ``offsets``: int64[n + 1], the start of each, and the end.
        ``ids``: one for each. Of two tokens with the same bytes, the later one is found. Empty ones are ignored."""
        values = np.frombuffer(tokens, dtype=np.uint8)
        lengths = np.diff(offsets)
        self._by_length: dict[int, tuple[NDArray[np.bytes_], NDArray[Any]]] = {}
        for length in np.unique(lengths[lengths > 0]).tolist():
            chosen = np.flatnonzero(lengths == length)
            rows = _as_strings(values[offsets[chosen, None] + np.arange(length)], length)
            order = np.argsort(rows, kind="stable")
            self._by_length[length] = rows[order], ids[chosen[order]]

    def tokens_within(self, content: bytes) -> dict[bytes, int]:
        """Return the tokens that are substrings of ``content``, and all single-byte tokens, with their ids."""
        content += bytes(range(256))
        values = np.frombuffer(content, dtype=np.uint8)
        found: dict[bytes, int] = {}
        for length, (tokens, ids) in self._by_length.items():
            if length > len(content):
                break
            if length >= LONG or len(tokens) * RARE < len(content):
                whole = tokens.view(f"V{length}").tolist()  # a bytes_ would lose null bytes at its end
                pairs = zip(whole, ids.tolist(), strict=True)
                found.update((token, token_id) for token, token_id in pairs if token in content)
                continue
            substrings = _as_strings(np.lib.stride_tricks.sliding_window_view(values, length), length)
            indices = np.searchsorted(tokens, substrings, side="right") - 1
            starts = np.flatnonzero(tokens[indices] == substrings)
            for start, token_id in zip(starts.tolist(), ids[indices[starts]].tolist(), strict=True):
                found[content[start : start + length]] = token_id
        return found


def _as_strings(rows: NDArray[np.uint8], length: int) -> NDArray[np.bytes_]:
    """Return rows of bytes, uint8[n, length], as strings, bytes_[n], which compare as the rows do."""
    return np.ascontiguousarray(rows).view(f"S{length}").ravel()
