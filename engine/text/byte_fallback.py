"""Byte fallback: a character that is not in the vocabulary is written as its bytes, one token each.

A character-based encoding merges bytes to characters by way of their prefixes (``engine.training.trained_encoding``).
Without this module, the first two or three bytes that an unknown character shares with a known one would stay merged.
Here they are split again, because the byte fallback of SentencePiece and Hugging Face never merges them.
(google/sentencepiece, src/bpe_model.cc; huggingface/tokenizers, src/models/bpe/model.rs: ``byte_fallback``.)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

_MAX_BYTES = 3


class ByteFallback:
    """Splits tokens that hold only the beginning of a character into single bytes."""

    def __init__(self, ranks: Mapping[bytes, int], n_vocab: int) -> None:
        """``ranks``: token bytes to id, with all single bytes. ``n_vocab``: upper bound of the ids, exclusive."""
        self._ranks = ranks
        self._sizes = np.ones(n_vocab, dtype=np.int64)
        self._bytes = np.zeros((n_vocab, _MAX_BYTES), dtype=np.int32)
        self._bytes[:, 0] = np.arange(n_vocab)
        for token, token_id in ranks.items():
            if is_beginning(token):
                self._sizes[token_id] = len(token)
                self._bytes[token_id, : len(token)] = [ranks[token[place : place + 1]] for place in range(len(token))]

    def in_single_bytes(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return int32[m]: ``ids``, int32[n], with each beginning of a character replaced by its bytes."""
        sizes = self._sizes[ids]
        if len(ids) == 0 or sizes.max() == 1:
            return ids
        starts = np.cumsum(sizes) - sizes
        places = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
        spelled: NDArray[np.int32] = self._bytes[np.repeat(ids, sizes), places]
        return spelled

    def keeps_apart(self, content: bytes, byte_start: int, byte_end: int) -> bool:
        """Return True if these bytes of a UTF-8 text are the beginning of an unknown character."""
        if not is_beginning(content[byte_start:byte_end]):
            return False
        return content[byte_start : byte_start + character_size(content[byte_start])] not in self._ranks


def is_beginning(token: bytes) -> bool:
    """Return True if the token has two or three bytes that begin a UTF-8 character and do not complete it."""
    return 1 < len(token) <= _MAX_BYTES and token[0] >= 0xE0 and len(token) < character_size(token[0])


def character_size(first_byte: int) -> int:
    """Return the size in bytes of the non-ASCII character that begins with this byte."""
    return 2 + (first_byte >= 0xE0) + (first_byte >= 0xF0)
