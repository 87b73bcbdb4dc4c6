"""What the cells of amounts are drawn from."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.core.figures import Run, amount_places, amount_runs, price_places

D = Decimal
amounts = st.decimals("0", "99999", allow_nan=False, places=9)


def written(low: str, high: str, places: int) -> str:
    """Strong parts in brackets."""
    runs = amount_runs(D(low), D(high), places, "$")
    return "".join(f"[{run.text}]" if run.strong else run.text for run in runs)


@pytest.mark.parametrize(
    ("low", "high", "places", "expected"),
    [
        ("0.000211", "0.000211", 6, "$0.000[211]"),
        ("0.000132", "0.000136", 6, "$0.000[132]–[136]"),
        ("0.000098", "0.000105", 6, "$0.000[098]–[105]"),
        ("0.02", "0.03", 2, "$0.0[2]–0.0[3]"),
        ("0.13", "0.14", 2, "$0.[13]–0.[14]"),
        ("0.9", "1.1", 2, "$0.[90]–[1.10]"),
        ("1234.5", "1234.5", 2, "$[1,234.50]"),
        ("0.0001321", "0.0001323", 6, "$0.000[132]"),
        ("0", "0", 3, "$[0.000]"),
        ("0", "0.002", 3, "$0.00[0]–[2]"),
        ("0.0000001", "0.0000001", 4, "<$[0.0001]"),
    ],
)
def test_leading_zeros_are_quiet_and_ranges_share_them(low, high, places, expected):
    assert written(low, high, places) == expected


@given(amounts, amounts, st.integers(2, 8))
def test_both_ends_of_a_range_have_as_many_decimals(one, other, places):
    low, high = sorted((one, other))
    text = "".join(run.text for run in amount_runs(low, high, places, "$"))
    first, _, last = text.partition("–")
    assert len(first.partition(".")[2]) == places
    assert not last or len(last.partition(".")[2] or first[-len(last) :]) in (places, len(last))


def test_a_column_has_the_decimals_that_its_smallest_amount_needs():
    assert amount_places([D("0.000025"), D("3.5"), D(0)]) == 6
    assert amount_places([D("0.0123"), D(7)]) == 2
    assert amount_places([]) == 2
    assert amount_places([D("1E-30")]) == 8
    assert price_places([D("0.0375"), D("2.50"), D("1E+2")]) == 4
    assert price_places([]) == 2


def test_numbers_are_written_as_the_locale_does():
    german = str.maketrans(",.", ".,")
    runs = amount_runs(D("1234.5"), D("1234.5"), 2, "€ ", lambda text: text.translate(german))
    assert runs == (Run("€ ", strong=False), Run("1.234,50"))
