"""What the engine keeps for the next call can be let go of at any time, and comes back."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pytest

from engine.encoding.encoder import NativeEncoder
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.runtime import caches
from engine.vocabulary.bundle import RankTable, table_from_ranks
from engine.vocabulary.tables import build_tables, fingerprint_of
from engine.vocabulary.tokens import Vocabulary
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table


class Counted:
    def __init__(self) -> None:
        self.times = 0

    def drop(self) -> None:
        self.times += 1


def test_whoever_is_there_is_asked():
    here, gone = Counted(), Counted()
    caches.add(here)
    caches.add(gone)
    del gone
    gc.collect()
    caches.drop_all()
    caches.drop_all()
    assert here.times == 2


def test_mappings_come_back():
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    vocabulary = Vocabulary(table_from_ranks(ranks), {}, 256)
    first = vocabulary.ids_by_bytes
    assert vocabulary.ids_by_bytes is first
    for _ in range(2):  # it is known again once it is made again
        caches.drop_all()
        assert vocabulary._ids_by_bytes is None
        assert vocabulary.ids_by_bytes == first == ranks


def test_the_caches_of_an_encoder_come_back():
    table = small_table(learnt_ranks(random.Random(3), b"abc", 50), first_id=7)
    encoder = NativeEncoder(build_tables(table, fingerprint_of(table)), None)
    word = b"abcabcab"
    ids = encoder.encode_pretoken(word).tolist()
    assert encoder._idle
    caches.drop_all()
    assert not encoder._idle
    assert encoder.encode_pretoken(word).tolist() == ids
    own = encoder._take_workspace()
    caches.drop_all()  # while a call has one
    assert encoder.encode_pretoken(word).tolist() == ids
    encoder._idle.append(own)
    assert encoder.encode_pretoken(word).tolist() == ids


@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
def test_tiktokens_encoder_goes_where_our_own_encodes():
    encoding = Catalog(DATA_DIR).get("gpt2")
    world = encoding.encode_single_token(" world")
    caches.drop_all()
    assert encoding._core is not None, "nothing else encodes"
    assert encoding.use_kernels()
    for _ in range(2):
        assert encoding.encode_single_token(" world") == world
        assert encoding._core is not None
        caches.drop_all()
        assert encoding._core is None


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
def test_parents_are_let_go_of_where_our_kernels_tell_them_at_once():
    encoding = Catalog(DATA_DIR).get("gpt2")
    slowly = encoding.token_parents
    caches.drop_all()
    assert encoding.token_parents is slowly, "finding them took seconds"
    del encoding.__dict__["token_parents"]
    assert encoding.use_kernels()
    at_once = encoding.token_parents
    caches.drop_all()
    assert encoding.token_parents is not at_once
    for parents in (at_once, encoding.token_parents):
        assert np.array_equal(parents.left, slowly.left)
        assert np.array_equal(parents.right, slowly.right)


def test_tokens_are_listed_without_tiktokens_encoder():
    encoding = Catalog(DATA_DIR).get("gpt2")
    tokens = encoding.token_byte_values()
    assert encoding._core is None
    assert tokens == encoding._core_bpe.token_byte_values()


@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
@pytest.mark.parametrize("name", ["gpt2", "gemma"])
def test_bytes_and_lengths_of_tokens_are_dropped_where_the_kernels_have_them(name):
    encoding = Catalog(DATA_DIR).get(name)
    assert encoding.use_kernels()
    for _ in range(2):
        lengths = encoding.byte_lengths
        vocabulary = weakref.ref(encoding._vocabulary)
        text = encoding.decode_single_token_bytes(1000)
        caches.drop_all()
        assert vocabulary() is None
        assert encoding.decode_single_token_bytes(1000) == text
        assert encoding.byte_lengths is not lengths
        assert np.array_equal(encoding.byte_lengths, lengths)


@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
def test_bytes_of_pieces_are_not_copied():
    encoding = Catalog(DATA_DIR).get("gemma")
    assert encoding.use_kernels()
    cut = "\N{GRINNING FACE}".encode()[:3]
    ids = encoding.ids_of_pretokens(cut, np.array([[0, len(cut)]]))
    assert ids is not None
    assert encoding.decode_bytes(ids.tolist()) == cut, "a beginning is no piece"
    tables = encoding._native.native.tables
    copies = [one for one in vars(encoding._native).values() if isinstance(one, (np.ndarray, bytes, RankTable))]
    assert copies
    assert all(isinstance(one, np.ndarray) and np.shares_memory(one, tables) for one in copies)
