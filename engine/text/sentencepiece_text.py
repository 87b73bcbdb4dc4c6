"""How SentencePiece writes texts: ``▁``, U+2581, for a space, and unknown characters byte by byte.

A text that is encoded has the sign in place of each space, and one more in front, the *dummy prefix*: so a word is the
same token at the start of a text as behind a space. Decoding undoes both. (google/sentencepiece, src/normalizer.cc:
``add_dummy_prefix``, ``escape_whitespaces``. As in Llama's tokenizers, spaces that follow each other all stay.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIGN = "▁"

SPACES_AS_SIGNS = f"spaces as {SIGN}"
SIGN_IN_FRONT = f"{SIGN} in front"

_SIGN_BYTES = SIGN.encode("utf-8")


@dataclass(frozen=True, slots=True)
class SpaceSigns:
    """``dummy_prefix``: whether each text gets a sign in front."""

    dummy_prefix: bool = True

    @property
    def steps(self) -> tuple[str, ...]:
        """What it does, as names for a file, in order."""
        return (SIGN_IN_FRONT,) * self.dummy_prefix + (SPACES_AS_SIGNS,)

    def __call__(self, text: str) -> str:
        """A whole text with signs. An empty one stays empty."""
        return (SIGN if self.dummy_prefix and text else "") + text.replace(" ", SIGN)

    def in_pieces(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """The same for the UTF-8 of a text that comes in pieces of whole characters, some of them empty: each piece
        with signs, and by how many bytes they made it longer."""
        in_front = _SIGN_BYTES if self.dummy_prefix else b""
        for piece in pieces:
            signed = in_front + piece.replace(b" ", _SIGN_BYTES) if piece else piece
            in_front = b"" if piece else in_front
            yield signed, len(signed) - len(piece)

    def undone(self, content: bytes) -> bytes:
        """The UTF-8 of a text without its signs. A ``▁`` that was one in the text comes back as a space."""
        if self.dummy_prefix:
            content = content.removeprefix(_SIGN_BYTES)
        return content.replace(_SIGN_BYTES, b" ")


def signs_of(steps: tuple[str, ...]) -> tuple[tuple[str, ...], SpaceSigns | None]:
    """The steps before those about signs, and what these say; None where there are none."""
    if steps[-1:] != (SPACES_AS_SIGNS,):
        return steps, None
    in_front = steps[-2:-1] == (SIGN_IN_FRONT,)
    return steps[: -2 if in_front else -1], SpaceSigns(in_front)


# --- byte fallback ----------------------------------------------------------------------------------------------------
#
# An encoding of characters merges bytes to characters through their beginnings (``engine.training.trained_encoding``).
# What an unknown character shares with a known one, its first two or three bytes, would stay merged: here it is taken
# apart again, as SentencePiece's and Hugging Face's byte fallback never joins it. (google/sentencepiece,
# src/bpe_model.cc; huggingface/tokenizers, src/models/bpe/model.rs: ``byte_fallback``.)


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
