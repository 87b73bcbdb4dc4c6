"""Golden calculations, each worked out by hand: the sum stands beside the result, in millionths of a dollar.

Every rule is here, and each of its boundaries: one below, at, one above.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from pricing.types import Change, CostEstimate, Price, Scenario, Tier
from tests.pricing.build import BANDS, FROM, cost, count, rates

BASE = rates(input="3", output="15", cached="0.30", cache_write="3.75", cache_write_1h="6", reasoning="20")
SIMPLE = Price(rates(input="3", output="15"))
FULL = Price(BASE, per_request=Decimal("0.005"), batch="half")
OVER = Price(
    rates(input="2", output="10", cached="0.20", cache_write="2.50", cache_write_1h="4"),
    batch="half",
    tiers=(Tier(rates(input="4", output="15", cached="0.40", cache_write="5", cache_write_1h="8"), over=200_000),),
)
BATCHED = Price(
    rates(input="2", output="10", cached="0.20", cache_write="2.50"),
    batch=rates(input="1", output="4", cached="0.20"),
    tiers=(Tier(rates(input="4", output="18"), over=1_000, batch=rates(input="2", output="9", cached="0.40")),),
)
DATED = Price(
    rates(input="2", output="10", cached="0.10"),
    per_request=Decimal("0.001"),
    batch="half",
    tiers=(Tier(rates(input="3"), over=1_000),),
    changes=(
        Change(date(2026, 12, 1), rates(input="4", output="20")),
        Change(date(2027, 1, 1), rates(cached="0.40"), tiers=(), unknown=("per_request", "batch")),
        Change(date(2027, 2, 1), rates(input="5"), per_request=Decimal("0.002"), unknown=("output",)),
    ),
)
EMBEDDING = Price(rates(input="0.02", output="0"))
FREE = Price(rates(input="0", output="0"))
NOV, DEC, JAN, FEB = date(2026, 11, 30), date(2026, 12, 1), date(2027, 1, 1), date(2027, 2, 1)

GOLDEN: list[tuple[str, Price, int, dict[str, Any], str]] = [
    # input and output
    ("nothing", SIMPLE, 0, {}, "0"),
    ("one token", SIMPLE, 1, {}, "0.000003"),  # 1 × 3
    ("a million", SIMPLE, 1_000_000, {}, "3"),
    ("output alone", SIMPLE, 0, {"output_tokens": 1}, "0.000015"),  # 1 × 15
    ("both", SIMPLE, 1_234, {"output_tokens": 567}, "0.012207"),  # 3702 + 8505
    # the cache
    ("all cached", FULL, 1_000, {"cached_tokens": 1_000}, "0.0053"),  # 1000 × 0.30 + fee 5000
    ("one fresh", FULL, 1_000, {"cached_tokens": 999}, "0.0053027"),  # 999 × 0.30 + 3 + 5000 = 299.7 + 3 + 5000
    ("one cached", FULL, 1_000, {"cached_tokens": 1}, "0.0079973"),  # 999 × 3 + 0.30 + 5000
    ("written", FULL, 1_000, {"cache_write_tokens": 1_000}, "0.00875"),  # 3750 + 5000
    ("written for an hour", FULL, 1_000, {"cache_write_1h_tokens": 1_000}, "0.011"),  # 6000 + 5000
    (
        "every part",  # 100 × 3 + 400 × 0.30 + 300 × 3.75 + 200 × 6 + 50 × 15 + 10 × 20 + 5000
        FULL,  # 300 + 120 + 1125 + 1200 + 750 + 200 + 5000
        1_000,
        {
            "cached_tokens": 400,
            "cache_write_tokens": 300,
            "cache_write_1h_tokens": 200,
            "output_tokens": 50,
            "reasoning_tokens": 10,
        },
        "0.008695",
    ),
    ("a share, rounded down", FULL, 7, {"cached_share": Decimal("0.5")}, "0.0050129"),  # 3 × 0.30 + 4 × 3 + 5000
    ("a third of three", FULL, 3, {"cached_share": Decimal("0.34")}, "0.0050063"),  # 1 × 0.30 + 2 × 3 + 5000
    ("less than a third of three", FULL, 3, {"cached_share": Decimal("0.33")}, "0.005009"),  # 0 + 9 + 5000
    ("no cache price: input's", SIMPLE, 1_000, {"cached_tokens": 1_000}, "0.003"),
    ("no write price: input's", SIMPLE, 1_000, {"cache_write_tokens": 1_000}, "0.003"),
    ("no hour price, no other: input's", SIMPLE, 1_000, {"cache_write_1h_tokens": 1_000}, "0.003"),
    # reasoning
    ("reasoning of its own", FULL, 0, {"reasoning_tokens": 100}, "0.007"),  # 100 × 20 + 5000
    ("reasoning as output", SIMPLE, 0, {"reasoning_tokens": 100}, "0.0015"),  # 100 × 15
    # the fee
    ("a fee for nothing", FULL, 0, {}, "0.005"),
    ("a fee is not halved", FULL, 1_000, {"batch": True}, "0.0065"),  # 1000 × 1.5 + 5000
    ("a fee is multiplied", FULL, 0, {"factor": Decimal("1.2")}, "0.006"),  # 5000 × 1.2
    # batch
    ("half of input and output", OVER, 1_000, {"batch": True, "output_tokens": 100}, "0.0015"),  # 1000 + 100 × 5
    ("half of a cached read", OVER, 1_000, {"batch": True, "cached_tokens": 1_000}, "0.0001"),  # 1000 × 0.10
    ("half of a write", OVER, 1_000, {"batch": True, "cache_write_tokens": 1_000}, "0.00125"),  # 1000 × 1.25
    ("half above a threshold", OVER, 200_001, {"batch": True}, "0.400002"),  # 200 001 × 2
    ("prices of its own", BATCHED, 1_000, {"batch": True, "output_tokens": 10}, "0.00104"),  # 1000 × 1 + 10 × 4
    ("a cached price that is not halved", BATCHED, 1_000, {"batch": True, "cached_tokens": 500}, "0.0006"),  # 500 + 100
    ("a write without a batch price", BATCHED, 10, {"batch": True, "cache_write_tokens": 10}, "0.000025"),  # 10 × 2.50
    ("its own tier", BATCHED, 1_001, {"batch": True, "output_tokens": 10}, "0.002092"),  # 1001 × 2 + 10 × 9
    ("cached in its own tier", BATCHED, 1_001, {"batch": True, "cached_tokens": 1_001}, "0.0004004"),  # 1001 × 0.40
    # more than a threshold
    ("over: one below", OVER, 199_999, {}, "0.399998"),  # 199 999 × 2
    ("over: at it", OVER, 200_000, {}, "0.4"),  # 200 000 × 2
    ("over: one above", OVER, 200_001, {}, "0.800004"),  # 200 001 × 4, the whole request
    ("over: output at it", OVER, 200_000, {"output_tokens": 1_000}, "0.41"),  # 400 000 + 10 000
    ("over: output above it", OVER, 200_001, {"output_tokens": 1_000}, "0.815004"),  # 800 004 + 15 000
    ("over: output does not count", OVER, 200_000, {"output_tokens": 1_000_000}, "10.4"),  # 400 000 + 10 000 000
    ("over: reasoning does not either", OVER, 200_000, {"reasoning_tokens": 1_000}, "0.41"),
    ("over: cached tokens count", OVER, 200_001, {"cached_tokens": 200_000}, "0.080004"),  # 4 + 200 000 × 0.40
    ("over: cached at it", OVER, 200_000, {"cached_tokens": 199_999}, "0.0400018"),  # 2 + 199 999 × 0.20
    ("over: written tokens count", OVER, 200_001, {"cache_write_tokens": 200_001}, "1.000005"),  # 200 001 × 5
    ("over: written for an hour", OVER, 200_001, {"cache_write_1h_tokens": 1}, "0.800008"),  # 200 000 × 4 + 8
    # from a threshold
    ("from: one below", FROM, 199_999, {}, "0.399998"),  # 199 999 × 2
    ("from: at it", FROM, 200_000, {}, "0.8"),  # 200 000 × 4
    ("from: one above", FROM, 200_001, {}, "0.800004"),
    ("from: all cached at it", FROM, 200_000, {"cached_tokens": 200_000}, "0.2"),  # 200 000 × 1
    ("from: all cached below it", FROM, 199_999, {"cached_tokens": 199_999}, "0.0999995"),  # 199 999 × 0.50
    # several bands
    ("first band ends", BANDS, 32_000, {"output_tokens": 10}, "0.03205"),  # 32 000 + 50
    ("second band begins", BANDS, 32_001, {"output_tokens": 10}, "0.0576918"),  # 57 601.8 + 90
    ("second band ends", BANDS, 127_999, {}, "0.2303982"),  # 127 999 × 1.8
    ("third band begins", BANDS, 128_000, {}, "0.384"),  # 128 000 × 3
    ("third band, one above", BANDS, 128_001, {}, "0.384003"),
    ("third band ends", BANDS, 256_000, {}, "0.768"),
    ("fourth band begins", BANDS, 256_001, {"output_tokens": 1}, "1.536066"),  # 256 001 × 6 + 60
    # prices of a day
    ("the day before", DATED, 100, {"on": NOV, "output_tokens": 10}, "0.0013"),  # 200 + 100 + 1000
    ("the day", DATED, 100, {"on": DEC, "output_tokens": 10}, "0.0016"),  # 400 + 200 + 1000
    ("the day after", DATED, 100, {"on": date(2026, 12, 2), "output_tokens": 10}, "0.0016"),
    ("what a change leaves out stays", DATED, 100, {"on": DEC, "cached_tokens": 100}, "0.00101"),  # 100 × 0.10 + 1000
    ("a tier stays, too", DATED, 1_001, {"on": DEC}, "0.004003"),  # 1001 × 3 + 1000
    ("half stays half", DATED, 100, {"on": DEC, "batch": True}, "0.0012"),  # 100 × 2 + 1000
    ("a tier that ended", DATED, 1_001, {"on": JAN}, "0.004004"),  # 1001 × 4, no fee any more
    ("a later cached price", DATED, 100, {"on": JAN, "cached_tokens": 100}, "0.00004"),  # 100 × 0.40
    ("a fee that came back", DATED, 100, {"on": FEB}, "0.0025"),  # 500 + 2000
    # factor and calls
    ("a region", SIMPLE, 1_000, {"factor": Decimal("1.1")}, "0.0033"),
    ("a discount of 7.5 %", SIMPLE, 1_000, {"factor": Decimal("0.925")}, "0.002775"),
    ("priority and tax", SIMPLE, 1_000, {"factor": Decimal("2.975")}, "0.008925"),  # 2.5 × 1.19
    ("a factor of nothing", SIMPLE, 1_000, {"factor": Decimal(0)}, "0"),
    ("many digits", SIMPLE, 7, {"factor": Decimal("1.123456789")}, "0.000023592592569"),  # 21 × 1.123456789
    # embeddings and free models
    ("embedding", EMBEDDING, 8_191, {}, "0.00016382"),  # 8191 × 0.02
    ("embedding has no output", EMBEDDING, 8_191, {"output_tokens": 500}, "0.00016382"),
    ("free is free", FREE, 1_000_000, {"output_tokens": 1_000_000}, "0"),
]


def test_there_are_enough() -> None:
    assert len(GOLDEN) >= 60
    assert len({name for name, *_ in GOLDEN}) == len(GOLDEN)


@pytest.mark.parametrize(
    ("price", "tokens", "scenario", "usd"), [one[1:] for one in GOLDEN], ids=[one[0] for one in GOLDEN]
)
def test_golden(price: Price, tokens: int, scenario: dict[str, Any], usd: str) -> None:
    estimate = cost(price, tokens, **scenario)
    assert estimate.usd == Decimal(usd)
    assert estimate.usd_low == estimate.usd_high == estimate.usd
    assert estimate.unknown == ()
    assert estimate.input_usd + estimate.output_usd + estimate.request_usd == estimate.usd
    assert sum(part.usd for part in estimate.parts) * estimate.factor == estimate.usd


UNKNOWN: list[tuple[str, Price, int, dict[str, Any], tuple[str, ...]]] = [
    ("input", Price(rates(output="1")), 1, {}, ("input",)),
    ("output", Price(rates(input="1")), 1, {"output_tokens": 1}, ("output",)),
    ("output stands for reasoning", Price(rates(input="1")), 1, {"reasoning_tokens": 1}, ("output",)),
    ("batch", SIMPLE, 1, {"batch": True}, ("batch",)),
    ("batch of output", Price(BASE, batch=rates(input="1")), 1, {"batch": True, "output_tokens": 1}, ("batch.output",)),
    (
        "a write for an hour",
        Price(rates(input="1", cache_write="2")),
        1,
        {"cache_write_1h_tokens": 1},
        ("cache_write_1h",),
    ),
    ("a tier", Price(BASE, tiers=(Tier(rates(), over=1, unknown=("input",)),)), 2, {}, ("input",)),
    (
        "batch of a tier",
        Price(BASE, batch="half", tiers=(Tier(rates(input="4"), over=1, unknown=("batch",)),)),
        2,
        {"batch": True},
        ("batch",),
    ),
    ("batch that ended", DATED, 1, {"on": JAN, "batch": True}, ("batch",)),
    ("output from a day on", DATED, 1, {"on": FEB, "output_tokens": 1}, ("output",)),
    ("both", Price(rates()), 1, {"output_tokens": 1}, ("input", "output")),
]


@pytest.mark.parametrize(
    ("price", "tokens", "scenario", "unknown"), [one[1:] for one in UNKNOWN], ids=[one[0] for one in UNKNOWN]
)
def test_unknown_is_never_nothing(
    price: Price, tokens: int, scenario: dict[str, Any], unknown: tuple[str, ...]
) -> None:
    estimate = cost(price, tokens, **scenario)
    assert estimate.unknown == unknown
    amounts = (estimate.usd, estimate.usd_low, estimate.usd_high, estimate.usd_calls)
    assert amounts == (None, None, None, None)


def test_what_is_not_needed_may_be_unknown() -> None:
    assert cost(Price(rates(input="1")), 10).usd == Decimal("0.00001")
    assert cost(Price(rates(output="1")), 0, output_tokens=10).usd == Decimal("0.00001")
    assert cost(DATED, 10, on=FEB).usd == Decimal("0.00205")  # 10 × 5 + fee 2000


class TestRangesOfOutput:
    @staticmethod
    def priced(**scenario: Any) -> CostEstimate:
        return cost(SIMPLE, 1_000, **scenario)

    def test_the_ends_are_priced(self) -> None:
        estimate = self.priced(output_tokens=100, output_range=(50, 400))
        # 3000 + 100 × 15; 3000 + 50 × 15; 3000 + 400 × 15
        ends = (estimate.usd_low, estimate.usd, estimate.usd_high)
        assert ends == (Decimal("0.00375"), Decimal("0.0045"), Decimal("0.009"))
        assert estimate.input_usd_low == estimate.input_usd_high == Decimal("0.003")
        assert (estimate.output_low, estimate.output_high) == (50, 400)

    def test_reasoning_has_a_range_of_its_own(self) -> None:
        estimate = cost(FULL, 0, output_tokens=10, reasoning_tokens=100, reasoning_range=(0, 1_000))
        # fee 5000 + 10 × 15 + 0; + 1000 × 20
        assert (estimate.usd_low, estimate.usd_high) == (Decimal("0.00515"), Decimal("0.02515"))

    def test_ranges_of_prompt_and_output_meet_at_their_ends(self) -> None:
        estimate = cost(OVER, count(199_000, 190_000, 210_000), output_tokens=100, output_range=(0, 1_000), calls=2)
        # 190 000 × 2; 210 000 × 4 + 1000 × 15
        assert (estimate.usd_low, estimate.usd_high) == (Decimal("0.38"), Decimal("0.855"))
        assert (estimate.input_usd_low, estimate.input_usd_high) == (Decimal("0.38"), Decimal("0.84"))
        assert (estimate.usd_calls_low, estimate.usd_calls_high) == (Decimal("0.76"), Decimal("1.71"))

    def test_an_output_that_may_be_needs_a_price(self) -> None:
        estimate = cost(Price(rates(input="3")), 1_000, output_range=(0, 1))
        assert (estimate.usd, estimate.usd_low, estimate.usd_high) == (Decimal("0.003"), None, None)

    def test_the_range_is_told(self) -> None:
        lines = self.priced(output_tokens=100, output_range=(50, 400)).explanation
        assert "for 50 to 400 tokens of output and reasoning: $0.00375 to $0.009" in lines
        lines = cost(SIMPLE, count(1_000, 900, 1_100), output_range=(0, 9)).explanation
        assert "for 900 to 1,100 prompt tokens and 0 to 9 tokens of output and reasoning: $0.0027 to $0.003435" in lines

    @pytest.mark.parametrize("bad", [(101, 200), (0, 99), (-1, 100), (200, 50)])
    def test_the_figure_lies_in_its_range(self, bad: tuple[int, int]) -> None:
        with pytest.raises(ValueError, match="must be within its range"):
            self.priced(output_tokens=100, output_range=bad)
        with pytest.raises(ValueError, match="must be within its range"):
            self.priced(reasoning_tokens=100, reasoning_range=bad)


def test_notes_on_hours_are_part_of_the_explanation() -> None:
    from pricing import estimate, load_catalog

    peak = load_catalog().find("deepseek-flash")
    lines = estimate(peak, count(1_000), Scenario(on=NOV)).explanation
    assert any("01:00 to 04:00 and 06:00 to 10:00 UTC" in line for line in lines)
