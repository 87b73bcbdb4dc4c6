"""An encoder of the tokens that one short text can have.

tiktoken's encoder of 200,000 tokens takes a tenth of a second to build, in which no other Python thread runs: a window
that has just been opened stands still for the few words in it. Merging never looks at anything but stretches of the
text, so an encoder of those stretches that are tokens gives the same ids. It is built in a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.tiktoken_core import CoreBPE, build_core

MOST_BYTES = 4096
"""Of a text: to look up its stretches takes fifty milliseconds by then, though others run meanwhile."""


class ShortTextCores:
    """Builds them for the first texts of a vocabulary; for many texts the encoder of all tokens is the better one."""

    def __init__(self, mergeable_ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], pattern: str) -> None:
        self._ranks = mergeable_ranks
        self._special_tokens = special_tokens
        self._pattern = pattern
        self._lengths = sorted(set(map(len, mergeable_ranks)))
        self._bytes_left = 4 * MOST_BYTES

    def core_for(self, text: str) -> CoreBPE | None:
        """An encoder for this text and no other. None where it is too long, and when there have been many."""
        if len(text) > min(MOST_BYTES, self._bytes_left):
            return None
        content = text.encode("utf-8")
        self._bytes_left -= len(content)
        if len(content) > MOST_BYTES:
            return None
        special_tokens = {special: rank for special, rank in self._special_tokens.items() if special in text}
        return build_core(self._tokens_within(content), special_tokens, self._pattern)

    def _tokens_within(self, content: bytes) -> dict[bytes, int]:
        """Those tokens that are stretches of ``content``, and all of one byte."""
        ranks = self._ranks
        stretches = {bytes([value]) for value in range(256)}
        for length in self._lengths:
            stretches.update(content[start : start + length] for start in range(len(content) - length + 1))
        return {stretch: ranks[stretch] for stretch in stretches if stretch in ranks}
