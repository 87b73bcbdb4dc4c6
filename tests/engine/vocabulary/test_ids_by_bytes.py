"""Ids by bytes without a dictionary, against the dictionary."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pytest

import engine.vocabulary.tokens
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.vocabulary.bundle import RankTable, table_from_ranks
from engine.vocabulary.tokens import IdsByBytes, Vocabulary
from tests.engine.kernels.small_vocabularies import learnt_ranks


def agree(table: RankTable, others: list[bytes]) -> None:
    """Fails where the two say something else of what is in the table, or of ``others``."""
    ranks, ids = table.mergeable_ranks(), IdsByBytes(table)
    assert len(ids) == len(ranks)
    assert list(ids) == list(ranks)
    for content in [*ranks, *others]:
        assert ids.get(content) == ranks.get(content)
        assert ids.get(content, -1) == ranks.get(content, -1)
        assert (content in ids) == (content in ranks)
    assert ids == ranks


@pytest.mark.parametrize("at_a_time", [1, 7, 4096])
def test_they_are_those_of_the_dictionary(monkeypatch, at_a_time):
    monkeypatch.setattr(engine.vocabulary.tokens, "_AT_A_TIME", at_a_time)
    for seed in range(5):
        chance = random.Random(seed)
        ranks = learnt_ranks(chance, b"abc", 40, odd=seed)
        spread = {content: rank * 3 + 11 for content, rank in ranks.items()}  # two of three ids are not used
        others = [bytes(chance.choices(b"abcd", k=size)) for size in range(40)]
        agree(table_from_ranks(ranks), others)
        agree(table_from_ranks(spread), others)


def test_tokens_of_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(engine.vocabulary.tokens, "hash", len, raising=False)
    agree(table_from_ranks({b"a": 0, b"b": 1, b"ab": 2, b"ba": 3, b"aab": 4}), [b"", b"bb", b"baa", b"aabb"])


@pytest.mark.parametrize("one_hash", [False, True])
def test_of_a_token_with_several_ids_the_last_one_counts(monkeypatch, one_hash):
    """As in vocabularies of libraries, where a byte and a character may be spelled alike."""
    if one_hash:
        monkeypatch.setattr(engine.vocabulary.tokens, "hash", len, raising=False)
    for seed in range(20):
        chance = random.Random(seed)
        tokens = [bytes(chance.choices(b"ab", k=chance.randrange(4))) for _ in range(30)]
        offsets = np.cumsum([0, *map(len, tokens)])
        table = RankTable(5, b"".join(tokens), offsets)
        ids, ranks = IdsByBytes(table), table.mergeable_ranks()
        assert ids == ranks
        assert len(ids) == len(ranks) == len(list(ids))
        assert [ids.get(token) for token in tokens] == [ranks.get(token) for token in tokens]


def test_what_is_no_token_is_missing():
    ids = IdsByBytes(table_from_ranks({b"a": 5}))
    with pytest.raises(KeyError) as caught:
        ids[b"b"]
    assert caught.value.args == (b"b",), "who asks for a byte names it"
    assert "a" not in ids


def test_a_published_vocabulary():
    table = Catalog(DATA_DIR).get("r50k_base")._table
    agree(table, [b"", b" worldly wise", b"\xff\xff", b"x" * 1000])


def test_a_vocabulary_goes_with_its_last_user():
    vocabulary = Vocabulary(table_from_ranks({b"a": 0, b"b": 1}), {}, 1)
    assert vocabulary.ids_by_bytes[b"b"] == 1
    gone = weakref.ref(vocabulary)
    del vocabulary
    gc.collect()
    assert gone() is None
