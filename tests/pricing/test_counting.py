"""From counted tokens to the tokens of a model."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from pricing import count_for
from pricing.types import CountRule, TokenCount
from tests.pricing.build import model

BAND = CountRule("o200k_base", "estimated", Decimal("1.46"), Decimal("1.17"), Decimal("2.07"))


def test_exact_counts_stay_as_they_are() -> None:
    assert count_for(model(), {"o200k_base": 12}) == TokenCount(12, 12, 12, "exact")
    assumed = replace(model(), count=CountRule("qwen", "assumed"))
    assert count_for(assumed, {"qwen": 7, "o200k_base": 9}) == TokenCount(7, 7, 7, "assumed")


def test_a_band_rounds_outwards() -> None:
    one = replace(model(), count=BAND)
    # 101 × 1.46 = 147.46, 101 × 1.17 = 118.17, 101 × 2.07 = 209.07
    assert count_for(one, {"o200k_base": 101}) == TokenCount(147, 118, 210, "estimated")
    # 25 × 1.46 = 36.5
    assert count_for(one, {"o200k_base": 25}).tokens == 37
    assert count_for(one, {"o200k_base": 0}) == TokenCount(0, 0, 0, "estimated")


def test_what_was_not_counted_has_no_count() -> None:
    assert count_for(model(), {}) is None
    assert count_for(model(), {"o200k_base": None}) is None
    assert count_for(replace(model(), count=CountRule(None, "estimated")), {"o200k_base": 1}) is None
