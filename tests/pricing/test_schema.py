"""The schema for editors says what the checker says, as far as a schema can."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import pricing
from pricing.declaration import BLOCKS, FILE_NAME, fields_at, json_schema, names, schema_text
from pricing.types import RATE_NAMES

DATA = Path(pricing.__file__).parent / "data"
BROKEN = Path(__file__).parent / "broken"
SCHEMA = json_schema()


def matches(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is as this schema says; of JSON Schema, only what ours uses."""
    if "$ref" in schema:
        return matches(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]])
    if "anyOf" in schema and not any(matches(value, one) for one in schema["anyOf"]):
        return False
    if "oneOf" in schema and sum(matches(value, one) for one in schema["oneOf"]) != 1:
        return False
    if ("const" in schema and value != schema["const"]) or value not in schema.get("enum", [value]):
        return False
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
        "null": type(None),
    }
    if "type" in schema:
        is_number = schema["type"] in {"integer", "number"}
        if not isinstance(value, kinds[schema["type"]]) or (is_number and isinstance(value, bool)):
            return False
    return matches_table(value, schema) and matches_single(value, schema)


def matches_table(value: Any, schema: dict[str, Any]) -> bool:
    if isinstance(value, list):
        return all(matches(item, schema.get("items", {})) for item in value)
    if not isinstance(value, dict):
        return True
    known = schema.get("properties", {})
    rest = schema.get("additionalProperties", {})
    return (
        all(name in value for name in schema.get("required", ()))
        and all(matches(name, schema.get("propertyNames", {})) for name in value)
        and all(
            matches(item, known[name]) if name in known else rest is not False and matches(item, rest)
            for name, item in value.items()
        )
    )


def matches_single(value: Any, schema: dict[str, Any]) -> bool:
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None and schema.get("minLength", 0) <= len(
            value
        ) <= schema.get("maxLength", 10**6)
    if isinstance(value, (int, float)):
        low, above, high = schema.get("minimum"), schema.get("exclusiveMinimum"), schema.get("maximum")
        return (low is None or value >= low) and (above is None or value > above) and (high is None or value <= high)
    return True


def as_an_editor_reads(text: str) -> Any:
    """Plain data of YAML text; editors take a date for text."""
    loader = YAML(typ="safe", pure=True)
    loader.constructor.yaml_constructors.pop("tag:yaml.org,2002:timestamp", None)
    loader.constructor.add_constructor("tag:yaml.org,2002:timestamp", lambda reader, node: node.value)
    return loader.load(text)


def test_the_shipped_schema_is_up_to_date() -> None:
    assert (DATA / FILE_NAME).read_text(encoding="utf-8") == schema_text(), "run python main.py prices schema"


@pytest.mark.parametrize("path", sorted(DATA.glob("*.yaml")), ids=lambda path: path.stem)
def test_good_files_are_good_for_the_schema(path: Path) -> None:
    assert matches(as_an_editor_reads(path.read_text(encoding="utf-8")), SCHEMA)


def test_the_example_of_the_guide_is_good_for_the_schema() -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8").split("```yaml\n", 1)[1].split("```", 1)[0]
    assert matches(as_an_editor_reads(text), SCHEMA)


@pytest.mark.parametrize(
    "name",
    [
        "unknown_field",
        "unknown_model_field",
        "unknown_top_level",
        "negative_price",
        "not_finite",
        "comma_in_number",
        "currency_in_number",
        "list_for_number",
        "tiers_not_a_list",
        "batch",
        "bad_ids",
        "version_missing",
        "version_too_new",
        "model_is_a_number",
        "models_is_a_list",
        "tier_limits",
    ],
)
def test_what_is_wrong_is_wrong_for_the_schema(name: str) -> None:
    assert not matches(as_an_editor_reads((BROKEN / f"{name}.yaml").read_text(encoding="utf-8")), SCHEMA)


def test_every_block_has_the_rates() -> None:
    for block in ("price", "batch", "tier", "change", "service", "past"):
        assert set(RATE_NAMES) <= set(names(block))
    for fields in BLOCKS.values():
        assert all(field.about.endswith(".") for field in fields)
        assert len({field.name for field in fields}) == len(fields)


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ((), "version"),
        (("models", "openai/o3"), "name"),
        (("models", "openai/o3", "price"), "input"),
        (("models", "openai/o3", "price", "batch"), "input"),
        (("models", "openai/o3", "price", "tiers", "0"), "over"),
        (("models", "openai/o3", "price", "changes", "1", "tiers", "0"), "over"),
        (("models", "openai/o3", "price", "changes", "1"), "from_date"),
        (("counting", "mine"), "tokenizer"),
        (("models", "openai/o3", "count"), "tokenizer"),
    ],
)
def test_what_may_stand_where(path: tuple[str, ...], first: str) -> None:
    assert fields_at(path)[0].name == first


@pytest.mark.parametrize(
    "path", [("models",), ("rates",), ("models", "a/b", "context"), ("nothing", "here"), ("version",)]
)
def test_where_there_is_nothing_to_complete(path: tuple[str, ...]) -> None:
    assert fields_at(path) == ()
