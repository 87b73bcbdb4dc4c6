"""Older files are read as they are, and stay as they are."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import pricing
from pricing.editing import set_field
from pricing.load import read_price_text
from pricing.types import EditError

FLAT = """\
version: 0
currency: EUR
rates: {EUR: 1.16}
models:
  acme/one:
    name: One
    input: 2      # per million
    output: 8
    tiers:
      - {over: 200k, input: 4}
    context: 32k
  acme/two: {price: {input: 1}}
  openai/gpt-4: null
"""
CURRENT = """\
version: 1
currency: EUR
rates: {EUR: 1.16}
models:
  acme/one:
    name: One
    price:
      input: 2
      output: 8
      tiers:
        - {over: 200k, input: 4}
    context: 32k
  acme/two: {price: {input: 1}}
  openai/gpt-4: null
"""


def test_a_flat_file_says_what_the_current_form_says(tmp_path: Path) -> None:
    assert read_price_text(FLAT, "a").models == read_price_text(CURRENT, "a").models
    path = tmp_path / "prices.yaml"
    path.write_bytes(FLAT.encode())
    model = pricing.load_catalog(path).find("acme/one")
    assert model.price.input == Decimal("2.32")
    assert pricing.origin_of(model, "price.input") == ("yours", pricing.Position(str(path), 7, 12))
    assert path.read_bytes() == FLAT.encode()


def test_mistakes_have_their_own_lines() -> None:
    text = FLAT.replace("input: 2  ", "input: $2 ").replace("context: 32k", "contxt: 32k")
    assert [str(problem) for problem in pricing.check_text(text, "a.yaml")] == [
        "a.yaml:7:12: models.acme/one.price.input: write only the number; the currency is set at the top of the file "
        "(got '$2')",
        "a.yaml:11:5: models.acme/one.contxt: unknown field 'contxt', did you mean 'context'?",
    ]


def test_an_older_file_is_not_written() -> None:
    with pytest.raises(EditError, match="change the file to version 2"):
        set_field(FLAT, "acme/one", "price.input", Decimal(3))


@pytest.mark.parametrize("version", ["2", "00", "-1", "1.0", "0.5", "9999999999999999999999"])
def test_other_versions_are_refused(version: str) -> None:
    assert pricing.check_text(FLAT.replace("version: 0", f"version: {version}"), "a.yaml")
