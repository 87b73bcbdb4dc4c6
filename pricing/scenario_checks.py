"""Refuses scenarios that cannot be, each with a sentence."""

from __future__ import annotations

from decimal import Context, Decimal

from pricing.types import HOURS, SERVICES, Scenario, ScenarioError, TokenCount

MAX_TOKENS = 10**15
"""More tokens or calls than this are taken for a slip."""

MAX_FACTOR = Decimal(1_000_000)
MAX_DECIMALS = 30

_EXACT = Context(prec=120)


def check(count: TokenCount | None, scenario: Scenario) -> None:
    """Raise ScenarioError for a scenario that cannot be, of itself or with a prompt of this size."""
    _check_amounts(count, scenario)
    _check_range("output", scenario.output_tokens, scenario.output_range)
    _check_range("reasoning", scenario.reasoning_tokens, scenario.reasoning_range)
    _check_factors(scenario)
    _check_service(scenario)
    if count is None:
        return
    if not 0 <= count.low <= count.tokens <= count.high <= MAX_TOKENS * 100:
        raise ScenarioError(f"the count {count.tokens:,} must lie in its range {count.low:,} to {count.high:,}")
    special = cached_tokens(count.tokens, scenario) + scenario.cache_write_tokens + scenario.cache_write_1h_tokens
    if special > count.tokens:
        raise ScenarioError(
            f"{special:,} tokens are read from the cache or written to it, but the prompt has only {count.tokens:,}"
        )


def _check_amounts(count: TokenCount | None, scenario: Scenario) -> None:
    numbers = (
        *(scenario.output_tokens, scenario.reasoning_tokens, scenario.cached_tokens or 0, scenario.calls),
        *(scenario.cache_write_tokens, scenario.cache_write_1h_tokens, count.tokens if count else 0),
        *(scenario.audio_input_tokens, scenario.audio_output_tokens, scenario.searches),
    )
    if min(numbers) >= 0 and max(numbers) <= MAX_TOKENS:
        return
    amounts = {
        "output tokens": scenario.output_tokens,
        "reasoning tokens": scenario.reasoning_tokens,
        "cached tokens": scenario.cached_tokens or 0,
        "tokens written to the cache": scenario.cache_write_tokens,
        "tokens written to the cache for an hour": scenario.cache_write_1h_tokens,
        "audio tokens sent": scenario.audio_input_tokens,
        "audio tokens answered": scenario.audio_output_tokens,
        "searches": scenario.searches,
        "calls": scenario.calls,
        "prompt tokens": count.tokens if count else 0,
    }
    for what, amount in amounts.items():
        if amount < 0:
            raise ScenarioError(f"the number of {what} cannot be negative (got {amount:,})")
        if amount > MAX_TOKENS:
            raise ScenarioError(f"the number of {what} is too big (got {amount:,}, at most {MAX_TOKENS:,})")


def _check_service(scenario: Scenario) -> None:
    for what, given, known in (("service", scenario.service, SERVICES), ("hours", scenario.hours, HOURS)):
        if given and given not in known:
            raise ScenarioError(f"the {what} must be one of {', '.join(known)} (got {given!r})")
    if scenario.service and scenario.batch:
        raise ScenarioError(f"give the batch service or the {scenario.service} service, not both")


def cached_tokens(prompt: int, scenario: Scenario) -> int:
    """How many tokens of a prompt are read from the cache; a share of it is rounded down."""
    if scenario.cached_share is not None:
        return int(_EXACT.multiply(Decimal(prompt), scenario.cached_share))
    return scenario.cached_tokens or 0


def _check_range(what: str, tokens: int, given: tuple[int, int] | None) -> None:
    if given is not None and not 0 <= given[0] <= tokens <= given[1] <= MAX_TOKENS:
        raise ScenarioError(
            f"the number of {what} tokens, {tokens:,}, must lie in its range {given[0]:,} to {given[1]:,}"
        )


def check_share(what: str, share: Decimal) -> None:
    """Raise ScenarioError for a share that does not lie between 0 and 1."""
    if not share.is_finite() or not 0 <= share <= 1:
        raise ScenarioError(f"the {what} must lie between 0 and 1 (got {share})")
    _check_decimals(what, share)


def _check_factors(scenario: Scenario) -> None:
    if not scenario.factor.is_finite() or not 0 <= scenario.factor <= MAX_FACTOR:
        raise ScenarioError(f"the factor must lie between 0 and {MAX_FACTOR:,} (got {scenario.factor})")
    _check_decimals("factor", scenario.factor)
    if scenario.cached_share is None:
        return
    if scenario.cached_tokens is not None:
        raise ScenarioError("give the cached part as tokens or as a share, not both")
    check_share("cached share", scenario.cached_share)


def _check_decimals(what: str, value: Decimal) -> None:
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > MAX_DECIMALS:
        raise ScenarioError(f"the {what} has too many decimals (at most {MAX_DECIMALS})")
