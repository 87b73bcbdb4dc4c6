"""The entries of a vocabulary as arrays."""

from __future__ import annotations

import pytest
from hypothesis import given

import engine
from engine.encoding.encoding import Encoding
from engine.vocabulary.bundle import table_from_ranks
from engine.vocabulary.entries import entries_of, entry_table
from tests.engine.vocabulary.vocabularies import TOKENS, vocabulary
from tests.thoroughness import mostly_deep


def assert_like(encoding: Encoding) -> None:
    entries = entries_of(encoding)
    assert len(entries) == encoding.n_vocab
    infos = [encoding.token_info(token_id) for token_id in range(encoding.n_vocab)]
    assert entries.tokens() == [info.token_bytes for info in infos]
    assert [entries.kind(token_id) for token_id in range(len(entries))] == [info.kind for info in infos]
    assert entries.byte_lengths.tolist() == [len(info.token_bytes) for info in infos]
    assert entries.tokens(3, 7) == [entries.token_bytes(token_id) for token_id in range(3, 7)]


@given(TOKENS)
def test_every_id_is_what_the_encoding_says(tokens):
    assert_like(vocabulary(tokens))


@pytest.mark.parametrize("name", mostly_deep(["r50k_base", "p50k_edit", "o200k_harmony", "tekken", "qwen"], 2))
def test_published_vocabularies(name):
    assert_like(engine.get_encoding(name))


def test_special_tokens_before_between_and_behind_the_others():
    table = table_from_ranks({b"a": 2, b"bc": 5})
    special = {"<0>": 0, "<3>": 3, "<again>": 3, "<5>": 5, "<7>": 7}
    entries = entry_table("odd", table, special, 8)
    assert entries.tokens() == [b"<0>", b"", b"a", b"<3>", b"", b"bc", b"", b"<7>"]
    kinds = ["special", "unused", "byte", "special", "unused", "merge", "unused", "special"]
    assert [entries.kind(token_id) for token_id in range(8)] == kinds
    assert entries.owners.tolist() == [0, 0, 0, 2, 3, 3, 3, 5, 5, 7, 7, 7]


@pytest.mark.parametrize("token_id", [-1, 50257, 10**12])
def test_an_id_that_is_not_there(token_id):
    with pytest.raises(IndexError):
        entries_of(engine.get_encoding("gpt2")).token_bytes(token_id)


def test_arrays_are_read_only():
    entries = entries_of(engine.get_encoding("gpt2"))
    arrays = (entries.offsets, entries.kinds, entries.byte_lengths, entries.owners, entries.values)
    assert not any(array.flags.writeable for array in arrays)
