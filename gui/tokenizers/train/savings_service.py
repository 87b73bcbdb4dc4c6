"""What another vocabulary would save: tokens and money of many calls to one model. No Qt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pricing.types import Model

SURE = ("exact", "assumed")
"""Labels of counts that are the model's own tokens, so that tokens can be weighed against tokens."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Tokens of one prompt in the model's own vocabulary and in another; money of all calls, input alone.

    The money is None where the price of the input is not known.
    """

    tokens: int
    tokens_instead: int
    calls: int
    usd: Decimal | None
    usd_instead: Decimal | None

    @property
    def tokens_saved(self) -> int:
        """Over all calls; negative where the other vocabulary needs more."""
        return (self.tokens - self.tokens_instead) * self.calls

    @property
    def usd_saved(self) -> Decimal | None:
        """Over all calls; negative where the other vocabulary costs more."""
        return None if self.usd is None or self.usd_instead is None else self.usd - self.usd_instead


def is_comparable(model: Model, encodings: Collection[str]) -> bool:
    """Whether a model counts with one of these encodings, and its input has a price."""
    sure = model.count.tokenizer in encodings and model.count.label in SURE
    return sure and model.price.input is not None


def savings(model: Model, tokens: int, tokens_instead: int, calls: int, on: date) -> Savings:
    """What a prompt of ``tokens`` costs, and what it would cost as ``tokens_instead``."""
    usd, usd_instead = (_input_usd(model, one, calls, on) for one in (tokens, tokens_instead))
    return Savings(tokens, tokens_instead, calls, usd, usd_instead)


def _input_usd(model: Model, tokens: int, calls: int, on: date) -> Decimal | None:
    from pricing import estimate
    from pricing.types import Scenario, TokenCount

    found = estimate(model, TokenCount(tokens, tokens, tokens, "exact"), Scenario(on=on))
    return None if found.input_usd is None else found.input_usd * calls
