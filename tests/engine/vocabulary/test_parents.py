"""The pairs that tokens are merged from, found again for whole vocabularies, and the trees that they make."""

from __future__ import annotations

import random

import numpy as np
import pytest

import engine
from engine.encoding.encoding import Encoding
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.split import reference
from engine.split.patterns import CL100K
from engine.types import MergeTree, TokenParents
from engine.vocabulary.tables import build_tables, fingerprint_of
from engine.vocabulary.tokens import parents_by_replay, parents_from_tables
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table
from tests.thoroughness import mostly_deep

NAMES = (
    ("r50k_base", "p50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "kimi", "deepseek", "tekken")
    if COMPILED
    else ("r50k_base",)
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory) -> Catalog:
    """Encodings with our kernels, where they are compiled."""
    catalog = Catalog(DATA_DIR)
    if COMPILED:
        folder = tmp_path_factory.mktemp("tables")
        for name in NAMES:
            assert catalog.get(name).use_kernels(folder)
    return catalog


def as_dict(parents: TokenParents) -> dict[int, tuple[int, int]]:
    ids = np.flatnonzero(parents.left >= 0)
    assert np.array_equal(ids, np.flatnonzero(parents.right >= 0))
    return {int(one): (int(parents.left[one]), int(parents.right[one])) for one in ids}


@pytest.mark.parametrize("odd", [0, 6])
def test_both_ways_find_the_parents_of_the_definition(odd):
    for seed in range(4):
        ranks = learnt_ranks(random.Random(f"{seed} {odd} parents"), b"abc", 50, odd)
        table = small_table(ranks, first_id=1000)
        n_vocab = 1000 + len(table) + 3
        pairs = {token_id: reference.parents_of(token, ranks) for token, token_id in ranks.items()}
        expected = {1000 + one: (1000 + pair[0], 1000 + pair[1]) for one, pair in pairs.items() if pair}
        assert expected
        plain = parents_by_replay(table, n_vocab)
        assert as_dict(plain) == expected
        assert len(plain.left) == len(plain.right) == n_vocab
        assert not plain.left.flags.writeable
        assert not plain.right.flags.writeable
        tables = build_tables(table, fingerprint_of(table))
        assert as_dict(parents_from_tables(tables, 1000, n_vocab)) == expected


@pytest.mark.deep
@pytest.mark.parametrize("name", mostly_deep(NAMES, 2))
def test_every_token_of_several_bytes_has_one_pair(opened, name):
    encoding = opened.get(name)
    made = as_dict(encoding.token_parents)
    content = {token_id: token for token, token_id in encoding._mergeable_ranks.items()}
    several = {token_id for token_id, token in content.items() if len(token) > 1}
    assert set(made) <= several
    assert len(several - set(made)) == (201 if name == "qwen3_5" else 0)
    assert all(content[left] + content[right] == content[one] for one, (left, right) in made.items())


@pytest.mark.deep
def test_without_kernels_they_are_the_same(opened):
    plain = engine.get_encoding("r50k_base")._vocabulary
    assert as_dict(parents_by_replay(plain.table, plain.n_vocab)) == as_dict(opened.get("r50k_base").token_parents)


def leaves(tree: MergeTree) -> bytes:
    if tree.left is None or tree.right is None:
        return tree.token_bytes
    assert (tree.left.token_bytes + tree.right.token_bytes, tree.is_merged) == (tree.token_bytes, True)
    return leaves(tree.left) + leaves(tree.right)


@pytest.mark.parametrize("name", [NAMES[0], NAMES[-1]])
def test_a_tree_ends_in_single_bytes(opened, name):
    encoding = opened.get(name)
    for token_id in random.Random(name).sample(range(encoding.n_vocab), 300):
        info = encoding.token_info(token_id)
        if info.kind == "unused":
            continue
        tree = encoding.merge_tree(token_id)
        assert (tree.token_id, tree.token_bytes, tree.rank) == (token_id, info.token_bytes, info.rank)
        assert leaves(tree) == info.token_bytes
        if info.kind == "merge":
            pair = encoding.token_parents.left[token_id], encoding.token_parents.right[token_id]
            assert (tree.left.token_id, tree.right.token_id) == pair
        else:
            assert (tree.left, tree.right, tree.is_merged) == (None, None, info.kind == "byte")


def test_a_tree_of_a_word():
    encoding = engine.get_encoding("cl100k_base")
    tree = encoding.merge_tree(encoding.encode_single_token(" hello"))
    assert (tree.left.token_bytes, tree.right.token_bytes) == (b" h", b"ello")
    assert tree.left.right.token_bytes == b"h"
    assert tree.left.right.left is None


@pytest.mark.parametrize("token_id", [-1, 100_261, 100_277, 10**9])
def test_what_stands_for_nothing_has_no_tree(token_id):
    with pytest.raises(KeyError):
        engine.get_encoding("cl100k_base").merge_tree(token_id)


def test_a_token_that_merging_never_makes_is_reported_as_such():
    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256, b"xyz": 257}
    own = Encoding("own", pat_str=CL100K.expression, mergeable_ranks=ranks, special_tokens={"<s>": 300})
    tree = own.merge_tree(257)
    assert (tree.token_bytes, tree.left, tree.right, tree.is_merged) == (b"xyz", None, None, False)
    assert own.merge_tree(300) == MergeTree(300, b"<s>", None, None, None)
    assert own.token_parents.left.tolist()[256:] == [ord("a"), *[-1] * 44]


def test_bytes_may_come_last_in_the_order_of_merging():
    ranks = {b"ab": 0, b"abc": 1} | {bytes([value]): 2 + value for value in range(256)}
    own = Encoding("own", pat_str=CL100K.expression, mergeable_ranks=ranks, special_tokens={})
    tree = own.merge_tree(1)
    assert (tree.left.token_bytes, tree.right.token_bytes, tree.left.left.token_bytes) == (b"ab", b"c", b"a")
    assert as_dict(own.token_parents) == {0: (ranks[b"a"], ranks[b"b"]), 1: (0, ranks[b"c"])}


def test_deep_trees_are_built():
    ranks = {bytes([value]): value for value in range(256)} | {b"a" * size: 254 + size for size in range(2, 3_000)}
    own = Encoding("own", pat_str=CL100K.expression, mergeable_ranks=ranks, special_tokens={})
    tree = own.merge_tree(254 + 2_999)
    depth = 0
    while tree.left is not None:
        tree = max(tree.left, tree.right, key=lambda part: len(part.token_bytes))
        depth += 1
    assert depth > 1
