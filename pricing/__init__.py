"""Conversion of token counts to money: prices from commented files, exact sums in Decimal. No Qt, tokenizer or network.

The names below are loaded on first use, so that importing ``pricing.types`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pricing.bundled import BUNDLED_ENCODINGS
    from pricing.catalog import Catalog, check_file, check_text, load_catalog, origin_of
    from pricing.editing import remove_field, set_field
    from pricing.estimation import count_for, estimate
    from pricing.rates import price_on, tier_for
    from pricing.types import (
        AmbiguousModelError,
        CostEstimate,
        CountRule,
        EditError,
        Model,
        Notice,
        Position,
        PriceFileError,
        PricingError,
        Problem,
        Scenario,
        ScenarioError,
        TokenCount,
        UnknownModelError,
    )

_HOMES = {
    "bundled": ("BUNDLED_ENCODINGS",),
    "catalog": ("Catalog", "check_file", "check_text", "load_catalog", "origin_of"),
    "editing": ("remove_field", "set_field"),
    "estimation": ("count_for", "estimate"),
    "rates": ("price_on", "tier_for"),
    "types": (
        "AmbiguousModelError",
        "CostEstimate",
        "CountRule",
        "EditError",
        "Model",
        "Notice",
        "Position",
        "PriceFileError",
        "PricingError",
        "Problem",
        "Scenario",
        "ScenarioError",
        "TokenCount",
        "UnknownModelError",
    ),
}

__all__ = [
    "BUNDLED_ENCODINGS",
    "AmbiguousModelError",
    "Catalog",
    "CostEstimate",
    "CountRule",
    "EditError",
    "Model",
    "Notice",
    "Position",
    "PriceFileError",
    "PricingError",
    "Problem",
    "Scenario",
    "ScenarioError",
    "TokenCount",
    "UnknownModelError",
    "check_file",
    "check_text",
    "count_for",
    "estimate",
    "load_catalog",
    "origin_of",
    "price_on",
    "remove_field",
    "set_field",
    "tier_for",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            # Cache the name, so that this runs once per name: the cost table calls some of them for every model.
            globals()[name] = found = getattr(import_module(f"pricing.{home}"), name)
            return found
    raise AttributeError(f"module 'pricing' has no attribute {name!r}")
