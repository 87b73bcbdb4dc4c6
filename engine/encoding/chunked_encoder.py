"""Our own encoder for whole texts: chunk by chunk on several threads, or by pretokens that a split pattern cuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoder import NativeEncoder
from engine.encoding.text_work import Chunks
from engine.runtime.cancellation import interruptible, is_cancellable
from engine.runtime.threads import in_threads
from engine.split.pretokenization import Pretokenizer, UnsupportedPatternError, pretokenizer, stretches
from engine.split.quick_cuts import text_cuts
from engine.text.utf16 import pairs

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding

_R = TypeVar("_R")

CHUNK_CHARS = 65_536
"""Characters of a chunk: what is made of so many stays in the processor's caches until the next."""

LEAST_CHUNKS = 8
"""Chunks that a thread takes at a time at least: some milliseconds' work, beside which handing it out is nothing."""


class NativeFront:
    """What stands before our own encoder, for whole texts."""

    def __init__(self, native: NativeEncoder) -> None:
        self._native = native

    def count(self, text: str, num_threads: int = 1) -> int:
        """How many tokens a text has."""
        raise NotImplementedError

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of a text."""
        raise NotImplementedError

    def encode_to_list(self, text: str) -> list[int]:
        """Token ids of a text."""
        raise NotImplementedError

    @property
    def native(self) -> NativeEncoder:
        """What encodes the parts of a text."""
        return self._native

    @property
    def tables(self) -> NDArray[np.uint8]:
        """The tables of its vocabulary."""
        return self._native.tables


class ChunkedEncoder(NativeFront):
    """Encodes Python texts. Safe to use from several threads. UnicodeEncodeError for a text with a surrogate, TypeError
    for what is no text: only UTF-8 that Python or our own kernel has made comes to the encoder behind it.

    A text is cut at ``engine.split.safe_cuts``, so that its chunks have the tokens that they have in the whole. Two
    threads take half the time of one, or keep it from others: it is one unless the caller says otherwise.
    """

    def __init__(self, native: NativeEncoder) -> None:
        """``native``: one that has a scanner. Safe cuts hold for all patterns that there are scanners for."""
        super().__init__(native)

    def count(self, text: str, num_threads: int = 1) -> int:
        """How many tokens a text has."""
        check_text(text)
        if len(text) <= CHUNK_CHARS:
            return self._native.count(text)
        return sum(self._by_parts(self._native.count, text, num_threads))

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of a text."""
        check_text(text)
        parts = self._by_parts(self._native.encode, text, num_threads)
        if len(parts) == 1:
            return parts[0]
        ids = np.concatenate(parts)
        ids.flags.writeable = False
        return ids

    def encode_to_list(self, text: str) -> list[int]:
        """Token ids of a text."""
        check_text(text)
        return self._native.encode_to_list(text, self._chunks(text))

    def _chunks(self, text: str) -> Chunks | None:
        """Where to cut a text; None for a text that is taken at once."""
        if len(text) <= CHUNK_CHARS:
            return None
        return text_cuts().spans(text, CHUNK_CHARS)

    def _by_parts(self, work: Callable[[str, Chunks | None], _R], text: str, num_threads: int) -> list[_R]:
        """Apply ``work`` to the chunks of a text: in one call, or chunk by chunk if it can be cancelled in between;
        or several parts of them by threads."""
        chunks = self._chunks(text)
        if chunks is None:
            return [work(text, None)]
        if num_threads != 1:
            return in_threads(lambda part: work(text, part), _dealt_out(chunks, num_threads), num_threads)
        if not is_cancellable():
            return [work(text, chunks)]
        parts = (chunks[first : first + LEAST_CHUNKS] for first in range(0, len(chunks), LEAST_CHUNKS))
        return [work(text, part) for part in interruptible(parts, every=1)]


def _dealt_out(chunks: Chunks, num_threads: int) -> list[Chunks]:
    """A text in parts for threads to take in turn, each half of what would be left for every one of them: large ones
    first, as each costs a call, and smaller ones last, so that no thread has much to do when the others are done. Some
    parts of a text take two times as long as others."""
    parts = []
    first = 0
    while first < len(chunks):
        size = max(LEAST_CHUNKS, -(-(len(chunks) - first) // (2 * num_threads)))
        parts.append(chunks[first : first + size])
        first += size
    return parts


def check_text(text: object) -> None:
    """TypeError for what is no text."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, not {type(text).__name__}")


# --- split patterns that no scanner knows -----------------------------------------------------------------------------


class PatternEncoder(NativeFront):
    """Encodes Python texts, with the methods of ``ChunkedEncoder``. Safe to use from several threads.

    UnicodeEncodeError for a text with a surrogate, TypeError for what is no text; SplitTimeoutError, an EngineError,
    for one that takes too long.
    """

    def __init__(self, native: NativeEncoder, pretokenizer: Pretokenizer) -> None:
        super().__init__(native)
        self._pretokenizer = pretokenizer

    def count(self, text: str, num_threads: int = 1) -> int:
        """How many tokens a text has. It is cut on one thread, which is most of the work."""
        check_text(text)
        found = stretches(self._pretokenizer, text)
        return sum(self._native.count_pretokens(one.text.encode("utf-8"), one.byte_spans()) for one in found)

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of a text. It is cut on one thread, which is most of the work."""
        check_text(text)
        found = stretches(self._pretokenizer, text)
        parts = [self._native.encode_pretokens(one.text.encode("utf-8"), one.byte_spans()) for one in found]
        ids = np.concatenate([np.empty(0, dtype=np.uint32), *parts])
        ids.flags.writeable = False
        return ids

    def encode_to_list(self, text: str) -> list[int]:
        """Token ids of a text."""
        ids: list[int] = self.encode(text).tolist()
        return ids


def pattern_encoder(native: NativeEncoder, expression: str) -> PatternEncoder | None:
    """The encoder of a split pattern that is valid for tiktoken, None where nothing here knows what it means."""
    try:
        return PatternEncoder(native, pretokenizer(expression))
    except UnsupportedPatternError:
        return None


# --- pretokens that are cut already -----------------------------------------------------------------------------------


def ids_of_pretokens(encoding: Encoding, content: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.int32]:
    """int32[n]: token ids of pretokens. ``byte_spans``: int64[m, 2], where each starts and ends in UTF-8."""
    quick = encoding.ids_of_pretokens(content, byte_spans)
    if quick is not None:
        return quick
    known: dict[bytes, list[int]] = {}
    ids: list[int] = []
    for start, end in pairs(byte_spans):
        pretoken = content[start:end]
        if pretoken not in known:
            known[pretoken] = encoding._encode_single_piece(pretoken)
        ids += known[pretoken]
    return np.array(ids, dtype=np.int32)


def pretokens_of_tokens(
    token_sizes: NDArray[np.int32], pretoken_sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each token the number of the pretoken it belongs to, int64[n], and whether it is the last there, bool[n].
    Sizes are bytes, of tokens and of the pretokens that they make up."""
    ends = np.cumsum(token_sizes, dtype=np.int64)
    borders = np.cumsum(pretoken_sizes)
    numbers = borders.searchsorted(ends, "left")
    return numbers, borders[numbers] == ends


def token_ends(encoding: Encoding, text: str) -> NDArray[np.int64]:
    """int64[n]: where each token of a text without surrogates ends, in bytes of UTF-8. For a pattern that leaves text
    out, too. UnsupportedPatternError, SplitTimeoutError."""
    parts = [np.empty(0, dtype=np.int64)]
    char_start = byte_start = 0
    for stretch in stretches(pretokenizer(encoding.pattern), text):
        byte_start += len(text[char_start : stretch.char_start].encode("utf-8"))
        char_start = stretch.char_start
        spans = stretch.byte_spans()
        sizes = spans[:, 1] - spans[:, 0]
        token_sizes = encoding.byte_lengths[ids_of_pretokens(encoding, stretch.text.encode("utf-8"), spans)]
        numbers, _ = pretokens_of_tokens(token_sizes, sizes)
        left_out = spans[:, 1] - np.cumsum(sizes)
        parts.append(byte_start + np.cumsum(token_sizes, dtype=np.int64) + left_out[numbers])
    return np.concatenate(parts)


__all__ = ["UnsupportedPatternError", "ids_of_pretokens", "pretokens_of_tokens", "token_ends"]
