"""Ratios of counts, and those that have nothing below the line."""

from __future__ import annotations

import pytest

from engine.analysis.comparison import bytes_per_token, fertility, premium


@pytest.mark.parametrize(
    ("ratio", "above", "below", "expected"),
    [
        (bytes_per_token, 12, 4, 3.0),
        (fertility, 9, 6, 1.5),
        (premium, 180, 33, 180 / 33),
    ],
)
def test_a_ratio_is_one_count_over_the_other(ratio, above, below, expected):
    assert ratio(above, below) == expected
    assert ratio(0, below) == 0.0
    assert ratio(above, 0) is None
