"""Our own encoder for texts of any length: chunk by chunk, on several threads where that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoder import NativeEncoder
from engine.encoding.text_work import Chunks
from engine.runtime.cancellation import interruptible, is_cancellable
from engine.runtime.threads import in_threads
from engine.split.quick_cuts import text_cuts

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
