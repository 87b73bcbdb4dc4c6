"""Vocabularies small enough for a definition to be followed, and odd enough to need it."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.encoding.encoding import Encoding
from engine.split.patterns import CL100K

BYTES = {bytes([value]): value for value in range(256)}
PIECES = st.sampled_from(
    [
        *(b"a", b"b", b"A", b"B", b" ", b"\n", b"\r\n", b"\t", b"0", b"9", b".", b"'", b"-", b"\x00", b"\xff", b"\x80"),
        *("é".encode(), "É".encode(), "ß".encode(), "ſ".encode(), "\u212a".encode(), "字".encode(), "の".encode()),
        *("🚀".encode(), "\u200b".encode(), "\u00a0".encode(), "я".encode(), b"\xe2\x82", b"\xf0\x9f", b"\xed\xa0\x80"),
    ]
)
TOKENS = st.lists(st.lists(PIECES, min_size=1, max_size=6).map(b"".join), max_size=40)


def vocabulary(tokens: list[bytes], special_tokens: dict[str, int] | None = None) -> Encoding:
    """All bytes, then these tokens with a gap after every fifth, then special tokens."""
    ranks = dict(BYTES)
    for token in tokens:
        ranks.setdefault(token, len(ranks) + (len(ranks) - 256) // 5)
    special = {"<|end|>": max(ranks.values()) + 3} if special_tokens is None else special_tokens
    return Encoding("small", pat_str=CL100K.expression, mergeable_ranks=ranks, special_tokens=special)
