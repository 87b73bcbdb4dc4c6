"""Caches that grow keep what they know."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.kernels import layout
from engine.kernels._jit import kernel
from engine.kernels.layout import section
from engine.kernels.lookup import (
    find_beside,
    grow_slots,
    grow_words,
    is_word,
    key_hash,
    put_slot,
    put_word,
    slot_line,
    word_line,
)
from engine.kernels.primitives import load64, span, store64
from engine.split import reference
from engine.vocabulary.tables import build_tables, fingerprint_of
from tests.engine.kernels.merging import encoded
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table

WORDS = 4000
LINES = 8192
PIECES = 300


@kernel
def put_words(own, count):
    """Words 1 to ``count``, the value of each being its own number."""
    state = span(own)
    words, values = section(state, layout.WORDS), section(state, layout.VALUES)
    for number in range(1, count + 1):
        store64(values, 0, number)
        high = 8 << 56
        put_word(words, word_line(words, key_hash(number, high)), number, high, values, 0)


@kernel
def found_words(own, count):
    """How many of them have the right value."""
    state = span(own)
    words = section(state, layout.WORDS)
    found = 0
    for number in range(1, count + 1):
        high = 8 << 56
        line = word_line(words, key_hash(number, high))
        at = find_beside(words, line, number, high)
        for place in (line, line + 16):
            if is_word(words, place, number, high):
                at = place + 32
        found += at >= 0 and load64(words, at) == number
    return found


@kernel
def grow_both(own):
    """Double both caches."""
    grow_words(span(own))
    grow_slots(span(own))


@kernel
def put_pieces(own, count):
    """Longer pieces by the numbers 1 to ``count``."""
    state = span(own)
    for number in range(1, count + 1):
        hashed = (number * 0x9E3779B1) >> 11
        put_slot(section(state, layout.SLOTS), slot_line(state, hashed), hashed, number, 20, number)


@kernel
def kept_pieces(own, count, out):
    """Of each the place in its line, or -1."""
    state = span(own)
    slots = section(state, layout.SLOTS)
    for number in range(1, count + 1):
        hashed = (number * 0x9E3779B1) >> 11
        line = slot_line(state, hashed)
        out[number - 1] = -1
        for place in range(2):
            at = line + 32 * place
            if load64(slots, at) == hashed and load64(slots, at + 8) == number and load64(slots, at + 24) == number:
                out[number - 1] = place


@pytest.fixture
def own(monkeypatch):
    """A state whose caches grow when they are told to only."""
    monkeypatch.setattr(layout, "WORD_LINES", LINES)
    monkeypatch.setattr(layout, "FIRST_SLOTS", 256)
    return layout.new_state(1000)


def size_of(own, number):
    header = own[: layout.HEADER_SIZE].view(np.int64)
    return int(header[layout.DIRECTORY // 8 + 2 * number + 1])


@pytest.mark.deep
def test_words_are_found_in_a_cache_that_has_grown(own):
    put_words(own, WORDS)
    before = found_words(own, WORDS)
    assert before > WORDS * 0.99
    for times in (2, 4, 8):
        grow_both(own)
        assert size_of(own, layout.WORDS) == times * LINES * 64
        assert found_words(own, WORDS) == before
    put_words(own, WORDS)
    assert found_words(own, WORDS) >= before


def test_longer_pieces_are_found_in_a_cache_that_has_grown(own):
    places, grown = np.empty(PIECES, dtype=np.int64), np.empty(PIECES, dtype=np.int64)
    put_pieces(own, PIECES)
    kept_pieces(own, PIECES, places)
    assert {0, 1, -1} == set(places.tolist()), "some are first in their line, some second, some pushed out"
    grow_both(own)
    kept_pieces(own, PIECES, grown)
    assert ((grown >= 0) == (places >= 0)).all()
    assert (grown <= places).all(), "of two that stay together, the newer is first"


def test_caches_grow_with_what_comes_in_until_they_may_not(monkeypatch):
    for name, value in {"WORD_LINES": 2, "MAX_WORD_LINES": 16, "FIRST_SLOTS": 2, "MAX_SLOTS": 8}.items():
        monkeypatch.setattr(layout, name, value)
    rng = random.Random(40)
    ranks = learnt_ranks(rng, b"ab", 60, 0)
    table = small_table(ranks)
    tables, own = build_tables(table, fingerprint_of(table)), layout.new_state(len(table))
    assert (size_of(own, layout.WORDS), size_of(own, layout.SLOTS)) == (2 * 64, 2 * 32)
    for _ in range(20):
        pieces = [bytes(rng.choices(b"ab", k=size)) for size in (9, 12, 15, 18, 30) for _ in range(2)]
        expected = [number for piece in pieces for number in reference.encode_pretoken(piece, ranks)]
        assert encoded(pieces, tables, own) == expected
        assert encoded(pieces, tables, own) == expected
    assert (size_of(own, layout.WORDS), size_of(own, layout.SLOTS)) == (16 * 64, 8 * 32)
