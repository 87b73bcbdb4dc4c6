"""Tokenloupe's own encoder for texts of any length: chunk by chunk, on several threads if requested."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoder import NativeEncoder
from engine.encoding.text_work import Chunks
from engine.runtime.cancellation import interruptible, is_cancellable
from engine.runtime.threads import in_threads
from engine.split.safe_boundaries import text_boundaries

_R = TypeVar("_R")

CHUNK_CHARS = 65_536
"""Maximum length of a chunk, in characters: the data of one stays in the processor's caches until the next."""

MIN_CHUNKS = 8
"""Minimum number of chunks given to a thread: some milliseconds of work, compared to which the handover is free."""


class NativeFront:
    """Interface for encoding whole texts with Tokenloupe's own encoder."""

    def __init__(self, native: NativeEncoder) -> None:
        self._native = native

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text."""
        raise NotImplementedError

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        raise NotImplementedError

    def encode_to_list(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        raise NotImplementedError

    @property
    def native(self) -> NativeEncoder:
        """The encoder of the parts of a text."""
        return self._native

    @property
    def tables(self) -> NDArray[np.uint8]:
        """The tables of its vocabulary."""
        return self._native.tables


class ChunkedEncoder(NativeFront):
    """Encodes Python texts. Thread-safe. Raises UnicodeEncodeError for a text with a surrogate and TypeError for
    anything but a text: only UTF-8 made by Python or the kernels reaches the native encoder.

    A text is divided at ``engine.split.safe_boundaries``, so that its chunks have the same tokens as in the whole. Two
    threads take half the time of one, but keep other work from running: the default is one.
    """

    def __init__(self, native: NativeEncoder) -> None:
        """``native``: an encoder with a scanner. Safe boundaries hold for all patterns that have scanners."""
        super().__init__(native)

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text."""
        check_text(text)
        if len(text) <= CHUNK_CHARS:
            return self._native.count(text)
        return sum(self._by_parts(self._native.count, text, num_threads))

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        check_text(text)
        parts = self._by_parts(self._native.encode, text, num_threads)
        if len(parts) == 1:
            return parts[0]
        ids = np.concatenate(parts)
        ids.flags.writeable = False
        return ids

    def encode_to_list(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        check_text(text)
        return self._native.encode_to_list(text, self._chunks(text))

    def _chunks(self, text: str) -> Chunks | None:
        """Return the chunks of a text; None for a text that is encoded in one call."""
        if len(text) <= CHUNK_CHARS:
            return None
        return text_boundaries().spans(text, CHUNK_CHARS)

    def _by_parts(self, work: Callable[[str, Chunks | None], _R], text: str, num_threads: int) -> list[_R]:
        """Apply ``work`` to the chunks of a text: in one call, or some chunks at a time if it can be cancelled in
        between; or in parts on several threads."""
        chunks = self._chunks(text)
        if chunks is None:
            return [work(text, None)]
        if num_threads != 1:
            return in_threads(lambda part: work(text, part), _shares_for_threads(chunks, num_threads), num_threads)
        if not is_cancellable():
            return [work(text, chunks)]
        parts = (chunks[first : first + MIN_CHUNKS] for first in range(0, len(chunks), MIN_CHUNKS))
        return [work(text, part) for part in interruptible(parts, every=1)]


def _shares_for_threads(chunks: Chunks, num_threads: int) -> list[Chunks]:
    """Divide chunks into parts for threads to take in turn. Each part is half of an equal share of the rest: large ones
    first, as each costs a call, and smaller ones last, so that all threads finish at about the same time. Some parts of
    a text take twice as long as others."""
    parts = []
    first = 0
    while first < len(chunks):
        size = max(MIN_CHUNKS, -(-(len(chunks) - first) // (2 * num_threads)))
        parts.append(chunks[first : first + size])
        first += size
    return parts


def check_text(text: object) -> None:
    """Raise TypeError unless ``text`` is a str."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, not {type(text).__name__}")
