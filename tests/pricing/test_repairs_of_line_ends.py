"""Faults that YAML places beyond the last line as lines of a price file are counted."""

from __future__ import annotations

from pricing.load import read_price_text

UNCLOSED = (
    '\nversion: 1\r\nmodels:\r\n  acme/one:\r "\n'
    "    price:\r\n      input: 2\r\n       <<: *a: 0,5\r ---\n cached:\t1\r\n    contxt: 3\r\n"
)


def test_a_quotation_mark_that_is_never_closed_is_reported_whatever_ends_the_lines():
    assert read_price_text(UNCLOSED, "prices.yaml").problems
