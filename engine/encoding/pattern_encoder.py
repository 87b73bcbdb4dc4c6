"""Encoder for split patterns without a scanner: a regular-expression engine splits, kernels merge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.encoding.chunked_encoder import NativeFront, check_text
from engine.encoding.encoder import NativeEncoder
from engine.split.expression import UnsupportedPatternError
from engine.split.pretokenization import Pretokenizer, pretoken_chunks, pretokenizer


class PatternEncoder(NativeFront):
    """Encodes Python texts, with the methods of ``ChunkedEncoder``. Thread-safe.

    Raises UnicodeEncodeError for a text with a surrogate, TypeError for anything but a text, and SplitTimeoutError (an
    EngineError) for a text that takes too long.
    """

    def __init__(self, native: NativeEncoder, pretokenizer: Pretokenizer) -> None:
        super().__init__(native)
        self._pretokenizer = pretokenizer

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text. Splitting, which is most of the work, uses one thread."""
        check_text(text)
        found = pretoken_chunks(self._pretokenizer, text)
        return sum(self._native.count_pretokens(one.text.encode("utf-8"), one.byte_spans()) for one in found)

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text. Splitting, which is most of the work, uses one
        thread."""
        check_text(text)
        found = pretoken_chunks(self._pretokenizer, text)
        parts = [self._native.encode_pretokens(one.text.encode("utf-8"), one.byte_spans()) for one in found]
        ids = np.concatenate([np.empty(0, dtype=np.uint32), *parts])
        ids.flags.writeable = False
        return ids

    def encode_to_list(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        ids: list[int] = self.encode(text).tolist()
        return ids


def pattern_encoder(native: NativeEncoder, expression: str) -> PatternEncoder | None:
    """Return the encoder of a split pattern that is valid for tiktoken, None if the pattern is not supported here."""
    try:
        return PatternEncoder(native, pretokenizer(expression))
    except UnsupportedPatternError:
        return None
