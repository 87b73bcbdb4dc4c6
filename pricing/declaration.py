"""Declared fields of a price file, and the JSON Schema for editors generated from them.

The fields are declared once. The checkers take their field names from here, ``json_schema`` generates the schema, and
the completion in an editor offers them.

The checkers find more problems and explain them better: a schema knows no calendar, no order of tiers and no names of
encodings.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pricing.types import RATE_NAMES, SERVICES
from pricing.values import CHECKED_IN


@dataclass(frozen=True, slots=True)
class Field:
    """One field. ``kind`` is the type of its value.

    Single values: ``version``, ``text``, ``currency``, ``money`` (an amount in the file's currency), ``tokens`` (a
    number of tokens), ``date``, ``flag``, ``factor``, ``checked_in``. Others: ``texts`` (a list), the name of a block
    in ``BLOCKS``, ``batch``, ``count`` (a name or a block), ``tiers``, ``changes``, ``history`` and ``dated_aliases``
    (lists of such blocks), ``services`` (a table of them), and four tables with names chosen by the user: ``models``,
    ``rates``, ``providers``, ``counting``.
    """

    name: str
    kind: str
    about: str


_RATE_SENTENCES = {
    "input": "fresh input",
    "output": "output",
    "cached": "cached input (cache reads); defaults to the input price",
    "cache_write": "cache writes with a lifetime of minutes; defaults to the input price",
    "cache_write_1h": "cache writes with a lifetime of an hour",
    "reasoning": "reasoning tokens, if billed at a different rate than output",
    "audio_input": "audio input",
    "audio_output": "audio output",
}

_RATES = tuple(Field(name, "money", f"Price per million tokens of {_RATE_SENTENCES[name]}.") for name in RATE_NAMES)
_BATCH = Field("batch", "batch", "Batch prices: half, or a block of prices.")
_FEE = Field("per_request", "money", "Fee per request.")
_TIERS = Field("tiers", "tiers", "Prices by prompt length, shortest first; the matching tier prices the whole request.")

BLOCKS: dict[str, tuple[Field, ...]] = {
    "file": (
        Field("version", "version", "Format version: 2."),
        Field("currency", "currency", "Currency of the amounts in this file; defaults to USD."),
        Field("rates", "rates", "Exchange rates: US dollars per unit of a currency, like EUR: 1.16."),
        Field("providers", "providers", "Display names for the part of an id before the '/'."),
        Field("counting", "counting", "Named rules for counting tokens, for 'count' of models."),
        Field("models", "models", "Prices and facts by model ID (vendor/model); null hides a model."),
    ),
    "model": (
        Field("name", "text", "Display name."),
        Field(
            "like",
            "text",
            "ID of a model to inherit facts and missing prices from.",
        ),
        Field("provider", "text", "Display name of the provider, if it is not the vendor."),
        Field("currency", "currency", "Currency of this model's prices; defaults to that of the file."),
        Field("price", "price", "Prices."),
        Field("context", "tokens", "Context window, in tokens."),
        Field("max_input", "tokens", "Maximum prompt, in tokens, if smaller than the context window."),
        Field("max_output", "tokens", "Maximum output, in tokens."),
        Field("count", "count", "Counting rule: its name, or a block."),
        Field("source", "text", "Page that the facts come from."),
        Field("checked", "date", "Date on which the facts were last checked against the source."),
        Field(
            "checked_in",
            "checked_in",
            "Where they were checked: vendor (the vendor's page) or table (published price tables).",
        ),
        Field("retires", "date", "First day on which the vendor no longer serves the model."),
        Field("aliases", "texts", "Other names for the model."),
        Field("dated_aliases", "dated_aliases", "Names that refer to this model for a period, such as vendor-latest."),
        Field("notes", "texts", "Notes shown with the model."),
    ),
    "price": (
        *_RATES,
        _FEE,
        _BATCH,
        _TIERS,
        Field("changes", "changes", "Future prices by start date, earliest first; omitted prices stay the same."),
        Field("services", "services", "Prices by service tier: flex, priority, fast, ultrafast."),
        Field("per_search", "money", "Fee per call of the vendor's search tool."),
        Field("off_peak", "off_peak", "Prices outside peak hours."),
        Field("since", "date", "First day for which these prices are known; earlier days use 'history'."),
        Field("history", "history", "Past prices, earliest first; each entry is complete."),
    ),
    "batch": _RATES,
    "service": (
        Field("factor", "factor", "Multiple of the standard prices, instead of separate prices."),
        *_RATES,
        Field(
            "tiers",
            "tiers",
            "Prices by prompt length, at the standard thresholds; [] for none.",
        ),
    ),
    "off_peak": (
        Field("factor", "factor", "Multiple of the standard prices that applies outside peak hours."),
        Field("peak", "texts", "Peak hours in UTC, like 01:00-04:00."),
        Field("weekdays", "texts", "Weekdays with peak hours, like mon-fri."),
        Field("from_date", "date", "First day on which the price depends on the hour."),
        Field("note", "text", "Note, for example about holidays."),
    ),
    "past": (
        Field("from_date", "date", "First day of these prices."),
        *_RATES,
        _FEE,
        _BATCH,
        _TIERS,
        Field("source", "text", "Source of these prices."),
        Field("note", "text", "Note about these prices."),
    ),
    "alias": (
        Field("name", "text", "Name."),
        Field("from_date", "date", "First day on which the name refers to this model."),
        Field("until", "date", "First day on which it no longer does."),
    ),
    "tier": (
        Field("over", "tokens", "Threshold: these prices apply to prompts with more tokens than this."),
        Field("from", "tokens", "Threshold: these prices apply to prompts with at least this many tokens."),
        *_RATES,
        _BATCH,
    ),
    "change": (
        Field("from_date", "date", "First day of these prices."),
        *_RATES,
        _FEE,
        _BATCH,
        _TIERS,
        Field("note", "text", "Reason for the change."),
        Field(
            "assumed", "flag", "True if the vendor has not announced the change: the earlier prices may still apply."
        ),
    ),
    "count": (
        Field("tokenizer", "text", "Encoding to count with, like o200k_base."),
        Field("exact", "flag", "True if this is the vendor's own tokenizer for the model."),
        Field("ratio", "factor", "Best estimate of the ratio; defaults to the midpoint of low and high."),
        Field("low", "factor", "Lowest ratio."),
        Field("high", "factor", "Highest ratio."),
        Field("note", "text", "Source of the ratios."),
    ),
}
"""Fields of each kind of block, in the recommended order."""

LISTS = {"tiers": "tier", "changes": "change", "history": "past", "dated_aliases": "alias"}
"""Kind of the items of a list."""

TABLES = {"models": "model", "counting": "count", "rates": "factor", "providers": "text", "services": "service"}
"""Kind of the values in a table with free names."""


def names(block: str) -> tuple[str, ...]:
    """Return the names of the fields of a block."""
    return tuple(field.name for field in BLOCKS[block])


def fields_at(path: tuple[str, ...]) -> tuple[Field, ...]:
    """Return the fields allowed below a path in a file, given as names or list indices.

    Empty if names are chosen by the user, at a single value, and for an invalid path.
    """
    kind = "file"
    for step in path:
        if kind in LISTS:
            kind = LISTS[kind]
        elif kind in TABLES:
            kind = TABLES[kind]
        else:
            kind = next((field.kind for field in BLOCKS.get(kind, ()) if field.name == step), "")
    return BLOCKS.get(kind, ())


# --- JSON Schema ------------------------------------------------------------------------------------------------------

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
    """Return the schema of a whole file."""
    return {
        "$schema": VERSION_URI,
        "title": "Tokenloupe price file",
        "description": "Prices per million tokens. What you leave out stays as built in.",
        "required": ["version"],
        **_block("file"),
        "$defs": {name: _block(name) for name in BLOCKS if name != "file"},
    }


def schema_text() -> str:
    """Return the schema as JSON text."""
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
    """Return the schema of one kind of value, as named in ``Field``."""
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
    """Return the schema of a table with free names. It may be null, as the empty tables of a new file are."""
    table = {"type": "object", "additionalProperties": values, **({"propertyNames": keys} if keys else {})}
    return {"anyOf": [table, _NULL]}
