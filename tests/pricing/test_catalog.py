"""Finding a model by what people call it, never by a part of a name."""

from __future__ import annotations

import csv
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import pricing
from pricing import AmbiguousModelError, Catalog, UnknownModelError
from tests.pricing.build import model


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return pricing.load_catalog()


@pytest.mark.parametrize(
    ("text", "model_id"),
    [
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("gpt-4o", "openai/gpt-4o"),
        (" gpt-4o ", "openai/gpt-4o"),
        ("GPT-4o", "openai/gpt-4o"),
        ("gpt-5.6", "openai/gpt-5.6-sol"),
        ("openai/gpt-5.6", "openai/gpt-5.6-sol"),
        ("openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"),
        ("gpt-oss-120b", "groq/openai/gpt-oss-120b"),
        ("gemini/gemini-4-argon", "google/gemini-4-argon"),
        ("minimax-m3", "minimax/MiniMax-M3"),
        ("Meta-Llama-3.1-8B-Instruct-Turbo", "deepinfra/meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo"),
        ("gpt-4o-2024-08-06", "openai/gpt-4o"),
        ("openai/gpt-4o-2024-08-06", "openai/gpt-4o"),
        ("claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5"),
        ("claude-haiku-4-5@20251001", "anthropic/claude-haiku-4-5"),
    ],
)
def test_names(catalog: Catalog, text: str, model_id: str) -> None:
    assert catalog.find(text).id == model_id


@pytest.mark.parametrize(
    "text", ["gpt", "4o", "claude-opus", "gpt-4o-2024-13-06", "gpt-4o-20241", "openai/", "", "x" * 9999]
)
def test_parts_and_dates_that_are_none_find_nothing(catalog: Catalog, text: str) -> None:
    with pytest.raises(UnknownModelError):
        catalog.find(text)


def test_suggestions(catalog: Catalog) -> None:
    with pytest.raises(UnknownModelError) as unknown:
        catalog.find("gpt4o")
    assert unknown.value.suggestions[0] == "openai/gpt-4o"
    assert "did you mean openai/gpt-4o" in str(unknown.value)
    assert "anthropic/claude-opus-5" in catalog.suggest("claude-opus")
    assert len(catalog.suggest("zzzzzz")) == 3, "the nearest, however far"


def test_a_name_of_several_models_is_ambiguous() -> None:
    catalog = Catalog([model(id="a/llama"), model(id="b/llama"), model(id="c/other", aliases=("llama-c",))])
    with pytest.raises(AmbiguousModelError) as ambiguous:
        catalog.find("llama")
    assert ambiguous.value.candidates == ("a/llama", "b/llama")
    assert str(ambiguous.value) == "'llama' is the name of several models; use one of: a/llama, b/llama"
    assert catalog.find("a/llama").id == "a/llama"
    assert catalog.find("llama-c").id == "c/other"


def test_an_id_beats_an_alias_and_an_alias_beats_a_bare_name() -> None:
    catalog = Catalog([model(id="a/x", aliases=("b/x", "y")), model(id="b/x"), model(id="c/y")])
    assert catalog.find("b/x").id == "b/x"
    assert catalog.find("y").id == "a/x"


def test_every_model_of_the_facts_is_found(catalog: Catalog, shared_dir: Path) -> None:
    with (shared_dir / "pricing" / "model-prices.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert catalog.find(row["model"]).name == row["display_name"]


def test_the_built_in_table_needs_no_yaml() -> None:
    code = (
        "import sys, pricing.types; assert 'json' not in sys.modules and 'ruamel.yaml' not in sys.modules\n"
        "import pricing; pricing.load_catalog().find('gpt-4o'); assert 'ruamel.yaml' not in sys.modules\n"
        "pricing.estimate; import pricing.estimation; assert callable(pricing.estimate)\n"
    )
    root = Path(pricing.__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_attributes_are_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'prices'"):
        pricing.prices  # noqa: B018
    assert all(getattr(pricing, name) is not None for name in pricing.__all__)


def test_a_path_may_be_a_text(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("version: 2\nmodels:\n  openai/gpt-4.1: {price: {input: 1.8}}\n")
    assert pricing.load_catalog(str(file)).find("gpt-4.1").price.rates.input == Decimal("1.8")
    assert pricing.check_file(str(file)) == []
