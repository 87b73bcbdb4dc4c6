"""A published table against the built-in prices and the user's: what differs, what may be taken, what is applied."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import pricing
from pricing.bundled import load_bundled
from pricing.importers import Difference, apply_differences, disagreements, read_import, three_way
from pricing.load import PriceFile, read_price_text
from pricing.types import EditError
from tests.pricing.build import TODAY

EXTRACTS = Path(__file__).parent / "extracts"
NAMES = ("litellm", "llm_prices_current", "models_dev", "genai_prices")
TABLES = {name: read_import((EXTRACTS / f"{name}.json").read_text(encoding="utf-8")) for name in NAMES}

MINE = """\
version: 1
models:
  openai/gpt-4o:   # what we pay
    price: {input: 2.00}
  openai/gpt-4: null
"""


def compare(name: str, text: str = "version: 1\n", on: date = TODAY) -> dict[tuple[str, str], Difference]:
    file = read_price_text(text, "mine.yaml", rules=load_bundled().rules) if text else PriceFile("")
    found = three_way(TABLES[name], load_bundled(), file, on)
    return {(one.model_id, one.path): one for one in found}


def test_what_is_the_same_is_no_difference() -> None:
    found = compare("litellm")
    assert ("openai/gpt-4o", "price.batch") not in found, "half is the same as both prices halved"
    assert ("openai/gpt-5", "context") not in found, "their context is our limit of the prompt"
    assert ("xai/grok-4.7", "price.input") not in found


def test_a_difference_has_all_three_sides() -> None:
    found = compare("models_dev")[("deepseek/deepseek-flash", "price.input")]
    assert (found.bundled, found.yours, found.theirs) == (Decimal("0.3"), None, Decimal("0.15"))
    assert (found.state, found.applicable, found.table) == ("differs", True, "models.dev")
    assert ("deepseek/deepseek-flash", "price.input") not in compare("genai_prices"), "its peak price is ours"


def test_what_is_not_known_here_is_added() -> None:
    found = compare("litellm")
    thinker = found[("acme/thinker", "price.input")]
    assert (thinker.state, thinker.is_new, thinker.bundled) == ("adds", True, None)
    assert "limit of the prompt" in found[("xai/grok-4.7", "context")].doubt


def test_the_users_own_value_is_shown_and_stays() -> None:
    found = compare("litellm", MINE)[("openai/gpt-4o", "price.input")]
    assert (found.state, found.applicable) == ("yours", False)
    assert (found.bundled, found.yours, found.theirs) == (Decimal("2.5"), Decimal("2.00"), Decimal("2.5"))
    with pytest.raises(EditError, match=r"your own price\.input is kept; an import does not change it"):
        apply_differences(MINE, [found])


def test_hidden_models_stay_hidden() -> None:
    assert [key for key in compare("llm_prices_current") if key[0] == "openai/gpt-4-32k"]
    assert not [key for key in compare("models_dev", MINE) if key[0] == "openai/gpt-4"]


def test_prices_are_compared_as_of_a_day() -> None:
    text = '{"prices": [{"id": "gemini-4-argon", "vendor": "google", "input": 4, "output": 20, "input_cached": 0.2}]}'
    table = read_import(text)
    before = three_way(table, load_bundled(), PriceFile(""), date(2026, 11, 30))
    assert {one.path: one.theirs for one in before} == {
        "price.input": 4,
        "price.output": 20,
        "price.cached": Decimal("0.2"),
    }
    assert three_way(table, load_bundled(), PriceFile(""), date(2026, 12, 1)) == ()


def test_a_name_in_full_finds_our_model_and_a_beginning_does_not() -> None:
    mine = "version: 1\nmodels:\n  anthropic/claude-opus-5-0: {price: {input: 1}}\n"
    keys = compare("genai_prices", mine)
    assert not [key for key in keys if key[0] == "anthropic/claude-opus-5-5"]


def test_what_is_picked_is_written_with_its_source() -> None:
    found = compare("litellm")
    picks = [found[("acme/thinker", path)] for path in ("price.input", "price.output", "price.reasoning")]
    text = apply_differences(MINE, picks)
    assert text == MINE + (
        "  acme/thinker:\n    price:\n      input: 2.99999\n      output: 12\n      reasoning: 24\n"
        "    source: the table of LiteLLM\n"
    )
    assert pricing.check_text(text, "mine.yaml") == []


def test_lists_are_written_as_price_files_have_them() -> None:
    path = ("alibaba/qwen3-coder-plus", "price.tiers")
    text = apply_differences("", [compare("litellm", "")[path]])
    assert "        - {over: 32000, input: 1.8, output: 9}\n" in text
    read = read_price_text(text, "mine.yaml").models[path[0]]
    (candidate,) = (one for one in TABLES["litellm"].candidates if one.model_id == path[0])
    assert read is not None
    assert read.fields["price.tiers"] == candidate.price.tiers


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_may_be_picked_can_be_applied_and_is_then_the_same(name: str) -> None:
    picks = [one for one in compare(name, MINE).values() if one.applicable]
    text = apply_differences(MINE, picks)
    assert pricing.check_text(text, "mine.yaml") == []
    assert text.startswith(MINE.splitlines()[0])
    assert "# what we pay" in text
    after = compare(name, text)
    assert not [one for one in after.values() if one.applicable]
    assert {one.path for one in after.values()} <= {"price.input", "price.tiers"}


def test_an_import_is_in_dollars_whatever_the_file_is_in() -> None:
    text = "version: 1\ncurrency: EUR\nrates: {EUR: 1.16}\nmodels:\n  acme/mine: {price: {input: 1}}\n"
    found = compare("litellm", text)[("acme/thinker", "price.input")]
    new = apply_differences(text, [found])
    assert read_price_text(new, "mine.yaml").models["acme/thinker"].fields["price.input"] == Decimal("2.99999")
    own = text.replace("acme/mine", "acme/thinker").replace("input: 1", "output: 1")
    with pytest.raises(EditError, match="your prices are in EUR"):
        apply_differences(own, [compare("litellm", own)[("acme/thinker", "price.input")]])


def test_tables_that_disagree_are_listed_side_by_side() -> None:
    found = {
        (one.model_id, one.path): dict(one.values)
        for one in disagreements(list(TABLES.values()), load_bundled(), TODAY)
    }
    assert found[("deepseek/deepseek-flash", "price.input")] == {
        "built in": Decimal("0.3"),
        "LiteLLM": Decimal("0.3"),
        "models.dev": Decimal("0.15"),
        "genai-prices": Decimal("0.3"),
    }
    assert ("google/gemini-3.1-pro-preview", "price.tiers") not in found
    assert ("openai/gpt-4o", "price.batch") not in found
    assert not [key for key in found if key[0].startswith("acme/")]
