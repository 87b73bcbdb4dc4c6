"""The built-in price table, from the JSON file that ``packaging/bundle_prices.py`` generates from YAML files.

JSON loads in milliseconds. The YAML files beside it are the source and hold the comments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from pricing.types import RATE_NAMES, Alias, Batch, Change, CountRule, OffPeak, PastPrice, Rates, Service, Tier

DEFAULT_RULE = "unknown"
"""Name of the counting rule for models without a known tokenizer."""

BUNDLED_ENCODINGS: tuple[str, ...] = (
    "gpt2",
    "r50k_base",
    "p50k_base",
    "p50k_edit",
    "cl100k_base",
    "o200k_base",
    "o200k_harmony",
    "qwen",
    "qwen3_5",
    "kimi",
    "gemma",
    "gemma3",
    "deepseek",
    "tekken",
)
"""Names of the encodings that come with the application, which a price file may count with.

Callers that know more encodings, such as imported ones, pass their names to the functions that read price files.
"""


@dataclass(frozen=True, slots=True)
class Bundled:
    """The built-in table: entries by id and path (as in ``load.Entry``), counting rules, vendor names, aliases."""

    entries: Mapping[str, Mapping[str, Any]]
    rules: Mapping[str, CountRule]
    providers: Mapping[str, str]
    aliases: Mapping[str, str]

    @property
    def default_rule(self) -> CountRule:
        """Counting rule for models without one."""
        return self.rules[DEFAULT_RULE]


@cache
def load_bundled() -> Bundled:
    """Return the built-in table, read once."""
    return decode(files("pricing").joinpath("data", "bundled.json").read_text(encoding="utf-8"))


def encode(
    entries: Mapping[str, Mapping[str, Any]], rules: Mapping[str, CountRule], providers: Mapping[str, str]
) -> str:
    """Return the table as JSON text. Numbers are decimal strings, so that none is converted to a float."""
    names = {rule: name for name, rule in rules.items()}
    document = {
        "providers": dict(providers),
        "rules": {name: _encode_rule(rule) for name, rule in rules.items()},
        "models": {
            model_id: {path: _encode_value(path, value, names) for path, value in entry.items() if value is not None}
            for model_id, entry in entries.items()
        },
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def decode(text: str) -> Bundled:
    """Return the table from JSON text made by ``encode``."""
    document = json.loads(text)
    rules = {name: _decode_rule(raw) for name, raw in document["rules"].items()}
    entries = {
        model_id: {path: _decode_value(path, raw, rules) for path, raw in entry.items()}
        for model_id, entry in document["models"].items()
    }
    aliases = {alias: model_id for model_id, entry in entries.items() for alias in entry.get("aliases", ())}
    return Bundled(entries, rules, document["providers"], aliases)


def _encode_value(path: str, value: Any, names: Mapping[CountRule, str]) -> Any:
    if path == "count":
        return names.get(value) or _encode_rule(value)
    if path in _LISTS:
        return [_encode_block(block) for block in value]
    if path == "price.services":
        return {service.name: _encode_block(service) for service in value}
    if path == "price.batch":
        return _encode_batch(value)
    if isinstance(value, OffPeak):
        return {**asdict(value), "factor": str(value.factor), "from_date": _encode_day(value.from_date)}
    if path == "dated_aliases":
        return [[alias.name, _encode_day(alias.from_date), _encode_day(alias.until)] for alias in value]
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def _decode_value(path: str, raw: Any, rules: Mapping[str, CountRule]) -> Any:
    if path == "count":
        return rules[raw] if isinstance(raw, str) else _decode_rule(raw)
    if path in _LISTS:
        return tuple(_decode_block(_LISTS[path], block) for block in raw)
    if path == "price.services":
        return tuple(_decode_block(Service, service, name=name) for name, service in raw.items())
    if path == "price.batch":
        return _decode_batch(raw)
    if path == "price.off_peak":
        peak = tuple((start, end) for start, end in raw["peak"])
        return OffPeak(Decimal(raw["factor"]), peak, tuple(raw["weekdays"]), _decode_day(raw["from_date"]), raw["note"])
    if path == "dated_aliases":
        return tuple(Alias(name, _decode_day(start), _decode_day(end)) for name, start, end in raw)
    if path.startswith("price.") and path != "price.since":
        return Decimal(raw)
    if path in {"checked", "retires", "price.since"}:
        return date.fromisoformat(raw)
    return tuple(raw) if isinstance(raw, list) else raw


def _encode_rule(rule: CountRule) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in asdict(rule).items()}


def _decode_rule(raw: Mapping[str, Any]) -> CountRule:
    factors = {name: Decimal(raw[name]) for name in ("ratio", "low", "high")}
    return CountRule(raw["tokenizer"], raw["label"], note=raw["note"], **factors)


def _encode_day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _decode_day(raw: str | None) -> date | None:
    return None if raw is None else date.fromisoformat(raw)


def _encode_rates(rates: Rates) -> dict[str, str]:
    return {name: str(value) for name in RATE_NAMES if (value := getattr(rates, name)) is not None}


def _decode_rates(raw: Mapping[str, Any]) -> Rates:
    return Rates(**{name: Decimal(raw[name]) for name in RATE_NAMES if raw.get(name) is not None})


def _encode_batch(batch: Batch) -> Any:
    return _encode_rates(batch) if isinstance(batch, Rates) else batch


def _decode_batch(raw: Any) -> Batch:
    return _decode_rates(raw) if isinstance(raw, dict) else raw


def _encode_block(block: Tier | Change | PastPrice | Service) -> dict[str, Any]:
    """Return rates and fields of a block side by side, without those at their defaults. Unknown ones are null."""
    encoded: dict[str, Any] = {}
    for name, (encode_field, _) in _FIELDS.items():
        value = getattr(block, name, None)
        if value is not None and value != "" and value is not False:
            encoded[name.removesuffix("_")] = encode_field(value)
    return {**encoded, **_encode_rates(block.rates), **dict.fromkeys(getattr(block, "unknown", ()))}


def _decode_block(kind: type[Any], raw: Mapping[str, Any], **more: str) -> Any:
    """Return a block of this class."""
    values: dict[str, Any] = {"rates": _decode_rates(raw), **more}
    for name, (_, decode_field) in _FIELDS.items():
        value = raw.get(name.removesuffix("_"))
        if value is not None:
            values[name] = decode_field(value)
    if "unknown" in kind.__dataclass_fields__:
        values["unknown"] = tuple(name for name in (*RATE_NAMES, "per_request", "batch") if raw.get(name, "") is None)
    return kind(**values)


_FIELDS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "from_date": (date.isoformat, date.fromisoformat),
    "over": (int, int),
    "from_": (int, int),
    "factor": (str, Decimal),
    "per_request": (str, Decimal),
    "batch": (_encode_batch, _decode_batch),
    "tiers": (
        lambda tiers: [_encode_block(tier) for tier in tiers],
        lambda raw: tuple(_decode_block(Tier, tier) for tier in raw),
    ),
    "source": (str, str),
    "note": (str, str),
    "assumed": (bool, bool),
}
"""Fields of blocks besides their rates: how each is written and read. ``from_`` is written without its underscore."""

_LISTS: dict[str, type[Any]] = {"price.tiers": Tier, "price.changes": Change, "price.history": PastPrice}
