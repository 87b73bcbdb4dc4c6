"""Kinds of text, measured bands, and ratios fitted to what was billed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pricing
from pricing.bundled import load_bundled
from pricing.calibration import (
    KINDS,
    CalibrationError,
    Sample,
    TextMix,
    Usage,
    band_for,
    changed_samples,
    family_of,
    fitted,
    make_sample,
    rule_for,
    samples_of,
)
from pricing.types import CountRule
from tests.pricing.build import TODAY

RULES = load_bundled().rules
NEW, OLD, LLAMA3 = RULES["claude-from-4.7"], RULES["claude-until-4.6"], RULES["llama3"]
OPUS = pricing.load_catalog().find("claude-opus-5-5")
ENGLISH = TextMix.only("english")


def billed(tokens: int, model: str = "") -> Usage:
    return Usage("Anthropic", model, tokens, 0)


def sample(counted: int, actual: int, model_id: str = OPUS.id) -> Sample:
    return Sample(model_id, "english", "o200k_base", counted, actual, TODAY)


def saved(*samples: Sample) -> str:
    document: dict[str, object] = {}
    changed_samples(document, samples, [])
    return json.dumps(document)


class TestBands:
    def test_families_are_the_built_in_rules(self) -> None:
        assert family_of(NEW) == "claude-from-4.7"
        assert family_of(OPUS.count) == "claude-from-4.7"
        assert family_of(replace(NEW, low=Decimal(1))) is None

    @pytest.mark.parametrize(
        ("rule", "kind", "band"),
        [
            (NEW, "english", ("1.39", "1.52", "1.58")),
            (NEW, "json", ("1.15", "1.49", "1.60")),
            (OLD, "json", ("1.00", "1.27", "1.52")),
            (OLD, "code", ("1.07", "1.18", "1.31")),
            (OLD, "japanese", ("0.94", "1.10", "1.32")),  # 1.10 × 0.85 = 0.935, 1.10 × 1.20
            (NEW, "arabic", ("1.79", "2.11", "2.53")),  # 2.11 × 0.85 = 1.7935, 2.11 × 1.20 = 2.532
        ],
    )
    def test_measured_kinds(self, rule: CountRule, kind: str, band: tuple[str, str, str]) -> None:
        found = band_for(rule, TextMix.only(kind))
        assert (found.low, found.ratio, found.high) == tuple(map(Decimal, band))
        assert (found.label, found.tokenizer) == ("estimated", "o200k_base")
        assert "measured by 2026-11-21" in found.note

    def test_what_was_not_measured_stays(self) -> None:
        assert band_for(NEW, TextMix.only("other")) is NEW
        assert band_for(LLAMA3, TextMix.only("json")) is LLAMA3
        assert band_for(RULES["unknown"], TextMix.only("json")) is RULES["unknown"]
        assert band_for(RULES["gpt-6"], TextMix.only("code")) is RULES["gpt-6"]
        assert band_for(NEW, TextMix((), 0)) is NEW

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_band_holds_its_ratio(self, kind: str) -> None:
        for rule in RULES.values():
            band = band_for(rule, TextMix.only(kind))
            assert 0 < band.low <= band.ratio <= band.high


class TestFitting:
    def test_one_text(self) -> None:
        # 1600 / 1000; below (1 - 1.39 / 1.52) / √2 = 0.0605, above (1.58 / 1.52 - 1) / √2 = 0.028, at least 0.04
        rule = fitted(band_for(NEW, ENGLISH), [sample(1_000, 1_600)])
        assert rule.ratio == Decimal("1.6000")
        assert (rule.low, rule.high) == (Decimal("1.5032"), Decimal("1.6640"))
        assert rule.note == "your own ratio to o200k_base, from one text you were billed for"

    def test_the_ratio_is_that_of_all_tokens_and_the_range_holds_every_text(self) -> None:
        rule = fitted(NEW, [sample(1_000, 1_200), sample(100, 200)])
        assert rule.ratio == Decimal("1.2727")  # 1400 / 1100
        assert rule.low <= Decimal("1.2")
        assert rule.high >= 2

    def test_more_texts_narrow_the_range(self) -> None:
        widths = [
            (rule := fitted(NEW, [sample(1_000, 1_500)] * number)).high / rule.ratio - rule.low / rule.ratio
            for number in (1, 3, 8, 99)
        ]
        assert widths == sorted(widths, reverse=True)
        assert widths[0] < NEW.high / NEW.ratio - NEW.low / NEW.ratio
        # 0.4178 / √100 = 0.0418 is the last that is wider than the least spread
        assert Decimal("0.079") < widths[-1] < Decimal("0.083")

    def test_without_texts_nothing_changes(self) -> None:
        assert fitted(NEW, []) is NEW

    @given(st.lists(st.tuples(st.integers(50, 10**6), st.integers(50, 10**6)), min_size=1, max_size=20))
    def test_ranges_hold_the_ratio_and_every_text(self, texts: list[tuple[int, int]]) -> None:
        samples = [sample(*text) for text in texts]
        rule = fitted(NEW, samples)
        assert 0 < rule.low <= rule.ratio <= rule.high
        step = Decimal("0.0001")
        assert all(rule.low - step <= one.ratio <= rule.high + step for one in samples)


class TestRules:
    def test_own_texts_win_over_measured_ones(self) -> None:
        samples = [sample(1_000, 1_600)]
        assert rule_for(OPUS, ENGLISH, samples).ratio == Decimal("1.6000")
        assert rule_for(OPUS, TextMix.only("code"), samples) == band_for(NEW, TextMix.only("code"))
        assert rule_for(OPUS, ENGLISH, [sample(1_000, 1_600, "a/b")]) == band_for(NEW, ENGLISH)
        assert rule_for(OPUS, TextMix.only("other")) is OPUS.count

    def test_exact_counts_stay_exact(self) -> None:
        exact = pricing.load_catalog().find("gpt-4o")
        assert rule_for(exact, ENGLISH, [sample(1_000, 1_600, exact.id)]) is exact.count

    def test_assumed_counts_give_way_to_bills(self) -> None:
        assumed = pricing.load_catalog().find("gpt-6.1-sol")
        assert rule_for(assumed, ENGLISH) is assumed.count
        rule = rule_for(assumed, ENGLISH, [sample(1_000, 1_020, assumed.id)])
        assert (rule.label, rule.ratio, rule.low, rule.high) == (
            "estimated",
            Decimal("1.0200"),
            Decimal("0.9792"),  # 1.02 × 0.96
            Decimal("1.0608"),  # 1.02 × 1.04
        )

    def test_the_range_reaches_the_count(self) -> None:
        rule = rule_for(OPUS, TextMix.only("json"))
        assert pricing.count_for(OPUS, {"o200k_base": 1_000}, rule) == pricing.TokenCount(
            1_490, 1_150, 1_600, "estimated"
        )
        assert pricing.count_for(OPUS, {"o200k_base": 1_000}).high == 2_070


class TestSamples:
    def test_framing_is_taken_off(self) -> None:
        made = make_sample(OPUS, "english", 1_000, billed(1_508), TODAY, framing=8)
        assert (made.billed, made.ratio, made.tokenizer) == (1_500, Decimal("1.5"), "o200k_base")

    @pytest.mark.parametrize(
        ("counted", "tokens", "framing", "sentence"),
        [
            (49, 100, 0, "at least 50 tokens are needed"),
            (100, 60, 11, "at least 50 tokens are needed"),
            (100, 1_001, 0, "do not belong to a text"),
            (1_000, 199, 0, "do not belong to a text"),
        ],
    )
    def test_what_teaches_nothing_is_refused(self, counted: int, tokens: int, framing: int, sentence: str) -> None:
        with pytest.raises(CalibrationError, match=sentence):
            make_sample(OPUS, "english", counted, billed(tokens), TODAY, framing)

    def test_the_boundaries_are_allowed(self) -> None:
        assert make_sample(OPUS, "english", 50, billed(50), TODAY)
        assert make_sample(OPUS, "english", 100, billed(1_000), TODAY)
        assert make_sample(OPUS, "english", 1_000, billed(200), TODAY)

    def test_models_that_are_not_counted_learn_nothing(self) -> None:
        uncounted = replace(OPUS, count=CountRule(None, "estimated"))
        with pytest.raises(CalibrationError, match="is not counted"):
            make_sample(uncounted, "english", 100, billed(100), TODAY)

    def test_what_is_saved_is_loaded(self) -> None:
        samples = (sample(1_000, 1_600), replace(sample(60, 90), kind="json", framing=7, day=date(2026, 1, 2)))
        assert samples_of(json.loads(saved(*samples))) == samples
        assert samples_of(json.loads(saved())) == ()

    def test_what_others_keep_stays(self) -> None:
        first, second, third = sample(1_000, 1_600), sample(60, 90), sample(70, 90)
        document = json.loads(saved(first, second)) | {"of the future": 1}
        document["samples"].append({"kind": "poetry"})
        changed_samples(document, [third], [first, first])
        assert samples_of(document) == (second, third)
        assert document["of the future"] == 1
        assert {"kind": "poetry"} in document["samples"]

    def test_kinds_of_later_programs_are_left_out(self) -> None:
        text = saved(sample(1_000, 1_600)).replace('"english"', '"poetry"')
        assert samples_of(json.loads(text)) == ()

    @pytest.mark.parametrize(
        "text",
        [
            "{}",
            '{"samples": 1}',
            '{"samples": [1]}',
            '{"samples": [{"kind": "json"}]}',
            saved(sample(1_000, 1_600)).replace("1600", '"many"'),
            saved(sample(1_000, 1_600)).replace("1600", "0"),
            saved(sample(1_000, 1_600)).replace("2026-11-21", "today"),
            saved(sample(1_000, 1_600)).replace("2026-11-21", "a" * 5_000),
            saved(sample(1_000, 1_600)).replace('"o200k_base"', "null"),
        ],
    )
    def test_damaged_files_are_refused(self, text: str) -> None:
        with pytest.raises(CalibrationError) as refused:
            samples_of(json.loads(text))
        assert len(str(refused.value)) < 100
        with pytest.raises(CalibrationError):
            changed_samples(json.loads(text) | {"version": 1}, [], [])
