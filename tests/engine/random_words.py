"""Random words, and their tokens by replaying merges."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.analysis.merge_steps import trace_of
from engine.encoding.encoding import Encoding

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "etaoinshrdlu",
    "0123456789",
    " \n\t",
    "áéíóúüñçß",
    "абвгдежзий",
    "漢字かなカナ한글",
    "😀🚀👩\u200d❤\ufe0f",
    "{}[]()<>=+-*/;:_.\"'",
)


def random_words(rng: random.Random, encoding: Encoding, number: int) -> Iterator[str]:
    """Words of random letters, and such as are made of pieces of tokens, which have many merges."""
    for _ in range(number):
        if rng.random() < 0.4:
            ids = rng.choices(range(encoding.n_vocab), k=rng.randrange(1, 4))
            whole = b"".join(encoding.token_info(one).token_bytes for one in ids)
            start = rng.randrange(3)
            word = whole[start : start + rng.randrange(1, 25)].decode("utf-8", "replace")
        else:
            word = "".join(rng.choices(rng.choice(ALPHABETS), k=rng.randrange(1, 14)))
        yield word or "a"


def first_difference(encoding: Encoding, words: Iterator[str]) -> str | None:
    """The first word that the replayed merges of an encoding give other tokens than tiktoken's encoder; None if there
    is none."""
    for word in words:
        if list(trace_of(encoding, word).ids) != encoding._encode_single_piece(word):
            return word
    return None
