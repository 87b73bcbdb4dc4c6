"""The merging kernels against tiktoken, with the bundled vocabularies."""

from __future__ import annotations

import random

import numpy as np
import pytest

import engine
from engine.kernels import layout
from engine.kernels._jit import COMPILED
from engine.kernels.batch import count_tokens, encode_tokens
from engine.kernels.layout import new_state
from engine.kernels.lookup import note_token_ends
from engine.vocabulary.tables import build_tables, fingerprint_of
from tests.engine.kernels.merging import as_text, counted, encoded
from tests.engine.kernels.odd_pieces import odd_piece
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")

NAMES = ("r50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "kimi", "deepseek", "tekken")


@pytest.fixture(scope="module", params=mostly_deep(NAMES, 3))
def vocabulary(request):
    encoding = engine.get_encoding(request.param)
    table = encoding._vocabulary.table
    return encoding._core_bpe, build_tables(table, fingerprint_of(table)), len(table)


@pytest.mark.deep
def test_odd_pieces_have_the_ids_of_tiktoken(vocabulary):
    core, tables, token_count = vocabulary
    state = new_state(token_count)
    rng = random.Random(20)
    for longest in (30, 100, 600, 600, 8000):
        pieces = [odd_piece(rng, longest).encode() for _ in range(300)]
        pieces += rng.choices(pieces, k=100)
        expected = [number for piece in pieces for number in core.encode_single_piece(piece)]
        assert counted(pieces, tables, state) == len(expected)
        assert encoded(pieces, tables, state) == expected
        assert encoded(pieces, tables, new_state(token_count)) == expected


def test_every_token_is_found_and_every_token_but_one_byte_merges(vocabulary):
    core, tables, token_count = vocabulary
    pieces = core.token_byte_values()
    expected = [core.encode_single_token(piece) for piece in pieces]
    assert encoded(pieces, tables, new_state(token_count)) == expected
    longer = [piece + b"\x00" for piece in pieces]
    state = new_state(token_count)
    ids = [number for piece in longer for number in core.encode_single_piece(piece)]
    assert encoded(longer, tables, state) == ids
    assert encoded(longer, tables, state) == ids


@pytest.mark.deep
def test_caches_that_are_far_too_small_change_nothing(vocabulary, monkeypatch):
    core, tables, token_count = vocabulary
    monkeypatch.setattr("engine.kernels.layout.MAX_WORD_LINES", 4)
    monkeypatch.setattr("engine.kernels.layout.MAX_SLOTS", 4)
    monkeypatch.setattr("engine.kernels.layout.ARENA_BYTES", 260_000)
    state = new_state(token_count)
    rng = random.Random(21)
    for _ in range(12):
        pieces = [odd_piece(rng, 400).encode() for _ in range(900)]
        expected = [number for piece in pieces for number in core.encode_single_piece(piece)]
        assert counted(pieces, tables, state) == len(expected)
        assert encoded(pieces, tables, state) == expected
    assert state[: layout.HEADER_SIZE].view(np.int64)[layout.EPOCH // 8] > 0, "the arena was never forgotten"


def test_token_ends_add_up(vocabulary):
    core, tables, token_count = vocabulary
    rng = random.Random(22)
    pieces = [odd_piece(rng, 100).encode() for _ in range(50)]
    ids = np.array(encoded(pieces, tables, new_state(token_count)), dtype=np.uint32)
    ends = np.empty(len(ids), dtype=np.int64)
    note_token_ends(ids, tables, ends)
    assert ends.tolist() == np.cumsum([len(core.decode_single_token_bytes(number)) for number in ids]).tolist()


def test_the_door_refuses_what_is_too_short(vocabulary):
    _, tables, token_count = vocabulary
    state = new_state(token_count)
    text, ends = as_text([b"some", b" words"])
    with pytest.raises(IndexError):
        count_tokens(text[:20], ends, 2, 0, tables, state)
    with pytest.raises(IndexError):
        count_tokens(text, ends, 3, 0, tables, state)
    with pytest.raises(IndexError):
        encode_tokens(text, ends, 2, 0, tables, state, np.empty(10, dtype=np.uint32), 0)
    with pytest.raises(IndexError):
        note_token_ends(np.zeros(3, dtype=np.uint32), tables, np.empty(2, dtype=np.int64))
