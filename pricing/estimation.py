"""Conversion of token counts to money, exact to the last digit.

A cost is a sum of tokens times price per million. Nothing is rounded; a sum that would need rounding is an error. If
the count or the output is a range, so is the cost. Its ends are the lowest and highest cost of any prompt length in the
range, which may fall into different tiers, with the minimum and maximum output. If the price is assumed or depends on
the hour, the ends cover all prices that may apply.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, Inexact, InvalidOperation, Overflow
from functools import lru_cache
from typing import NamedTuple

from pricing.money import exact_usd
from pricing.rates import RateCard, RateCards, depends_on_hour, tier_for
from pricing.types import (
    HOURS,
    SERVICES,
    Change,
    CostEstimate,
    CostPart,
    CountRule,
    Label,
    Model,
    OffPeak,
    Price,
    Scenario,
    ScenarioError,
    TokenCount,
    least_sure,
)

MAX_TOKENS = 10**15
"""Maximum number of tokens or calls. More is assumed to be a typing error."""

MAX_FACTOR = Decimal(1_000_000)
MAX_DECIMALS = 30
MAX_CHECKED = 64
"""Maximum number of scenarios remembered as possible."""

_EXACT = Context(prec=120)


def _check(count: TokenCount | None, scenario: Scenario, cards: RateCards) -> None:
    """Raise ScenarioError for a scenario that is impossible, by itself or with a prompt of this size.

    ``cards`` remembers which scenarios are possible, since a table prices all its models with the same few.
    """
    if id(scenario) not in cards.checked:
        _check_amounts(scenario)
        _check_range("output", scenario.output_tokens, scenario.output_range)
        _check_range("reasoning", scenario.reasoning_tokens, scenario.reasoning_range)
        _check_factors(scenario)
        _check_service(scenario)
        if len(cards.checked) > MAX_CHECKED:
            cards.checked.clear()
        cards.checked[id(scenario)] = scenario
    if count is None:
        return
    _check_amount("prompt tokens", count.tokens)
    if not 0 <= count.low <= count.tokens <= count.high <= MAX_TOKENS * 100:
        raise ScenarioError(f"the count {count.tokens:,} must be within its range {count.low:,} to {count.high:,}")
    special = cached_tokens(count.tokens, scenario) + scenario.cache_write_tokens + scenario.cache_write_1h_tokens
    if special > count.tokens:
        raise ScenarioError(
            f"{special:,} tokens are read from the cache or written to it, but the prompt has only {count.tokens:,}"
        )


def _check_amounts(scenario: Scenario) -> None:
    amounts = {
        "output tokens": scenario.output_tokens,
        "reasoning tokens": scenario.reasoning_tokens,
        "cached tokens": scenario.cached_tokens or 0,
        "tokens written to the cache": scenario.cache_write_tokens,
        "tokens written to the cache for an hour": scenario.cache_write_1h_tokens,
        "audio input tokens": scenario.audio_input_tokens,
        "audio output tokens": scenario.audio_output_tokens,
        "searches": scenario.searches,
        "calls": scenario.calls,
    }
    for what, amount in amounts.items():
        _check_amount(what, amount)


def _check_amount(what: str, amount: int) -> None:
    if amount < 0:
        raise ScenarioError(f"the number of {what} cannot be negative (got {amount:,})")
    if amount > MAX_TOKENS:
        raise ScenarioError(f"the number of {what} is too large (got {amount:,}, at most {MAX_TOKENS:,})")


def _check_service(scenario: Scenario) -> None:
    for what, given, known in (("service", scenario.service, SERVICES), ("hours", scenario.hours, HOURS)):
        if given and given not in known:
            raise ScenarioError(f"the {what} must be one of {', '.join(known)} (got {given!r})")
    if scenario.service and scenario.batch:
        raise ScenarioError(f"give the batch service or the {scenario.service} service, not both")


def cached_tokens(prompt: int, scenario: Scenario) -> int:
    """Return how many tokens of a prompt are read from the cache. A share is rounded down."""
    if scenario.cached_share is not None:
        return int(_EXACT.multiply(Decimal(prompt), scenario.cached_share))
    return scenario.cached_tokens or 0


def _check_range(what: str, tokens: int, given: tuple[int, int] | None) -> None:
    if given is not None and not 0 <= given[0] <= tokens <= given[1] <= MAX_TOKENS:
        raise ScenarioError(
            f"the number of {what} tokens, {tokens:,}, must be within its range {given[0]:,} to {given[1]:,}"
        )


def check_share(what: str, share: Decimal) -> None:
    """Raise ScenarioError for a share outside 0 to 1."""
    if not share.is_finite() or not 0 <= share <= 1:
        raise ScenarioError(f"the {what} must be between 0 and 1 (got {share})")
    _check_decimals(what, share)


def _check_factors(scenario: Scenario) -> None:
    for what, number in (("factor", scenario.factor), ("cached share", scenario.cached_share)):
        if number is not None and not isinstance(number, Decimal):
            raise ScenarioError(f"the {what} must be a Decimal (got {number!r})")
    if not scenario.factor.is_finite() or not 0 <= scenario.factor <= MAX_FACTOR:
        raise ScenarioError(f"the factor must be between 0 and {MAX_FACTOR:,} (got {scenario.factor})")
    _check_decimals("factor", scenario.factor)
    if scenario.cached_share is None:
        return
    if scenario.cached_tokens is not None:
        raise ScenarioError("give the cached part as tokens or as a share, not both")
    check_share("cached share", scenario.cached_share)


def _check_decimals(what: str, value: Decimal) -> None:
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > MAX_DECIMALS:
        raise ScenarioError(f"the {what} has too many decimal places (at most {MAX_DECIMALS})")


# --- costs ------------------------------------------------------------------------------------------------------------

TOKENS_UNKNOWN = "tokens"
"""Entry of ``CostEstimate.unknown`` if the number of tokens is unknown."""

NO_PRICE_YET = "no price known before"
NO_SERVICE = "service known"
"""Start of ``CostEstimate.price_note`` if the day is before the first known price."""

_PER_TOKEN = Decimal("0.000001")
# 120 digits hold every product of the bounded numbers above. Inexact traps a violation of that.
EXACT = Context(prec=120, traps=[Inexact, InvalidOperation, Overflow])
SHARE = Context(prec=12)
"""Arithmetic of shares, rounded to twelve digits."""
_NOTHING = Decimal(0)
_HALF = Decimal("0.5")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


_PROMPT_PARTS = ("input", "cached", "cache_write", "cache_write_1h", "audio_input")
_OUTPUT_PARTS = ("output", "reasoning", "audio_output")
_REQUEST_PARTS = ("per_search", "per_request")


class _Ends(NamedTuple):
    """Lowest and highest cost of a call, and of its prompt and its output alone. None: unknown."""

    low: Decimal | None
    high: Decimal | None
    input_low: Decimal | None
    input_high: Decimal | None
    output_low: Decimal | None
    output_high: Decimal | None


def count_for(
    model: Model, counts_by_encoding: Mapping[str, int | None], rule: CountRule | None = None
) -> TokenCount | None:
    """Return the tokens that ``model`` sees in a text with these counts, or None if its encoding was not counted.

    The best estimate is rounded to the nearest token, the ends of the range outwards. A range that is a point stays a
    point. ``rule`` replaces the model's own, for example by one fitted to a kind of text (``calibration.rule_for``).
    """
    rule = rule or model.count
    if rule.tokenizer is None:
        return None
    counted = counts_by_encoding.get(rule.tokenizer)
    if counted is None:
        return None
    tokens = int((counted * rule.ratio).to_integral_value(ROUND_HALF_UP))
    if rule.ratio == rule.low == rule.high:
        return TokenCount(tokens, tokens, tokens, rule.label)
    return TokenCount(
        tokens,
        int((counted * rule.low).to_integral_value(ROUND_FLOOR)),
        int((counted * rule.high).to_integral_value(ROUND_CEILING)),
        rule.label,
    )


def estimate(
    model: Model, count: TokenCount | None, scenario: Scenario, cards: RateCards | None = None
) -> CostEstimate:
    """Estimate the cost of one call with a prompt of ``count`` tokens. Raises ScenarioError for impossible input.

    Without a count, every amount is None. If the low end of the range is shorter than the cached and written parts,
    these shrink with it, the cached part last. ``cards`` caches prices for the next estimates of the same models.
    """
    cards = cards or RateCards()
    _check(count, scenario, cards)
    possible, change = cards.possible(model.price, scenario.on, scenario.hours)
    price = possible[0]
    if count is None:
        return _without_count(model, scenario)
    tier = tier_for(price, count.tokens)
    parts, unknown = _parts(price, cards.card(price, tier, _service(scenario)), count.tokens, scenario)
    input_sum, output_sum = _sum(parts, _PROMPT_PARTS), _sum(parts, _OUTPUT_PARTS)
    input_usd, output_usd = times(input_sum, scenario.factor), times(output_sum, scenario.factor)
    request_usd = times(_sum(parts, _REQUEST_PARTS), scenario.factor)
    usd = plus(plus(input_usd, output_usd), request_usd)
    ends = _Ends(usd, usd, input_usd, input_usd, output_usd, output_usd)
    if count.low < count.high or scenario.output_range or scenario.reasoning_range or len(possible) > 1:
        ends = _widest([_ranges(one, cards, count, scenario) for one in possible])
    low, high = (None, None) if usd is None or ends.low is None or ends.high is None else ends[:2]
    fewest, most = _output_ends(scenario)
    return CostEstimate(
        *(model.id, count.label, count.tokens, count.low, count.high),
        input_usd=input_usd,
        output_usd=output_usd,
        request_usd=request_usd,
        usd=usd,
        usd_low=low,
        usd_high=high,
        calls=scenario.calls,
        usd_calls=times(usd, Decimal(scenario.calls)),
        usd_calls_low=times(low, Decimal(scenario.calls)),
        usd_calls_high=times(high, Decimal(scenario.calls)),
        unknown=unknown,
        retired=model.is_retired(scenario.on),
        context_share=SHARE.divide(Decimal(count.tokens), Decimal(model.context)) if model.context else None,
        over_context=_is_over(model, count.tokens, scenario),
        tier="" if tier is None else tier.condition,
        parts=parts,
        factor=scenario.factor,
        notes=tuple(_notes(model, count, scenario, change)),
        price_checked=model.checked,
        source=model.source,
        input_usd_low=ends.input_low,
        input_usd_high=ends.input_high,
        output_usd_low=ends.output_low,
        output_usd_high=ends.output_high,
        output_low=fewest,
        output_high=most,
        usd_label=None if usd is None else _usd_label(count.label, price, change, scenario),
        price_note=_price_note(price, change, scenario),
        context_note=_context_note(model, count, scenario),
        is_complete=count.is_complete,
        price_checked_in=model.checked_in,
    )


def _service(scenario: Scenario) -> str:
    """Return the service name used by rate cards."""
    return "batch" if scenario.batch else scenario.service


def _output_ends(scenario: Scenario) -> tuple[int, int]:
    """Return the minimum and maximum tokens of output and reasoning together."""
    output = scenario.output_range or (scenario.output_tokens, scenario.output_tokens)
    reasoning = scenario.reasoning_range or (scenario.reasoning_tokens, scenario.reasoning_tokens)
    return output[0] + reasoning[0], output[1] + reasoning[1]


def _split_prompt(prompt: int, scenario: Scenario) -> tuple[tuple[str, int], ...]:
    """Return the billed parts of a prompt, as rate name and tokens, without empty parts."""
    cached = cached_tokens(prompt, scenario)
    writes = scenario.cache_write_tokens, scenario.cache_write_1h_tokens
    return _split_input(prompt, cached, *writes, scenario.audio_input_tokens)


@lru_cache(maxsize=256)
def _split_input(prompt: int, cached: int, written: int, written_1h: int, audio: int) -> tuple[tuple[str, int], ...]:
    cached = min(prompt, cached)
    written = min(prompt - cached, written)
    written_1h = min(prompt - cached - written, written_1h)
    split = (
        ("input", prompt - cached - written - written_1h),
        ("cached", cached),
        ("cache_write", written),
        ("cache_write_1h", written_1h),
        ("audio_input", audio),
    )
    return tuple(part for part in split if part[1])


@lru_cache(maxsize=64)
def _split_output(output: int, reasoning: int, audio: int) -> tuple[tuple[str, int], ...]:
    split = (("output", output), ("reasoning", reasoning), ("audio_output", audio))
    return tuple(part for part in split if part[1])


def _parts(
    price: Price, card: RateCard, prompt: int, scenario: Scenario
) -> tuple[tuple[CostPart, ...], tuple[str, ...]]:
    """Return the terms of the sum, and the names of required prices that are unknown."""
    parts = []
    unknown: dict[str, None] = {}
    written = _split_output(scenario.output_tokens, scenario.reasoning_tokens, scenario.audio_output_tokens)
    split = _split_prompt(prompt, scenario) + written
    for name, tokens in split:
        rate = card.rate(name)
        if rate.usd is None:
            unknown[rate.path] = None
        usd = None if rate.usd is None else EXACT.multiply(EXACT.multiply(rate.usd, tokens), _PER_TOKEN)
        parts.append(CostPart(name, tokens, rate.usd, usd, rate.note))
    if scenario.searches:
        if price.per_search is None:
            unknown["per_search"] = None
        fee = times(price.per_search, Decimal(scenario.searches))
        parts.append(CostPart("per_search", None, None, fee, f"{scenario.searches:,} searches"))
    if price.per_request is not None:
        parts.append(CostPart("per_request", None, None, price.per_request))
    return tuple(parts), tuple(unknown)


def _sum(parts: tuple[CostPart, ...], names: Container[str]) -> Decimal | None:
    """Return the sum of the parts with these names, or None if one of them is unknown."""
    total = _NOTHING
    for part in parts:
        if part.name in names:
            if part.usd is None:
                return None
            total = EXACT.add(total, part.usd)
    return total


def _ranges(price: Price, cards: RateCards, count: TokenCount, scenario: Scenario) -> _Ends:
    """Return the ends of the costs over all prompt lengths in the range, with the minimum and maximum output.

    Between two thresholds the cost only grows with the prompt, so the ends and the thresholds are sufficient.
    """
    factor = scenario.factor
    searches = times(price.per_search, Decimal(scenario.searches)) if scenario.searches else _NOTHING
    fee = times(plus(searches, price.per_request or _NOTHING), factor)
    output = scenario.output_range or (scenario.output_tokens, scenario.output_tokens)
    reasoning = scenario.reasoning_range or (scenario.reasoning_tokens, scenario.reasoning_tokens)
    least, most = (_split_output(output[end], reasoning[end], scenario.audio_output_tokens) for end in (0, 1))
    inputs: list[Decimal | None] = []
    lows: list[Decimal | None] = []
    highs: list[Decimal | None] = []
    written: dict[RateCard, tuple[Decimal | None, Decimal | None]] = {}
    for tokens in _corners(price, count):
        card = cards.card(price, tier_for(price, tokens), _service(scenario))
        if card not in written:
            low = _priced(card, least, factor)
            written[card] = low, low if least == most else _priced(card, most, factor)
        prompt = _priced(card, _split_prompt(tokens, scenario), factor)
        low, high = written[card]
        inputs.append(prompt)
        lows.append(plus(plus(prompt, low), fee))
        highs.append(plus(plus(prompt, high), fee))
    least_usd, most_usd = ([ends[end] for ends in written.values()] for end in (0, 1))
    return _Ends(
        *(_end(lows, min), _end(highs, max), _end(inputs, min), _end(inputs, max)),
        *(_end(least_usd, min), _end(most_usd, max)),
    )


def _widest(ends: Sequence[_Ends]) -> _Ends:
    """Return the union of these ranges. An end that is unknown in one of them is unknown."""
    if len(ends) == 1:
        return ends[0]
    picks = (min, max) * 3
    return _Ends(*(_end(list(amounts), pick) for amounts, pick in zip(zip(*ends, strict=True), picks, strict=True)))


def plus(first: Decimal | None, second: Decimal | None) -> Decimal | None:
    """Return the sum of two amounts, or None if one of them is unknown."""
    return None if first is None or second is None else EXACT.add(first, second)


def _priced(card: RateCard, split: tuple[tuple[str, int], ...], factor: Decimal) -> Decimal | None:
    """Return the cost of these tokens, or None if one of the prices is unknown."""
    per_million = _NOTHING
    for name, tokens in split:
        rate = card.rate(name).usd
        if rate is None:
            return None
        per_million = EXACT.add(per_million, EXACT.multiply(rate, tokens))
    return EXACT.multiply(EXACT.multiply(per_million, _PER_TOKEN), factor)


def _end(amounts: list[Decimal | None], pick: Callable[[list[Decimal]], Decimal]) -> Decimal | None:
    if len(amounts) == 1:
        return amounts[0]
    known = [amount for amount in amounts if amount is not None]
    return pick(known) if len(known) == len(amounts) else None


def _corners(price: Price, count: TokenCount) -> Iterator[int]:
    yield count.low
    if count.low == count.high:
        return
    yield count.high
    for tier in price.tiers:
        if count.low < tier.first <= count.high:
            yield tier.first - 1
            yield tier.first


def times(usd: Decimal | None, factor: Decimal) -> Decimal | None:
    """Return an amount times a factor, or None if it is unknown."""
    return None if usd is None else EXACT.multiply(usd, factor)


def _is_over(model: Model, prompt: int, scenario: Scenario) -> bool | None:
    if model.max_input is not None and prompt > model.max_input:
        return True
    if model.context is None:
        return None
    return prompt + scenario.output_tokens + scenario.reasoning_tokens > model.context


def _usd_label(label: Label, price: Price, change: Change | None, scenario: Scenario) -> Label:
    """Return the label of the money: at best estimated if the price depends on the hour and the hour is unknown."""
    labels: list[Label] = [label]
    if change is not None and change.assumed:
        labels.append("assumed")
    if depends_on_hour(price, scenario.on) is not None and scenario.hours not in ("peak", "off-peak"):
        labels.append("estimated")
    return least_sure(*labels)


def _price_note(price: Price, change: Change | None, scenario: Scenario) -> str:
    """Return why there is no price or it is uncertain; "" if it is published and the same at all hours."""
    notes, on = [], scenario.on
    if scenario.service and all(one.name != scenario.service for one in price.services):
        notes.append(f"no {scenario.service} {NO_SERVICE}")
    if price.known_from is not None and on < price.known_from:
        notes.append(f"{NO_PRICE_YET} {price.known_from.isoformat()}")
    if change is not None and change.assumed:
        notes.append(f"assumed price: {change.note}" if change.note else "assumed price")
    off_peak = depends_on_hour(price, on)
    if off_peak is not None:
        notes.append(_hours_note(off_peak, scenario))
    return "; ".join(notes)


def _hours_note(off_peak: OffPeak, scenario: Scenario) -> str:
    """Describe for which hours the price is, what it is at other hours, and which of the two applies now."""
    hours = f" ({peak_hours(off_peak)})" if off_peak.peak or off_peak.note else ""
    times = "half" if off_peak.factor == _HALF else f"{exact_usd(off_peak.factor)} times"
    if scenario.hours == "off-peak":
        note = f"off-peak price{hours}: {times} the peak price"
    elif scenario.hours == "average" and off_peak.peak:
        note = f"average price of a week: peak price{hours}, {times} that at other times"
    else:
        note = f"peak price{hours}, {times} that at other times"
    now = scenario.now
    if now is None or off_peak.is_peak(now) is None:
        return note
    switch = off_peak.next_switch(now)
    until = f" until {switch:%a %H:%M} UTC" if switch else ""
    return f"{note}; now {'peak' if off_peak.is_peak(now) else 'off-peak'}{until}"


def _context_note(model: Model, count: TokenCount, scenario: Scenario) -> str:
    """Describe what exceeds, or may exceed, the model's limits; "" if all fits or the limits are unknown."""
    for prompt, prompt_is, both_are in ((count.tokens, "is", "are"), (count.high, "may be", "may be")):
        if model.max_input is not None and prompt > model.max_input:
            return f"the prompt {prompt_is} longer than the model's input limit of {model.max_input:,} tokens"
        if model.context is not None and prompt > model.context:
            return f"the prompt {prompt_is} longer than the context window of {model.context:,} tokens"
        if _is_over(model, prompt, scenario):
            return f"prompt and output {both_are} longer than the context window of {model.context:,} tokens"
    return ""


def _notes(model: Model, count: TokenCount, scenario: Scenario, change: Change | None) -> Iterator[str]:
    """Yield remarks on one estimate, for its explanation."""
    if not count.is_complete:
        yield "parts of the request are not counted; the real cost is higher"
    if change is not None and change.note and not change.assumed:
        yield change.note
    coming = model.next_change(scenario.on)
    if coming is not None:
        note = f" ({coming.note})" if coming.note else ""
        yield f"the price changes on {coming.from_date.isoformat()}{note}"
    if model.is_retired(scenario.on):
        yield f"retired on {model.retires.isoformat() if model.retires else ''}"
    elif model.retires is not None:
        yield f"retires on {model.retires.isoformat()}"
    if model.max_output is not None and scenario.output_tokens > model.max_output:
        yield f"the model's output limit is {model.max_output:,} tokens"
    if model.count.note and count.label == model.count.label:
        yield f"count: {model.count.note}"
    if model.is_yours:
        yours = [path for path, origin in model.origin.items() if origin == "yours" and path.startswith("price.")]
        if yours:
            yield f"from your price file: {', '.join(path.removeprefix('price.') for path in yours)}"
    if model.currency != "USD":
        yield f"your prices were converted at 1 {model.currency} = {model.exchange_rate} USD"
    yield from model.notes


def peak_hours(off_peak: OffPeak) -> str:
    """Describe the peak hours, such as ``01:00 to 04:00 UTC, Monday to Friday``."""
    windows = " and ".join(
        f"{start // 60:02}:{start % 60:02} to {end // 60:02}:{end % 60:02}" for start, end in off_peak.peak
    )
    days = off_peak.weekdays
    named = ", ".join(_DAYS[day] for day in days)
    if len(days) > 2 and days == tuple(range(days[0], days[-1] + 1)):
        named = "" if len(days) == 7 else f"{_DAYS[days[0]]} to {_DAYS[days[-1]]}"
    return ", ".join(filter(None, (f"{windows} UTC" if windows else "", named, off_peak.note)))


def _without_count(model: Model, scenario: Scenario) -> CostEstimate:
    """Return the estimate for a prompt that was not counted, with only the model's own facts."""
    return CostEstimate(
        model_id=model.id,
        label=None,
        input_tokens=None,
        input_low=None,
        input_high=None,
        input_usd=None,
        output_usd=None,
        request_usd=None,
        usd=None,
        usd_low=None,
        usd_high=None,
        calls=scenario.calls,
        usd_calls=None,
        usd_calls_low=None,
        usd_calls_high=None,
        unknown=(TOKENS_UNKNOWN,),
        retired=model.is_retired(scenario.on),
        context_share=None,
        over_context=None,
        tier="",
        parts=(),
        factor=scenario.factor,
        notes=(),
        price_checked=model.checked,
        source=model.source,
    )
