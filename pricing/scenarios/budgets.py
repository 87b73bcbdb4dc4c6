"""Whether costs stay within an amount. A range is judged by both its ends, and an unknown cost is never within."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from pricing.types import CostEstimate, ScenarioError


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so many US dollars, for one call or for all calls of the scenario."""

    usd: Decimal
    for_all_calls: bool = False


@dataclass(frozen=True, slots=True)
class BudgetVerdict:
    """Estimates by what a budget says to them, in the order given.

    ``within``: even the upper end is. ``may_exceed``: the upper end is over, the lower is not. ``over``: even the lower
    end is. ``unknown``: a price or the count is not known, or one at an end of the range, or parts that are not counted
    come on top of what is within.
    """

    within: tuple[CostEstimate, ...]
    may_exceed: tuple[CostEstimate, ...]
    over: tuple[CostEstimate, ...]
    unknown: tuple[CostEstimate, ...]

    @property
    def exceeded(self) -> tuple[CostEstimate, ...]:
        """All that is over the budget, or may be."""
        return (*self.over, *self.may_exceed)


def judge(estimates: Iterable[CostEstimate], budget: Budget) -> BudgetVerdict:
    """Compare costs with a budget; exactly the amount is within. Raises ScenarioError for a budget below 0."""
    if not budget.usd.is_finite() or budget.usd < 0:
        raise ScenarioError(f"a budget is 0 or more (got {budget.usd})")
    within, may, over, unknown = [], [], [], []
    for estimate in estimates:
        low, high = ends(estimate, budget.for_all_calls)
        if low is None or high is None or (high <= budget.usd and not estimate.is_complete):
            unknown.append(estimate)
        elif high <= budget.usd:
            within.append(estimate)
        elif low > budget.usd:
            over.append(estimate)
        else:
            may.append(estimate)
    return BudgetVerdict(tuple(within), tuple(may), tuple(over), tuple(unknown))


def ends(estimate: CostEstimate, for_all_calls: bool) -> tuple[Decimal | None, Decimal | None]:
    """Both ends of the range of a cost, of one call or of all."""
    if for_all_calls:
        return estimate.usd_calls_low, estimate.usd_calls_high
    return estimate.usd_low, estimate.usd_high
