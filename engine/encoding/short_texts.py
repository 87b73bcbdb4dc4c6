"""Encoders of only the tokens that a short text can have.

tiktoken's encoder of 200,000 tokens takes 0.1 s to build, during which no other Python thread runs: a window that was
just opened would freeze for the few words in it. Merging only ever looks at substrings of the text, so an encoder of
those substrings that are tokens gives the same ids. It is built in a few milliseconds.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from engine.runtime.tiktoken_core import CoreBPE, build_core

MAX_BYTES = 2048
"""Maximum size of a text: in longer ones looking up the substrings takes much of the time, though other threads run."""

MAX_TEXTS = 32
"""Maximum number of texts: for more, the encoder of all tokens is better."""


class ShortTextCores:
    """Builds such encoders for the first texts of a vocabulary."""

    def __init__(self, mergeable_ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], pattern: str) -> None:
        self.ranks = mergeable_ranks
        self._special_tokens = special_tokens
        self._pattern = pattern
        self._lengths = sorted(set(map(len, mergeable_ranks)))
        self._texts_left = MAX_TEXTS

    def core_for(self, text: str) -> CoreBPE | None:
        """Return an encoder for this text only. None if it is too long or not a str (tiktoken raises the error), and
        after many texts."""
        if not isinstance(text, str) or len(text) > MAX_BYTES or self._texts_left <= 0:
            return None
        content = text.encode("utf-8")
        if len(content) > MAX_BYTES:
            return None
        self._texts_left -= 1
        found = {special: rank for special, rank in self._special_tokens.items() if special in text}
        # Without any special token, tiktoken would match the empty text as one.
        special_tokens = found or dict(itertools.islice(self._special_tokens.items(), 1))
        return build_core(self._tokens_within(content), special_tokens, self._pattern)

    def _tokens_within(self, content: bytes) -> dict[bytes, int]:
        """Return the tokens that are substrings of ``content``, and all single-byte tokens."""
        ranks = self.ranks
        stretches = {bytes([value]) for value in range(256)}
        for length in self._lengths:
            stretches.update(content[start : start + length] for start in range(len(content) - length + 1))
        return {stretch: ranks[stretch] for stretch in stretches if stretch in ranks}
