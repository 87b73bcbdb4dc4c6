"""Spans as pairs of numbers, some at a time."""

from __future__ import annotations

import numpy as np
import pytest

from engine.text import offsets as span_pairs


@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
def test_pairs_are_the_rows(monkeypatch, count: int):
    monkeypatch.setattr(span_pairs, "_SPANS_AT_A_TIME", 3)
    spans = np.arange(2 * count, dtype=np.int64).reshape(-1, 2)
    assert [list(pair) for pair in span_pairs.pairs(spans)] == spans.tolist()
    assert all(type(place) is int for pair in span_pairs.pairs(spans) for place in pair)
