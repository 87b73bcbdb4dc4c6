"""The characters of tokens, and their folding, against Python's own decoder one token at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.vocabulary.entries import characters_of, entries_of, folded_text, folding, to_bytes
from tests.engine.vocabulary.vocabularies import TOKENS, vocabulary


@given(tokens=TOKENS, piece=st.sampled_from([1, 7, 8192]))
def test_tokens_are_decoded_as_each_by_itself(tokens, piece):
    entries = entries_of(vocabulary(tokens))
    texts: list[str] = []
    for characters in characters_of(entries, piece):
        assert characters.first_id == len(texts)
        for place in range(characters.n_tokens):
            points = characters.points[characters.owners == place]
            texts.append("".join(map(chr, points.tolist())))
            assert to_bytes(points) == entries.token_bytes(characters.first_id + place)
    assert texts == [token.decode("utf-8", "surrogateescape") for token in entries.tokens()]


@pytest.mark.parametrize(
    ("text", "same"),
    [("HeLLo", "hello"), ("É", "é"), ("ſ", "S"), ("\u212a", "k"), ("Σς", "σσ"), ("ǅ", "ǆ"), ("ß", "ẞ"), ("Я字", "я字")],
)
def test_what_is_one_but_for_case_folds_to_the_same(text, same):
    assert folded_text(text) == folded_text(same)


def test_folding_twice_changes_nothing():
    table = folding()
    assert np.array_equal(table[table], table)


def test_lone_surrogates_are_no_error():
    assert folded_text("a\ud800\udcff") == folded_text("a") + "\ufffd".encode() + b"\xff"
