"""Whether the prompt cache pays: a beginning of the prompt that is written once and read as long as it lives.

With c the part in the cache, a call that misses writes it, one that hits reads it. The share of hits from which caching
is cheaper than none is (write - input) / (write - read), 21.7 % for 1.25 and 0.1 times the input price; it is 0 where
writing costs no more than input. Both lifetimes are renewed by each read (Anthropic and OpenAI document it so).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal

from pricing.estimation import EXACT, estimate
from pricing.rates import RateCards
from pricing.scenario_checks import check_share
from pricing.types import CostEstimate, Model, Scenario, ScenarioError, TokenCount

MINUTES_OF_A_DAY = 1_440
_SHARE = Context(prec=12)


@dataclass(frozen=True, slots=True)
class CachePlan:
    """The first ``tokens`` of the prompt are cached; ``hit_rate`` of the calls (0 to 1) find them. ``for_an_hour``: the
    longer of the two lifetimes.
    """

    tokens: int
    hit_rate: Decimal
    for_an_hour: bool = False


@dataclass(frozen=True, slots=True)
class CachedCost:
    """What a call costs with a cache, on average.

    ``hit``, ``miss`` and ``without`` are single calls: the cache is read, is written, is not used. ``usd`` is their
    mean at the plan's share of hits, ``break_even`` the share from which the cache pays (1 or more: never; None: a
    price is unknown, or hits cost what misses do). ``saves`` is what an average call costs less than without, negative
    where caching is dearer.
    """

    hit: CostEstimate
    miss: CostEstimate
    without: CostEstimate
    usd: Decimal | None
    saves: Decimal | None
    break_even: Decimal | None


def cached_cost(
    model: Model, count: TokenCount, scenario: Scenario, plan: CachePlan, cards: RateCards | None = None
) -> CachedCost:
    """The average cost of one call under a plan, which takes the place of what the scenario says of the cache.

    Raises ScenarioError for a share of hits outside 0 to 1 and for more cached tokens than the prompt has.
    """
    check_share("share of hits", plan.hit_rate)
    bare = replace(scenario, cached_tokens=None, cached_share=None, cache_write_tokens=0, cache_write_1h_tokens=0)
    written = (0, plan.tokens) if plan.for_an_hour else (plan.tokens, 0)
    without = estimate(model, count, bare, cards)
    hit = estimate(model, count, replace(bare, cached_tokens=plan.tokens), cards)
    miss = estimate(model, count, replace(bare, cache_write_tokens=written[0], cache_write_1h_tokens=written[1]), cards)
    usd = saves = None
    if hit.usd is not None and miss.usd is not None:
        missed = EXACT.multiply(miss.usd, EXACT.subtract(Decimal(1), plan.hit_rate))
        usd = EXACT.add(EXACT.multiply(hit.usd, plan.hit_rate), missed)
        saves = None if without.usd is None else EXACT.subtract(without.usd, usd)
    return CachedCost(hit, miss, without, usd, saves, _break_even(hit.usd, miss.usd, without.usd))


def _break_even(hit: Decimal | None, miss: Decimal | None, without: Decimal | None) -> Decimal | None:
    if hit is None or miss is None or without is None or hit >= miss:
        return None
    return max(Decimal(0), _SHARE.divide(EXACT.subtract(miss, without), EXACT.subtract(miss, hit)))


def calls_until_caching_pays(cost: CachedCost) -> int | None:
    """How many calls in a row, the first of which misses, are cheaper with the cache than without.

    2 for a write at 1.25 and a read at 0.1 times the input price, 3 for a write at 2. None: never, or unknown.
    """
    hit, miss, without = cost.hit.usd, cost.miss.usd, cost.without.usd
    if hit is None or miss is None or without is None:
        return None
    if miss < without:
        return 1
    if hit >= without:
        return None
    # miss + (n - 1) hit < n without, so n > (miss - hit) / (without - hit)
    calls = _SHARE.divide(EXACT.subtract(miss, hit), EXACT.subtract(without, hit))
    return int(calls.to_integral_value(ROUND_FLOOR)) + 1


def expected_hit_rate(calls_per_day: int, lifetime_minutes: int) -> Decimal:
    """The share of calls that come within the cache's lifetime after the one before, for calls at random moments.

    1 - exp(-calls per minute × lifetime), the chance that a gap of a Poisson process is shorter; rounded to 12 digits.
    Raises ScenarioError for negative numbers.
    """
    if calls_per_day < 0 or lifetime_minutes < 0:
        raise ScenarioError("calls and lifetime cannot be negative")
    expected = _SHARE.divide(Decimal(calls_per_day) * lifetime_minutes, Decimal(MINUTES_OF_A_DAY))
    return _SHARE.subtract(Decimal(1), _SHARE.exp(-expected))
