"""A table of letters says in little memory what the flat one says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.split.expression import rewrite
from engine.split.patterns import PATTERNS
from engine.text.character_classes import CharacterClasses
from tests.thoroughness import examples

N_CODE_POINTS = 0x110000
stretches = st.lists(st.tuples(st.integers(0, N_CODE_POINTS), st.integers(0, 0xFFFF)), max_size=6)


@examples(10)
@given(stretches)
def test_every_code_point_keeps_its_letter(given_stretches):
    table = np.zeros(N_CODE_POINTS, dtype=np.uint16)
    for start, letter in given_stretches:
        table[start:] = letter
    letters = CharacterClasses.from_table(table)
    assert np.array_equal(letters.of(np.arange(N_CODE_POINTS, dtype=np.uint32)), table)
    assert letters.count == int(table.max()) + 1


def test_a_pattern_takes_a_tenth_of_the_flat_table():
    for pattern in PATTERNS:
        letters = rewrite(pattern.expression).letters
        assert letters.blocks.nbytes + letters.starts.nbytes < N_CODE_POINTS * 2 // 10
        assert not letters.blocks.flags.writeable
        assert not letters.starts.flags.writeable
