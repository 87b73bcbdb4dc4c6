"""Months, batches, caches, conversations, budgets: sums worked out by hand beside each result."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pricing
from pricing.scenarios import (
    Budget,
    CachePlan,
    Conversation,
    cached_cost,
    caching_pays_from,
    calls_per_month,
    converse,
    exactly,
    expected_hit_rate,
    judge,
    mixed_cost,
    ranked,
)
from pricing.types import CallMix, Scenario, ScenarioError
from tests.pricing.build import TODAY, Price, Tier, cost, count, model, rates

ON = Scenario(on=TODAY)
# Writes 1.25 and 2 times the input, reads a tenth of it, as Claude's older models.
CLAUDE = model(Price(rates(input="4", output="20", cached="0.4", cache_write="5", cache_write_1h="8"), batch="half"))
PLAIN = model(Price(rates(input="2", output="8", cached="0.5")))


class TestVolume:
    def test_a_month(self) -> None:
        assert calls_per_month(1_000) == 30_000
        assert calls_per_month(7, 31) == 217
        for bad in ((-1, 30), (1, 32), (1, -1)):
            with pytest.raises(ScenarioError):
                calls_per_month(*bad)

    @pytest.mark.parametrize(
        ("share", "usd", "shares"),
        [
            # one call 1000 × 4 + 100 × 20 = 0.006, in batch 0.003
            ("0", "0.6", ["1"]),  # 100 × 0.006
            ("1", "0.3", ["1"]),  # 100 × 0.003
            ("0.25", "0.525", ["0.75", "0.25"]),  # 75 × 0.006 + 25 × 0.003 = 0.45 + 0.075
            ("0.999", "0.3003", ["0.001", "0.999"]),  # 0.1 × 0.006 + 99.9 × 0.003 = 0.0006 + 0.2997
        ],
    )
    def test_a_share_of_batch(self, share: str, usd: str, shares: list[str]) -> None:
        scenario = replace(ON, output_tokens=100, calls=100)
        mixed = mixed_cost(CLAUDE, exactly(1_000), scenario, CallMix(batch_share=Decimal(share)))
        assert mixed.average.usd_calls == Decimal(usd)
        assert [kind.share for kind in mixed.kinds] == [Decimal(one) for one in shares]

    def test_no_batch_price_matters_only_where_there_are_batches(self) -> None:
        scenario = replace(ON, calls=10)
        none = mixed_cost(PLAIN, exactly(1_000), scenario, CallMix(batch_share=Decimal(0)))
        assert none.average.usd_calls == Decimal("0.02")
        half = mixed_cost(PLAIN, exactly(1_000), scenario, CallMix(batch_share=Decimal("0.5")))
        assert half.average.usd_calls is None
        assert half.average.unknown == ("batch",)

    def test_a_range_stays_one(self) -> None:
        half = CallMix(batch_share=Decimal("0.5"))
        average = mixed_cost(CLAUDE, count(1_000, 500, 2_000), replace(ON, calls=4), half).average
        # 2 × 500 × 4 + 2 × 500 × 2 = 6000; 2 × 2000 × 4 + 2 × 2000 × 2 = 24 000 millionths
        assert (average.usd_calls_low, average.usd_calls_high) == (Decimal("0.006"), Decimal("0.024"))

    @pytest.mark.parametrize("share", ["-0.1", "1.1", "NaN"])
    def test_shares_that_cannot_be(self, share: str) -> None:
        with pytest.raises(ScenarioError, match="share of batch calls"):
            mixed_cost(CLAUDE, exactly(1), ON, CallMix(batch_share=Decimal(share)))
        with pytest.raises(ScenarioError, match="share of hits"):
            mixed_cost(CLAUDE, exactly(1), ON, CallMix(hit_rate=Decimal(share)))

    def test_some_calls_miss_the_cache_and_some_are_batches(self) -> None:
        scenario = replace(ON, cached_tokens=8_000, calls=10, cache_write_tokens=5)
        mix = CallMix(hit_rate=Decimal("0.5"), batch_share=Decimal("0.2"))
        mixed = mixed_cost(CLAUDE, exactly(10_000), scenario, mix)
        assert [(kind.share, kind.in_batch, kind.hit) for kind in mixed.kinds] == [
            (Decimal("0.4"), False, True),
            (Decimal("0.4"), False, False),
            (Decimal("0.1"), True, True),
            (Decimal("0.1"), True, False),
        ]
        # hit 0.0112, miss 0.048 (as below), their mean 0.0296; in batch half of that: 0.8 × 0.0296 + 0.2 × 0.0148
        assert mixed.average.usd == Decimal("0.02664")
        assert mixed.average.usd_calls == Decimal("0.2664")
        assert mixed.caching is not None
        assert mixed.caching.without.usd == Decimal("0.04")

    def test_all_calls_alike_cost_what_one_does(self) -> None:
        scenario = replace(ON, cached_tokens=100, output_tokens=7, calls=3)
        alike = mixed_cost(CLAUDE, count(1_000, 900, 1_100), scenario, CallMix(hit_rate=Decimal(1)))
        one = cost(CLAUDE, count(1_000, 900, 1_100), cached_tokens=100, output_tokens=7, calls=3)
        assert (alike.average.usd, alike.average.usd_low, alike.average.usd_high) == (
            one.usd,
            one.usd_low,
            one.usd_high,
        )
        assert alike.average.usd_calls == one.usd_calls


class TestCaching:
    @pytest.mark.parametrize(
        ("hit_rate", "usd", "saves"),
        [
            # 10 000 tokens, 8000 of them cached: without 0.04; hit 2000 × 4 + 8000 × 0.4 = 0.0112;
            # miss 2000 × 4 + 8000 × 5 = 0.048
            ("0", "0.048", "-0.008"),
            ("1", "0.0112", "0.0288"),
            ("0.5", "0.0296", "0.0104"),  # (0.048 + 0.0112) / 2
            ("0.25", "0.0388", "0.0012"),  # 0.036 + 0.0028
        ],
    )
    def test_the_average_call(self, hit_rate: str, usd: str, saves: str) -> None:
        found = cached_cost(CLAUDE, exactly(10_000), ON, CachePlan(8_000, Decimal(hit_rate)))
        assert (found.usd, found.saves) == (Decimal(usd), Decimal(saves))

    @pytest.mark.parametrize(
        ("for_an_hour", "share", "calls"),
        [
            (False, "0.217391304348", 2),  # (1.25 - 1) / (1.25 - 0.1) = 0.25 / 1.15
            (True, "0.526315789474", 3),  # (2 - 1) / (2 - 0.1) = 1 / 1.9
        ],
    )
    def test_break_even(self, for_an_hour: bool, share: str, calls: int) -> None:
        found = cached_cost(CLAUDE, exactly(10_000), ON, CachePlan(8_000, Decimal("0.5"), for_an_hour))
        assert found.break_even == Decimal(share)
        assert found.pays_off_at == calls

    def test_at_the_break_even_nothing_is_saved(self) -> None:
        # Writes at 1.5, reads at 0.5 times the input: (1.5 - 1) / (1.5 - 0.5) = 0.5 exactly
        one = model(Price(rates(input="2", output="8", cached="1", cache_write="3")))
        found = cached_cost(one, exactly(1_000), ON, CachePlan(1_000, Decimal("0.5")))
        assert (found.break_even, found.saves) == (Decimal("0.5"), 0)
        assert cached_cost(one, exactly(1_000), ON, CachePlan(1_000, Decimal("0.49"))).saves == Decimal("-0.00002")
        assert cached_cost(one, exactly(1_000), ON, CachePlan(1_000, Decimal("0.51"))).saves == Decimal("0.00002")
        assert found.pays_off_at == 3  # two calls cost the same: 3 + 1 = 2 + 2

    def test_where_writing_costs_no_more_caching_pays_at_once(self) -> None:
        found = cached_cost(PLAIN, exactly(1_000), ON, CachePlan(1_000, Decimal("0.1")))
        assert found.break_even == 0
        assert found.pays_off_at == 2

    def test_where_reading_saves_nothing_it_never_pays(self) -> None:
        one = model(Price(rates(input="2", output="8", cached="2", cache_write="3")))
        found = cached_cost(one, exactly(1_000), ON, CachePlan(1_000, Decimal("0.9")))
        assert found.break_even == 1
        assert found.pays_off_at is None

    def test_unknown_stays_unknown(self) -> None:
        one = model(Price(rates(input="2", output="8", cached="1", cache_write="3")))
        found = cached_cost(one, exactly(1_000), ON, CachePlan(1_000, Decimal("0.5"), for_an_hour=True))
        assert (found.usd, found.saves, found.break_even) == (None, None, None)
        assert found.pays_off_at is None

    def test_the_plan_takes_the_place_of_the_scenarios_cache(self) -> None:
        scenario = replace(ON, cached_tokens=900, cache_write_tokens=50)
        assert cached_cost(PLAIN, exactly(1_000), scenario, CachePlan(0, Decimal(0))).usd == Decimal("0.002")
        with pytest.raises(ScenarioError, match="only 1,000"):
            cached_cost(PLAIN, exactly(1_000), ON, CachePlan(1_001, Decimal(0)))
        with pytest.raises(ScenarioError, match="share of hits"):
            cached_cost(PLAIN, exactly(1_000), ON, CachePlan(1, Decimal(2)))

    def test_hits_to_expect(self) -> None:
        assert expected_hit_rate(0, 5) == 0
        assert expected_hit_rate(288, 5) == Decimal("0.632120558829")  # 1 - 1/e: one call in five minutes
        assert expected_hit_rate(288, 60) > Decimal("0.99999")  # twelve in an hour
        assert expected_hit_rate(10**9, 60) == 1
        with pytest.raises(ScenarioError):
            expected_hit_rate(-1, 5)

    @given(st.integers(0, 10_000), st.integers(1, 100), st.integers(1, 100))
    def test_more_calls_hit_more(self, calls: int, more: int, minutes: int) -> None:
        assert 0 <= expected_hit_rate(calls, minutes) <= expected_hit_rate(calls + more, minutes) <= 1


THREE = Conversation(3, exactly(1_000), exactly(100), exactly(50))


class TestConversation:
    def test_prompts_grow_by_what_was_said(self) -> None:
        turns = converse(PLAIN, THREE, ON)
        # 1000 + 100; + 50 + 100; + 50 + 100
        assert [turn.prompt_tokens for turn in turns] == [1_100, 1_250, 1_400]
        # 1100 × 2 + 50 × 8 = 2600; 2500 + 400; 2800 + 400: 2600, 5500, 8700 millionths
        assert [turn.total_usd for turn in turns] == [Decimal("0.0026"), Decimal("0.0055"), Decimal("0.0087")]
        assert all(turn.total_usd_low == turn.total_usd == turn.total_usd_high for turn in turns)

    def test_something_can_be_done_between_turns(self) -> None:
        calls: list[int] = []
        converse(PLAIN, THREE, ON, cancel_check=lambda: calls.append(1))
        assert len(calls) == 3

    def test_breakpoints_read_what_the_turn_before_wrote(self) -> None:
        turns = converse(CLAUDE, replace(THREE, caching="minutes"), ON)
        assert [(turn.cached_tokens, turn.written_tokens) for turn in turns] == [(0, 1_100), (1_100, 150), (1_250, 150)]
        # 1100 × 5 + 50 × 20 = 6500; 1100 × 0.4 + 150 × 5 + 1000 = 2190; 1250 × 0.4 + 750 + 1000 = 2250
        assert [turn.estimate.usd for turn in turns] == [Decimal("0.0065"), Decimal("0.00219"), Decimal("0.00225")]
        assert turns[-1].total_usd == Decimal("0.01094")

    def test_an_hour_costs_more_to_write(self) -> None:
        (turn,) = converse(CLAUDE, replace(THREE, turns=1, caching="hour"), ON)
        assert turn.total_usd == Decimal("0.0098")  # 1100 × 8 + 1000

    def test_a_late_turn_writes_all_anew(self) -> None:
        turns = converse(CLAUDE, replace(THREE, caching="minutes", late_turns=frozenset({2})), ON)
        assert [(turn.cached_tokens, turn.written_tokens) for turn in turns] == [(0, 1_100), (0, 1_250), (1_250, 150)]

    def test_short_prompts_are_not_cached(self) -> None:
        turns = converse(CLAUDE, replace(THREE, caching="minutes", least_cached=1_250), ON)
        assert [(turn.cached_tokens, turn.written_tokens) for turn in turns] == [(0, 0), (0, 1_250), (1_250, 150)]

    def test_reasoning_is_paid_and_not_sent_again(self) -> None:
        turns = converse(PLAIN, replace(THREE, reasoning=exactly(500)), ON)
        assert [turn.prompt_tokens for turn in turns] == [1_100, 1_250, 1_400]
        assert turns[0].total_usd == Decimal("0.0066")  # 2200 + 50 × 8 + 500 × 8

    def test_a_turn_may_reach_a_tier(self) -> None:
        one = model(Price(rates(input="2", output="8"), tiers=(Tier(rates(input="4"), over=1_250),)))
        assert [turn.estimate.tier != "" for turn in converse(one, THREE, ON)] == [False, False, True]

    def test_ranges_of_every_part(self) -> None:
        spoken = replace(THREE, user=count(100, 80, 120), answer=count(50, 10, 100))
        turns = converse(PLAIN, spoken, ON)
        # low: 1080 × 2 + 10 × 8 = 2240, 1170 × 2 + 80 = 2420; high: 1120 × 2 + 800 = 3040, 1340 × 2 + 800 = 3480
        assert (turns[0].total_usd_low, turns[0].total_usd_high) == (Decimal("0.00224"), Decimal("0.00304"))
        assert (turns[1].total_usd_low, turns[1].total_usd_high) == (Decimal("0.00466"), Decimal("0.00652"))

    def test_an_unknown_price_stays_unknown(self) -> None:
        one = model(Price(rates(input="2", output="8"), tiers=(Tier(rates(), over=1_200, unknown=("input",)),)))
        totals = [turn.total_usd for turn in converse(one, THREE, ON)]
        assert totals == [Decimal("0.0026"), None, None]

    @pytest.mark.parametrize("turns", [0, -1, 10_001])
    def test_turns_that_cannot_be(self, turns: int) -> None:
        with pytest.raises(ScenarioError, match="1 to 10,000 turns"):
            converse(PLAIN, replace(THREE, turns=turns), ON)

    @given(st.integers(1, 12), st.integers(0, 500), st.integers(0, 500), st.sampled_from(["none", "minutes", "hour"]))
    def test_totals_are_the_sums_of_turns(self, turns: int, user: int, answer: int, caching: str) -> None:
        spoken = Conversation(turns, exactly(100), count(user, user // 2, user * 2), exactly(answer), caching=caching)
        total = Decimal(0)
        for turn in converse(CLAUDE, spoken, ON):
            total += turn.estimate.usd
            assert turn.total_usd == total
            assert turn.total_usd_low <= turn.total_usd <= turn.total_usd_high
            assert turn.cached_tokens + turn.written_tokens in {0, turn.prompt_tokens}


class TestChoosing:
    def test_the_cheapest_that_fits_comes_first(self) -> None:
        models = [
            model(Price(rates(input="9", output="9")), id="a/dear"),
            model(Price(rates(input="1", output="1")), id="a/short", context=1_050),
            model(Price(rates(input="2", output="2")), id="a/cheap", context=1_100),
            model(Price(rates(input="1")), id="a/unknown"),
            model(Price(rates(input="1", output="1")), id="a/old", retires=date(2026, 1, 1)),
            model(Price(rates(input="1", output="0")), id="a/embedding"),
            model(Price(rates(input="1", output="1")), id="a/terse", max_output=99),
            model(Price(rates(input="1", output="1")), id="a/narrow", max_input=999),
        ]
        scenario = replace(ON, output_tokens=100)
        choices = ranked([(one, pricing.estimate(one, exactly(1_000), scenario)) for one in models], scenario)
        assert [choice.model.id for choice in choices[:2]] == ["a/cheap", "a/dear"]
        assert {choice.model.id: choice.why_not for choice in choices[2:]} == {
            "a/short": ("has a context window of 1,050 tokens",),
            "a/unknown": ("there is no price for output",),
            "a/old": ("retired on 2026-01-01",),
            "a/embedding": ("has no text output",),
            "a/terse": ("has an output limit of 99 tokens",),
            "a/narrow": ("has an input limit of 999 tokens",),
        }

    def test_ranges_are_ranked_by_their_middle_and_fit_with_their_upper_end(self) -> None:
        wide = model(Price(rates(input="1", output="1")), id="a/wide", context=2_000)
        sure = model(Price(rates(input="1", output="1")), id="a/sure")
        priced = [(wide, cost(wide, count(1_000, 900, 2_000))), (sure, cost(sure, 1_200))]
        assert [choice.model.id for choice in ranked(priced, ON)] == ["a/sure", "a/wide"]  # 1200 and 1450
        priced[0] = (wide, cost(wide, count(1_000, 900, 2_001)))
        assert ranked(priced, ON)[1].why_not == ("has a context window of 2,000 tokens",)


class TestWhenCachingPays:
    @pytest.mark.parametrize(
        ("caching", "late", "turn"),
        [
            # 1000 a turn, at 4: without 4000, 12 000, 24 000 ... millionths of a dollar
            ("minutes", (), 2),  # 5000; 5000 + 400 + 5000 = 10 400
            # 8000; 16 400 > 12 000; + 800 + 8000 = 25 200 > 24 000; + 1200 + 8000 = 34 400 < 40 000
            ("hour", (), 4),
            ("minutes", (2,), 3),  # 5000; 15 000 > 12 000; 15 000 + 800 + 5000 = 20 800 < 24 000
            ("none", (), None),
        ],
    )
    def test_by_hand(self, caching: str, late: tuple[int, ...], turn: int | None) -> None:
        talk = Conversation(4, exactly(0), exactly(1_000), exactly(0), caching=caching, late_turns=frozenset(late))
        cached, without = converse(CLAUDE, talk, ON), converse(CLAUDE, replace(talk, caching="none"), ON)
        assert caching_pays_from(cached, without) == turn

    def test_it_may_stop_paying(self) -> None:
        talk = Conversation(3, exactly(0), exactly(1_000), exactly(0), caching="minutes", late_turns=frozenset({3}))
        cached, without = converse(CLAUDE, talk, ON), converse(CLAUDE, replace(talk, caching="none"), ON)
        # 10 400 after two turns, and 15 000 for a third that finds nothing: 25 400 > 24 000
        assert caching_pays_from(cached[:2], without[:2]) == 2
        assert caching_pays_from(cached, without) is None

    def test_unknown(self) -> None:
        nothing = model(Price(rates(output="1")))
        talk = Conversation(2, exactly(5), exactly(5), exactly(5), caching="minutes")
        turns = converse(nothing, talk, ON)
        assert caching_pays_from(turns, turns) is None


class TestBudgets:
    @pytest.mark.parametrize(
        ("low", "high", "verdict"),
        [
            (500, 1_000, "within"),  # up to 1000 × 2 = 0.002, exactly the budget
            (500, 1_001, "may_exceed"),
            (1_000, 1_001, "may_exceed"),
            (1_001, 1_001, "over"),
        ],
    )
    def test_both_ends_are_judged(self, low: int, high: int, verdict: str) -> None:
        estimate = cost(PLAIN, count(low, low, high))
        judged = judge([estimate], Budget(Decimal("0.002")))
        assert getattr(judged, verdict) == (estimate,)
        assert judged.exceeded == (() if verdict == "within" else (estimate,))

    def test_all_calls(self) -> None:
        estimate = cost(PLAIN, 1_000, calls=10)
        assert judge([estimate], Budget(Decimal("0.02"), for_all_calls=True)).within
        assert judge([estimate], Budget(Decimal("0.019"), for_all_calls=True)).over
        assert judge([estimate], Budget(Decimal("0.019"))).within

    def test_unknown_is_never_within(self) -> None:
        estimate = cost(Price(rates(input="2")), 10, output_tokens=1)
        assert judge([estimate], Budget(Decimal(10**6))).unknown == (estimate,)
        with pytest.raises(ScenarioError):
            judge([], Budget(Decimal(-1)))
