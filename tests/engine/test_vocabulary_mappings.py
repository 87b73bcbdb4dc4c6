"""The mappings from bytes to ids, of which only a few are kept: each takes as much memory as ten vocabularies."""

from __future__ import annotations

import gc
import weakref

from engine.bundle_format import table_from_ranks
from engine.vocabulary import MOST_MAPPINGS, Vocabulary


def vocabulary(text: bytes = b"ab") -> Vocabulary:
    ranks = {bytes([byte]): byte for byte in range(256)} | {text: 256}
    return Vocabulary(table_from_ranks(ranks), {"<|end|>": 257}, 257)


def test_the_mapping_is_that_of_the_table():
    one = vocabulary()
    assert one.ids_by_bytes[b"ab"] == 256
    assert len(one.ids_by_bytes) == 257
    assert one.ids_by_bytes is one.ids_by_bytes


def test_the_oldest_is_let_go_of_and_built_anew():
    several = [vocabulary(bytes([number, number])) for number in range(MOST_MAPPINGS + 1)]
    first = several[0].ids_by_bytes
    for one in several[1:-1]:
        assert one.ids_by_bytes is one.ids_by_bytes
    assert several[0].ids_by_bytes is first
    assert several[-1].ids_by_bytes[bytes([MOST_MAPPINGS] * 2)] == 256
    assert [one._ids_by_bytes is None for one in several] == [True] + [False] * MOST_MAPPINGS
    assert several[0].ids_by_bytes == first
    assert several[0].ids_by_bytes is not first
    assert several[1]._ids_by_bytes is None
    assert several[2]._ids_by_bytes is not None


def test_a_vocabulary_goes_with_its_last_user():
    one = vocabulary()
    assert one.parents_of(256) == (97, 98)
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None
    assert vocabulary().ids_by_bytes[b"ab"] == 256
