"""What-if on top of one call's cost: months of calls, caching, batches, conversations, budgets, the cheapest model.

Pure functions on models, counts and a ``Scenario``; money is exact, and unknown where a price is.
"""

from __future__ import annotations

from pricing.scenarios.budgets import Budget, BudgetVerdict, judge
from pricing.scenarios.caching import CachedCost, CachePlan, cached_cost, calls_until_caching_pays, expected_hit_rate
from pricing.scenarios.choosing import Choice, ranked
from pricing.scenarios.conversation import Conversation, Turn, caching_pays_from, converse, exactly
from pricing.scenarios.volume import CallKind, MixedCost, calls_per_month, mixed_cost

__all__ = [
    "Budget",
    "BudgetVerdict",
    "CachePlan",
    "CachedCost",
    "CallKind",
    "Choice",
    "Conversation",
    "MixedCost",
    "Turn",
    "cached_cost",
    "caching_pays_from",
    "calls_per_month",
    "calls_until_caching_pays",
    "converse",
    "exactly",
    "expected_hit_rate",
    "judge",
    "mixed_cost",
    "ranked",
]
