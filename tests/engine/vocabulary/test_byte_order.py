"""The order of entries by their bytes is that of Python."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.cancellation import cancellable
from engine.vocabulary.entries import EntryTable
from engine.vocabulary.entry_search import ranks_by_bytes

heads = st.sampled_from([b"", b" " * 8, b" " * 15, b" " * 16, b"a" * 17, b"\0" * 16, b"\xff" * 16])
tails = st.binary(max_size=3) | st.sampled_from([b"\0", b"\0\0", b"a", b"\xff", b" " * 20])
tokens_of_any_kind = st.lists(st.builds(bytes.__add__, heads, tails), max_size=25)


def entries_with(tokens: list[bytes]) -> EntryTable:
    offsets = np.array([0, *itertools.accumulate(map(len, tokens))], dtype=np.int64)
    return EntryTable("any", b"".join(tokens), offsets, np.zeros(len(tokens), dtype=np.uint8))


@given(tokens_of_any_kind)
def test_places_are_those_of_sorting(tokens):
    distinct = sorted(set(tokens))
    assert ranks_by_bytes(entries_with(tokens)).tolist() == [distinct.index(token) for token in tokens]


def test_whoever_waits_is_let_in_meanwhile():
    times: list[int] = []
    alike = [b"%016d" % (number // 2) + b"%d" % number for number in range(200)]
    with cancellable(lambda: times.append(1)):
        ranks_by_bytes(entries_with(alike))
    assert len(times) > 16 + 5
