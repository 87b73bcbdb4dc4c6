"""What tokens are built on, against sets of everything in a tree."""

from __future__ import annotations

import random

import numpy as np
import pytest

import engine
from engine.encoding.encoding import Encoding
from engine.split.patterns import CL100K
from engine.types import MergeTree, TokenParents
from engine.vocabulary.entry_diagnostics import built_directly, built_in_all, children_of
from engine.vocabulary.tokens import parents_by_replay
from tests.engine.kernels.small_vocabularies import learnt_ranks


def trees(encoding: Encoding) -> list[set[int]]:
    """The ids in the tree of each id, itself left out."""
    found = []
    for token_id in range(encoding.n_vocab):
        inside: set[int] = set()
        waiting: list[MergeTree | None] = [encoding.merge_tree(token_id)]
        while waiting:
            tree = waiting.pop()
            if tree is not None:
                inside.add(tree.token_id)
                waiting += (tree.left, tree.right)
        found.append(inside - {token_id})
    return found


@pytest.mark.parametrize("piece", [1, 5, 4096])
def test_counts_are_those_of_the_trees(piece):
    for seed in range(5):
        ranks = learnt_ranks(random.Random(f"{seed} built"), b"ab", 60, odd=seed)
        encoding = Encoding("own", pat_str=CL100K.expression, mergeable_ranks=ranks, special_tokens={})
        parents = parents_by_replay(encoding._table, encoding.n_vocab)
        inside = trees(encoding)
        expected = [sum(one in tree for tree in inside) for one in range(encoding.n_vocab)]
        assert built_in_all(parents, piece).tolist() == expected
        assert max(expected) > 0
        pairs = list(zip(parents.left.tolist(), parents.right.tolist(), strict=True))
        direct = [sum(one in pair for pair in pairs) for one in range(encoding.n_vocab)]
        assert built_directly(parents).tolist() == direct
        for one in range(256, encoding.n_vocab, 7):
            assert children_of(one, parents).tolist() == [child for child, pair in enumerate(pairs) if one in pair]


def test_a_vocabulary_in_which_nothing_is_merged():
    nothing = np.full(3, -1, dtype=np.int32)
    parents = TokenParents(nothing, nothing)
    assert built_in_all(parents).tolist() == built_directly(parents).tolist() == [0, 0, 0]


def test_a_published_one():
    encoding = engine.get_encoding("cl100k_base")
    err, berry = (encoding.encode_single_token(token) for token in (b"err", b"berry"))
    pair = encoding.parents_of(berry)
    assert pair == (encoding.encode_single_token("b"), encoding.encode_single_token("erry"))
    assert encoding.parents_of(pair[1])[0] == err
