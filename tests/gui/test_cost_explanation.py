from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from PySide6.QtCore import QLocale

from gui.costs.columns import COLUMN_INDEX, COLUMNS, CostView, why_unknown
from gui.costs.inspector import explanation
from gui.costs.money_text import CostText
from pricing.types import Rates, Tier
from tests.gui.cost_samples import MODELS, TODAY, rows

VIEW = CostView(CostText(QLocale(QLocale.Language.English)), TODAY, TODAY)


def lines(model_id: str, **scenario: object) -> list[str]:
    return explanation(next(row for row in rows(**scenario) if row.model_id == model_id), VIEW)


def test_every_term_of_the_sum_has_a_line():
    assert lines("acme/large", cached_tokens=400, reasoning_tokens=100, factor=Decimal("1.10")) == [
        "acme/large",
        "Uncached input: 600 tokens × $2 / million = $0.0012",
        "Cached input: 400 tokens × $0.5 / million = $0.0002",
        "Output: 500 tokens × $8 / million = $0.004",
        "Reasoning: 100 tokens × $8 / million = $0.0008",
        "Multiplied by 1.1",
        "One call: $0.00682",
        "1,000 calls: $6.82",
        "Source: https://prices.example/acme/large",
    ]


def test_a_range_is_explained_with_both_ends():
    assert "With 1,400 to 1,600 prompt tokens: $0.0195 to $0.0205" in lines("borg/opus")


def test_the_unknown_is_named():
    said = lines("corp/unknown")
    assert "Uncached input: 1,200 tokens, price unknown" in said
    assert "One call: unknown (no price for input)" in said
    assert lines("dark/none") == [
        "dark/none",
        "No tokenizer is known for this model, so its tokens cannot be counted.",
    ]


def test_what_was_bent_and_what_does_not_fit_is_told():
    said = "\n".join(lines("acme/small", cached_tokens=9_000, output_tokens=3_500))
    assert "the whole prompt counts as cached" in said
    assert "Too long for the model: context window 4,000 tokens, prompt and output 4,500." in said


@pytest.mark.parametrize("model_id", [row.model_id for row in rows()])
def test_it_says_all_that_pricing_says(model_id):
    """Every number of the plain explanation is in ours as well."""
    row = next(row for row in rows() if row.model_id == model_id)
    ours = "\n".join(explanation(row, VIEW))
    for part in row.estimate.parts:
        assert part.usd is None or f"{part.usd.normalize():f}" in ours
    assert all(note[0].upper() + note[1:] in ours for note in row.estimate.notes)


def test_remarks_of_the_price_table_begin_like_sentences():
    said = lines("corp/embed")
    assert "Input only" in said
    assert "Retires on 2026-12-11" in said


def why(model_id: str, column: str, **choices: object) -> str:
    row = next(row for row in rows(**choices) if row.model_id == model_id)
    return why_unknown(COLUMNS[COLUMN_INDEX[column]], row, VIEW)


def test_a_figure_that_is_missing_has_its_reason():
    assert why("acme/large", "total") == ""
    assert why("acme/large", "model") == ""
    for column in ("total", "calls", "input_cost"):
        assert why("corp/unknown", column) == "No known price for input."
    assert why("corp/unknown", "output_cost") == ""
    assert why("dark/none", "context") == "Context window unknown."
    assert why("dark/none", "total").startswith("No tokenizer is known for this model")
    assert why("borg/opus", "total", batch=True) == "No known price for the batch service."
    waiting = {"counts": {}, "pending": frozenset({"o200k_base"})}
    assert why("acme/large", "total", **waiting) == "Counting the prompt…"
    assert why("acme/large", "total", counts={}) == "The token count of the prompt is unknown."


def test_a_day_before_the_first_known_price_is_the_reason():
    known = replace(MODELS[0], price=replace(MODELS[0].price, known_from=VIEW.on + timedelta(1)))
    row = rows(models=(known,))[0]
    day = VIEW.text.day(VIEW.on + timedelta(1))
    assert why_unknown(COLUMNS[COLUMN_INDEX["total"]], row, VIEW) == f"No known price before {day}."
    assert why_unknown(COLUMNS[COLUMN_INDEX["tokens"]], row, VIEW) == ""
    notes = COLUMNS[COLUMN_INDEX["notes"]].text(row, VIEW)
    assert f"no price known before {VIEW.on + timedelta(1)}" in notes
    assert "no price known for" not in notes


def test_a_price_that_is_missing_for_long_prompts_alone_says_so():
    tiered = replace(MODELS[0], price=replace(MODELS[0].price, tiers=(Tier(Rates(), over=900, unknown=("input",)),)))
    row = rows(models=(tiered,))[0]
    said = why_unknown(COLUMNS[COLUMN_INDEX["total"]], row, VIEW)
    assert said == "No known price for input, with more than 900 prompt tokens."
