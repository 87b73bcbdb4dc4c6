"""Amounts as text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.money import exact_usd, format_usd, format_usd_range


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "$0"),
        ("0.00045", "$0.00045"),
        ("0.00045678", "$0.000457"),
        ("0.000005", "$0.000005"),
        ("0.1", "$0.10"),
        ("0.5", "$0.50"),
        ("0.1234", "$0.123"),
        ("0.9996", "$1.00"),
        ("0.09996", "$0.10"),
        ("1", "$1.00"),
        ("12.344", "$12.34"),
        ("1234.5", "$1,234.50"),
        ("1234567.891", "$1,234,567.89"),
        ("-0.5", "-$0.50"),
        ("0.0000000000012345", "$0.00000000000123"),
    ],
)
def test_amounts_for_the_screen(amount: str, text: str) -> None:
    assert format_usd(Decimal(amount)) == text


def test_unknown_is_not_zero() -> None:
    assert format_usd(None) == "n/a"
    assert format_usd_range(None, None, None) == "n/a"
    assert format_usd_range(Decimal(1), None, None) == "n/a"


@pytest.mark.parametrize(
    ("amount", "low", "high", "text"),
    [
        ("0.045", "0.041", "0.048", "$0.041–0.048"),
        ("0.05", "0.005", "0.5", "$0.005–0.50"),
        ("3", "2", "4.5", "$2.00–4.50"),
        ("3", "3", "3", "$3.00"),
        ("3", "2.9999", "3.0001", "$3.00"),
        ("1", "0", "2000", "$0–2,000.00"),
    ],
)
def test_ranges(amount: str, low: str, high: str, text: str) -> None:
    assert format_usd_range(Decimal(amount), Decimal(low), Decimal(high)) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "0"),
        ("0.0000", "0"),
        ("-0", "0"),
        ("1E+3", "1000"),
        ("1E-7", "0.0000001"),
        ("2.50", "2.5"),
        ("100", "100"),
    ],
)
def test_exact_text(amount: str, text: str) -> None:
    assert exact_usd(Decimal(amount)) == text


@given(st.decimals(min_value=0, max_value=10**12, places=24))
def test_exact_text_loses_nothing(amount: Decimal) -> None:
    text = exact_usd(amount)
    assert Decimal(text) == amount
    assert "E" not in text


@given(st.decimals(min_value=0, max_value=10**9, places=12))
def test_the_screen_is_close(amount: Decimal) -> None:
    shown = Decimal(format_usd(amount).removeprefix("$").replace(",", ""))
    assert abs(shown - amount) <= max(amount * Decimal("0.005"), Decimal(0))
