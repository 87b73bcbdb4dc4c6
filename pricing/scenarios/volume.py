"""Many calls: a month of them, of several kinds, some through the batch service, some that miss the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from pricing.estimation import EXACT, estimate
from pricing.rates import RateCards
from pricing.scenario_checks import cached_tokens, check_share
from pricing.scenarios.caching import CachedCost, CachePlan, cached_cost
from pricing.types import CallMix, CostEstimate, Model, Scenario, ScenarioError, TokenCount

DAYS_OF_A_MONTH = 30
_ONE = Decimal(1)


def calls_per_month(per_day: int, days: int = DAYS_OF_A_MONTH) -> int:
    """Calls in a month of so many days. Raises ScenarioError for negative numbers and months longer than 31 days."""
    if per_day < 0 or not 0 <= days <= 31:
        raise ScenarioError(f"{per_day:,} calls on {days} days of a month cannot be")
    return per_day * days


@dataclass(frozen=True, slots=True)
class CallKind:
    """A share of the calls (0 to 1) and what one of them costs. ``hit``: whether it finds the cached part of the prompt
    in the cache, None where nobody said that calls differ in this.
    """

    share: Decimal
    in_batch: bool
    hit: bool | None
    estimate: CostEstimate


@dataclass(frozen=True, slots=True)
class MixedCost:
    """What the average of many calls costs.

    ``average`` is an estimate without parts: those stand in ``kinds``, of which only such with a share are there. Its
    amounts are None where one of a kind is unknown. ``caching`` is the cost of a call with and without the cache, None
    where calls do not differ in it: through the batch service where all of them go, else without.
    """

    average: CostEstimate
    kinds: tuple[CallKind, ...]
    caching: CachedCost | None = None


def mixed_cost(
    model: Model, count: TokenCount, scenario: Scenario, mix: CallMix, cards: RateCards | None = None
) -> MixedCost:
    """The average call of a scenario, and all its calls, where they differ as ``mix`` says.

    Where calls hit or miss the cache, that takes the place of what the scenario says is written to it. Raises
    ScenarioError for what cannot be.
    """
    batch_share = Decimal(scenario.batch) if mix.batch_share is None else mix.batch_share
    check_share("share of batch calls", batch_share)
    kinds: list[CallKind] = []
    caching: CachedCost | None = None
    for in_batch, share in ((False, EXACT.subtract(_ONE, batch_share)), (True, batch_share)):
        alike = replace(scenario, batch=in_batch, service="" if in_batch else scenario.service)
        if not share:
            continue
        if mix.hit_rate is None:
            kinds.append(CallKind(share, in_batch, None, estimate(model, count, alike, cards)))
            continue
        plan = CachePlan(cached_tokens(count.tokens, scenario), mix.hit_rate, mix.for_an_hour)
        cost = cached_cost(model, count, alike, plan, cards)
        caching = caching or cost
        for hit, one, part in ((True, cost.hit, mix.hit_rate), (False, cost.miss, EXACT.subtract(_ONE, mix.hit_rate))):
            if part:
                kinds.append(CallKind(EXACT.multiply(share, part), in_batch, hit, one))
    return MixedCost(_average(kinds, scenario.calls), tuple(kinds), caching)


def _average(kinds: list[CallKind], calls: int) -> CostEstimate:
    """The mean of the kinds by their shares. What is not money is alike in all of them."""

    def mean(amount: Callable[[CostEstimate], Decimal | None]) -> Decimal | None:
        total = Decimal(0)
        for kind in kinds:
            usd = amount(kind.estimate)
            if usd is None:
                return None
            total = EXACT.add(total, EXACT.multiply(usd, kind.share))
        return total

    def of_all(usd: Decimal | None) -> Decimal | None:
        return None if usd is None else EXACT.multiply(usd, Decimal(calls))

    usd, low, high = mean(lambda one: one.usd), mean(lambda one: one.usd_low), mean(lambda one: one.usd_high)
    return replace(
        kinds[0].estimate,
        input_usd=mean(lambda one: one.input_usd),
        input_usd_low=mean(lambda one: one.input_usd_low),
        input_usd_high=mean(lambda one: one.input_usd_high),
        output_usd=mean(lambda one: one.output_usd),
        output_usd_low=mean(lambda one: one.output_usd_low),
        output_usd_high=mean(lambda one: one.output_usd_high),
        request_usd=mean(lambda one: one.request_usd),
        usd=usd,
        usd_low=low,
        usd_high=high,
        usd_calls=of_all(usd),
        usd_calls_low=of_all(low),
        usd_calls_high=of_all(high),
        unknown=tuple(dict.fromkeys(_unknown(kinds))),
        parts=(),
    )


def _unknown(kinds: list[CallKind]) -> Iterator[str]:
    for kind in kinds:
        yield from kind.estimate.unknown
