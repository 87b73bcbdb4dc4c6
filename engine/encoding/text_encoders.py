"""Encoders of whole Python texts, on top of the native encoder: text to token counts and ids.

``ChunkedEncoder`` is for split patterns with a scanner, ``PatternEncoder`` for all others. Both raise
UnicodeEncodeError for a text with a surrogate and TypeError for anything but a text: only UTF-8 made by Python or the
kernels reaches the native encoder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoder import Chunks, NativeEncoder
from engine.runtime.cancellation import interruptible, is_cancellable
from engine.runtime.threads import in_threads
from engine.split.expression import UnsupportedPatternError
from engine.split.pretokenization import Pretokenizer, pretoken_chunks, pretokenizer
from engine.split.safe_boundaries import text_boundaries
from engine.text.offsets import check_text

_R = TypeVar("_R")

CHUNK_CHARS = 65_536
"""Maximum length of a chunk, in characters: the data of one stays in the processor's caches until the next."""

MIN_CHUNKS = 8
"""Minimum number of chunks given to a thread: some milliseconds of work, compared to which the handover is free."""


class TextEncoder:
    """Interface for encoding whole texts. Thread-safe. ``native``: the encoder of the parts of a text."""

    def __init__(self, native: NativeEncoder) -> None:
        self.native = native

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text."""
        raise NotImplementedError

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        raise NotImplementedError

    def encode_to_list(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        ids: list[int] = self.encode(text).tolist()
        return ids


class ChunkedEncoder(TextEncoder):
    """Encodes texts of any length, chunk by chunk, on several threads if requested. ``native``: an encoder with a
    scanner.

    A text is divided at ``engine.split.safe_boundaries``, which hold for all patterns that have scanners, so that its
    chunks have the same tokens as in the whole. Two threads take half the time of one, but keep other work from
    running: the default is one.
    """

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text."""
        check_text(text)
        if len(text) <= CHUNK_CHARS:
            return self.native.count(text)
        return sum(self._by_parts(self.native.count, text, num_threads))

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        check_text(text)
        parts = self._by_parts(self.native.encode, text, num_threads)
        if len(parts) == 1:
            return parts[0]
        ids = np.concatenate(parts)
        ids.flags.writeable = False
        return ids

    def encode_to_list(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        check_text(text)
        return self.native.encode_to_list(text, self._chunks(text))

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


class PatternEncoder(TextEncoder):
    """Encodes texts that a regular-expression engine splits, which is most of the work and uses one thread; kernels
    merge. Raises SplitTimeoutError (an EngineError) for a text that takes too long."""

    def __init__(self, native: NativeEncoder, pretokenizer: Pretokenizer) -> None:
        super().__init__(native)
        self._pretokenizer = pretokenizer

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text."""
        check_text(text)
        found = pretoken_chunks(self._pretokenizer, text)
        return sum(self.native.count_pretokens(one.text.encode("utf-8"), one.byte_spans()) for one in found)

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        check_text(text)
        found = pretoken_chunks(self._pretokenizer, text)
        parts = [self.native.encode_pretokens(one.text.encode("utf-8"), one.byte_spans()) for one in found]
        ids = np.concatenate([np.empty(0, dtype=np.uint32), *parts])
        ids.flags.writeable = False
        return ids


def pattern_encoder(native: NativeEncoder, expression: str) -> PatternEncoder | None:
    """Return the encoder of a split pattern that is valid for tiktoken, None if the pattern is not supported here."""
    try:
        return PatternEncoder(native, pretokenizer(expression))
    except UnsupportedPatternError:
        return None
