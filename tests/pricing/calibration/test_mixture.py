"""Texts of several kinds: how they are described, and the range that their kinds make."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pricing
from engine.text import kinds as text_kinds
from pricing.bundled import load_bundled
from pricing.calibration import KINDS, Kind, TextMix, band_for, load_bands, rule_for
from pricing.types import CountRule
from tests.pricing.build import TODAY

RULES = load_bundled().rules
OPUS = pricing.load_catalog().find("claude-opus-5-5")
NEW = RULES["claude-from-4.7"]

kinds = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 10**7)), unique_by=lambda part: part[0])
mixes = kinds.map(lambda parts: TextMix(tuple(sorted(parts, key=lambda part: -part[1])), 0))


def test_the_kinds_are_those_that_the_engine_tells_apart() -> None:
    assert get_args(Kind) == get_args(text_kinds.Kind)


def test_every_figure_names_a_rule_a_kind_and_a_source() -> None:
    for family, known in load_bands().items():
        assert family in RULES
        assert set(known) <= set(KINDS)
        for band in known.values():
            assert 0 < band.low <= band.ratio <= band.high
            assert "measured by 2026-11-2" in band.measured


@pytest.mark.parametrize(
    ("mix", "words"),
    [
        (TextMix((("code", 1000),), 1000), "code, 100 % ASCII"),
        (TextMix((("code", 970), ("english", 30)), 980), "code, 98 % ASCII"),
        (TextMix((("code", 72), ("english", 28)), 61), "mostly code (72 %), 61 % ASCII"),
        (
            TextMix((("code", 50), ("english", 30), ("chinese", 20)), 80, samples=40),
            "a mixture of code (50 %), English prose (30 %), Chinese (20 %), 80 % ASCII, "
            "by 40 evenly spread samples of the text",
        ),
        (TextMix((), 0), "no text"),
    ],
)
def test_words(mix: TextMix, words: str) -> None:
    assert mix.words == words


@pytest.mark.parametrize(
    ("parts", "main"),
    [((("code", 6), ("json", 4)), "code"), ((("code", 59), ("json", 41)), "other"), ((("korean", 1),), "korean")],
)
def test_most_of_a_text_makes_its_kind(parts: tuple[tuple[Kind, int], ...], main: Kind) -> None:
    assert TextMix(parts, 0).main == main


def test_a_mixture_lies_between_its_kinds() -> None:
    # code 1.21, 1.43, 1.81 and English prose 1.39, 1.52, 1.58, three to one:
    # low 0.75 × 1.21 + 0.25 × 1.39 = 1.255, ratio 0.75 × 1.43 + 0.25 × 1.52 = 1.4525, high 0.75 × 1.81 + 0.25 × 1.58
    # = 1.7525; the ends outwards
    rule = band_for(NEW, TextMix((("code", 3000), ("english", 1000)), 4000))
    assert (rule.low, rule.ratio, rule.high) == (Decimal("1.25"), Decimal("1.45"), Decimal("1.76"))
    assert rule.note.startswith(
        "mostly code (75 %), 100 % ASCII: 1.25 to 1.76 times o200k_base; measured by 2026-11-21"
    )
    assert "sanderland/ctok" in rule.note


def test_what_was_not_measured_counts_as_before() -> None:
    # code 1.21, 1.43, 1.81 and the rule's own 1.17, 1.46, 2.07, one to one
    rule = band_for(NEW, TextMix((("code", 500), ("other", 500)), 0))
    assert (rule.low, rule.ratio, rule.high) == (Decimal("1.19"), Decimal("1.44"), Decimal("1.94"))


def test_an_assumed_spread_is_told() -> None:
    assert "; the spread is assumed; measured by" in band_for(NEW, TextMix.only("korean")).note


@given(st.sampled_from(sorted(RULES)), mixes)
def test_every_range_holds_its_point_and_lies_within_its_kinds(name: str, mix: TextMix) -> None:
    rule = RULES[name]
    band = band_for(rule, mix)
    assert 0 < band.low <= band.ratio <= band.high
    own = [band_for(rule, TextMix.only(kind)) for kind, _ in mix.shares] or [rule]
    assert band.low >= min(one.low for one in own) - Decimal("0.01")
    assert band.high <= max(one.high for one in own) + Decimal("0.01")


@given(st.integers(0, 10**9), mixes)
def test_the_tokens_of_a_range_hold_their_figure(counted: int, mix: TextMix) -> None:
    count = pricing.count_for(OPUS, {"o200k_base": counted}, rule_for(OPUS, mix))
    assert count is not None
    assert count.low <= count.tokens <= count.high


def test_the_range_reaches_the_money_and_its_explanation() -> None:
    # 10,000 tokens in o200k_base of English prose: 15,200 (13,900 to 15,800) of Opus at $5 / million = $0.076,
    # $0.0695 to $0.079
    model = pricing.load_catalog().find("claude-opus-4-8")
    rule: CountRule = rule_for(model, TextMix((("english", 40_000),), 40_000))

    narrow = replace(model, count=rule)
    cost = pricing.estimate(narrow, pricing.count_for(narrow, {"o200k_base": 10_000}), pricing.Scenario(on=TODAY))
    assert (cost.input_low, cost.input_tokens, cost.input_high) == (13_900, 15_200, 15_800)
    assert (cost.usd_low, cost.usd, cost.usd_high) == (Decimal("0.0695"), Decimal("0.076"), Decimal("0.079"))
    assert any("English prose, 100 % ASCII: 1.39 to 1.58 times o200k_base" in line for line in cost.explanation)
