"""Sums of service tiers, peak hours, earlier prices, sound and searches, each worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from pricing.catalog import check_file, load_catalog
from pricing.rates import price_on
from pricing.types import OffPeak, PastPrice, ScenarioError, Service
from tests.pricing.build import Change, Price, Tier, cost, count, rates

M = 1_000_000
LONG = (Tier(rates(input="4", output="15", cached="0.4"), over=200_000),)
NORMAL = Price(rates(input="2", output="10", cached="0.2", cache_write="2.5"), tiers=LONG, batch="half")
SERVICES = (
    Service("flex", Decimal("0.5")),
    Service("priority", None, rates(input="5", output="25"), None),
    Service("fast", None, rates(input="12", output="60", cached="1.2"), ()),
    Service("ultrafast", None, rates(input="1", output="60"), (Tier(rates(input="24", output="90"), over=200_000),)),
)
PRICE = replace(NORMAL, services=SERVICES)


def usd(price: Price, prompt: int, **scenario: object) -> Decimal | None:
    return cost(price, prompt, **scenario).usd


def test_a_service_with_a_factor_costs_that_much_of_every_price() -> None:
    assert usd(PRICE, 100_000, output_tokens=10_000) == Decimal("0.3")
    # (0.1 × 2 + 0.01 × 10) / 2
    assert usd(PRICE, 100_000, output_tokens=10_000, service="flex") == Decimal("0.15")
    # of the long tier: (0.3 × 4 + 0.01 × 15) / 2
    assert usd(PRICE, 300_000, output_tokens=10_000, service="flex") == Decimal("0.675")
    # written to the cache and read from it: (50,000 × 2.5 + 50,000 × 0.2) / 2 per million
    cached = usd(PRICE, 100_000, cached_tokens=50_000, cache_write_tokens=50_000, service="flex")
    assert cached == Decimal("0.0675")


def test_a_service_with_prices_of_its_own() -> None:
    assert usd(PRICE, 100_000, output_tokens=10_000, service="priority") == Decimal("0.75")
    found = cost(PRICE, 100_000, output_tokens=10_000, reasoning_tokens=10_000, service="fast")
    assert found.usd == Decimal("2.4")
    assert found.parts[-1].usd_per_mtok == 60, "reasoning is output"


def test_what_a_service_costs_for_long_prompts() -> None:
    unknown = cost(PRICE, 300_000, service="priority")
    assert (unknown.usd, unknown.unknown) == (None, ("services.priority",))
    assert usd(PRICE, 300_000, service="fast") == Decimal("3.6"), "the same at every length"
    assert usd(PRICE, 300_000, output_tokens=10_000, service="ultrafast") == Decimal("8.1")
    spread = cost(PRICE, count(200_000, 100_000, 300_000), service="ultrafast")
    assert (spread.usd_low, spread.usd, spread.usd_high) == (Decimal("0.1"), Decimal("0.2"), Decimal("7.2"))


def test_prices_that_a_service_does_not_publish() -> None:
    """Never one that could make the cost look smaller than it may be."""
    dear = cost(PRICE, M // 10, cached_tokens=M // 10, service="priority")
    assert (dear.usd, dear.parts[0].note) == (Decimal("0.5"), "no published priority price; the input price is used")
    written = cost(PRICE, M // 10, cache_write_tokens=M // 10, service="priority")
    assert (written.usd, written.unknown) == (None, ("services.priority.cache_write",))
    cheap = cost(PRICE, M // 10, cached_tokens=M // 10, service="ultrafast")
    assert (cheap.usd, cheap.parts[0].note) == (
        Decimal("0.02"),
        "no published ultrafast price; the standard price is used",
    )


def test_a_service_that_is_not_sold_has_no_price() -> None:
    found = cost(NORMAL, 1_000, output_tokens=1, service="flex")
    assert (found.usd, found.unknown) == (None, ("services.flex",))
    assert found.price_note == "no flex service known"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"service": "slow"}, "the service must be one of flex, priority, fast, ultrafast"),
        ({"service": "flex", "batch": True}, "give the batch service or the flex service, not both"),
        ({"hours": "noon"}, "the hours must be one of peak, off-peak, average"),
        ({"searches": -1}, "the number of searches cannot be negative"),
    ],
)
def test_scenarios_that_cannot_be(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        cost(PRICE, 10, **wrong)


PEAK = OffPeak(Decimal("0.5"), ((60, 240), (360, 600)), (0, 1, 2, 3, 4), date(2026, 9, 1))
BY_HOUR = Price(rates(input="2", output="8"), per_request=Decimal("0.5"), off_peak=PEAK)
DAY = date(2026, 11, 27)


def test_costs_at_hours_that_are_told() -> None:
    def found(hours: str, on: date = DAY) -> tuple[object, ...]:
        one = cost(BY_HOUR, M, output_tokens=M, hours=hours, on=on)
        return one.usd_low, one.usd, one.usd_high, one.usd_label

    assert found("") == (Decimal("5.5"), Decimal("10.5"), Decimal("10.5"), "estimated")
    assert found("peak") == (Decimal("10.5"), Decimal("10.5"), Decimal("10.5"), "exact")
    assert found("off-peak") == (Decimal("5.5"), Decimal("5.5"), Decimal("5.5"), "exact")
    # 35 of 168 hours at 2 and 8, 133 at half of it: 203 / 168 and 812 / 168, each to twelve decimals, and the fee
    assert PEAK.peak_minutes == 35 * 60
    mean = Decimal("1.208333333333") + Decimal("4.833333333333") + Decimal("0.5")
    assert found("average") == (Decimal("5.5"), mean, Decimal("10.5"), "estimated")
    before = (Decimal("10.5"), Decimal("10.5"), Decimal("10.5"), "exact")
    assert [found(hours, date(2026, 8, 31)) for hours in ("", "off-peak", "average")] == [before] * 3
    assert found("off-peak", date(2026, 9, 1))[1] == Decimal("5.5")


def test_batch_tiers_and_services_follow_the_hours() -> None:
    price = replace(PRICE, off_peak=PEAK)
    assert usd(price, 300_000, hours="off-peak", on=DAY) == Decimal("0.6")
    assert usd(price, 300_000, hours="off-peak", on=DAY, batch=True) == Decimal("0.3")
    assert usd(price, 300_000, hours="off-peak", on=DAY, service="ultrafast") == Decimal("3.6")


@pytest.mark.parametrize(
    ("at", "is_peak", "switch"),
    [
        ("2026-11-27 00:59", False, "2026-11-27 01:00"),  # a Friday
        ("2026-11-27 01:00", True, "2026-11-27 04:00"),
        ("2026-11-27 03:59", True, "2026-11-27 04:00"),
        ("2026-11-27 04:00", False, "2026-11-27 06:00"),
        ("2026-11-27 09:59", True, "2026-11-27 10:00"),
        ("2026-11-27 10:00", False, "2026-11-30 01:00"),
        ("2026-11-28 02:00", False, "2026-11-30 01:00"),
        ("2026-11-29 23:59", False, "2026-11-30 01:00"),
    ],
)
def test_which_price_holds_now(at: str, is_peak: bool, switch: str) -> None:
    time = datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert PEAK.is_peak(time) is is_peak
    assert PEAK.next_switch(time) == datetime.fromisoformat(switch).replace(tzinfo=UTC)
    in_china = time.astimezone(timezone(timedelta(hours=8)))
    assert PEAK.is_peak(in_china) is is_peak, "whatever the clock on the wall says"


def test_the_row_says_which_price_holds_now() -> None:
    at = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
    note = cost(BY_HOUR, M, on=DAY, now=at).price_note
    hours = "01:00 to 04:00 and 06:00 to 10:00 UTC, Monday to Friday"
    assert note == f"peak price ({hours}), half that at other times; now peak until Fri 10:00 UTC"
    note = cost(BY_HOUR, M, on=DAY, now=at + timedelta(days=1), hours="off-peak").price_note
    assert note == f"off-peak price ({hours}): half the peak price; now off-peak until Mon 01:00 UTC"


PAST = (
    PastPrice(date(2026, 10, 14), rates(input="0.68", output="2.09"), source="https://example.org", note="promotion"),
    PastPrice(date(2026, 10, 20), rates(input="1.36", output="4.18"), batch="half", tiers=LONG),
)
DATED = Price(rates(input="0.7", output="2.1"), since=date(2026, 10, 29), history=PAST, known_from=date(2026, 10, 14))


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2026, 10, 13), None),
        (date(2026, 10, 14), "0.68"),
        (date(2026, 10, 19), "0.68"),
        (date(2026, 10, 20), "1.36"),
        (date(2026, 10, 28), "1.36"),
        (date(2026, 10, 29), "0.7"),
        (date(2027, 1, 1), "0.7"),
    ],
)
def test_a_call_cost_what_the_price_of_its_day_was(day: date, expected: str | None) -> None:
    found = cost(DATED, 100_000, on=day)
    assert found.usd == (None if expected is None else Decimal(expected) / 10)
    if expected is None:
        assert found.price_note == "no price known before 2026-10-14"


def test_an_earlier_price_is_complete_in_itself() -> None:
    assert usd(DATED, 300_000, on=date(2026, 10, 20)) == Decimal("1.2"), "its own tier"
    assert usd(DATED, 300_000, on=date(2026, 10, 14)) == Decimal("0.204")
    longer = replace(DATED, tiers=LONG)
    assert usd(longer, 300_000, on=date(2026, 10, 14)) is None, "whether long prompts cost more is not known"
    assert usd(longer, 200_000, on=date(2026, 10, 14)) == Decimal("0.136")
    assert usd(DATED, 100_000, on=date(2026, 10, 14), batch=True) is None, "no batch price of that time is known"
    assert usd(DATED, 100_000, on=date(2026, 10, 20), batch=True) == Decimal("0.068")
    _, change = price_on(DATED, date(2026, 10, 15))
    assert change is not None
    assert change.note == "price from 2026-10-14 until 2026-10-20 (promotion, https://example.org)"


def test_a_change_to_come_does_not_reach_into_the_past() -> None:
    price = replace(DATED, changes=(Change(date(2026, 12, 1), rates(input="9")),))
    assert usd(price, 100_000, on=date(2026, 10, 20)) == Decimal("0.136")
    assert usd(price, 100_000, on=date(2026, 12, 1)) == Decimal("0.9")
    gap = replace(DATED, history=(), known_from=date(2026, 10, 1))
    assert cost(gap, 10, on=date(2026, 10, 2)).price_note == "no price known before 2026-10-29"


def test_sound_and_searches_come_on_top() -> None:
    price = Price(rates(input="2", output="8", audio_input="32", audio_output="64"), per_search=Decimal("0.01"))
    found = cost(price, 1_000, output_tokens=100, audio_input_tokens=500, audio_output_tokens=200, searches=3)
    # 1,000 × 2 + 500 × 32 = 18,000; 100 × 8 + 200 × 64 = 13,600; 3 × 0.01
    assert (found.input_usd, found.output_usd, found.request_usd) == (
        Decimal("0.018"),
        Decimal("0.0136"),
        Decimal("0.03"),
    )
    assert found.usd == Decimal("0.0616")
    silent = cost(Price(rates(input="2", output="8")), 10, audio_input_tokens=1, searches=1)
    assert (silent.usd, silent.unknown) == (None, ("audio_input", "per_search"))


def test_a_price_file_says_all_of_it(tmp_path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(
        """version: 2
models:
  acme/one:
    price:
      input: 2
      output: 10
      tiers: [{over: 200k, input: 4, output: 15}]
      services: {flex: half, priority: {factor: 2}, fast: {input: 12, output: 60, tiers: []}}
      off_peak: {factor: 0.5, peak: ["01:00-04:00", "22:30-24:00"], weekdays: [mon, wed-fri], from_date: 2026-09-01}
      audio_input: 32
      per_search: 0.01
      since: 2026-10-29
      history: [{from_date: 2026-10-14, input: 1, output: 2, source: https://example.org}]
    checked: 2026-11-20
    checked_in: table
    dated_aliases: [{name: one-latest, from_date: 2026-10-14, until: 2026-12-01}]
  acme/two: {like: acme/one, name: Two}
  acme/own: {like: acme/one, price: {output: 11}}
  acme/three: {like: openai/gpt-4.1, checked: 2026-11-01}
"""
    )
    catalog = load_catalog(path)
    one = catalog.find("acme/one")
    assert one.checked_in == "table"
    assert one.price.off_peak == OffPeak(Decimal("0.5"), ((60, 240), (1350, 1440)), (0, 2, 3, 4), date(2026, 9, 1))
    assert [service.name for service in one.price.services] == ["flex", "priority", "fast"]
    assert (one.price.since, one.price.known_from) == (date(2026, 10, 29), date(2026, 10, 14))
    two = catalog.find("acme/two")
    assert (two.price, two.name) == (one.price, "Two")
    own = catalog.find("acme/own").price
    assert (own.rates.input, own.rates.output, own.rates.audio_input) == (2, 11, 32)
    assert (own.services, own.tiers, own.history, own.since, own.off_peak) == ((), (), (), None, one.price.off_peak)
    assert two.dated_aliases == ()
    three, source = catalog.find("acme/three"), catalog.find("openai/gpt-4.1")
    assert (three.price.rates, three.context, three.count) == (source.price.rates, source.context, source.count)
    assert (
        catalog.resolve("one-latest", date(2026, 11, 1)).note
        == "one-latest means acme/one from 2026-10-14 until 2026-12-01"
    )


def test_a_change_of_price_ends_prices_that_services_had_of_their_own() -> None:
    price = replace(PRICE, changes=(Change(DAY, rates(input="4")),))
    assert usd(price, 100_000, on=DAY, service="flex") == Decimal("0.2"), "half of whatever it is"
    assert usd(price, 100_000, on=DAY, service="fast") is None
    assert usd(price, 100_000, on=date(2026, 11, 26), service="fast") == Decimal("1.2")


def test_tiers_of_the_users_own_make_those_of_a_service_unknown() -> None:
    own = replace(PRICE, tiers=(Tier(rates(input="9"), over=50_000),))
    assert usd(own, 10_000, service="ultrafast") is None
    assert usd(own, 100_000, service="flex") == Decimal("0.45")
    assert usd(own, 100_000, service="fast") == Decimal("1.2"), "the same at every length"


def test_reasoning_with_a_price_of_its_own() -> None:
    price = replace(PRICE, rates=replace(PRICE.rates, reasoning=Decimal(9)))
    assert usd(price, 0, reasoning_tokens=M, service="priority") is None, "it may be dearer than the output"
    assert usd(price, 0, reasoning_tokens=M, service="flex") == Decimal("4.5")


def test_history_that_cannot_be(tmp_path) -> None:
    path = tmp_path / "prices.yaml"
    for text, sentence in (
        ("history: [{from_date: 2026-01-01, input: 1}]", "'since' is missing: with 'history'"),
        ("since: 2026-01-01, history: [{from_date: 2026-01-01, input: 1}]", "must start before the current ones"),
        ("off_peak: {factor: 0.5, peak: ['01:00-04:00', '03:00-05:00']}", "these hours overlap"),
        ("off_peak: {factor: 0.5, weekdays: mon-fri}", "'peak' is missing"),
        ("services: {slow: half}", "unknown field 'slow'"),
        ("services: {flex: {factor: 2, input: 3}}", "either a factor or prices"),
        (
            "tiers: [{over: 9, input: 1}], services: {flex: {input: 1, tiers: [{over: 8, input: 2}]}}",
            "must start at thresholds",
        ),
    ):
        path.write_text(f"version: 2\nmodels:\n  acme/one: {{price: {{input: 2, {text}}}}}\n")
        problems = check_file(path)
        assert [sentence in problem.message for problem in problems] == [True], (text, problems)
    path.write_text("version: 2\nmodels:\n  a/a: {like: a/b}\n  a/b: {like: a/a}\n  a/c: {like: nobody/x}\n")
    assert [
        "cannot be like itself" in one.message or "no model has the id" in one.message for one in check_file(path)
    ] == [True] * 3


def test_dates_of_the_users_own_hold_without_a_day_of_checking(tmp_path) -> None:
    path = tmp_path / "prices.yaml"
    past = "since: 2026-02-01, history: [{from_date: 2026-01-01, input: 1, output: 1}]"
    path.write_text(f"version: 2\nmodels:\n  acme/one: {{price: {{input: 2, output: 2, {past}}}}}\n")
    price = load_catalog(path).find("acme/one").price
    assert [usd(price, M, on=date(2026, month, 15)) for month in (1, 2)] == [1, 2]
    assert usd(price, M, on=date(2025, 12, 31)) is None


def test_hours_of_version_one(tmp_path) -> None:
    path = tmp_path / "prices.yaml"
    for version, block in ((1, "price: {{input: 1, {}}}"), (0, "input: 1, {}")):
        for hours, expected in (("peak_hours: at noon", None), ("off_peak: 0.5, peak_hours: at noon", "at noon")):
            path.write_text(f"version: {version}\nmodels:\n  acme/one: {{{block.format(hours)}}}\n")
            off_peak = load_catalog(path).find("acme/one").price.off_peak
            assert (off_peak and off_peak.note) == expected
