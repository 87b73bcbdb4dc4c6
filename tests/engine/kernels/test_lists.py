"""Ids become lists of the numbers that they are."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import lists
from engine.kernels._jit import COMPILED
from engine.kernels.lists import list_of
from engine.runtime.caches import let_go_of_all

LIMIT = 5000


@given(st.lists(st.integers(0, LIMIT - 1)))
def test_the_same_numbers(ids):
    found = list_of(np.array(ids, dtype=np.uint32), LIMIT)
    assert found == ids
    assert type(found) is list
    assert {type(number) for number in found} <= {int}


def test_parts_and_read_only_arrays():
    ids = np.arange(LIMIT, dtype=np.uint32)
    ids.flags.writeable = False
    assert list_of(ids[100:200], LIMIT) == list(range(100, 200))


def test_more_ids_than_a_large_page_has_room_for():
    ids = np.random.default_rng(5).integers(0, LIMIT, 600_000, dtype=np.uint32)
    assert list_of(ids, LIMIT) == ids.tolist()


@pytest.mark.skipif(not COMPILED, reason="numpy makes lists where nothing is compiled")
def test_numbers_are_shared_and_counted():
    ids = np.full(10_000, 4321, dtype=np.uint32)
    number = list_of(ids[:1], LIMIT)[0]
    before = sys.getrefcount(number)
    found = list_of(ids, LIMIT)
    assert all(one is number for one in found)
    assert sys.getrefcount(number) == before + len(found)
    del found
    gc.collect()
    assert sys.getrefcount(number) == before


@pytest.mark.skipif(not COMPILED, reason="numpy makes lists where nothing is compiled")
def test_numbers_are_let_go_of_and_made_anew():
    ids = np.array([4321, 4000, 4321], dtype=np.uint32)
    found = list_of(ids, LIMIT)
    known = weakref.ref(lists._kept.of(1))
    let_go_of_all()
    assert known() is None
    assert found == list_of(ids, LIMIT) == ids.tolist()


@pytest.mark.skipif(not COMPILED, reason="numpy makes lists where nothing is compiled")
def test_one_table_serves_vocabularies_of_all_sizes():
    ids = np.array([1, 4321], dtype=np.uint32)
    let_go_of_all()
    few, many, few_again = (list_of(ids, limit) for limit in (LIMIT, 1 << 20, LIMIT))
    assert few == many == few_again
    assert many[1] is few_again[1]


@pytest.mark.skipif(not COMPILED, reason="numpy makes lists where nothing is compiled")
def test_ids_beyond_the_limit_are_refused():
    with pytest.raises(IndexError):
        list_of(np.array([1, 1 << 13], dtype=np.uint32), LIMIT)
