"""Byte fallback: a character that the vocabulary does not have is written in its bytes, one token each.

An encoding of characters merges bytes to characters through their beginnings (``engine.training.trained_encoding``).
What an unknown character shares with a known one, its first two or three bytes, would stay merged: here it is taken
apart again, as SentencePiece's and Hugging Face's byte fallback never joins it. (google/sentencepiece,
src/bpe_model.cc; huggingface/tokenizers, src/models/bpe/model.rs: ``byte_fallback``.)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

_MOST_BYTES = 3


class ByteFallback:
    """Takes the beginnings of characters apart that stand by themselves."""

    def __init__(self, ranks: Mapping[bytes, int], n_vocab: int) -> None:
        """``ranks``: token bytes to id, with all single bytes. ``n_vocab``: ids are below that."""
        self._ranks = ranks
        self._sizes = np.ones(n_vocab, dtype=np.int64)
        self._bytes = np.zeros((n_vocab, _MOST_BYTES), dtype=np.int32)
        self._bytes[:, 0] = np.arange(n_vocab)
        for token, token_id in ranks.items():
            if is_beginning(token):
                self._sizes[token_id] = len(token)
                self._bytes[token_id, : len(token)] = [ranks[token[place : place + 1]] for place in range(len(token))]

    def in_single_bytes(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32[m]: the ids of a text, int32[n], with beginnings of characters written in their bytes."""
        sizes = self._sizes[ids]
        if len(ids) == 0 or sizes.max() == 1:
            return ids
        starts = np.cumsum(sizes) - sizes
        places = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
        spelled: NDArray[np.int32] = self._bytes[np.repeat(ids, sizes), places]
        return spelled

    def keeps_apart(self, content: bytes, byte_start: int, byte_end: int) -> bool:
        """Whether the bytes of UTF-8 there begin a character that is unknown."""
        if not is_beginning(content[byte_start:byte_end]):
            return False
        return content[byte_start : byte_start + character_size(content[byte_start])] not in self._ranks


def is_beginning(token: bytes) -> bool:
    """Whether the bytes begin a character of UTF-8 and do not end it, and are more than one."""
    return 1 < len(token) <= _MOST_BYTES and token[0] >= 0xE0 and len(token) < character_size(token[0])


def character_size(first_byte: int) -> int:
    """Bytes of the character beyond ASCII that begins so."""
    return 2 + (first_byte >= 0xE0) + (first_byte >= 0xF0)
