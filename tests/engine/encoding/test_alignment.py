"""How a text and what its preparation makes of it are divided; where tokens come to be is tried with the encodings."""

from __future__ import annotations

from array import array
from itertools import product

import numpy as np
import pytest

from engine.encoding import preprocessing_encoding


@pytest.mark.parametrize("characters", [0, 1, 2, 100])
def test_lines_are_cut_out_a_few_at_a_time(monkeypatch, characters):
    monkeypatch.setattr(preprocessing_encoding, "_LINES_CHARACTERS", characters)
    for pieces in product(("a", "\r", "\n", "\u2028"), repeat=5):
        text = "".join(pieces)
        assert list(preprocessing_encoding._lines(text)) == text.splitlines(keepends=True)


@pytest.mark.parametrize("at_a_time", [1, 2, 7])
def test_places_are_found_a_few_at_a_time(monkeypatch, at_a_time):
    units = array("q", [3, 1, 0, 2, 4, 1]), array("q", [3, 2, 1, 0, 4, 3])
    ends = np.arange(0, sum(units[1]) + 1, dtype=np.int64)
    at_once = preprocessing_encoding._moved_back(ends, units)
    assert at_once.tolist() == [0, 1, 2, 3, 4, 4, 6, 7, 8, 9, 10, 11, 11, 11]
    monkeypatch.setattr(preprocessing_encoding, "AT_A_TIME", at_a_time)
    assert preprocessing_encoding._moved_back(ends, units).tolist() == at_once.tolist()
