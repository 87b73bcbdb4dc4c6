"""Tokens in groups of one length are those of the vocabulary, ordered as bytes are."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.vocabulary.tokens import none_of, tokens_by_length

tokens_of_any_kind = st.lists(
    st.binary(max_size=5) | st.sampled_from([b"\0", b"\0\0", b"a\0", b"a", b"\xff"]), max_size=20
)


@given(tokens_of_any_kind, st.randoms(use_true_random=False))
def test_every_token_is_in_the_group_of_its_length(tokens, chance):
    offsets = np.array([0, *itertools.accumulate(map(len, tokens))], dtype=np.int64)
    wanted = np.array([chance.random() < 0.7 for _ in tokens], dtype=np.bool_)
    groups = tokens_by_length(b"".join(tokens), offsets, wanted)
    assert list(groups) == sorted({len(token) for token, one in zip(tokens, wanted, strict=True) if one} - {0})
    for length, (places, alike) in groups.items():
        chosen = [place for place, token in enumerate(tokens) if wanted[place] and len(token) == length]
        assert places.tolist() == chosen
        assert alike.tolist() == [tokens[place] for place in chosen]
        assert np.unique(alike).tolist() == sorted({tokens[place] for place in chosen})
        assert none_of(length).tokens.dtype == alike.dtype
    assert sum(len(group.indices) for group in tokens_by_length(b"".join(tokens), offsets).values()) == sum(
        map(bool, tokens)
    )
