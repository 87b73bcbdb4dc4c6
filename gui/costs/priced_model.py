"""Cost of tokens with one model, and the effect of a changed token count with every model. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from gui.costs.cost_service import PriceRequest, price_rows

if TYPE_CHECKING:
    from gui.runtime.jobs import Ticket
    from pricing.types import CallMix, CostEstimate, Model, Scenario


@dataclass(frozen=True, slots=True)
class Money:
    """Amount in US dollars, with the ends of its range; None if a price or the count is unknown. ``label`` is its
    quality."""

    usd: Decimal | None
    low: Decimal | None
    high: Decimal | None
    label: str | None

    def share(self, part: int, whole: int) -> Money:
        """Return the fraction ``part / whole`` of it."""
        times = Decimal(part) / Decimal(whole)
        return Money(*(None if usd is None else usd * times for usd in (self.usd, self.low, self.high)), self.label)


@dataclass(frozen=True, slots=True)
class PricedModel:
    """Model and scenario that amounts are calculated with; ``mix``: how its calls differ."""

    model: Model
    scenario: Scenario
    mix: CallMix | None = None

    def month(self, encoding: str, tokens: int) -> CostEstimate:
        """Return the cost of prompts of ``tokens`` tokens in ``encoding``; unknown if the model counts in another."""
        request = PriceRequest(0, (self.model,), {encoding: tokens}, frozenset(), self.scenario, self.mix)
        return price_rows(request)[0].estimate

    def saving(self, encoding: str, tokens_before: int, tokens_after: int) -> Money:
        """Return the savings per month from ``tokens_before`` to ``tokens_after``; negative if the cost rises."""
        before, after = self.month(encoding, tokens_before), self.month(encoding, tokens_after)
        return difference(
            before.usd_label,
            (before.usd_calls, before.usd_calls_low, before.usd_calls_high),
            (after.usd_calls, after.usd_calls_low, after.usd_calls_high),
        )

    def prompt(self, encoding: str, tokens: int) -> Money:
        """Return the cost of the prompt alone per month, without the answer."""
        month = self.month(encoding, tokens)
        ends = (month.input_usd, month.input_usd_low, month.input_usd_high)
        return Money(*(None if usd is None else usd * month.calls for usd in ends), month.usd_label)


Ends = tuple[Decimal | None, Decimal | None, Decimal | None]
"""Amount, and the ends of its range."""


def difference(label: str | None, one: Ends, other: Ends) -> Money:
    """Return ``one`` minus ``other``, both of one model. Their ranges have one cause, so low ends are paired."""
    usd, *ends = (None if a is None or b is None else a - b for a, b in zip(one, other, strict=True))
    known = [end for end in ends if end is not None]
    return Money(usd, min(known), max(known), label) if len(known) == len(ends) else Money(usd, None, None, label)


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Tokens of both texts by encoding, and the other inputs of the cost."""

    models: tuple[Model, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    scenario: Scenario
    mix: CallMix | None


@dataclass(frozen=True, slots=True)
class CostChange:
    """Cost of one call with a model before and after. ``change`` is per call, ``calls_change`` for all calls; ``share``
    is relative to the cost before, None if that is unknown or zero."""

    model: Model
    before: CostEstimate
    after: CostEstimate
    change: Money
    calls_change: Money

    @property
    def share(self) -> Decimal | None:
        """Relative change: 0.1 for a tenth more."""
        if self.change.usd is None or not self.before.usd:
            return None
        return self.change.usd / self.before.usd


def cost_changes(request: ChangeRequest, _ticket: Ticket | None = None) -> tuple[CostChange, ...]:
    """Return a change for each model, in their order."""
    sides = []
    for counts in (request.before, request.after):
        wanted = PriceRequest(0, request.models, counts, frozenset(), request.scenario, request.mix)
        sides.append([row.estimate for row in price_rows(wanted)])
    return tuple(
        CostChange(
            model,
            before,
            after,
            difference(
                before.usd_label,
                (after.usd, after.usd_low, after.usd_high),
                (before.usd, before.usd_low, before.usd_high),
            ),
            difference(
                before.usd_label,
                (after.usd_calls, after.usd_calls_low, after.usd_calls_high),
                (before.usd_calls, before.usd_calls_low, before.usd_calls_high),
            ),
        )
        for model, before, after in zip(request.models, *sides, strict=True)
    )
