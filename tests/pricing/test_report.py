"""Estimates as JSON and as a table: exact money, unknown as unknown, ranges as ranges."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal

from pricing.report import json_row, text_line, text_lines, tokens_text
from tests.pricing.build import TODAY, Price, cost, count, model, rates

KNOWN = model(Price(rates(input="2", output="8")), id="acme/known", checked=date(2026, 11, 1))
DEAR = model(Price(rates(input="20", output="80")), id="acme/dear")
UNKNOWN = model(Price(rates(input="2")), id="acme/unknown", retires=date(2026, 1, 1))


def test_json_has_every_digit_of_the_money_and_no_float() -> None:
    row = json_row(cost(KNOWN, 12_345, output_tokens=1), with_calls=False)
    # 12345 × 2 + 1 × 8 = 24698 millionths
    assert row == {
        "model": "acme/known",
        "label": "exact",
        "input_tokens": 12_345,
        "input_low": 12_345,
        "input_high": 12_345,
        "usd": "0.024698",
        "usd_low": "0.024698",
        "usd_high": "0.024698",
        "unknown": [],
        "price_checked": "2026-11-01",
        "price_checked_in": "",
        "retired": False,
        "usd_label": "exact",
        "price_note": "",
        "context_exceeded": False,
        "complete": True,
    }
    assert json.loads(json.dumps(row)) == row


def test_json_of_an_estimate_keeps_both_ends() -> None:
    row = json_row(cost(KNOWN, count(1000, 900, 1200)), with_calls=False)
    assert (row["input_low"], row["input_tokens"], row["input_high"]) == (900, 1000, 1200)
    assert (row["usd_low"], row["usd"], row["usd_high"]) == ("0.0018", "0.002", "0.0024")
    assert row["label"] == "estimated"


def test_json_says_null_for_what_is_unknown() -> None:
    row = json_row(cost(UNKNOWN, 10, output_tokens=1), with_calls=True)
    assert row["usd"] is row["usd_low"] is row["usd_high"] is None
    assert row["usd_calls"] is row["usd_calls_low"] is row["usd_calls_high"] is None
    assert row["usd_label"] is None
    assert row["unknown"] == ["output"]
    assert row["price_checked"] is None
    assert row["retired"] is True


def test_json_has_the_calls_where_they_are_asked_for() -> None:
    row = json_row(cost(KNOWN, 1_000_000, calls=3), with_calls=True)
    assert (row["usd"], row["calls"], row["usd_calls"]) == ("2", 3, "6")
    assert not {"calls", "usd_calls"} & json_row(cost(KNOWN, 1_000_000, calls=3), with_calls=False).keys()


def test_the_table_goes_from_cheap_to_dear_and_unknown_comes_last() -> None:
    estimates = [cost(one, 1000, output_tokens=1000) for one in (UNKNOWN, DEAR, KNOWN)]
    lines = text_lines(estimates, TODAY, with_calls=False)
    assert [line.split()[0] for line in lines[:3]] == ["acme/known", "acme/dear", "acme/unknown"]
    assert lines[3] == "USD per call, at the prices on 2026-11-21."
    assert len({line.index("exact") for line in lines[:3]}) == 1, "columns stand below each other"


def test_unknown_prices_are_named_in_words_and_once() -> None:
    unsold = ({"output_tokens": 1}, {"audio_input_tokens": 1}, {"service": "flex"})
    lines = [text_line(cost(UNKNOWN, 10, **used), 0, with_calls=False) for used in unsold]
    assert [line.partition("n/a   ")[2] for line in lines] == [
        "no price for output   retired",
        "no price for audio input   retired",
        "retired   no flex service known",
    ]


def test_a_free_model_is_cheaper_than_an_unknown_one() -> None:
    free = model(Price(rates(input="0", output="0")), id="acme/free")
    lines = text_lines([cost(one, 1000, output_tokens=1) for one in (UNKNOWN, free)], TODAY, with_calls=False)
    assert [line.split()[0] for line in lines[:2]] == ["acme/free", "acme/unknown"]
    assert lines[0].endswith(" $0")


def test_an_empty_table_is_the_line_below_it() -> None:
    assert text_lines([], TODAY, with_calls=False) == ["USD per call, at the prices on 2026-11-21."]


def test_a_line_says_all_there_is_to_say() -> None:
    line = text_line(cost(KNOWN, count(1000, 900, 1200), calls=1000), 12, with_calls=True)
    assert line == "acme/known            900–1,200 estimated  $0.0018–0.0024   1,000 calls: $1.80–2.40"
    line = text_line(cost(UNKNOWN, 10, output_tokens=1), 12, with_calls=False)
    assert " ".join(line.split()) == "acme/unknown 10 exact n/a no price for output retired"


def test_tokens_are_a_range_where_they_are_an_estimate() -> None:
    assert tokens_text(cost(KNOWN, 12_345)) == "12,345"
    assert tokens_text(cost(KNOWN, count(1000, 900, 1200))) == "900–1,200"
    uncounted = replace(cost(KNOWN, 1), input_tokens=None, input_low=None, input_high=None, usd=Decimal(1))
    assert tokens_text(uncounted) == "n/a"
