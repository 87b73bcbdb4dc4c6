"""DecodingFace: token ids back to bytes and text, as tiktoken's encoding does it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.runtime.cancellation import interruptible
from engine.runtime.threads import in_threads
from engine.vocabulary.bundle import BundledVocabulary

if TYPE_CHECKING:
    from engine.runtime.tiktoken_core import CoreBPE
    from engine.vocabulary.token_bytes import Vocabulary

MOST_LOOKED_UP = 1000
"""So many tokens at once are looked up in the vocabulary where tiktoken's encoder is not built: that takes up to a
fifth of a second and 60 MB, which stay taken, and a thousand look-ups take a millisecond."""


class DecodingFace:
    """The part of ``engine.Encoding`` that decodes."""

    if TYPE_CHECKING:  # the other part has it
        _core: CoreBPE | None
        _ranks: BundledVocabulary | dict[bytes, int]

        @property
        def _core_bpe(self) -> CoreBPE: ...

        @property
        def uses_kernels(self) -> bool: ...

        @property
        def _vocabulary(self) -> Vocabulary: ...

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of these tokens, one after the other. KeyError for an id that stands for nothing."""
        if self._core is None and len(tokens) <= MOST_LOOKED_UP:
            known = [self._looked_up(token) for token in tokens]
            if all(known):
                return b"".join(known)
        content: bytes = self._core_bpe.decode_bytes(tokens)
        return content

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of these tokens. Bytes that are no UTF-8 go by ``errors``, as in ``bytes.decode``."""
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token, special or not. KeyError for an id that stands for nothing."""
        if self._core is None and (known := self._looked_up(token)):
            return known
        content: bytes = self._core_bpe.decode_single_token_bytes(token)
        return content

    def _looked_up(self, token: int) -> bytes:
        """The bytes of a token, without tiktoken's encoder. ``b""`` where it is to say what is wrong with the id, and
        for a vocabulary whose table would have to be made for this."""
        if not (self.uses_kernels or isinstance(self._ranks, BundledVocabulary)):
            return b""
        known = type(token) is int and 0 <= token <= self._vocabulary.max_token_value
        return self._vocabulary.token_bytes(token) if known else b""

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each token."""
        return [self.decode_single_token_bytes(token) for token in interruptible(tokens)]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of these tokens, and for each the index of the first character that has bytes of it.
        UnicodeDecodeError if together they are no UTF-8."""
        pieces = self.decode_tokens_bytes(tokens)
        offsets = []
        char_count = 0
        for piece in pieces:
            starts = sum(1 for byte in piece if not 0x80 <= byte < 0xC0)
            inside = 0x80 <= piece[0] < 0xC0
            offsets.append(max(0, char_count - inside))
            char_count += starts
        return b"".join(pieces).decode("utf-8", errors="strict"), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """``decode`` of each list, in parallel."""
        return in_threads(functools.partial(self.decode, errors=errors), batch, num_threads)

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """``decode_bytes`` of each list, in parallel."""
        return in_threads(self.decode_bytes, batch, num_threads)
