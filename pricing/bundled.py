"""The built-in price table, from the JSON file that ``packaging/bundle_prices.py`` generates from YAML files.

JSON loads in milliseconds. The YAML files beside it are the source and hold the comments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
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
    if path == "price.batch":
        return _encode_batch(value)
    if path == "price.tiers":
        return [_encode_tier(tier) for tier in value]
    if path == "price.changes":
        return [_encode_change(change) for change in value]
    if path == "price.history":
        return [_encode_past(past) for past in value]
    if path == "price.services":
        return {service.name: _encode_service(service) for service in value}
    if path == "price.off_peak":
        return _encode_off_peak(value)
    if path == "dated_aliases":
        return [[alias.name, _day(alias.from_date), _day(alias.until)] for alias in value]
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def _decode_value(path: str, raw: Any, rules: Mapping[str, CountRule]) -> Any:
    if path == "count":
        return rules[raw] if isinstance(raw, str) else _decode_rule(raw)
    if path == "price.batch":
        return _decode_batch(raw)
    if path == "price.tiers":
        return tuple(_decode_tier(tier) for tier in raw)
    if path == "price.changes":
        return tuple(_decode_change(change) for change in raw)
    if path == "price.history":
        return tuple(_decode_past(past) for past in raw)
    if path == "price.services":
        return tuple(_decode_service(name, service) for name, service in raw.items())
    if path == "price.off_peak":
        return _decode_off_peak(raw)
    if path == "dated_aliases":
        return tuple(Alias(name, _of_day(start), _of_day(end)) for name, start, end in raw)
    if path.startswith("price.") and path != "price.since":
        return Decimal(raw)
    if path in {"checked", "retires", "price.since"}:
        return date.fromisoformat(raw)
    return tuple(raw) if isinstance(raw, list) else raw


def _encode_rule(rule: CountRule) -> dict[str, Any]:
    return {
        "tokenizer": rule.tokenizer,
        "label": rule.label,
        "ratio": str(rule.ratio),
        "low": str(rule.low),
        "high": str(rule.high),
        "note": rule.note,
    }


def _decode_rule(raw: Mapping[str, Any]) -> CountRule:
    factors = {name: Decimal(raw[name]) for name in ("ratio", "low", "high")}
    return CountRule(raw["tokenizer"], raw["label"], note=raw["note"], **factors)


def _encode_rates(rates: Rates) -> dict[str, str]:
    return {name: str(value) for name in RATE_NAMES if (value := getattr(rates, name)) is not None}


def _decode_rates(raw: Mapping[str, Any]) -> Rates:
    return Rates(**{name: Decimal(raw[name]) for name in RATE_NAMES if raw.get(name) is not None})


def _encode_batch(batch: Batch) -> Any:
    return _encode_rates(batch) if isinstance(batch, Rates) else batch


def _decode_batch(raw: Any) -> Batch:
    return _decode_rates(raw) if isinstance(raw, dict) else raw


def _encode_tier(tier: Tier) -> dict[str, Any]:
    limit = {"from": tier.from_} if tier.from_ is not None else {"over": tier.over}
    encoded = {**limit, **_encode_rates(tier.rates), **dict.fromkeys(tier.unknown)}
    return {**encoded, **({"batch": _encode_batch(tier.batch)} if tier.batch else {})}


def _decode_tier(raw: Mapping[str, Any]) -> Tier:
    unknown = _nulls(raw)
    return Tier(_decode_rates(raw), raw.get("over"), raw.get("from"), _decode_batch(raw.get("batch")), unknown)


def _nulls(raw: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name in (*RATE_NAMES, "per_request", "batch") if name in raw and raw[name] is None)


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _of_day(raw: str | None) -> date | None:
    return None if raw is None else date.fromisoformat(raw)


def _encode_past(past: PastPrice) -> dict[str, Any]:
    encoded: dict[str, Any] = {"from_date": past.from_date.isoformat(), **_encode_rates(past.rates)}
    if past.per_request is not None:
        encoded["per_request"] = str(past.per_request)
    if past.batch is not None:
        encoded["batch"] = _encode_batch(past.batch)
    if past.tiers is not None:
        encoded["tiers"] = [_encode_tier(tier) for tier in past.tiers]
    return {**encoded, **{name: text for name in ("source", "note") if (text := getattr(past, name))}}


def _decode_past(raw: Mapping[str, Any]) -> PastPrice:
    return PastPrice(
        date.fromisoformat(raw["from_date"]),
        _decode_rates(raw),
        None if raw.get("per_request") is None else Decimal(raw["per_request"]),
        _decode_batch(raw.get("batch")),
        tuple(_decode_tier(tier) for tier in raw["tiers"]) if "tiers" in raw else None,
        raw.get("source", ""),
        raw.get("note", ""),
    )


def _encode_service(service: Service) -> dict[str, Any]:
    encoded: dict[str, Any] = _encode_rates(service.rates)
    if service.factor is not None:
        encoded["factor"] = str(service.factor)
    if service.tiers is not None:
        encoded["tiers"] = [_encode_tier(tier) for tier in service.tiers]
    return encoded


def _decode_service(name: str, raw: Mapping[str, Any]) -> Service:
    factor = Decimal(raw["factor"]) if "factor" in raw else None
    tiers = tuple(_decode_tier(tier) for tier in raw["tiers"]) if "tiers" in raw else None
    return Service(name, factor, _decode_rates(raw), tiers)


def _encode_off_peak(off_peak: OffPeak) -> dict[str, Any]:
    return {
        "factor": str(off_peak.factor),
        "peak": [list(window) for window in off_peak.peak],
        "weekdays": list(off_peak.weekdays),
        "from_date": _day(off_peak.from_date),
        "note": off_peak.note,
    }


def _decode_off_peak(raw: Mapping[str, Any]) -> OffPeak:
    windows = tuple((start, end) for start, end in raw["peak"])
    return OffPeak(Decimal(raw["factor"]), windows, tuple(raw["weekdays"]), _of_day(raw["from_date"]), raw["note"])


def _encode_change(change: Change) -> dict[str, Any]:
    encoded: dict[str, Any] = {"from_date": change.from_date.isoformat(), **_encode_rates(change.rates)}
    encoded.update(dict.fromkeys(change.unknown))
    if change.per_request is not None:
        encoded["per_request"] = str(change.per_request)
    if change.batch is not None:
        encoded["batch"] = _encode_batch(change.batch)
    if change.tiers is not None:
        encoded["tiers"] = [_encode_tier(tier) for tier in change.tiers]
    if change.assumed:
        encoded["assumed"] = True
    return {**encoded, "note": change.note}


def _decode_change(raw: Mapping[str, Any]) -> Change:
    return Change(
        date.fromisoformat(raw["from_date"]),
        _decode_rates(raw),
        per_request=None if raw.get("per_request") is None else Decimal(raw["per_request"]),
        batch=_decode_batch(raw.get("batch")),
        tiers=tuple(_decode_tier(tier) for tier in raw["tiers"]) if "tiers" in raw else None,
        note=raw["note"],
        unknown=_nulls(raw),
        assumed=raw.get("assumed", False),
    )
