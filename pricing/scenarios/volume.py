"""Many calls: a month of them, some through the batch service."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from pricing.estimation import EXACT, estimate
from pricing.scenario_checks import check_share
from pricing.types import CostEstimate, Model, Scenario, ScenarioError, TokenCount

DAYS_OF_A_MONTH = 30


def calls_per_month(per_day: int, days: int = DAYS_OF_A_MONTH) -> int:
    """Calls in a month of so many days. Raises ScenarioError for negative numbers and months longer than 31 days."""
    if per_day < 0 or not 0 <= days <= 31:
        raise ScenarioError(f"{per_day:,} calls on {days} days of a month cannot be")
    return per_day * days


@dataclass(frozen=True, slots=True)
class MixedCost:
    """What all calls cost when some go through the batch service.

    ``normal`` and ``in_batch`` are one call of each kind, ``calls`` and ``batch_calls`` how many there are of each.
    Amounts are None where a price that is needed is unknown.
    """

    normal: CostEstimate
    in_batch: CostEstimate
    calls: int
    batch_calls: int
    usd: Decimal | None
    usd_low: Decimal | None
    usd_high: Decimal | None


def mixed_cost(model: Model, count: TokenCount | None, scenario: Scenario, batch_share: Decimal) -> MixedCost:
    """All calls of a scenario, a share of them (0 to 1, rounded down to whole calls) through the batch service.

    Raises ScenarioError for what cannot be.
    """
    check_share("share of batch calls", batch_share)
    batch_calls = int(EXACT.multiply(Decimal(scenario.calls), batch_share))
    normal_calls = scenario.calls - batch_calls
    normal = estimate(model, count, replace(scenario, batch=False))
    in_batch = estimate(model, count, replace(scenario, batch=True))

    def total(first: Decimal | None, second: Decimal | None) -> Decimal | None:
        parts = [(usd, calls) for usd, calls in ((first, normal_calls), (second, batch_calls)) if calls]
        amount = Decimal(0)
        for usd, calls in parts:
            if usd is None:
                return None
            amount = EXACT.add(amount, EXACT.multiply(usd, Decimal(calls)))
        return amount

    return MixedCost(
        normal,
        in_batch,
        normal_calls,
        batch_calls,
        total(normal.usd, in_batch.usd),
        total(normal.usd_low, in_batch.usd_low),
        total(normal.usd_high, in_batch.usd_high),
    )
