"""Each table as it is published (extracts of ours in the same form): what maps is mapped, each trap is avoided."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.importers import Candidate, Imported, ImportFileError, read_import
from pricing.importers.reading import amount, our_id, per_token
from pricing.importers.sources import installed_tables, read_installed
from pricing.types import Change, OffPeak, Rates, Service, Tier
from tests.pricing.build import rates

EXTRACTS = Path(__file__).parent / "extracts"


def read(name: str) -> Imported:
    return read_import((EXTRACTS / f"{name}.json").read_text(encoding="utf-8"))


def one(imported: Imported, model_id: str) -> Candidate:
    (found,) = [candidate for candidate in imported.candidates if candidate.model_id == model_id]
    return found


def left(candidate: Candidate) -> dict[str, str]:
    return {item.key: item.why for item in candidate.unmapped}


def doubts(candidate: Candidate) -> dict[str, str]:
    return {item.key: item.why for item in candidate.doubts}


class TestLiteLlm:
    TABLE = read("litellm")

    def test_the_name_and_what_was_left_out(self) -> None:
        assert self.TABLE.table == "LiteLLM"
        assert {item.source_id: item.why for item in self.TABLE.skipped} == {
            "sample_spec": "describes the table, not a model",
            "acme/painter": "is for image_generation, not for text",
            "acme/silent": "has no price per token",
        }

    def test_prices_are_per_million(self) -> None:
        found = one(self.TABLE, "openai/gpt-4o")
        assert found.price.rates == rates(input="2.5", output="10", cached="1.25")
        assert found.price.batch == rates(input="1.25", output="5")
        assert (found.context, found.max_output, found.source) == (128_000, 16_384, "https://example.org/openai")

    def test_service_tiers(self) -> None:
        found = one(self.TABLE, "openai/gpt-4o")
        assert found.price.services == (Service("priority", rates=rates(input="4.25"), tiers=()),)
        assert left(found) == {}

    def test_max_input_may_be_the_limit_of_the_prompt(self) -> None:
        found = one(self.TABLE, "openai/gpt-5")
        assert found.context == 272_000
        assert "limit of the prompt" in doubts(found)["context"]
        assert found.retires == date(2026, 12, 11)

    def test_max_output_that_repeats_the_context_is_left(self) -> None:
        found = one(self.TABLE, "anthropic/claude-haiku-5-5")
        assert (found.context, found.max_output) == (1_000_000, None)
        assert left(found)["max_output_tokens"] == "repeats max_input_tokens"

    def test_the_dust_of_floats_goes_and_odd_prices_stay(self) -> None:
        assert str(one(self.TABLE, "anthropic/claude-haiku-5-5").price.input) == "0.1"
        assert str(one(self.TABLE, "acme/thinker").price.input) == "2.99999"

    def test_tiers_above_a_threshold(self) -> None:
        found = one(self.TABLE, "anthropic/claude-haiku-5-5")
        assert found.price.rates.cache_write_1h == Decimal("0.2")
        above = rates(input="0.5", output="2.5", cache_write_1h="1")
        assert found.price.tiers == (Tier(above, over=100_000),)
        assert found.price.services == (), "a price of long prompts alone is none"

    def test_a_tier_without_an_output_price_keeps_that_of_below(self) -> None:
        (tier,) = one(self.TABLE, "xai/grok-4.7").price.tiers
        assert (tier.rates.output, tier.rates.input) == (None, 4)

    def test_xai_counts_from_the_threshold(self) -> None:
        (tier,) = one(self.TABLE, "xai/grok-4.7").price.tiers
        assert (tier.from_, tier.over, tier.first) == (200_000, None, 200_000)

    def test_a_cache_write_price_of_nothing_is_none(self) -> None:
        found = one(self.TABLE, "xai/grok-4.7")
        assert found.price.rates.cache_write is None
        assert "not that it is free" in left(found)["cache_creation_input_token_cost"]

    def test_bands_in_any_order(self) -> None:
        found = one(self.TABLE, "alibaba/qwen3-coder-plus")
        assert found.price.rates == rates(input="1", output="5")
        assert found.price.tiers == (
            Tier(rates(input="1.8", output="9"), over=32_000),
            Tier(rates(input="3", output="15"), over=128_000),
        )
        assert left(found)["tiered_pricing"] == "a tier without a range of tokens"

    def test_embeddings_put_nothing_out_and_that_costs_nothing(self) -> None:
        assert one(self.TABLE, "openai/text-embedding-3-small").price.rates == rates(input="0.02", output="0")

    def test_reasoning_and_fee(self) -> None:
        found = one(self.TABLE, "acme/thinker")
        assert found.price.rates.reasoning == 24
        assert found.price.per_request == Decimal("0.005")
        assert found.price.per_search == Decimal("0.03")
        assert left(found) == {}

    def test_reasoning_that_is_billed_as_output_has_no_price_of_its_own(self) -> None:
        assert one(self.TABLE, "google/gemini-3.8-flash").price.rates == rates(
            input="0.75", output="3.75", cached="0.075"
        )

    def test_prices_that_depend_on_the_hour_are_doubted(self) -> None:
        assert "depend on the hour" in doubts(one(self.TABLE, "deepseek/deepseek-flash"))["price.input"]


class TestLlmPrices:
    TABLE = read("llm_prices_current")

    def test_prices(self) -> None:
        found = one(self.TABLE, "openai/gpt-4")
        assert found.price.rates == rates(input="30", output="60")
        assert self.TABLE.table == "llm-prices"
        assert self.TABLE.as_of == found.checked == date(2026, 11, 10)

    def test_long_prompts_are_folded_into_their_model(self) -> None:
        found = one(self.TABLE, "google/gemini-3.1-pro-preview")
        assert found.price.tiers == (Tier(rates(input="4", output="18", cached="0.4"), over=200_000),)
        assert (one(self.TABLE, "xai/grok-4.7").price.tiers[0].from_,) == (200_000,)
        assert not [one for one in self.TABLE.candidates if one.source_id.endswith("-200k")]

    def test_models_whose_names_end_alike_are_models(self) -> None:
        assert one(self.TABLE, "openai/gpt-4-32k").price.input == 60
        assert one(self.TABLE, "openai/gpt-4").price.tiers == ()
        assert one(self.TABLE, "moonshot/moonshot-v1-128k").price.output == 5

    def test_no_price_is_no_price_and_dust_goes(self) -> None:
        assert [item.source_id for item in self.TABLE.skipped] == ["no-price"]
        assert one(self.TABLE, "openai/gpt-4").price.cached is None
        assert str(one(self.TABLE, "moonshot/kimi-k3").price.input) == "0.6"

    def test_history_becomes_changes(self) -> None:
        found = one(read("llm_prices_historical"), "openai/o3")
        assert found.price.rates == rates(input="10", output="40", cached="2.5")
        assert found.price.changes == (Change(date(2025, 6, 10), rates(input="2", output="8", cached="0.5")),)
        assert found.doubts == ()

    def test_a_price_that_ended_is_doubted(self) -> None:
        assert "ended on 2026-01-01" in doubts(one(read("llm_prices_historical"), "acme/gone"))["price.input"]


class TestModelsDev:
    TABLE = read("models_dev")

    def test_the_old_threshold(self) -> None:
        found = one(self.TABLE, "google/gemini-3.1-pro-preview")
        assert found.price.rates == rates(input="2", output="12", cached="0.2")
        assert found.price.tiers == (Tier(rates(input="4", output="18", cached="0.4"), over=200_000),)
        assert (found.context, found.max_output, found.checked) == (1_048_576, 65_536, date(2026, 10, 1))

    def test_tiers_begin_with_their_size_and_win_over_the_old_threshold(self) -> None:
        found = one(self.TABLE, "openai/gpt-5.5")
        assert found.price.tiers == (Tier(rates(input="10", output="45", cached="1"), from_=272_000),)
        assert (found.context, found.max_input) == (1_050_000, 922_000)
        assert left(found) == {
            "cost.context_over_200k": "repeats the tiers",
            "cost.tiers": "a tier that does not depend on the prompt length",
            "cost.input_audio": "is not a price for text",
        }

    def test_no_cache_price_is_not_free(self) -> None:
        found = one(self.TABLE, "openai/gpt-4")
        assert (found.price.cached, found.price.rates.cache_write) == (None, None)
        assert left(found)["status"] == "is marked as deprecated, without a date"

    def test_subscriptions_are_doubted(self) -> None:
        found = one(self.TABLE, "github-copilot/gpt-4.1")
        assert found.price.input == 0
        assert "subscription" in doubts(found)["price.input"]

    def test_hours_are_doubted_and_models_without_price_are_none(self) -> None:
        assert "lower ones" in doubts(one(self.TABLE, "deepseek/deepseek-flash"))["price.output"]
        assert [item.source_id for item in self.TABLE.skipped] == ["openai/free-weights"]


class TestGenaiPrices:
    TABLE = read("genai_prices")

    def test_prices_and_facts(self) -> None:
        found = one(self.TABLE, "anthropic/claude-opus-5")
        assert found.price.rates == rates(input="5", output="25", cached="0.5", cache_write="6.25", cache_write_1h="10")
        assert (found.context, found.checked) == (1_000_000, date(2026, 11, 1))
        assert found.source == "https://example.org/anthropic"
        assert found.price.per_search == Decimal("0.01")
        assert left(found) == {}

    def test_only_rules_of_equality_are_names(self) -> None:
        assert one(self.TABLE, "anthropic/claude-opus-5").names == ("anthropic/claude-opus-5-0",)

    def test_tiers_of_each_rate_and_a_tier_that_ends(self) -> None:
        found = one(self.TABLE, "anthropic/claude-opus-4-6")
        # The cache price has no tier of its own: it stays what it was.
        assert found.price.tiers == (Tier(rates(input="10", output="37.5", cached="0.5"), over=200_000),)
        (change,) = found.price.changes
        assert (change.from_date, change.tiers) == (date(2026, 3, 13), ())
        assert change.rates.cache_write == Decimal("6.25")

    def test_the_price_is_that_of_the_peak_hours(self) -> None:
        found = one(self.TABLE, "deepseek/deepseek-flash")
        assert found.price.input == Decimal("0.3")
        assert found.price.off_peak == OffPeak(Decimal("0.5"), ((60, 240),), tuple(range(7)))
        assert left(found) == {"deprecated": "is marked as deprecated, without a date"}

    def test_the_module_of_the_package_says_the_same(self) -> None:
        found = read_import(
            """import os
raise SystemExit  # nothing of it is run
providers: list[Provider] = [
    Provider(id='acme', name='Acme', models=[
        ModelInfo(id='one', match=ClauseOr(or_=[ClauseEquals(equals='uno')]), context_window=9, prices=[
            ConditionalPrice(prices=ModelPrice(input_mtok=Decimal('0.68'), output_mtok=Decimal('2'))),
            ConditionalPrice(constraint=StartDateConstraint(start_date=datetime.date(2026, 10, 29)),
                prices=ModelPrice(output_mtok=Decimal('2.1'),
                    input_mtok=TieredPrices(base=Decimal('0.7'), tiers=[Tier(start=10, price=Decimal('1'))])))],
            price_variants=[
                PriceVariant(when={'processing': 'batch'}, prices=ModelPrice(input_mtok=Decimal('0.35'))),
                PriceVariant(when={'service_tier': 'flex'}, prices=ModelPrice(input_mtok=Decimal('0.3'))),
                PriceVariant(when={'route': 'eu'}, prices=ModelPrice(input_mtok=Decimal('0.9')))])])]
"""
        )
        assert found.table == "genai-prices"
        candidate = one(found, "acme/one")
        assert (candidate.names, candidate.context) == (("acme/uno",), 9)
        assert candidate.price.rates == rates(input="0.68", output="2")
        (change,) = candidate.price.changes
        assert (change.from_date, change.rates) == (date(2026, 10, 29), rates(input="0.7", output="2.1"))
        assert change.tiers == (Tier(rates(input="1", output="2.1"), over=10),)
        assert candidate.price.batch == rates(input="0.35")
        assert candidate.price.services == (Service("flex", rates=rates(input="0.3"), tiers=()),)
        assert left(candidate) == {"price_variants": "a price for eu"}
        for text in ("providers: list[Provider] = (", "providers: list[Provider]\n"):
            with pytest.raises(ImportFileError, match="module"):
                read_import(text)

    def test_fees_are_for_one_request(self) -> None:
        assert one(self.TABLE, "perplexity/sonar").price.per_request == Decimal("0.005")
        assert [item.source_id for item in self.TABLE.skipped] == ["perplexity/silent"]


class TestModelPrices:
    TABLE = read_import(
        """{"updated_at": "2026-10-26T18:46:35Z", "status": {"acme": {"gone": "removed"}}, "schedules": {"schedule": [
          {"provider": "deepseek", "peak_hours_utc": [["06:00", "10:00"], ["01:00", "04:00"]], "peak_multiplier": 2.0,
           "weekdays_only": true, "valid_from": "2026-08-16T16:00:00Z"}]},
        "prices": {"acme": {
          "one": {"standard": [
              {"start": null, "rates": {"input": 1, "output": 2, "valid_from": "2026-01-05T00:00:00Z", "source": "s1"}},
              {"start": "2026-02-01", "rates": {"input": 1, "output": 2, "cache_read": 0.1, "source": "s2"}},
              {"start": "2026-03-01", "rates": {"input": 3, "output": 4, "cache_read": 0.3, "cache_write": 3.75,
                "cache_write_1h_multiple": 2.0, "source": "s3", "tiers": [{"above": 200000, "input": 6}]}}],
            "batch": [{"start": null, "rates": null}, {"start": "2026-03-01", "rates": {"input": 1.5, "output": 2}}],
            "fast": [{"start": "2026-03-01", "rates": {"input": 9, "output": 12}}]},
          "gone": {"standard": [{"start": null, "rates": {"input": 1, "output": 2}}]},
          "never": {"standard": [{"start": null, "rates": null}]}},
        "deepseek": {"flash": {"standard": [{"start": null, "rates": {"input": 0.15, "output": 0.6}}]}}}}"""
    )

    def test_prices_with_their_history(self) -> None:
        found = one(self.TABLE, "acme/one")
        current = rates(input="3", output="4", cached="0.3", cache_write="3.75", cache_write_1h="6")
        assert (found.price.rates, found.price.since, found.source) == (current, date(2026, 3, 1), "s3")
        assert found.price.tiers == (Tier(rates(input="6"), over=200_000),)
        (past,) = found.price.history
        assert (past.from_date, past.source) == (date(2026, 1, 5), "s2")
        assert past.rates == rates(input="1", output="2", cached="0.1"), "only more became known of it"
        assert found.price.batch == rates(input="1.5", output="2")
        assert found.price.services == (Service("fast", rates=rates(input="9", output="12"), tiers=None),)

    def test_the_price_is_that_of_the_peak_hours(self) -> None:
        price = one(self.TABLE, "deepseek/flash").price
        assert price.rates == rates(input="0.30", output="1.2")
        assert price.off_peak == OffPeak(Decimal("0.5"), ((60, 240), (360, 600)), (0, 1, 2, 3, 4), date(2026, 8, 16))

    def test_what_is_not_served_or_has_no_price_is_left(self) -> None:
        assert self.TABLE.as_of == date(2026, 10, 26)
        assert {item.source_id: item.why for item in self.TABLE.skipped} == {
            "acme/gone": "is no longer served",
            "acme/never": "has no current price",
        }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "this is not JSON: Expecting value in line 1, column 1"),
        ('{"a": \n', "in line 2, column 1"),
        ("[]", "this price table cannot be imported"),
        ('{"a": 1}', "this price table cannot be imported"),
        ('"text"', "this price table"),
        ('{"a": 1e99999999999999999999}', "too long a number"),
        ("[" * 200_000, "nested too deep"),
    ],
)
def test_what_is_no_table_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ImportFileError, match=sentence):
        read_import(text)


@pytest.mark.parametrize(
    ("written", "usd"),
    [
        (Decimal("1.0000000000000001e-07"), "0.1"),
        (Decimal("2.5e-06"), "2.5"),
        (Decimal("0.00003"), "30"),
        (0, "0"),
        ("3e-06", "3"),
        (True, None),
        (None, None),
        ("free", None),
        (Decimal("-1e-06"), None),
        (Decimal("NaN"), None),
        (Decimal("1e999999"), None),
        ({}, None),
    ],
)
def test_prices_per_token(written: object, usd: str | None) -> None:
    assert (None if per_token(written) is None else str(per_token(written))) == usd


def test_amounts_are_written_plainly() -> None:
    assert [str(amount(value)) for value in (100, Decimal("1E+2"), Decimal("0.10"), "7")] == ["100", "100", "0.1", "7"]


@pytest.mark.parametrize(
    ("vendor", "name", "found"),
    [
        ("gemini", "gemini/gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("openai", "gpt-4o", "openai/gpt-4o"),
        ("groq", "groq/openai/gpt-oss-20b", "groq/openai/gpt-oss-20b"),
        ("azure", "azure/gpt-4o", "azure/gpt-4o"),
        ("bedrock_converse", "amazon.nova-pro-v1:0", "bedrock/amazon.nova-pro-v1:0"),
        ("acme", "odd name", "acme/oddname"),
    ],
)
def test_ids_are_ours(vendor: str, name: str, found: str) -> None:
    assert our_id(vendor, name) == found


KEYS = (
    *("prices", "id", "vendor", "models", "cost", "input", "output", "tiers", "tier", "size", "mode", "match", "or"),
    *("litellm_provider", "input_cost_per_token", "tiered_pricing", "range", "input_mtok", "base", "from_date"),
)
VALUES = ["200k", "chat", "openai", "2026-01-01", ""]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 300_000) | st.sampled_from(VALUES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25,
)


@given(JSON)
def test_no_json_breaks_the_readers(document: object) -> None:
    try:
        imported = read_import(json.dumps(document))
    except ImportFileError:
        return
    for candidate in imported.candidates:
        assert isinstance(candidate.price.rates, Rates)
        assert "/" in candidate.model_id


def test_packages_are_found_by_name_and_nothing_of_them_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    assert installed_tables() == ()
    for module in ("litellm", "model_prices"):
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").write_text("raise SystemExit")
    name = "model_prices_and_context_window_backup.json"
    (tmp_path / "litellm" / name).write_text((EXTRACTS / "litellm.json").read_text())
    info = tmp_path / "litellm-1.110.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: litellm\nVersion: 1.110.2\n")
    (found,) = installed_tables()
    assert (found.package, found.version, found.path) == ("litellm", "1.110.2", tmp_path / "litellm" / name)
    assert read_installed(found).table == "LiteLLM"
    (tmp_path / "litellm" / name).unlink()
    with pytest.raises(ImportFileError, match="cannot be read"):
        read_installed(found)
