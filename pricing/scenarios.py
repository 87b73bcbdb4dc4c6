"""What-if analysis of one call: calls per month, caching, batches, conversations, budgets, the cheapest model.

A call that misses the cache writes the cached part, a call that hits reads it. Caching is cheaper than no caching from
a hit rate of (write - input) / (write - read): 21.7 % for 1.25 and 0.1 times the input price, and 0 if writing costs no
more than input. Both lifetimes are renewed by each read (documented by Anthropic and OpenAI).

The prompt of a turn is the system text, all earlier user texts and answers (hidden reasoning is not sent again), and
the new user text. With caching, the end of each prompt is a breakpoint: a turn reads the prompt of the turn before and
writes the rest. A turn that comes too late misses the cache and writes everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from functools import lru_cache
from typing import Literal

from pricing.cancellation import CancelCheck, check_cancelled
from pricing.estimation import EXACT, SHARE, cached_tokens, check_share, estimate, plus, times
from pricing.rates import RateCards
from pricing.types import CallMix, CostEstimate, Model, Scenario, ScenarioError, TokenCount

# --- budgets and choices ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Budget:
    """Maximum cost in US dollars, for one call or for all calls of the scenario."""

    usd: Decimal
    for_all_calls: bool = False


@dataclass(frozen=True, slots=True)
class BudgetVerdict:
    """Estimates by their relation to a budget, in the order given.

    ``within``: even the upper end is within. ``may_exceed``: only the upper end is over. ``over``: even the lower end
    is over. ``unknown``: a price, the count, or a price at an end of the range is unknown; or the cost is within but
    lacks parts that are not counted.
    """

    within: tuple[CostEstimate, ...]
    may_exceed: tuple[CostEstimate, ...]
    over: tuple[CostEstimate, ...]
    unknown: tuple[CostEstimate, ...]

    @property
    def exceeded(self) -> tuple[CostEstimate, ...]:
        """All estimates that are, or may be, over the budget."""
        return (*self.over, *self.may_exceed)


def judge(estimates: Iterable[CostEstimate], budget: Budget) -> BudgetVerdict:
    """Compare costs with a budget, inclusive. Raises ScenarioError for a budget below 0."""
    if not budget.usd.is_finite() or budget.usd < 0:
        raise ScenarioError(f"a budget cannot be negative (got {budget.usd})")
    within, may, over, unknown = [], [], [], []
    for cost in estimates:
        low, high = ends(cost, budget.for_all_calls)
        if low is None or high is None or (high <= budget.usd and not cost.is_complete):
            unknown.append(cost)
        elif high <= budget.usd:
            within.append(cost)
        elif low > budget.usd:
            over.append(cost)
        else:
            may.append(cost)
    return BudgetVerdict(tuple(within), tuple(may), tuple(over), tuple(unknown))


def ends(estimate: CostEstimate, for_all_calls: bool) -> tuple[Decimal | None, Decimal | None]:
    """Return both ends of the range of a cost, for one call or for all."""
    if for_all_calls:
        return estimate.usd_calls_low, estimate.usd_calls_high
    return estimate.usd_low, estimate.usd_high


@dataclass(frozen=True, slots=True)
class Choice:
    """A model with its cost. ``why_not``: phrases that say why it does not fit; empty if it does."""

    model: Model
    estimate: CostEstimate
    why_not: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """True if the model can do the job at a known price."""
        return not self.why_not


def ranked(priced: Iterable[tuple[Model, CostEstimate]], scenario: Scenario) -> tuple[Choice, ...]:
    """Return the models that fit, cheapest first by the middle of their range, then the others in the order given."""
    choices = [Choice(model, estimate, tuple(_why_not(model, estimate, scenario))) for model, estimate in priced]
    return tuple(sorted(choices, key=lambda choice: (not choice.fits, middle(choice.estimate) if choice.fits else 0)))


def middle(estimate: CostEstimate) -> Decimal:
    """Return the middle of the range of a cost, or 0 if it is unknown."""
    if estimate.usd_low is None or estimate.usd_high is None:
        return estimate.usd or Decimal(0)
    return (estimate.usd_low + estimate.usd_high) / 2


def _why_not(model: Model, estimate: CostEstimate, scenario: Scenario) -> Iterator[str]:
    output = scenario.output_range[1] if scenario.output_range else scenario.output_tokens
    if estimate.retired:
        yield f"retired on {model.retires}"
    if model.only_reads and output:
        yield "has no text output"
    if estimate.input_tokens is None:
        yield "the token count of the prompt is unknown"
    elif estimate.usd is None:
        yield f"there is no price for {', '.join(estimate.unknown)}"
    if model.max_output is not None and output > model.max_output:
        yield f"has an output limit of {model.max_output:,} tokens"
    prompt = estimate.input_high or 0
    if model.max_input is not None and prompt > model.max_input:
        yield f"has an input limit of {model.max_input:,} tokens"
    elif model.context is not None and prompt + estimate.output_high > model.context:
        yield f"has a context window of {model.context:,} tokens"


# --- caching ----------------------------------------------------------------------------------------------------------

MINUTES_OF_A_DAY = 1_440


@dataclass(frozen=True, slots=True)
class CachePlan:
    """Caching of the first ``tokens`` of the prompt. ``hit_rate``: share of calls that hit, 0 to 1. ``for_an_hour``:
    use the longer of the two lifetimes.
    """

    tokens: int
    hit_rate: Decimal
    for_an_hour: bool = False


@dataclass(frozen=True, slots=True)
class CachedCost:
    """Average cost of a call with a cache.

    ``hit``, ``miss`` and ``without``: single calls that read the cache, write it, or do not use it. ``usd``: their mean
    at the hit rate of the plan. ``break_even``: hit rate from which the cache pays (1 or more: never; None: a price is
    unknown, or hits cost no less than misses). ``saves``: savings of an average call, negative if caching costs more.
    """

    hit: CostEstimate
    miss: CostEstimate
    without: CostEstimate
    usd: Decimal | None
    saves: Decimal | None
    break_even: Decimal | None

    @property
    def pays_off_at(self) -> int | None:
        """Number of consecutive calls, the first of which misses, by which the cache has paid off.

        2 for a write at 1.25 and a read at 0.1 times the input price, 3 for a write at 2. None: never, or unknown.
        """
        hit, miss, without = self.hit.usd, self.miss.usd, self.without.usd
        if hit is None or miss is None or without is None:
            return None
        if miss < without:
            return 1
        if hit >= without:
            return None
        # miss + (n - 1) hit < n without, so n > (miss - hit) / (without - hit)
        calls = SHARE.divide(EXACT.subtract(miss, hit), EXACT.subtract(without, hit))
        return int(calls.to_integral_value(ROUND_FLOOR)) + 1


def cached_cost(
    model: Model, count: TokenCount, scenario: Scenario, plan: CachePlan, cards: RateCards | None = None
) -> CachedCost:
    """Return the average cost of one call under a plan, which replaces the cache settings of the scenario.

    Raises ScenarioError for a hit rate outside 0 to 1, and for more cached tokens than the prompt has.
    """
    check_share("share of hits", plan.hit_rate)
    scenarios = _cache_scenarios(scenario, plan.tokens, plan.for_an_hour)
    without, hit, miss = (estimate(model, count, one, cards) for one in scenarios)
    usd = saves = None
    if hit.usd is not None and miss.usd is not None:
        missed = EXACT.multiply(miss.usd, EXACT.subtract(Decimal(1), plan.hit_rate))
        usd = EXACT.add(EXACT.multiply(hit.usd, plan.hit_rate), missed)
        saves = None if without.usd is None else EXACT.subtract(without.usd, usd)
    return CachedCost(hit, miss, without, usd, saves, _break_even(hit.usd, miss.usd, without.usd))


@lru_cache(maxsize=64)
def _cache_scenarios(scenario: Scenario, tokens: int, for_an_hour: bool) -> tuple[Scenario, Scenario, Scenario]:
    """Return the scenario without a cache, with ``tokens`` read from it, and with ``tokens`` written to it.

    Cached, since most models of a table share them, and creating one takes a third of the time of an estimate.
    """
    bare = replace(scenario, cached_tokens=None, cached_share=None, cache_write_tokens=0, cache_write_1h_tokens=0)
    short, long = (0, tokens) if for_an_hour else (tokens, 0)
    miss = replace(bare, cache_write_tokens=short, cache_write_1h_tokens=long)
    return bare, replace(bare, cached_tokens=tokens), miss


@lru_cache(maxsize=64)
def _in_batch(scenario: Scenario, in_batch: bool) -> Scenario:
    """Return the scenario in the batch service, or not in it. Cached for the same reason."""
    return replace(scenario, batch=in_batch, service="" if in_batch else scenario.service)


def _break_even(hit: Decimal | None, miss: Decimal | None, without: Decimal | None) -> Decimal | None:
    if hit is None or miss is None or without is None or hit >= miss:
        return None
    return max(Decimal(0), SHARE.divide(EXACT.subtract(miss, without), EXACT.subtract(miss, hit)))


def expected_hit_rate(calls_per_day: int, lifetime_minutes: int) -> Decimal:
    """Return the share of calls that come within the cache's lifetime after the previous one, for calls at random
    times.

    1 - exp(-calls per minute × lifetime), the probability of a shorter gap in a Poisson process, rounded to 12 digits.
    Raises ScenarioError for negative numbers.
    """
    if calls_per_day < 0 or lifetime_minutes < 0:
        raise ScenarioError("calls and lifetime cannot be negative")
    expected = SHARE.divide(Decimal(calls_per_day) * lifetime_minutes, Decimal(MINUTES_OF_A_DAY))
    return SHARE.subtract(Decimal(1), SHARE.exp(-expected))


# --- mixed calls ------------------------------------------------------------------------------------------------------

DAYS_OF_A_MONTH = 30
_ONE = Decimal(1)


def calls_per_month(per_day: int, days: int = DAYS_OF_A_MONTH) -> int:
    """Return the calls in a month of ``days`` days. Raises ScenarioError for negative numbers and more than 31 days."""
    if per_day < 0 or not 0 <= days <= 31:
        raise ScenarioError(f"impossible: {per_day:,} calls a day on {days} days of a month")
    return per_day * days


@dataclass(frozen=True, slots=True)
class CallKind:
    """A share of the calls (0 to 1) and the cost of one of them. ``hit``: whether it hits the cache, None if calls do
    not differ in this.
    """

    share: Decimal
    in_batch: bool
    hit: bool | None
    estimate: CostEstimate


@dataclass(frozen=True, slots=True)
class MixedCost:
    """Average cost of different calls.

    ``average``: an estimate without parts; its amounts are None if one of a kind is unknown. ``kinds``: the kinds of
    calls with a share above 0, with their parts. ``caching``: cost of a call with and without the cache, None if calls
    do not differ in it; in the batch service if all calls use it, else in the normal one.
    """

    average: CostEstimate
    kinds: tuple[CallKind, ...]
    caching: CachedCost | None = None


def mixed_cost(
    model: Model, count: TokenCount, scenario: Scenario, mix: CallMix, cards: RateCards | None = None
) -> MixedCost:
    """Return the average call of a scenario, and all its calls, which differ as ``mix`` describes.

    If calls hit or miss the cache, this replaces the cache writes of the scenario. Raises ScenarioError for impossible
    input.
    """
    batch_share = Decimal(scenario.batch) if mix.batch_share is None else mix.batch_share
    check_share("share of batch calls", batch_share)
    kinds: list[CallKind] = []
    caching: CachedCost | None = None
    for in_batch, share in ((False, EXACT.subtract(_ONE, batch_share)), (True, batch_share)):
        if not share:
            continue
        alike = _in_batch(scenario, in_batch)
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
    """Return the mean of the kinds weighted by their shares. Values other than money are equal in all of them."""

    def mean(amount: Callable[[CostEstimate], Decimal | None]) -> Decimal | None:
        total = Decimal(0)
        for kind in kinds:
            usd = amount(kind.estimate)
            if usd is None:
                return None
            total = EXACT.add(total, EXACT.multiply(usd, kind.share))
        return total

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
        usd_calls=times(usd, Decimal(calls)),
        usd_calls_low=times(low, Decimal(calls)),
        usd_calls_high=times(high, Decimal(calls)),
        unknown=tuple(dict.fromkeys(_unknown(kinds))),
        parts=(),
    )


def _unknown(kinds: list[CallKind]) -> Iterator[str]:
    for kind in kinds:
        yield from kind.estimate.unknown


# --- conversations ----------------------------------------------------------------------------------------------------

MAX_TURNS = 10_000

Caching = Literal["none", "minutes", "hour"]
End = Literal["tokens", "low", "high"]


def exactly(tokens: int) -> TokenCount:
    """Return a count without a range."""
    return TokenCount(tokens, tokens, tokens, "exact")


NOTHING = exactly(0)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A number of equal turns: tokens of the system text, and of the user text and the answer of each turn.

    ``late_turns``: numbers (from 1) of turns that miss the cache. ``least_cached``: minimum prompt length that a vendor
    caches, in tokens.
    """

    turns: int
    system: TokenCount
    user: TokenCount
    answer: TokenCount
    reasoning: TokenCount = NOTHING
    caching: Caching = "none"
    late_turns: frozenset[int] = frozenset()
    least_cached: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its prompt with the tokens read from and written to the cache, its cost, and the total so far.

    The range of ``total_usd`` covers conversations with the minimum and the maximum tokens everywhere. None: unknown.
    """

    number: int
    prompt_tokens: int
    cached_tokens: int
    written_tokens: int
    estimate: CostEstimate
    total_usd: Decimal | None
    total_usd_low: Decimal | None
    total_usd_high: Decimal | None


def converse(
    model: Model,
    conversation: Conversation,
    scenario: Scenario,
    cards: RateCards | None = None,
    cancel_check: CancelCheck = check_cancelled,
) -> tuple[Turn, ...]:
    """Return the turns in order. Day, batch and factor come from the scenario; its output and cache settings are
    ignored. ``cancel_check`` is called before each turn; any exception it raises ends the work.

    Raises ScenarioError for fewer than one or more than 10,000 turns, and like ``estimate``.
    """
    if not 1 <= conversation.turns <= MAX_TURNS:
        raise ScenarioError(f"a conversation must have 1 to {MAX_TURNS:,} turns (got {conversation.turns:,})")
    cards = cards or RateCards()
    runs = [_run(model, conversation, scenario, end, cards, cancel_check) for end in _ends(conversation)]
    turns = []
    for alike in zip(*runs, strict=True):
        totals = [total for turn in alike for total in (turn.total_usd_low, turn.total_usd_high)]
        known = [total for total in totals if total is not None]
        low, high = (min(known), max(known)) if len(known) == len(totals) else (None, None)
        turns.append(replace(alike[0], total_usd_low=low, total_usd_high=high))
    return tuple(turns)


def caching_pays_from(cached: Sequence[Turn], without: Sequence[Turn]) -> int | None:
    """Return the turn from which a conversation costs less with the cache, in total up to that turn. None: never, or a
    price is unknown. Both arguments are the same conversation apart from the cache.
    """
    pays: int | None = None
    for turn, plain in zip(cached, without, strict=True):
        if turn.total_usd is None or plain.total_usd is None:
            return None
        if turn.total_usd >= plain.total_usd:
            pays = None
        elif pays is None:
            pays = turn.number
    return pays


def _ends(conversation: Conversation) -> tuple[End, ...]:
    parts = (conversation.system, conversation.user, conversation.answer, conversation.reasoning)
    return ("tokens",) if all(part.low == part.high for part in parts) else ("tokens", "low", "high")


def _run(
    model: Model,
    conversation: Conversation,
    scenario: Scenario,
    end: End,
    cards: RateCards,
    cancel_check: CancelCheck,
) -> list[Turn]:
    """Return the turns with every part at one end of its range."""
    answer, reasoning = getattr(conversation.answer, end), getattr(conversation.reasoning, end)
    totals: tuple[Decimal | None, ...] = (Decimal(0),) * 3
    turns = []
    for number, prompt, cached in _prompts(conversation, end):
        cancel_check()
        written = 0 if conversation.caching == "none" or prompt < conversation.least_cached else prompt - cached
        cost = estimate(
            model,
            TokenCount(prompt, prompt, prompt, conversation.user.label),
            replace(
                scenario,
                output_tokens=answer,
                reasoning_tokens=reasoning,
                output_range=None,
                reasoning_range=None,
                cached_share=None,
                cached_tokens=cached,
                cache_write_tokens=written if conversation.caching == "minutes" else 0,
                cache_write_1h_tokens=written if conversation.caching == "hour" else 0,
            ),
            cards,
        )
        totals = tuple(map(plus, totals, (cost.usd, cost.usd_low, cost.usd_high)))
        turns.append(Turn(number, prompt, cached, written, cost, *totals))
    return turns


def _prompts(conversation: Conversation, end: End) -> Iterator[tuple[int, int, int]]:
    """Yield for each turn its number, the tokens of its prompt, and how many of them are cached."""
    system, user = getattr(conversation.system, end), getattr(conversation.user, end)
    answer = getattr(conversation.answer, end)
    in_cache = 0
    for number in range(1, conversation.turns + 1):
        prompt = system + number * user + (number - 1) * answer
        cached = 0 if number in conversation.late_turns else in_cache
        yield number, prompt, cached
        in_cache = prompt if conversation.caching != "none" and prompt >= conversation.least_cached else 0
