"""What holds for every price and every scenario."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import pricing
from pricing.scenarios import exactly
from pricing.types import RATE_NAMES, Price, Rates, Scenario, Tier, TokenCount
from tests.pricing.build import TODAY, model

prices = st.one_of(st.none(), st.decimals(min_value=0, max_value=200, places=4))
all_rates = st.builds(
    Rates,
    input=st.decimals(min_value=0, max_value=200, places=4),
    output=st.decimals(min_value=0, max_value=200, places=4),
    cached=prices,
    cache_write=prices,
    cache_write_1h=prices,
    reasoning=prices,
)
batches = st.one_of(st.none(), st.just("half"), all_rates)


@st.composite
def price_tables(draw: st.DrawFn, tiers: int = 3) -> Price:
    thresholds = draw(st.lists(st.integers(1, 3_000), unique=True, max_size=tiers).map(sorted))
    made = tuple(
        Tier(draw(all_rates), over=limit, batch=draw(batches))
        if draw(st.booleans())
        else Tier(draw(all_rates), from_=limit)
        for limit in thresholds
        if limit + 1 not in thresholds
    )
    fee = draw(st.one_of(st.none(), st.decimals(min_value=0, max_value=1, places=4)))
    return Price(draw(all_rates), per_request=fee, batch=draw(batches), tiers=made)


@st.composite
def requests(draw: st.DrawFn) -> tuple[TokenCount, Scenario]:
    low, tokens, high = sorted(draw(st.tuples(*[st.integers(0, 4_000)] * 3)))
    share = draw(st.one_of(st.none(), st.decimals(min_value=0, max_value=1, places=3)))
    cached = int(tokens * share) if share is not None else draw(st.integers(0, tokens))
    written = draw(st.integers(0, tokens - cached))
    scenario = Scenario(
        on=TODAY,
        output_tokens=draw(st.integers(0, 1_000)),
        reasoning_tokens=draw(st.integers(0, 1_000)),
        cached_tokens=cached if share is None else None,
        cached_share=share,
        cache_write_tokens=written,
        cache_write_1h_tokens=draw(st.integers(0, tokens - cached - written)),
        batch=draw(st.booleans()),
        calls=draw(st.integers(0, 10_000)),
        factor=draw(st.decimals(min_value=0, max_value=10, places=4)),
    )
    return TokenCount(tokens, low, high, "estimated"), scenario


@given(price_tables(), requests())
def test_parts_make_the_whole_exactly(price: Price, request: tuple[TokenCount, Scenario]) -> None:
    count, scenario = request
    estimate = pricing.estimate(model(price), count, scenario)
    prompt = sum(part.tokens or 0 for part in estimate.parts if part.name.startswith(("input", "cache")))
    assert prompt == count.tokens
    if estimate.usd is None:
        assert estimate.unknown
        return
    assert not estimate.unknown
    sums = [estimate.input_usd, estimate.output_usd, estimate.request_usd]
    assert sum(map(Fraction, sums)) == Fraction(estimate.usd)
    by_hand = sum(
        Fraction(part.usd_per_mtok) * part.tokens / 10**6 if part.tokens is not None else Fraction(part.usd)
        for part in estimate.parts
    )
    assert by_hand * Fraction(scenario.factor) == Fraction(estimate.usd)
    assert Fraction(estimate.usd_calls) == Fraction(estimate.usd) * scenario.calls


@given(price_tables(), requests())
def test_the_range_holds_every_length_in_it(price: Price, request: tuple[TokenCount, Scenario]) -> None:
    count, scenario = request
    estimate = pricing.estimate(model(price), count, scenario)
    if estimate.usd_low is None or estimate.usd_high is None:
        return
    assert estimate.usd_low <= estimate.usd <= estimate.usd_high
    special = (scenario.cached_tokens or 0) + scenario.cache_write_tokens + scenario.cache_write_1h_tokens
    for tokens in {max(count.low, special), (count.low + count.high) // 2, count.high}:
        if scenario.cached_share is not None or tokens < special or not count.low <= tokens <= count.high:
            continue
        one = pricing.estimate(model(price), TokenCount(tokens, tokens, tokens, "exact"), scenario)
        assert estimate.usd_low <= one.usd <= estimate.usd_high


@given(price_tables(tiers=0), requests(), st.integers(1, 500))
def test_more_tokens_never_cost_less_without_tiers(
    price: Price, request: tuple[TokenCount, Scenario], more: int
) -> None:
    count, scenario = request
    before = pricing.estimate(model(price), count, scenario)
    grown = TokenCount(count.tokens + more, count.low, count.high + more, "estimated")
    after = pricing.estimate(model(price), grown, scenario)
    if before.usd is not None and after.usd is not None and scenario.cached_share is None:
        assert after.usd >= before.usd


@given(price_tables(), requests(), st.integers(1, 500))
def test_more_output_never_costs_less(price: Price, request: tuple[TokenCount, Scenario], more: int) -> None:
    count, scenario = request
    before = pricing.estimate(model(price), count, scenario)
    after = pricing.estimate(model(price), count, replace(scenario, output_tokens=scenario.output_tokens + more))
    if before.usd is not None and after.usd is not None:
        assert after.usd >= before.usd


@given(price_tables(), requests(), st.integers(1, 500))
def test_more_tokens_never_cost_less_within_a_tier(
    price: Price, request: tuple[TokenCount, Scenario], more: int
) -> None:
    count, scenario = request
    tokens = count.tokens + more
    if scenario.cached_share is not None or pricing.tier_for(price, count.tokens) != pricing.tier_for(price, tokens):
        return
    before = pricing.estimate(model(price), exactly(count.tokens), scenario)
    after = pricing.estimate(model(price), exactly(tokens), scenario)
    assert (before.usd is None) <= (after.usd is None)
    if before.usd is not None and after.usd is not None:
        assert after.usd >= before.usd


@given(price_tables(tiers=0), st.integers(1, 3_000), st.integers(0, 4_000), st.integers(1, 500), requests())
def test_more_tokens_never_cost_less_where_tiers_are_dearer(
    price: Price, threshold: int, tokens: int, more: int, request: tuple[TokenCount, Scenario]
) -> None:
    dearer = Rates(
        *(None if rate is None else rate * 2 for rate in (getattr(price.rates, name) for name in RATE_NAMES))
    )
    price = replace(price, batch="half", tiers=(Tier(dearer, over=threshold),))
    scenario = replace(request[1], cached_tokens=0, cached_share=None, cache_write_tokens=0, cache_write_1h_tokens=0)
    before = pricing.estimate(model(price), exactly(tokens), scenario)
    after = pricing.estimate(model(price), exactly(tokens + more), scenario)
    assert after.usd >= before.usd


@given(price_tables(), requests(), st.integers(0, 500), st.integers(0, 500), st.data())
def test_ranges_of_output_hold_every_output_in_them(
    price: Price, request: tuple[TokenCount, Scenario], fewer: int, more: int, data: st.DataObject
) -> None:
    count, scenario = request
    output = (max(0, scenario.output_tokens - fewer), scenario.output_tokens + more)
    estimate = pricing.estimate(model(price), count, replace(scenario, output_range=output))
    if estimate.usd_low is None or estimate.usd_high is None:
        return
    assert estimate.usd_low <= estimate.usd <= estimate.usd_high
    one = replace(scenario, output_tokens=data.draw(st.integers(*output)))
    assert estimate.usd_low <= pricing.estimate(model(price), count, one).usd <= estimate.usd_high


@given(price_tables(), requests())
def test_the_prompts_part_has_its_own_range(price: Price, request: tuple[TokenCount, Scenario]) -> None:
    count, scenario = request
    estimate = pricing.estimate(model(price), count, scenario)
    if estimate.input_usd_low is None or estimate.input_usd_high is None:
        return
    assert estimate.input_usd_low <= estimate.input_usd <= estimate.input_usd_high
    silent = pricing.estimate(model(price), count, replace(scenario, output_tokens=0, reasoning_tokens=0))
    fee = silent.request_usd
    assert (estimate.input_usd_low + fee, estimate.input_usd_high + fee) == (silent.usd_low, silent.usd_high)


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    for problem in pricing.check_text(text, "any.yaml"):
        assert problem.line >= 1
        assert problem.column >= 1
        assert "\n" not in str(problem)


PIECES = """
version:|1|models:|acme/one:|price:|input:|2|-|{|}|[|]|'|"|&a|*a|<<:|>|#|!!int|:|?|null|over:|tiers:|---|%|@|,
"""
YAML_PIECES = st.lists(
    st.sampled_from([*PIECES.strip().split("|"), "|", "\n", "\n  ", "\n    ", " ", "\t"]), max_size=60
)


@given(YAML_PIECES)
def test_no_yaml_breaks_the_reader(pieces: list[str]) -> None:
    problems = pricing.check_text("version: 1\nmodels:\n  acme/one:\n" + "".join(pieces), "any.yaml")
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


@given(st.decimals(min_value=0, max_value=10**9 - 1, places=12))
def test_prices_pass_through_unchanged(price: Decimal) -> None:
    from pricing.load import read_price_text

    file = read_price_text(f"version: 1\nmodels:\n  a/b: {{price: {{input: {price:f}}}}}\n", "any.yaml")
    assert not file.problems
    assert file.models["a/b"].fields["price.input"] == price
