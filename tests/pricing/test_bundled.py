"""The built-in table: complete, in step with its source files, true to the facts that it was made from."""

from __future__ import annotations

import csv
import importlib.util
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import pricing
from pricing.bundled import decode, load_bundled
from pricing.types import Model, Rates
from tests.pricing.build import Price, cost, count, model, rates

ROOT = Path(pricing.__file__).parent.parent
DATA = ROOT / "pricing" / "data"
MODELS = pricing.load_catalog().models


def find(name: str) -> Model:
    return pricing.load_catalog().find(name)


@pytest.fixture(scope="module")
def bundler():
    script = ROOT / "packaging" / "bundle_prices.py"
    if not script.is_file():
        pytest.skip("the packaging scripts are only in a checkout")
    spec = importlib.util.spec_from_file_location("bundle_prices", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_up_to_date(bundler) -> None:
    shipped = (DATA / "bundled.json").read_text(encoding="utf-8")
    assert shipped == bundler.bundled_text(), "run python packaging/bundle_prices.py"


def test_the_table_loses_nothing(bundler) -> None:
    from pricing.load import read_price_file

    rules = read_price_file(DATA / "counting.yaml").rules
    decoded = decode(bundler.bundled_text())
    for path in DATA.glob("*.yaml"):
        for model_id, entry in read_price_file(path, rules=rules).models.items():
            assert decoded.entries[model_id] == {key: value for key, value in entry.fields.items() if value is not None}


def test_mistakes_in_the_source_stop_the_bundling(bundler, tmp_path: Path) -> None:
    (tmp_path / "counting.yaml").write_text("version: 1\n", encoding="utf-8")
    (tmp_path / "acme.yaml").write_text("version: 1\nmodels:\n  acme/a:\n    contxt: 5\n", encoding="utf-8")
    (tmp_path / "bolt.yaml").write_text("version: 1\nmodels:\n  bolt/b:\n    name: B\n", encoding="utf-8")
    with pytest.raises(bundler.BadPriceFiles) as refusal:
        bundler.bundled_text(tmp_path)
    assert "acme.yaml:4:5" in str(refusal.value)
    assert "bolt/b lacks source, checked, count" in str(refusal.value)


@pytest.mark.parametrize("one", MODELS, ids=lambda one: one.id)
def test_every_model_is_complete(one: Model) -> None:
    assert one.source.startswith("https://")
    assert one.checked is not None
    assert one.checked <= date.today()
    assert one.name
    assert one.provider != one.vendor
    if not any(note.startswith("sources disagree on") for note in one.notes):
        assert one.price.input is not None
        assert one.price.output is not None
        assert one.context is not None or one.id in {"groq/llama-3.3-70b-versatile", "zai/glm-5.3-flashx"}
    assert one.checked_in in ("vendor", "table")
    assert one.price.known_from is not None
    assert one.count.tokenizer in pricing.BUNDLED_ENCODINGS
    assert set(one.origin.values()) == {"bundled"}
    rule = one.count
    assert 0 < rule.low <= rule.ratio <= rule.high
    assert (rule.label in {"exact", "assumed"}) == (rule.low == rule.ratio == rule.high == 1)
    assert rule.label == "exact" or rule.note


def test_numbers_of_the_table_are_text() -> None:
    def numbers(value: object) -> list[float]:
        if isinstance(value, dict):
            return [found for item in value.values() for found in numbers(item)]
        if isinstance(value, list):
            return [found for item in value for found in numbers(item)]
        return [value] if isinstance(value, float) else []

    assert numbers(json.loads((DATA / "bundled.json").read_text(encoding="utf-8"))) == []


def test_ids_and_aliases_are_unique() -> None:
    names = [name for one in MODELS for name in (one.id, *one.aliases)]
    assert len(names) == len(set(names))
    dated = [name for one in MODELS for name in {alias.name for alias in one.dated_aliases}]
    assert not set(dated) & set(names)
    assert len(MODELS) == 150


CORRECTED = {
    "mistral/mistral-large-4",  # 0.7 and 2.1 since 2026-10-29
    "anthropic/claude-fable-5-2",  # the price of one-hour cache writes became known, and that half is half
}
"""Models whose facts of the first table turned out to be wrong, or to lack something."""


def test_prices_are_those_of_the_facts(shared_dir: Path) -> None:
    def number(text: str) -> Decimal | None:
        return Decimal(text) if text else None

    with (shared_dir / "pricing" / "model-prices.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) <= len(MODELS)
    for row in rows:
        one = find(row["model"])
        if one.id in CORRECTED:
            continue
        embedding = "embedding" in row["notes"]
        assert one.price.input == number(row["input_usd_per_mtok"]), one.id
        assert one.price.output == (0 if embedding else number(row["output_usd_per_mtok"])), one.id
        assert one.price.cached == number(row["cached_input_usd_per_mtok"]), one.id
        assert one.price.rates.cache_write == number(row["cache_write_usd_per_mtok"]), one.id
        assert one.context == int(row["context_window_tokens"]), one.id
        assert one.max_output == (int(row["max_output_tokens"]) if row["max_output_tokens"] else None), one.id
        if row["deprecation_date"]:
            assert one.retires == date.fromisoformat(row["deprecation_date"]), one.id
        assert one.checked is not None
        assert one.checked >= date.fromisoformat(row["as_of"]), one.id
        check_batch(one, row)
        check_tier(one, row)


def check_batch(one: Model, row: dict[str, str]) -> None:
    estimate = cost(one, 1_000_000 if one.price.tiers == () else 1, batch=True)
    if not row["batch_input_usd_per_mtok"]:
        assert estimate.usd is None, one.id
        return
    scale = 1_000_000 // (estimate.input_tokens or 1)
    assert estimate.usd is not None
    assert estimate.usd * scale == Decimal(row["batch_input_usd_per_mtok"]), one.id


def check_tier(one: Model, row: dict[str, str]) -> None:
    if not row["long_context_threshold_tokens"]:
        assert all(tier.unknown for tier in one.price.tiers), one.id
        return
    threshold = int(row["long_context_threshold_tokens"])
    inclusive = "inclusive" in row["notes"]
    assert one.price.tiers[0].first == threshold + (0 if inclusive else 1), one.id
    assert one.price.tiers[0].rates.input == Decimal(row["long_context_input_usd_per_mtok"]), one.id
    assert one.price.tiers[0].rates.output == Decimal(row["long_context_output_usd_per_mtok"]), one.id


class TestDatedTraps:
    """Prices that change or end around the day of the check."""

    @pytest.mark.parametrize(
        ("name", "day", "rates"),
        [
            ("gpt-5.6-sol", date(2026, 11, 21), ("4", "20", "0.4")),
            ("gpt-5.6-sol", date(2026, 11, 22), ("5", "30", "0.5")),
            ("gemini-4-argon", date(2026, 11, 30), ("2", "10", "0.1")),
            ("gemini-4-argon", date(2026, 12, 1), ("4", "20", "0.2")),
            ("gemini-3.8-flash", date(2026, 12, 31), ("0.75", "3.75", "0.075")),
            ("gemini-3.8-flash", date(2027, 1, 1), ("1.5", "7.5", "0.15")),
            ("claude-sonnet-5", date(2026, 11, 21), ("2", "10", "0.2")),
            ("claude-sonnet-5-5", date(2026, 11, 21), ("2", "10", "0.1")),
        ],
    )
    def test_prices(self, name: str, day: date, rates: tuple[str, str, str]) -> None:
        one = find(name)
        million = {"on": day, "factor": Decimal(1_000_000)}
        assert cost(one, 1, **million).usd == Decimal(rates[0])
        assert cost(one, 0, output_tokens=1, **million).usd == Decimal(rates[1])
        assert cost(one, 1, cached_tokens=1, **million).usd == Decimal(rates[2])

    def test_the_end_of_the_promotion_reaches_the_long_tier(self) -> None:
        after = cost(find("gpt-5.6-sol"), 272_001, on=date(2026, 11, 22))
        assert after.usd == Decimal("2.72001")  # 272 001 × 10
        assert any("assumed" in line for line in after.explanation)

    @pytest.mark.parametrize(
        ("name", "day"),
        [
            ("gpt-4", "2026-10-23"),
            ("o1", "2026-10-23"),
            ("claude-sonnet-4-5", "2026-11-30"),
            ("gpt-5-nano", "2026-12-11"),
            ("o3", "2026-12-11"),
        ],
    )
    def test_retirements(self, name: str, day: str) -> None:
        first = date.fromisoformat(day)
        assert find(name).is_retired(first)
        assert not find(name).is_retired(date.fromordinal(first.toordinal() - 1))

    def test_an_unpublished_long_tier_is_unknown(self) -> None:
        assert cost(find("gpt-6.2-sol"), 272_000).usd == Decimal("0.544")
        assert cost(find("gpt-6.2-sol"), 272_001).unknown == ("input",)


class TestRates:
    def test_cached_input_is_not_halved_where_the_vendor_does_not(self) -> None:
        assert find("gemini-2.5-pro").price.batch == Rates(Decimal("0.625"), Decimal(5), Decimal("0.125"))
        assert find("gemini-3.1-pro-preview").price.tiers[0].batch == Rates(Decimal(2), Decimal(9), Decimal("0.4"))
        # 500 × 0.625 + 500 × 0.125
        assert cost(find("gemini-2.5-pro"), 1_000, batch=True, cached_tokens=500).usd == Decimal("0.000375")

    def test_one_hour_writes(self) -> None:
        assert find("claude-opus-5-5").price.rates.cache_write_1h == 8
        assert find("claude-haiku-5-5").price.tiers[0].rates.cache_write_1h == 1
        assert find("kimi-k3").price.rates.cache_write_1h == 6
        assert find("gpt-6.1-sol").price.rates.cache_write_1h == Decimal("2.5")
        assert find("claude-fable-5-2").price.rates.cache_write_1h == 16

    def test_claude_haiku_5_5_at_its_threshold(self) -> None:
        one = find("claude-haiku-5-5")
        assert cost(one, 100_000).usd == Decimal("0.01")  # 100 000 × 0.10
        assert cost(one, 100_001).usd == Decimal("0.0500005")  # 100 001 × 0.50

    def test_xai_counts_from_the_threshold(self) -> None:
        assert cost(find("grok-4.7"), 199_999).usd == Decimal("0.399998")
        assert cost(find("grok-4.7"), 200_000).usd == Decimal("0.8")

    def test_bands_of_qwen(self) -> None:
        # 256 001 × 6 + 100 × 60
        assert cost(find("qwen3-coder-plus"), 256_001, output_tokens=100).usd == Decimal("1.542006")


class TestCounts:
    @pytest.mark.parametrize(
        ("name", "tokenizer", "label"),
        [
            ("gpt-4", "cl100k_base", "exact"),
            ("gpt-4o", "o200k_base", "exact"),
            ("gpt-6.1-sol", "o200k_base", "assumed"),
            ("gpt-oss-120b", "o200k_harmony", "exact"),
            ("deepseek-v4-pro", "deepseek", "exact"),
            ("deepseek-flash", "deepseek", "assumed"),
            ("qwen3.8-max", "qwen3_5", "assumed"),
            ("qwen3.8-27b", "qwen3_5", "exact"),
            ("qwen3-max", "qwen", "assumed"),
            ("kimi-k3", "kimi", "exact"),
            ("kimi-k3.1-pro", "kimi", "assumed"),
            ("ministral-8b-2512", "tekken", "assumed"),
            ("claude-opus-4-6", "o200k_base", "estimated"),
            ("claude-opus-4-7", "o200k_base", "estimated"),
            ("gemini-2.5-pro", "gemma3", "exact"),
            ("gemini-2.5-flash", "gemma3", "exact"),
            ("gemini-2.5-flash-lite", "gemma3", "exact"),
            ("gemini-3-flash-preview", "gemma3", "exact"),
            ("gemini-3.1-pro-preview", "gemma", "exact"),
            ("gemini-3.5-flash", "gemma", "exact"),
            ("gemini-4-argon", "gemma", "assumed"),
            ("meta.llama3-3-70b-instruct-v1:0", "cl100k_base", "estimated"),
            ("grok-4.7", "o200k_base", "estimated"),
        ],
    )
    def test_labels(self, name: str, tokenizer: str, label: str) -> None:
        assert (find(name).count.tokenizer, find(name).count.label) == (tokenizer, label)

    def test_the_two_families_of_claude(self) -> None:
        old, new = find("claude-opus-4-6").count, find("claude-opus-4-7").count
        assert (old.ratio, old.low, old.high) == (Decimal("1.23"), Decimal("1.07"), Decimal("2.02"))
        assert (new.ratio, new.low, new.high) == (Decimal("1.46"), Decimal("1.17"), Decimal("2.07"))
        for one in MODELS:
            if "claude" in one.id:
                later = one.id.split("claude-")[1].startswith(("fable", "mythos", "opus-5", "sonnet-5", "haiku-5"))
                later = later or one.id.endswith(("4-7", "4-8"))
                assert one.count == (new if later else old), one.id

    def test_a_range_in_tokens_and_in_money(self) -> None:
        one = find("claude-opus-5-5")
        counted = pricing.count_for(one, {"o200k_base": 1_000})
        assert counted == count(1_460, 1_170, 2_070)
        estimate = cost(one, counted)
        # 1460 × 4, 1170 × 4, 2070 × 4
        assert (estimate.usd, estimate.usd_low, estimate.usd_high) == (
            Decimal("0.00584"),
            Decimal("0.00468"),
            Decimal("0.00828"),
        )


def test_the_default_rule_is_there() -> None:
    assert load_bundled().default_rule.label == "estimated"


@pytest.mark.parametrize(
    ("input_price", "output_price", "only_reads"),
    [("0.02", "0", True), ("0", "0", False), ("0.02", None, False), (None, "0", False), ("2", "8", False)],
)
def test_models_that_only_read_are_paid_for_reading_alone(
    input_price: str | None, output_price: str | None, only_reads: bool
) -> None:
    """A free model is none of them, and a price that is not known says nothing."""
    assert model(Price(rates(input=input_price, output=output_price))).only_reads is only_reads


def test_the_embedding_models_of_the_table_are_known_as_such() -> None:
    assert {one.id for one in MODELS if one.only_reads} == {
        *(one.id for one in MODELS if "embed" in one.id),
        "voyage/voyage-3-large",
    }
