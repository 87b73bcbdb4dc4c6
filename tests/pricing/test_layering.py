"""The user's file over the built-in prices: field by field, with origins and notices."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import pricing
from pricing import Catalog
from pricing.types import Rates
from tests.pricing.build import cost


@pytest.fixture
def load(tmp_path: Path):
    """Load a catalogue with this text as the user's file (without its first line)."""

    def load(text: str) -> Catalog:
        path = tmp_path / "prices.yaml"
        path.write_text("version: 1\n" + text, encoding="utf-8")
        return pricing.load_catalog(path)

    return load


def test_one_field_changes_and_the_rest_stays(load) -> None:
    bundled = pricing.load_catalog().find("gpt-4.1")
    mine = load("models:\n  openai/gpt-4.1:\n    price: {input: 1.5}\n").find("gpt-4.1")
    assert mine.price.rates == Rates(Decimal("1.5"), Decimal(8), Decimal("0.5"))
    assert (mine.price.batch, mine.context, mine.source) == (bundled.price.batch, bundled.context, bundled.source)
    assert mine.origin["price.input"] == "yours"
    assert mine.origin["price.output"] == mine.origin["context"] == "bundled"
    assert mine.is_yours
    assert not bundled.is_yours


def test_facts_besides_prices(load) -> None:
    mine = load(
        "models:\n  openai/o3:\n    retires: 2026-12-12\n    name: Mine\n    checked: 2026-11-20\n    context: 1.05M\n"
        "    max_output: 32k\n    notes: [one, two]\n    source: my own invoice\n"
    ).find("o3")
    assert (mine.retires, mine.name, mine.checked) == (date(2026, 12, 12), "Mine", date(2026, 11, 20))
    assert (mine.context, mine.max_output) == (1_050_000, 32_000)
    assert (mine.notes, mine.source) == (("one", "two"), "my own invoice")


def test_null_hides_a_model_and_makes_a_field_unknown(load) -> None:
    catalog = load("models:\n  openai/gpt-4: null\n  openai/gpt-4.1:\n    price: {cached: null}\n    context: null\n")
    assert catalog.hidden == ("openai/gpt-4",)
    assert catalog.get("openai/gpt-4") is None
    with pytest.raises(pricing.UnknownModelError):
        catalog.find("openai/gpt-4")
    mine = catalog.find("openai/gpt-4.1")
    assert (mine.price.cached, mine.context) == (None, None)
    assert mine.origin["price.cached"] == "yours"


def test_null_hides_by_alias_too(load) -> None:
    catalog = load("models:\n  cohere/command-r: null\n  openai/gpt-4.1-mimi: null\n")
    assert catalog.hidden == ("cohere/command-r-08-2024",)
    (notice,) = catalog.notices
    assert notice.message.endswith("nothing is hidden, did you mean openai/gpt-4.1-mini?")


def test_lists_are_replaced_as_a_whole(load) -> None:
    mine = load(
        "models:\n  alibaba/qwen3-coder-plus:\n    price:\n      tiers:\n        - from: 64k\n          input: 9\n"
    ).find("qwen3-coder-plus")
    (tier,) = mine.price.tiers
    assert (tier.first, tier.rates.input) == (64_000, 9)
    assert load("models:\n  google/gemini-4-argon: {price: {changes: []}}\n").find("gemini-4-argon").price.changes == ()


def test_batch_blocks_join_and_half_is_replaced(load) -> None:
    catalog = load(
        "models:\n  xai/grok-4.7: {price: {batch: {input: 1}}}\n  openai/gpt-5.5: {price: {batch: {input: 1}}}\n"
        "  openai/gpt-4o: {price: {batch: half}}\n"
    )
    assert catalog.find("grok-4.7").price.batch == Rates(Decimal(1), Decimal("4.8"), Decimal("0.4"))
    assert catalog.find("gpt-5.5").price.batch == Rates(Decimal(1))
    assert catalog.find("gpt-4o").price.batch == "half"
    assert [notice.model_id for notice in catalog.notices if "replace 'half'" in notice.message] == ["openai/gpt-5.5"]


def test_a_surviving_tier_is_noticed(load) -> None:
    catalog = load("models:\n  openai/gpt-6.1-sol: {price: {input: 1}}\n  google/gemini-4-argon: {price: {input: 1}}\n")
    assert [(notice.model_id, notice.path) for notice in catalog.notices] == [
        ("google/gemini-4-argon", "price.changes"),
        ("google/gemini-4-argon", "price.services"),
        ("openai/gpt-6.1-sol", "price.tiers"),
        ("openai/gpt-6.1-sol", "price.services"),
    ]
    assert "still apply alongside yours" in catalog.notices[0].message
    assert not load("models:\n  openai/gpt-6.1-sol: {price: {input: 1, tiers: [], services: null}}\n").notices
    assert not load("models:\n  openai/gpt-6.1-sol: {context: 5k}\n").notices


def test_a_model_of_our_own(load) -> None:
    catalog = load(
        "providers:\n  acme: Acme Corp\nmodels:\n  acme/in-house-70b:\n    name: Acme 70B\n"
        "    price: {input: 0.40, output: 0.40, per_request: 0.0005}\n    context: 32k\n    aliases: [house]\n"
    )
    assert len(catalog) == len(pricing.load_catalog()) + 1
    mine = catalog.find("house")
    assert (mine.id, mine.vendor, mine.provider) == ("acme/in-house-70b", "acme", "Acme Corp")
    assert mine.price.per_request == Decimal("0.0005")
    assert mine.count.label == "estimated"
    assert cost(mine, 1_000).usd == Decimal("0.0009")
    assert not catalog.notices


def test_counting_rules(load) -> None:
    catalog = load(
        "counting:\n  ours: {tokenizer: qwen, low: 0.9, high: 1.2, note: measured}\n"
        "models:\n  acme/a: {count: ours, price: {input: 1}}\n  acme/b: {count: claude-from-4.7, price: {input: 1}}\n"
        "  acme/c: {count: {tokenizer: tekken, exact: true}, price: {input: 1}}\n"
        "  acme/d: {count: {tokenizer: tekken}, price: {input: 1}}\n"
        "  acme/e: {count: {tokenizer: tekken, ratio: 1.1, low: 1, high: 2}, price: {input: 1}}\n"
    )
    a, b, c, d, e = (catalog.find(f"acme/{name}").count for name in "abcde")
    assert (a.tokenizer, a.ratio, a.low, a.high, a.note) == (
        "qwen",
        Decimal("1.05"),
        Decimal("0.9"),
        Decimal("1.2"),
        "measured",
    )
    assert b == catalog.find("claude-opus-5").count
    assert [rule.label for rule in (a, b, c, d, e)] == ["estimated", "estimated", "exact", "assumed", "estimated"]
    assert e.ratio == Decimal("1.1")


def test_a_rule_of_ours_takes_the_place_of_a_built_in_one(load) -> None:
    catalog = load("counting:\n  claude-from-4.7: {tokenizer: o200k_base, low: 1.4, high: 1.6}\n")
    mine = catalog.find("claude-opus-5")
    assert (mine.count.low, mine.count.ratio, mine.origin["count"]) == (Decimal("1.4"), Decimal("1.5"), "yours")
    assert catalog.find("claude-opus-4-5").origin["count"] == "bundled"


def test_names_of_providers_may_be_changed(load) -> None:
    assert load("providers:\n  bedrock: AWS\n").find("nova-micro").provider == "AWS"


def test_the_explanation_tells_whose_price_it_is(load) -> None:
    catalog = load("models:\n  openai/gpt-4.1:\n    price: {input: 1.5}\n    context: 5k\n")
    assert "from your price file: input" in cost(catalog.find("gpt-4.1"), 1).explanation
    assert not any("your own" in line for line in cost(catalog.find("gpt-4o"), 1).explanation)


def test_imported_encodings_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("version: 1\nmodels:\n  acme/a: {count: {tokenizer: my-bpe}}\n", encoding="utf-8")
    assert len(pricing.check_file(path)) == 1
    assert pricing.check_file(path, tokenizers=["my-bpe"]) == []
    assert pricing.load_catalog(path, tokenizers=["my-bpe"]).find("acme/a").count.tokenizer == "my-bpe"


def test_other_currencies_are_converted_exactly(load) -> None:
    catalog = load(
        "currency: EUR\nrates:\n  EUR: 1.1640\n  CNY: 0.1400\nmodels:\n"
        "  acme/a: {price: {input: 2.05, per_request: 0.01, tiers: [{over: 1k, input: 3, batch: {input: 1}}]}}\n"
        "  acme/b: {currency: CNY, price: {input: 2}}\n  acme/c: {currency: USD, price: {input: 2}}\n"
    )
    a, b, c = (catalog.find(f"acme/{name}") for name in "abc")
    assert a.price.input == Decimal("2.386200")  # 2.05 × 1.1640
    assert a.price.per_request == Decimal("0.01164")
    assert a.price.tiers[0].rates.input == Decimal("3.492")
    assert a.price.tiers[0].batch == Rates(Decimal("1.164"))
    assert (a.currency, a.exchange_rate) == ("EUR", Decimal("1.1640"))
    assert b.price.input == Decimal("0.28")
    assert (c.price.input, c.currency) == (2, "USD")


def test_what_is_probably_not_meant_is_noticed(load) -> None:
    catalog = load(
        "models:\n  openai/gpt-5.6: {price: {input: 1}}\n  openai/gpt-4.1-mimi: {context: 5k}\n  acme/gone: null\n"
        "  acme/token: {price: {input: 0.000002, output: 0.000008}}\n"
    )
    messages = {notice.model_id: notice.message for notice in catalog.notices}
    assert "an alias of openai/gpt-5.6-sol" in messages["openai/gpt-5.6"]
    assert "did you mean openai/gpt-4.1-mini?" in messages["openai/gpt-4.1-mimi"]
    assert "nothing is hidden" in messages["acme/gone"]
    assert "looks like one per token" in messages["acme/token"]


def test_empty_headings_and_a_windows_file_are_fine(load, tmp_path: Path) -> None:
    assert len(load("models:\n")) == len(pricing.load_catalog())
    path = tmp_path / "windows.yaml"
    path.write_bytes("\ufeff# mine\r\nversion: 1\r\nmodels:\r\n  openai/o3:\r\n    context: 5k\r\n".encode())
    assert pricing.load_catalog(path).find("o3").context == 5_000


def test_quoted_and_spaced_values_are_fine(load) -> None:
    mine = load("models:\n  'openai/o3':\n    price:\n      \"input\": '2.50'   # dear\n      output : 0\n").find("o3")
    assert (mine.price.input, mine.price.output) == (Decimal("2.50"), 0)


def test_digits_survive(load) -> None:
    mine = load("models:\n  acme/a: {price: {input: 123456789.123456789012}}\n").find("acme/a")
    assert str(mine.price.input) == "123456789.123456789012"


def test_the_whole_example_of_the_guide_loads() -> None:
    guide = Path(pricing.__file__).parent / "data" / "README.md"
    text = guide.read_text(encoding="utf-8")
    example = text.split("```yaml\n", 1)[1].split("```", 1)[0]
    assert pricing.check_text(example, "example.yaml") == []
