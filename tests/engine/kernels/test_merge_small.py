"""The merging kernels against the plain definition, with vocabularies made for it. Runs in every build."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.kernels import layout
from engine.kernels.layout import new_state
from engine.split import reference
from engine.vocabulary.tables import UnsupportedVocabularyError, build_tables, fingerprint_of
from tests.engine.kernels.merging import counted, encoded
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table
from tests.thoroughness import as_deep, mostly_deep

FIRST_ID = 1000


def _pieces(rng: random.Random, alphabet: str) -> list[bytes]:
    pieces = [
        "".join(rng.choices(alphabet, k=rng.choice((1, 2, 3, 5, 8, 14, 15, 16, 17, 40, 64, 65, 130))))
        for _ in range(40)
    ]
    pieces += rng.choices(pieces, k=10)
    pieces += [odd_piece(rng, 60) for _ in range(10)]
    return [piece.encode() for piece in pieces]


@pytest.mark.parametrize("odd", [0, as_deep(6)])
@pytest.mark.parametrize("alphabet", mostly_deep(["ab", "abcde", "漢字é"], 2))
def test_pieces_merge_as_the_definition_says(alphabet, odd):
    for seed in range(4):
        rng = random.Random(f"{alphabet} {odd} {seed}")
        ranks = learnt_ranks(rng, bytes(set(alphabet.encode())), 60, odd)
        table = small_table(ranks, FIRST_ID)
        tables = build_tables(table, fingerprint_of(table))
        state = new_state(len(table))
        for _ in range(3):
            pieces = _pieces(rng, alphabet)
            expected = [number + FIRST_ID for piece in pieces for number in reference.encode_pretoken(piece, ranks)]
            assert counted(pieces, tables, state) == len(expected)
            assert encoded(pieces, tables, state) == expected


def test_a_token_that_merging_never_makes_is_found_as_a_whole_only():
    ranks = {bytes([value]): value for value in range(256)} | {b"bc": 256, b"abc": 257, b"ab": 258, b"xyz": 259}
    table = small_table(ranks)
    tables = build_tables(table, fingerprint_of(table))
    state = new_state(len(table))
    assert encoded([b"xyz"], tables, state) == [259]
    assert encoded([b"xyzx"], tables, state) == [120, 121, 122, 120]
    assert tables[: layout.HEADER_SIZE].view(np.int64)[layout.UNREACHABLE // 8] == 1


@pytest.mark.deep
@pytest.mark.parametrize("seed", mostly_deep(range(12)))
def test_a_token_may_be_made_of_later_ones(seed):
    """In any order of ranks: a long piece goes through the queue, a short one through lanes."""
    rng = random.Random(f"late {seed}")
    alphabet = rng.choice(("ab", "abc", "漢字"))
    learnt = list(learnt_ranks(rng, bytes(set(alphabet.encode())), 40))
    merged = [token for token in learnt if len(token) > 1]
    for _ in range(rng.choice((3, 10, 100))):
        first, second = rng.sample(range(len(merged)), 2)
        merged[first], merged[second] = merged[second], merged[first]
    ranks = {token: rank for rank, token in enumerate(learnt[:256] + merged)}
    table = small_table(ranks)
    tables = build_tables(table, fingerprint_of(table))
    header = tables[: layout.HEADER_SIZE].view(np.int64)
    parents = [reference.parents_of(token, ranks) for token in merged]
    assert header[layout.UNREACHABLE // 8] == parents.count(None)
    assert any(pair and max(pair) > rank for rank, pair in enumerate(parents, 256))
    assert header[layout.LATE // 8] > 0
    state = new_state(len(table))
    pieces = _pieces(rng, alphabet) + [(rng.choice(merged) * 90)[:600] for _ in range(4)]
    pieces += ["".join(rng.choices(alphabet, k=700)).encode() for _ in range(3)]
    for piece in pieces:
        assert encoded([piece], tables, state) == reference.encode_pretoken(piece, ranks)


def test_a_vocabulary_without_all_bytes_is_refused():
    table = small_table({bytes([value]): value for value in range(255)})
    with pytest.raises(UnsupportedVocabularyError, match="255 of the 256"):
        build_tables(table, fingerprint_of(table))


def test_of_overlapping_pairs_the_leftmost_merges():
    ranks = {bytes([value]): value for value in range(256)} | {b"aa": 256, b"aaaa": 257}
    table = small_table(ranks)
    tables = build_tables(table, fingerprint_of(table))
    state = new_state(len(table))
    for size in (*range(1, 70), 127, 128, 129, 511, 512, 513, 1023, 2000):
        piece = b"a" * size
        assert encoded([piece], tables, state) == reference.encode_pretoken(piece, ranks)
