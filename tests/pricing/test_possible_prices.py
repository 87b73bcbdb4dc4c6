"""Prices that are assumed or depend on the hour, and prompts that do not fit: said in the row, and a range of money."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import pricing
from pricing.catalog import load_catalog
from pricing.report import json_row, text_line
from pricing.scenarios import Conversation, converse, exactly
from pricing.types import LABELS, OffPeak, Rates, Scenario, least_sure
from tests.pricing.build import Change, Price, Tier, cost, count, model, rates

DAY = date(2026, 11, 22)
AFTER = Change(DAY, rates(input="5", output="30"), note="the promotion may end", assumed=True)
PROMOTION = Price(rates(input="4", output="20"), changes=(AFTER,))
MORNING = OffPeak(Decimal("0.5"), ((360, 600),), tuple(range(7)))
HOURS = Price(rates(input="2", output="8"), per_request=Decimal("0.5"), off_peak=MORNING)


def test_the_label_of_a_sum_is_that_of_its_least_sure_part() -> None:
    assert LABELS == ("exact", "counted", "formula", "assumed", "reconstructed", "estimated")
    assert least_sure("exact") == "exact"
    assert least_sure("exact", "formula", "assumed", "formula") == "assumed"
    assert least_sure("reconstructed", "estimated", "exact") == "estimated"


def test_an_assumed_price_is_a_range_from_that_of_before() -> None:
    before = cost(PROMOTION, 1_000_000, output_tokens=1_000_000, on=date(2026, 11, 21))
    assert (before.usd_low, before.usd, before.usd_high) == (24, 24, 24)
    assert (before.usd_label, before.price_note) == ("exact", "")
    found = cost(PROMOTION, 1_000_000, output_tokens=1_000_000, on=DAY, calls=2)
    assert (found.usd_low, found.usd, found.usd_high) == (24, 35, 35)
    assert (found.input_usd_low, found.input_usd_high) == (4, 5)
    assert (found.output_usd_low, found.output_usd_high) == (20, 30)
    assert (found.usd_calls_low, found.usd_calls_high) == (48, 70)
    assert (found.label, found.usd_label) == ("exact", "assumed"), "the count is exact, the money is not"
    assert found.price_note == "assumed price: the promotion may end"
    assert found.price_note in found.explanation
    assert "for one of the possible prices: $24 to $35" in found.explanation
    estimated = cost(PROMOTION, count(1_000_000, 500_000, 2_000_000), on=DAY)
    assert (estimated.usd_low, estimated.usd_high, estimated.usd_label) == (2, 10, "estimated")


def test_a_published_change_ends_what_was_assumed() -> None:
    published = replace(AFTER, from_date=date(2026, 12, 1), rates=rates(input="4.50"), assumed=False)
    price = replace(PROMOTION, changes=(AFTER, published))
    found = cost(price, 1_000_000, on=date(2026, 12, 1))
    assert (found.usd_low, found.usd, found.usd_high) == (Decimal("4.50"),) * 3
    assert found.price_note == published.note or not found.price_note
    twice = replace(published, assumed=True, note="")
    found = cost(replace(PROMOTION, changes=(AFTER, twice)), 1_000_000, on=date(2026, 12, 1))
    assert (found.usd_low, found.usd, found.usd_high) == (4, Decimal("4.50"), 5)
    assert found.price_note == "assumed price"


def test_a_price_of_before_that_is_unknown_leaves_the_ends_unknown() -> None:
    price = Price(rates(input="4"), changes=(replace(AFTER, rates=rates(input="5", output="30")),))
    found = cost(price, 10, output_tokens=10, on=DAY)
    assert found.usd is not None
    assert found.usd_low is found.usd_high is None


def test_a_price_that_depends_on_the_hour_is_a_range() -> None:
    found = cost(HOURS, 1_000_000, output_tokens=1_000_000, factor=Decimal(2))
    # (2 + 8 + 0.5) × 2, and off peak (1 + 4 + 0.5) × 2: the fee does not depend on the hour
    assert (found.usd_low, found.usd, found.usd_high) == (11, 21, 21)
    assert (found.label, found.usd_label) == ("exact", "estimated")
    assert found.price_note == "peak price (06:00 to 10:00 UTC), half that at other times"
    dear = cost(replace(HOURS, off_peak=OffPeak(Decimal("1.5"))), 1_000_000)
    assert (dear.usd_low, dear.usd, dear.usd_high) == (Decimal("2.5"), Decimal("2.5"), Decimal("3.5"))
    assert dear.price_note == "peak price, 1.5 times that at other times"


def test_a_prompt_that_does_not_fit_is_said() -> None:
    one = model(context=1_000, max_input=900)
    assert cost(one, 900).context_note == ""
    assert cost(one, 901).context_note == "the prompt is longer than the model's input limit of 900 tokens"
    both = cost(one, 900, output_tokens=101)
    assert both.context_note == "prompt and output are longer than the context window of 1,000 tokens"
    maybe = cost(one, count(900, 800, 1_000))
    assert maybe.over_context is False
    assert maybe.context_note == "the prompt may be longer than the model's input limit of 900 tokens"
    assert cost(model(), 10**9).context_note == ""


def test_rows_say_it() -> None:
    one = model(PROMOTION, context=1_000)
    found = cost(one, 350_000, on=DAY)
    line = text_line(found, 8, with_calls=False)
    assert line.endswith(
        "   assumed price: the promotion may end   the prompt is longer than the context window of 1,000 tokens"
    )
    row = json_row(found, with_calls=False)
    assert row["price_note"] == "assumed price: the promotion may end"
    assert (row["label"], row["usd_label"], row["context_exceeded"]) == ("exact", "assumed", True)
    plain = json_row(cost(model(), 10), with_calls=False)
    assert (plain["price_note"], plain["usd_label"], plain["context_exceeded"]) == ("", "exact", False)


def test_a_conversation_has_the_range_of_its_prices() -> None:
    talk = Conversation(2, exactly(0), exactly(1_000_000), exactly(0))
    turns = converse(model(replace(HOURS, per_request=None)), talk, Scenario(on=DAY))
    assert [turn.total_usd for turn in turns] == [2, 6]
    assert [(turn.total_usd_low, turn.total_usd_high) for turn in turns] == [(1, 2), (3, 6)]


def test_the_built_in_prices_that_are_not_sure() -> None:
    catalog = load_catalog(None)
    sol = cost(catalog.find("gpt-5.6-sol"), 1_000_000, on=date(2026, 11, 27))
    assert (sol.usd_low, sol.usd, sol.usd_high, sol.usd_label) == (8, 10, 10, "assumed")
    assert sol.price_note.startswith("assumed price: the promotion is promised only through 2026-11-21")
    for name in ("deepseek-flash", "deepseek-v4-pro"):
        found = cost(catalog.find(name), 1_000_000)
        assert found.usd_low is not None
        assert found.usd_low * 2 == found.usd == found.usd_high
        assert found.price_note.startswith("peak price (01:00 to 04:00 and 06:00 to 10:00 UTC")


def test_price_files_can_say_it(tmp_path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        "version: 1\ncurrency: EUR\nrates: {EUR: 2}\nmodels:\n  acme/one:\n    price:\n      input: 1\n"
        "      off_peak: 0.25\n      peak_hours: in the morning\n      changes:\n"
        "        - {from_date: 2026-12-01, input: 2, assumed: true}\n"
    )
    price = load_catalog(path).find("acme/one").price
    assert price.off_peak == OffPeak(Decimal("0.25"), note="in the morning"), "a factor is in no currency"
    assert price.changes[0].assumed
    found = cost(price, 1_000_000, on=date(2026, 12, 1))
    assert (found.usd_low, found.usd_high) == (Decimal("0.5"), 4)
    assert found.price_note == "assumed price; peak price (in the morning), 0.25 times that at other times"


def test_tiers_and_possible_prices_go_together() -> None:
    tiers = (Tier(rates(input="8", output="40"), over=1_000),)
    found = cost(replace(HOURS, per_request=None, tiers=tiers), count(1_000, 500, 2_000))
    assert (found.usd_low, found.usd_high) == (Decimal("0.0005"), Decimal("0.016"))


def test_a_day_before_the_first_known_price_has_none() -> None:
    """Today's price is not that of last year."""
    o3 = pricing.load_catalog().find("o3")
    before = cost(o3, 1_000_000, output_tokens=1_000_000, on=date(2025, 6, 1))
    assert (before.usd, before.usd_low, before.usd_high, before.input_usd) == (None, None, None, None)
    assert before.unknown == ("input", "output")
    assert before.price_note == "no price known before 2025-06-11"
    assert before.price_note in before.explanation
    assert pricing.price_on(o3.price, date(2025, 6, 1))[0].rates == Rates()
    assert not o3.has_price_on(date(2025, 6, 10))
    assert cost(o3, 1_000_000, output_tokens=1_000_000, on=date(2025, 6, 11)).usd == Decimal(10)


def test_a_fee_and_tiers_are_unknown_too_before_the_first_known_price() -> None:
    price = replace(PROMOTION, per_request=Decimal(1), known_from=date(2026, 11, 1), off_peak=MORNING)
    before = cost(price, count(300_000, 200_000, 400_000), on=date(2026, 10, 31), batch=True)
    assert (before.usd, before.usd_high, before.price_note) == (None, None, "no price known before 2026-11-01")
    assert cost(price, 1_000, on=date(2026, 11, 1)).usd is not None


@pytest.mark.parametrize(
    ("entry", "first"),
    [
        ("price: {input: 1}", "2025-06-05"),  # the output price is still the built-in one
        ("price: {input: 1, output: 2, cached: 0.1}", None),
        ("{price: {input: 1, output: 2, cached: 0.1}, checked: 2025-01-31}", "2025-01-31"),
        ("checked: 2025-01-31", "2025-01-31"),
        ("checked: 2099-01-31", "2025-06-05"),
        ("{price: {since: null, history: null}, checked: 2099-01-31}", date.today().isoformat()),
        ("price: {changes: [{from_date: 2025-06-10, input: 3, note: x}]}", "2025-06-05"),
        (
            "{price: {input: 1, output: 2, cached: 1, changes: [{from_date: 2025-06-10, input: 3, note: x}]}, "
            "checked: 2026-01-31}",
            "2025-06-10",
        ),
    ],
)
def test_prices_of_ones_own_hold_for_any_day_or_from_that_which_is_given(
    tmp_path: Path, entry: str, first: str | None
) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(f"version: 1\nmodels:\n  openai/gpt-4o:\n    {entry}\n")
    found = pricing.load_catalog(path).find("openai/gpt-4o").price.known_from
    assert (found and found.isoformat()) == first
