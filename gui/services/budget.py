"""Which rows of the cost table a budget does not reach for. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from gui.models.cost_row import CostRow


class OverBudget(NamedTuple):
    """How many models cost more for all calls, and how many may, their count being a range."""

    surely: int
    perhaps: int


def over_budget(rows: Iterable[CostRow], usd: Decimal) -> OverBudget:
    """Compare all calls of each row with so many US dollars; a cost that is not known is neither."""
    from pricing.scenarios import Budget, judge

    verdict = judge((row.estimate for row in rows), Budget(usd, for_all_calls=True))
    return OverBudget(len(verdict.over), len(verdict.may_exceed))
