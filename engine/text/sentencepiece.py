"""Two rules of SentencePiece's tokenizers: the metaspace, and byte fallback.

*Metaspace*, ``▁`` (U+2581), is the sign for a space in encoded texts and in tokens. Before encoding, each space is
replaced by the sign, and one more is prepended, the *dummy prefix*: so a word is the same token at the start of a text
as after a space. Decoding reverts both. (google/sentencepiece, src/normalizer.cc: ``add_dummy_prefix``,
``escape_whitespaces``. As in Llama's tokenizers, consecutive spaces are all kept.)

*Byte fallback.* A character that is not in the vocabulary is written as its bytes, one token each. A character-based
encoding merges bytes to characters by way of their prefixes (``engine.training.trained_encoding``). Without
``ByteFallback``, the first two or three bytes that an unknown character shares with a known one would stay merged. Here
they are split again, because the byte fallback of SentencePiece and Hugging Face never merges them.
(google/sentencepiece, src/bpe_model.cc; huggingface/tokenizers, src/models/bpe/model.rs: ``byte_fallback``.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIGN = "▁"

SPACES_AS_SIGNS = f"spaces as {SIGN}"
SIGN_IN_FRONT = f"{SIGN} in front"
SIGNS_AS_SPACES = "▁ as space"
"""SentencePiece's sign for a space. Its tokenizers treat a ``▁`` of the text as a space."""

_SIGN_BYTES = SIGN.encode("utf-8")


@dataclass(frozen=True, slots=True)
class Metaspace:
    """Replaces spaces by signs and back. ``dummy_prefix``: True if a sign is prepended to each text."""

    dummy_prefix: bool = True

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of its steps for a file, in order."""
        return (SIGN_IN_FRONT,) * self.dummy_prefix + (SPACES_AS_SIGNS,)

    def __call__(self, text: str) -> str:
        """Return a whole text with signs. An empty text stays empty."""
        return (SIGN if self.dummy_prefix and text else "") + text.replace(" ", SIGN)

    def in_pieces(self, chunks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """Yield the chunks of a UTF-8 text with signs, and by how many bytes each grew. Chunks hold whole characters;
        some may be empty."""
        in_front = _SIGN_BYTES if self.dummy_prefix else b""
        for chunk in chunks:
            signed = in_front + chunk.replace(b" ", _SIGN_BYTES) if chunk else chunk
            in_front = b"" if chunk else in_front
            yield signed, len(signed) - len(chunk)

    def undone(self, content: bytes) -> bytes:
        """Return a UTF-8 text without signs. A ``▁`` of the original text also becomes a space."""
        if self.dummy_prefix:
            content = content.removeprefix(_SIGN_BYTES)
        return content.replace(_SIGN_BYTES, b" ")


def signs_of(steps: tuple[str, ...]) -> tuple[tuple[str, ...], Metaspace | None]:
    """Return the steps before those about signs, and the ``Metaspace`` that these describe, None if there are none."""
    if steps[-1:] != (SPACES_AS_SIGNS,):
        return steps, None
    in_front = steps[-2:-1] == (SIGN_IN_FRONT,)
    return steps[: -2 if in_front else -1], Metaspace(in_front)


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
                self._bytes[token_id, : len(token)] = [ranks[bytes([value])] for value in token]

    def in_single_bytes(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return int32[m]: ``ids``, int32[n], with each beginning of a character replaced by its bytes."""
        sizes = self._sizes[ids]
        if len(ids) == 0 or sizes.max() == 1:
            return ids
        starts = np.cumsum(sizes) - sizes
        positions = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
        spelled: NDArray[np.int32] = self._bytes[np.repeat(ids, sizes), positions]
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
