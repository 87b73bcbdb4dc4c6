"""The plain definition against tiktoken, and the steps it tells."""

from __future__ import annotations

import random

import pytest

from engine.runtime.tiktoken_core import build_core
from engine.split import reference
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.small_vocabularies import learnt_ranks


@pytest.mark.parametrize("odd", [0, 5])
def test_pretokens_have_the_ids_of_tiktoken(odd):
    for seed in range(5):
        rng = random.Random(f"{seed} {odd}")
        ranks = learnt_ranks(rng, b"abcd", 60, odd)
        core = build_core(ranks, {}, "[a-z]+")
        for _ in range(50):
            piece = (
                bytes(rng.choices(b"abcd", k=rng.randrange(1, 60)))
                if rng.random() < 0.7
                else odd_piece(rng, 60).encode()
            )
            assert reference.encode_pretoken(piece, ranks) == core.encode_single_piece(piece)


def test_steps_tell_how_the_tokens_came_about():
    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256, b"cd": 257, b"abcd": 258}
    steps = reference.merge_steps(b"xabcd", ranks)
    assert steps == [
        reference.MergeStep(1, 97, 98, 256),
        reference.MergeStep(3, 99, 100, 257),
        reference.MergeStep(1, 256, 257, 258),
    ]
    assert reference.merge(b"xabcd", ranks) == [b"x", b"abcd"]


def test_a_byte_that_is_no_token_is_a_key_error():
    with pytest.raises(KeyError):
        reference.encode_pretoken(b"ab", {b"a": 0})
