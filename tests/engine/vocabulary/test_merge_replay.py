"""Merges one by one: as the definition says, and what they tell about published vocabularies."""

from __future__ import annotations

import random

import pytest

import engine
from engine.split import reference
from engine.vocabulary import tokens
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.small_vocabularies import learnt_ranks


@pytest.mark.parametrize("odd", [0, 8])
def test_steps_and_parents_are_those_of_the_definition(odd):
    for seed in range(12):
        rng = random.Random(f"{seed} {odd}")
        ranks = learnt_ranks(rng, b"abcd" if seed % 2 else b"ab", 60, odd)
        pieces = [bytes(rng.choices(b"abcd", k=rng.randrange(60))) for _ in range(60)]
        pieces += [odd_piece(rng, 60).encode() for _ in range(5)]
        for piece in (*pieces, *ranks):
            assert tokens.merge_steps(piece, ranks) == reference.merge_steps(piece, ranks)
        for token in ranks:
            assert tokens.parents_of(token, ranks) == reference.parents_of(token, ranks)


def test_a_token_that_merging_never_makes_has_neither_steps_nor_parents():
    ranks = {bytes([value]): value for value in range(256)} | {b"bc": 256, b"abc": 257, b"ab": 258, b"xyz": 259}
    assert tokens.merge_steps(b"xyz", ranks) == []
    assert tokens.parents_of(b"xyz", ranks) is None
    assert tokens.parents_of(b"abc", ranks) == (ord("a"), 256)
    assert tokens.parents_of(b"a", ranks) is None


def test_a_parent_may_come_after_its_token():
    ranks = {bytes([value]): value for value in range(256)} | {b"abc": 256, b"ab": 257}
    assert tokens.parents_of(b"abc", ranks) == (257, ord("c"))
    assert [step.token_id for step in tokens.merge_steps(b"abc", ranks)] == [257, 256]


def test_a_byte_that_is_no_token():
    ranks = {b"a": 0, b"ab": 1}
    with pytest.raises(KeyError):
        tokens.merge_steps(b"ab", ranks)
    assert tokens.parents_of(b"ab", ranks) is None


def test_nothing_has_no_merges():
    assert engine.get_encoding("cl100k_base").merge_steps("") == []


def test_long_pretokens_end_soon():
    steps = engine.get_encoding("cl100k_base").merge_steps("a" * 20_000)
    assert len(steps) == 20_000 - engine.get_encoding("cl100k_base").count("a" * 20_000)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "tekken"])
def test_the_steps_of_an_encoding_lead_to_its_tokens(name):
    encoding = engine.get_encoding(name)
    for word in ("berry", " strawberry", "xylitol", "a", "漢字かな", "\ud83d", "don't", "🚀"):
        content = word.encode("utf-8", "replace") if word != "\ud83d" else "\ufffd".encode()
        parts = {place: encoding.encode_single_token(content[place : place + 1]) for place in range(len(content))}
        for step in encoding.merge_steps(word):
            left_size = len(encoding.decode_single_token_bytes(step.left_id))
            assert parts[step.byte_start] == step.left_id
            assert parts.pop(step.byte_start + left_size) == step.right_id
            parts[step.byte_start] = step.token_id
        assert [parts[place] for place in sorted(parts)] == encoding._encode_single_piece(content)
        assert encoding.merge_steps(content) == encoding.merge_steps(word)


def test_how_berry_comes_about():
    def pairs(name: str) -> list[str]:
        encoding = engine.get_encoding(name)
        steps = encoding.merge_steps("berry")
        return [f"{encoding.decode([step.left_id])}+{encoding.decode([step.right_id])}" for step in steps]

    assert pairs("cl100k_base") == ["e+r", "er+r", "err+y", "b+erry"]
    assert pairs("o200k_base") == ["e+r", "b+er", "r+y", "ber+ry"]
