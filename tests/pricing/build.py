"""Short ways to build what the tests of pricing are about."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pricing
from pricing.types import Change, CostEstimate, CountRule, Model, Price, Rates, Scenario, Tier, TokenCount

TODAY = date(2026, 11, 21)


def rates(**prices: str | None) -> Rates:
    return Rates(**{name: None if text is None else Decimal(text) for name, text in prices.items()})


def model(price: Price | None = None, **fields: Any) -> Model:
    given = {"id": "acme/one", "vendor": "acme", "name": "One", "provider": "Acme"} | fields
    return Model(price=price or Price(rates(input="2", output="8")), count=CountRule("o200k_base", "exact"), **given)


def count(tokens: int, low: int | None = None, high: int | None = None) -> TokenCount:
    if low is None and high is None:
        return TokenCount(tokens, tokens, tokens, "exact")
    return TokenCount(tokens, tokens if low is None else low, tokens if high is None else high, "estimated")


def cost(of: Model | Price, tokens: int | TokenCount, **scenario: Any) -> CostEstimate:
    """The estimate for a prompt, today unless said otherwise."""
    one = model(of) if isinstance(of, Price) else of
    many = count(tokens) if isinstance(tokens, int) else tokens
    return pricing.estimate(one, many, Scenario(**{"on": TODAY, **scenario}))


FROM = Price(
    rates(input="2", output="6", cached="0.50"), tiers=(Tier(rates(input="4", output="12", cached="1"), from_=200_000),)
)
"""A tier that begins with exactly its threshold."""
BANDS = Price(
    rates(input="1", output="5"),
    tiers=(
        Tier(rates(input="1.8", output="9"), over=32_000),
        Tier(rates(input="3", output="15"), from_=128_000),
        Tier(rates(input="6", output="60"), over=256_000),
    ),
)
"""Several tiers; that in the middle begins with its threshold, the others one token later."""

__all__ = ["BANDS", "FROM", "TODAY", "Change", "Price", "Tier", "cost", "count", "model", "rates"]
