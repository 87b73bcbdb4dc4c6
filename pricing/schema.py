"""The JSON Schema of price files, for editors that complete and check YAML while it is typed.

Made from the same declaration that the checker takes its fields from. The checker says more, and with better words: a
schema knows no calendar, no order of tiers, and no encoding by name.
"""

from __future__ import annotations

import json
from typing import Any

from pricing.declaration import BLOCKS, LISTS, Field
from pricing.scalars import CHECKED_IN
from pricing.types import SERVICES

VERSION_URI = "https://json-schema.org/draft/2020-12/schema"
FILE_NAME = "prices.schema.json"

_NULL: dict[str, Any] = {"type": "null"}
_AMOUNT: dict[str, Any] = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^(0|[1-9][0-9]{0,8})(\.[0-9]{1,12})?$"},
    ]
}
_TOKENS: dict[str, Any] = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "string", "pattern": r"^([1-9][0-9]{0,2}(_[0-9]{3})+|[0-9]+)(\.[0-9]+)?[kKmM]?$"},
    ]
}
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 500}
_DATE: dict[str, Any] = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
_CURRENCY: dict[str, Any] = {"type": "string", "pattern": "^[A-Z]{3}$"}
_FACTOR: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0, "maximum": 100}

_NULLABLE_IN_MODEL = {"name", "provider", "context", "max_input", "max_output", "source", "checked", "retires"}
_NULLABLE_IN_MODEL |= {"count", "aliases", "notes", "checked_in", "dated_aliases", "like"}
_NULLABLE_IN_PRICE = {"tiers", "changes", "history", "services", "off_peak", "date"}


def json_schema() -> dict[str, Any]:
    """The schema of a whole file."""
    return {
        "$schema": VERSION_URI,
        "title": "Tokenloupe price file",
        "description": "Prices per million tokens. What you leave out stays as built in.",
        "required": ["version"],
        **_block("file"),
        "$defs": {name: _block(name) for name in BLOCKS if name != "file"},
    }


def schema_text() -> str:
    """The schema as the text of a JSON file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _block(name: str) -> dict[str, Any]:
    block: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: _field(field, name) for field in BLOCKS[name]},
        "additionalProperties": False,
    }
    if name == "tier":
        block["oneOf"] = [{"required": ["over"]}, {"required": ["from"]}]
    if name in _REQUIRED:
        block["required"] = [_REQUIRED[name]]
    return block


_REQUIRED = {"change": "from_date", "past": "from_date", "count": "tokenizer", "off_peak": "factor", "alias": "name"}


def _field(field: Field, block: str) -> dict[str, Any]:
    value = _value(field.kind)
    nullable = (
        field.kind in {"money", "batch"}
        or (block == "price" and field.kind in _NULLABLE_IN_PRICE)
        or (block == "model" and field.name in _NULLABLE_IN_MODEL)
    )
    if nullable:
        value = {"anyOf": [*value.get("anyOf", [value]), _NULL]}
    return {"description": field.about, **value}


def _value(kind: str) -> dict[str, Any]:
    """The schema of one kind of value, as ``declaration.Field`` names them."""
    if kind in LISTS:
        return {"type": "array", "items": {"$ref": f"#/$defs/{LISTS[kind]}"}}
    if kind == "models":
        model = {"anyOf": [{"$ref": "#/$defs/model"}, _NULL]}
        return _table(model, {"pattern": r"^[^/\s]+/\S*[^/\s]$", "maxLength": 200})
    return {
        "version": {"enum": [1, 2]},
        "text": _TEXT,
        "currency": _CURRENCY,
        "money": _AMOUNT,
        "tokens": _TOKENS,
        "date": _DATE,
        "flag": {"type": "boolean"},
        "factor": _FACTOR,
        "texts": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]},
        "price": {"$ref": "#/$defs/price"},
        "batch": {"anyOf": [{"const": "half"}, {"$ref": "#/$defs/batch"}]},
        "services": _table({"anyOf": [{"const": "half"}, {"$ref": "#/$defs/service"}]}, {"enum": list(SERVICES)}),
        "off_peak": {"$ref": "#/$defs/off_peak"},
        "checked_in": {"enum": list(CHECKED_IN)},
        "count": {"anyOf": [_TEXT, {"$ref": "#/$defs/count"}]},
        "rates": _table({"type": "number", "exclusiveMinimum": 0}, _CURRENCY),
        "providers": _table(_TEXT),
        "counting": _table({"$ref": "#/$defs/count"}),
    }[kind]


def _table(values: dict[str, Any], keys: dict[str, Any] | None = None) -> dict[str, Any]:
    """A table with free names; one with nothing below it is what a new file looks like."""
    table = {"type": "object", "additionalProperties": values, **({"propertyNames": keys} if keys else {})}
    return {"anyOf": [table, _NULL]}
