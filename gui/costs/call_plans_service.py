"""Small sums about many calls, for the parts of the window that may not call pricing. No Qt."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

MINUTES, HOUR = 5, 60
"""How long a prompt stays in the cache, in minutes: usually, and for the higher price."""
DAYS = 30
"""Days of a month of calls."""


def calls_of_a_month(per_day: int) -> int:
    """Calls in thirty days."""
    from pricing.scenarios import calls_per_month

    return calls_per_month(per_day, DAYS)


def expected_hit_percent(per_day: int, for_an_hour: bool) -> Decimal:
    """Of a hundred calls at random moments, how many come within the cache's lifetime after the one before.

    With one decimal.
    """
    from pricing.scenarios import expected_hit_rate

    share = expected_hit_rate(per_day, HOUR if for_an_hour else MINUTES)
    return (share * 100).quantize(Decimal("0.1"), ROUND_HALF_EVEN)
