"""Sums worked out by hand, written out beside each result; every rule and every boundary."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

import pricing
from pricing.types import CountRule, ScenarioError
from tests.pricing.build import BANDS, FROM, TODAY, Change, Price, Tier, cost, count, model, rates

FULL = rates(input="2", output="10", cached="0.10", cache_write="2.50", cache_write_1h="4")
CACHES = Price(FULL)
OVER = Price(
    FULL,
    tiers=(Tier(rates(input="4", output="15", cached="0.20", cache_write="5", cache_write_1h="8"), over=272_000),),
)


@pytest.mark.parametrize(
    ("tokens", "scenario", "usd"),
    [
        # 12 × 2.50 / 10^6 is not asked here; prices are input 2, output 10, cached 0.10, writes 2.50 and 4
        (0, {}, "0"),
        (1, {}, "0.000002"),  # 1 × 2
        (1_000_000, {}, "2"),  # 1 000 000 × 2
        (12, {"output_tokens": 500}, "0.005024"),  # 12 × 2 + 500 × 10 = 24 + 5000
        (1_234, {"output_tokens": 567}, "0.008138"),  # 1234 × 2 + 567 × 10 = 2468 + 5670
        (0, {"output_tokens": 1}, "0.00001"),  # 1 × 10
        (1_000, {"reasoning_tokens": 300}, "0.005"),  # 1000 × 2 + 300 × 10 = 2000 + 3000
        (1_000, {"output_tokens": 200, "reasoning_tokens": 300}, "0.007"),  # 2000 + 2000 + 3000
        (1_000, {"cached_tokens": 0}, "0.002"),  # 1000 × 2
        (1_000, {"cached_tokens": 400}, "0.00124"),  # 600 × 2 + 400 × 0.10 = 1200 + 40
        (1_000, {"cached_tokens": 1_000}, "0.0001"),  # 1000 × 0.10
        (1_000, {"cache_write_tokens": 400}, "0.0022"),  # 600 × 2 + 400 × 2.50 = 1200 + 1000
        (1_000, {"cache_write_1h_tokens": 400}, "0.0028"),  # 600 × 2 + 400 × 4 = 1200 + 1600
        (
            1_000,
            {"cached_tokens": 500, "cache_write_tokens": 300, "cache_write_1h_tokens": 100, "output_tokens": 10},
            "0.0015",  # 100 × 2 + 500 × 0.10 + 300 × 2.50 + 100 × 4 + 10 × 10 = 200 + 50 + 750 + 400 + 100
        ),
        (1_000, {"cached_share": Decimal("0.4")}, "0.00124"),  # as 400 cached tokens
        (999, {"cached_share": Decimal("0.5")}, "0.0010499"),  # 499 cached: 500 × 2 + 499 × 0.10 = 1000 + 49.9
        (1_000, {"cached_share": Decimal(1)}, "0.0001"),
        (1_000, {"factor": Decimal("1.10")}, "0.0022"),  # 2000 × 1.10
        (1_000, {"factor": Decimal(0)}, "0"),
        (7, {"factor": Decimal("1.123456789")}, "0.000015728395046"),  # 14 × 1.123456789 = 15.728395046
    ],
)
def test_one_request(tokens: int, scenario: dict, usd: str) -> None:
    assert cost(CACHES, tokens, **scenario).usd == Decimal(usd)


@pytest.mark.parametrize(
    ("price", "tokens", "usd", "condition"),
    [
        (OVER, 271_999, "0.543998", ""),  # 271 999 × 2
        (OVER, 272_000, "0.544", ""),  # 272 000 × 2: 'over' is more than
        (OVER, 272_001, "1.088004", "more than 272,000 prompt tokens"),  # 272 001 × 4, the whole request
        (FROM, 199_999, "0.399998", ""),  # 199 999 × 2
        (FROM, 200_000, "0.8", "200,000 prompt tokens or more"),  # 200 000 × 4: 'from' is at least
        (FROM, 200_001, "0.800004", "200,000 prompt tokens or more"),  # 200 001 × 4
        (BANDS, 32_000, "0.032", ""),  # 32 000 × 1
        (BANDS, 32_001, "0.0576018", "more than 32,000 prompt tokens"),  # 32 001 × 1.8
        (BANDS, 127_999, "0.2303982", "more than 32,000 prompt tokens"),  # 127 999 × 1.8
        (BANDS, 128_000, "0.384", "128,000 prompt tokens or more"),  # 128 000 × 3
        (BANDS, 256_000, "0.768", "128,000 prompt tokens or more"),  # 256 000 × 3
        (BANDS, 256_001, "1.536006", "more than 256,000 prompt tokens"),  # 256 001 × 6
    ],
)
def test_boundaries_of_tiers(price: Price, tokens: int, usd: str, condition: str) -> None:
    estimate = cost(price, tokens)
    assert estimate.usd == Decimal(usd)
    assert estimate.tier == condition


def test_a_tier_reprices_output_too() -> None:
    # 272 001 × 4 + 1000 × 15 = 1 088 004 + 15 000
    assert cost(OVER, 272_001, output_tokens=1_000).usd == Decimal("1.103004")


def test_output_never_triggers_a_tier() -> None:
    # 272 000 × 2 + 500 000 × 10 = 544 000 + 5 000 000
    assert cost(OVER, 272_000, output_tokens=500_000).usd == Decimal("5.544")


def test_cached_and_written_tokens_count_towards_the_tier() -> None:
    # whole prompt 272 001: 1 × 4 + 200 000 × 0.20 + 50 000 × 5 + 22 000 × 8 = 4 + 40 000 + 250 000 + 176 000
    estimate = cost(OVER, 272_001, cached_tokens=200_000, cache_write_tokens=50_000, cache_write_1h_tokens=22_000)
    assert estimate.usd == Decimal("0.466004")


def test_a_tier_that_names_only_input_keeps_output_but_not_the_cache_prices() -> None:
    price = Price(rates(input="2", output="8", cached="0.5"), tiers=(Tier(rates(input="4"), over=100),))
    # 51 × 4 + 50 × 4 + 10 × 8 = 204 + 200 + 80: cached has no price up here, input stands in
    estimate = cost(price, 101, cached_tokens=50, output_tokens=10)
    assert estimate.usd == Decimal("0.000484")
    assert any("no published price" in part.note for part in estimate.parts if part.name == "cached")


def test_a_tier_that_names_only_output_keeps_the_rest() -> None:
    price = Price(rates(input="2", output="8", cached="0.5"), tiers=(Tier(rates(output="12"), over=100),))
    # 51 × 2 + 50 × 0.5 + 10 × 12 = 102 + 25 + 120
    assert cost(price, 101, cached_tokens=50, output_tokens=10).usd == Decimal("0.000247")


def test_a_tier_of_unknown_prices_is_unknown() -> None:
    price = Price(rates(input="8", output="40"), tiers=(Tier(rates(), over=272_000, unknown=("input", "output")),))
    assert cost(price, 272_000, output_tokens=1).usd == Decimal("2.17604")  # 272 000 × 8 + 40
    above = cost(price, 272_001, output_tokens=1, cached_tokens=5)
    assert above.usd is None
    assert above.unknown == ("input", "output")


@pytest.mark.parametrize(
    ("batch", "scenario", "usd"),
    [
        ("half", {}, "0.001"),  # 1000 × 1
        ("half", {"output_tokens": 100}, "0.0015"),  # 1000 × 1 + 100 × 5
        ("half", {"cached_tokens": 400}, "0.00062"),  # 600 × 1 + 400 × 0.05 = 600 + 20
        ("half", {"cache_write_tokens": 400}, "0.0011"),  # 600 × 1 + 400 × 1.25 = 600 + 500
        ("half", {"cache_write_1h_tokens": 400}, "0.0014"),  # 600 × 1 + 400 × 2 = 600 + 800
        (rates(input="1.6", output="8"), {"output_tokens": 100}, "0.0024"),  # 1000 × 1.6 + 100 × 8
        (rates(input="1.6", output="8", cached="0.08"), {"cached_tokens": 500}, "0.00084"),  # 500 × 1.6 + 500 × 0.08
        # no batch price for cached input: the normal one counts. 500 × 1 + 500 × 0.10
        (rates(input="1", output="5"), {"cached_tokens": 500}, "0.00055"),
    ],
)
def test_batch(batch: object, scenario: dict, usd: str) -> None:
    price = Price(FULL, batch=batch)
    assert cost(price, 1_000, batch=True, **scenario).usd == Decimal(usd)


def test_batch_without_a_cached_price_anywhere_takes_its_own_input() -> None:
    price = Price(rates(input="2", output="8"), batch=rates(input="1", output="4"))
    assert cost(price, 1_000, batch=True, cached_tokens=500).usd == Decimal("0.001")  # 500 × 1 + 500 × 1


def test_no_batch_price_is_unknown_and_never_the_normal_one() -> None:
    estimate = cost(CACHES, 1_000, batch=True)
    assert estimate.usd is None
    assert estimate.unknown == ("batch",)
    assert cost(Price(FULL, batch=rates(input="1")), 1_000, batch=True).usd == Decimal("0.001")
    assert cost(Price(FULL, batch=rates(input="1")), 1_000, batch=True, output_tokens=1).unknown == ("batch.output",)


def test_half_reaches_into_tiers_and_a_block_does_not() -> None:
    tier = Tier(rates(input="4", output="15"), over=100)
    assert cost(Price(FULL, batch="half", tiers=(tier,)), 101, batch=True).usd == Decimal("0.000202")  # 101 × 2
    block = Price(FULL, batch=rates(input="1.6", output="8"), tiers=(tier,))
    assert cost(block, 101, batch=True).unknown == ("batch",)
    own = Tier(rates(input="4", output="15"), over=100, batch=rates(input="3.2", output="12"))
    assert cost(Price(FULL, batch="half", tiers=(own,)), 101, batch=True).usd == Decimal("0.0003232")  # 101 × 3.2


def test_batch_and_factor_and_calls_multiply() -> None:
    # 1000 × 1 = 0.001, × 1.1 = 0.0011, × 2500 = 2.75
    estimate = cost(Price(FULL, batch="half"), 1_000, batch=True, factor=Decimal("1.1"), calls=2_500)
    assert (estimate.usd, estimate.usd_calls) == (Decimal("0.0011"), Decimal("2.75"))


def test_fee_per_request() -> None:
    price = Price(rates(input="0.40", output="0.40"), per_request=Decimal("0.0005"), batch="half")
    estimate = cost(price, 1_000, output_tokens=250, calls=10)
    # 1000 × 0.40 + 250 × 0.40 = 0.0005, and the fee 0.0005
    assert estimate.usd == Decimal("0.001")
    assert estimate.request_usd == Decimal("0.0005")
    assert estimate.usd_calls == Decimal("0.01")
    # the fee is not halved: 1000 × 0.20 + 0.0005
    assert cost(price, 1_000, batch=True).usd == Decimal("0.0007")


def test_embeddings_have_free_output() -> None:
    estimate = cost(Price(rates(input="0.02", output="0")), 8_191, output_tokens=100)
    assert estimate.usd == Decimal("0.00016382")  # 8191 × 0.02
    assert estimate.output_usd == 0
    assert not estimate.unknown


def test_reasoning_may_have_a_price_of_its_own() -> None:
    price = Price(rates(input="1", output="4", reasoning="12"))
    # 100 × 1 + 10 × 4 + 5 × 12 = 100 + 40 + 60
    assert cost(price, 100, output_tokens=10, reasoning_tokens=5).usd == Decimal("0.0002")


def test_a_missing_price_is_never_free() -> None:
    price = Price(rates(input="2"))
    assert cost(price, 1_000).usd == Decimal("0.002")
    estimate = cost(price, 1_000, output_tokens=1)
    assert (estimate.usd, estimate.usd_low, estimate.usd_high, estimate.usd_calls) == (None, None, None, None)
    assert estimate.unknown == ("output",)
    assert estimate.input_usd == Decimal("0.002")
    assert estimate.output_usd is None
    assert cost(Price(rates(output="2")), 1).unknown == ("input",)


def test_missing_cache_prices_cost_what_input_costs_and_say_so() -> None:
    price = Price(rates(input="2", output="8"))
    estimate = cost(price, 1_000, cached_tokens=300, cache_write_tokens=300, cache_write_1h_tokens=300)
    assert estimate.usd == Decimal("0.002")
    said = [part.name for part in estimate.parts if "the input price is used" in part.note]
    assert said == ["cached", "cache_write", "cache_write_1h"]
    assert sum("the input price is used" in line for line in estimate.explanation) == 3


def test_a_long_write_without_a_price_is_unknown_beside_a_short_one() -> None:
    estimate = cost(Price(rates(input="2", output="8", cache_write="2.50")), 1_000, cache_write_1h_tokens=1)
    assert estimate.usd is None
    assert estimate.unknown == ("cache_write_1h",)


CHANGING = Price(
    rates(input="2", output="10", cached="0.10"),
    batch="half",
    tiers=(Tier(rates(input="3"), over=1_000),),
    changes=(
        Change(date(2026, 12, 1), rates(input="4", output="20"), note="launch price ends"),
        Change(date(2027, 1, 1), rates(input="5"), tiers=(), per_request=Decimal("0.01")),
    ),
)


@pytest.mark.parametrize(
    ("day", "usd"),
    [
        (date(2026, 11, 30), "0.00021"),  # 100 × 2 + 1 × 10
        (date(2026, 12, 1), "0.00042"),  # 100 × 4 + 1 × 20
        (date(2026, 12, 31), "0.00042"),
        (date(2027, 1, 1), "0.01052"),  # 100 × 5 + 1 × 20, and the fee
    ],
)
def test_prices_of_a_day(day: date, usd: str) -> None:
    assert cost(CHANGING, 100, output_tokens=1, on=day).usd == Decimal(usd)


def test_a_change_keeps_what_it_does_not_name() -> None:
    december = date(2026, 12, 5)
    assert cost(CHANGING, 100, cached_tokens=100, on=december).usd == Decimal("0.00001")  # 100 × 0.10
    assert cost(CHANGING, 1_001, on=december).usd == Decimal("0.003003")  # the tier of before, 1001 × 3
    assert cost(CHANGING, 1_001, on=date(2027, 1, 1)).usd == Decimal("0.015005")  # no tier any more, 1001 × 5 + fee
    assert cost(CHANGING, 100, batch=True, on=december).usd == Decimal("0.0002")  # half of 4


def test_a_batch_block_does_not_outlive_the_prices_it_belongs_to() -> None:
    change = Change(date(2026, 12, 1), rates(input="4"))
    price = Price(rates(input="2", output="10"), batch=rates(input="1", output="5"), changes=(change,))
    assert cost(price, 100, batch=True).usd == Decimal("0.0001")
    assert cost(price, 100, batch=True, on=date(2026, 12, 1)).unknown == ("batch",)


def test_a_coming_change_is_announced() -> None:
    assert any("changes on 2026-12-01 (launch price ends)" in line for line in cost(CHANGING, 1).explanation)
    assert "launch price ends" in cost(CHANGING, 1, on=date(2026, 12, 1)).explanation


@pytest.mark.parametrize(("day", "retired"), [(29, False), (30, True)])
def test_retirement(day: int, retired: bool) -> None:
    one = model(retires=date(2026, 11, 30))
    estimate = cost(one, 1, on=date(2026, 11, day))
    assert estimate.retired is retired
    assert estimate.usd == Decimal("0.000002")


class TestRanges:
    def test_both_ends_are_priced(self) -> None:
        # 1000 to 1500 tokens at 2, and 100 of output at 10
        estimate = cost(CACHES, count(1_200, 1_000, 1_500), output_tokens=100, calls=3)
        assert estimate.usd == Decimal("0.0034")
        assert (estimate.usd_low, estimate.usd_high) == (Decimal("0.003"), Decimal("0.004"))
        assert (estimate.usd_calls_low, estimate.usd_calls_high) == (Decimal("0.009"), Decimal("0.012"))

    def test_the_ends_may_lie_in_different_tiers(self) -> None:
        estimate = cost(OVER, count(260_000, 200_000, 300_000))
        assert estimate.usd == Decimal("0.52")  # 260 000 × 2
        assert (estimate.usd_low, estimate.usd_high) == (Decimal("0.4"), Decimal("1.2"))  # × 2 and × 4
        assert estimate.tier == ""

    def test_a_cheaper_tier_at_the_upper_end_is_seen(self) -> None:
        price = Price(rates(input="4", output="4"), tiers=(Tier(rates(input="1"), over=1_000),))
        estimate = cost(price, count(900, 800, 1_200))
        assert estimate.usd == Decimal("0.0036")  # 900 × 4
        assert estimate.usd_low == Decimal("0.001001")  # 1001 × 1
        assert estimate.usd_high == Decimal("0.004")  # 1000 × 4

    def test_cached_tokens_shrink_with_the_low_end(self) -> None:
        estimate = cost(CACHES, count(1_000, 500, 1_500), cached_tokens=800)
        # low: 500 × 0.10; point: 200 × 2 + 800 × 0.10; high: 700 × 2 + 800 × 0.10
        assert estimate.usd_low == Decimal("0.00005")
        assert estimate.usd == Decimal("0.00048")
        assert estimate.usd_high == Decimal("0.00148")

    def test_an_end_of_unknown_price_is_unknown(self) -> None:
        price = Price(rates(input="8"), tiers=(Tier(rates(), over=1_000, unknown=("input",)),))
        estimate = cost(price, count(900, 800, 1_200))
        assert estimate.usd == Decimal("0.0072")
        assert (estimate.usd_low, estimate.usd_high) == (None, None)
        assert any("there is no price at one end" in line for line in estimate.explanation)


class TestContext:
    def test_share(self) -> None:
        assert cost(model(context=400_000), 100_000).context_share == Decimal("0.25")
        assert cost(model(), 100_000).context_share is None

    @pytest.mark.parametrize(("output", "over"), [(28_000, False), (28_001, True)])
    def test_output_takes_room_too(self, output: int, over: bool) -> None:
        assert cost(model(context=128_000), 100_000, output_tokens=output).over_context is over

    def test_the_limit_of_the_prompt(self) -> None:
        one = model(context=400_000, max_input=272_000)
        assert cost(one, 272_000).over_context is False
        estimate = cost(one, 272_001)
        assert estimate.over_context is True
        assert any("input limit of 272,000 tokens" in line for line in estimate.explanation)
        assert cost(model(), 1).over_context is None


@pytest.mark.parametrize(
    ("tokens", "scenario", "sentence"),
    [
        (10, {"cached_tokens": 11}, "11 tokens are read from the cache or written to it, but the prompt has only 10"),
        (10, {"cached_tokens": 5, "cache_write_tokens": 6}, "11 tokens are read"),
        (10, {"cached_share": Decimal(1), "cache_write_1h_tokens": 1}, "11 tokens are read"),
        (10, {"output_tokens": -1}, "the number of output tokens cannot be negative"),
        (10, {"reasoning_tokens": -1}, "the number of reasoning tokens cannot be negative"),
        (10, {"cached_tokens": -1}, "the number of cached tokens cannot be negative"),
        (10, {"cache_write_tokens": -1}, "cannot be negative"),
        (10, {"calls": -1}, "the number of calls cannot be negative"),
        (-10, {}, "the number of prompt tokens cannot be negative"),
        (10, {"output_tokens": 10**15 + 1}, "is too large"),
        (10, {"factor": Decimal(-1)}, "the factor must be between"),
        (10, {"factor": Decimal("NaN")}, "the factor must be between"),
        (10, {"factor": Decimal("Infinity")}, "the factor must be between"),
        (10, {"factor": 1.1}, "the factor must be a Decimal .got 1.1."),
        (10, {"cached_share": 0.5}, "the cached share must be a Decimal .got 0.5."),
        (10, {"factor": Decimal("1e-31")}, "too many decimal places"),
        (10, {"cached_share": Decimal("1.01")}, "the cached share must be between 0 and 1"),
        (10, {"cached_share": Decimal("0.5"), "cached_tokens": 1}, "not both"),
    ],
)
def test_what_cannot_be_is_refused(tokens: int, scenario: dict, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        cost(CACHES, tokens, **scenario)


def test_a_count_must_lie_in_its_range() -> None:
    with pytest.raises(ScenarioError, match="must be within its range"):
        cost(CACHES, count(10, 11, 12))


def test_sums_are_exact_at_the_limits() -> None:
    price = Price(rates(input="999999999.999999999999", output="0.000000000001"))
    factor = Decimal("1.000000000000000000000000000001")
    estimate = cost(price, 10**15, output_tokens=1, factor=factor, calls=10**15)
    one_call = Fraction("999999999.999999999999") * 10**9 + Fraction(1, 10**18)
    assert Fraction(estimate.usd) == one_call * Fraction(factor)
    assert Fraction(estimate.usd_calls) == one_call * Fraction(factor) * 10**15


def test_nothing_is_known_without_a_count() -> None:
    estimate = pricing.estimate(model(), None, pricing.Scenario(on=TODAY))
    assert estimate.usd is None
    assert estimate.unknown == ("tokens",)
    assert estimate.explanation == ("the token count of the prompt is unknown",)


def test_the_explanation_is_the_sum() -> None:
    one = model(OVER, source="https://example.org/prices", checked=date(2026, 11, 8), context=1_000)
    estimate = cost(one, 1_500, cached_tokens=500, output_tokens=20, factor=Decimal("1.10"), calls=100)
    assert estimate.explanation == (
        "fresh input: 1,000 tokens × $2 / 1,000,000 = $0.002",
        "cached input: 500 tokens × $0.1 / 1,000,000 = $0.00005",
        "output: 20 tokens × $10 / 1,000,000 = $0.0002",
        "times 1.1",
        "one call: $0.002475",
        "100 calls: $0.2475",
        "the prompt is longer than the context window of 1,000 tokens",
        "prices checked on 2026-11-08",
        "source: https://example.org/prices",
    )


def test_currency_and_count_notes_are_told() -> None:
    rule = CountRule("o200k_base", "exact", note="how it was counted")
    one = model(currency="EUR", exchange_rate=Decimal("1.1640"))
    estimate = cost(one, 1)
    assert "your prices were converted at 1 EUR = 1.1640 USD" in estimate.explanation
    assert not any("how it was counted" in line for line in estimate.explanation)
    assert "count: how it was counted" in cost(replace(one, count=rule), 1).explanation
