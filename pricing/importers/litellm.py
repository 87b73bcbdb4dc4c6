"""LiteLLM's map of models: one flat JSON object by model, prices per token.

Pitfalls: the entry ``sample_spec`` is documentation, not a model. A cache price of 0 means that there is none, not that
it is free. ``max_input_tokens`` is the context window of some models and the prompt limit of others;
``max_output_tokens`` often repeats it. Prices have float rounding errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pricing.importers.reading import (
    Candidate,
    Imported,
    ImportFileError,
    Skipped,
    Unmapped,
    amount,
    day,
    entries,
    our_id,
    per_token,
    service_of,
    table,
    tier_from,
    tokens,
)
from pricing.types import SERVICES, Price, Rates, Service, Tier

TABLE = "LiteLLM"

_MODES = {"chat", "responses", "completion", "embedding"}
_RATES = {
    "input_cost_per_token": "input",
    "output_cost_per_token": "output",
    "cache_read_input_token_cost": "cached",
    "cache_creation_input_token_cost": "cache_write",
    "cache_creation_input_token_cost_above_1hr": "cache_write_1h",
    "output_cost_per_reasoning_token": "reasoning",
    "input_cost_per_audio_token": "audio_input",
    "output_cost_per_audio_token": "audio_output",
}
_ABOVE = re.compile(r"^(?P<rate>.+)_above_(?P<size>[0-9]+)k_tokens$")
_BATCH = re.compile(r"^(?P<rate>.+)_batches$")
_SERVICE = re.compile(rf"^(?P<rate>.+?)(_above_[0-9]+k_tokens)?_({'|'.join(SERVICES)})$")
_OTHER_PRICE = re.compile(r"cost|price|pricing")
_HOURS = "prices of this vendor depend on the hour; this table has the higher ones"


def is_litellm(document: object) -> bool:
    """Return True if JSON looks like this table."""
    if not isinstance(document, dict) or not document:
        return False
    models = [entry for entry in document.values() if isinstance(entry, dict)]
    return any("litellm_provider" in entry for entry in models[:50])


def read_litellm(document: object) -> Imported:
    """Return the candidates of the table. Raises ImportFileError for another table."""
    if not is_litellm(document):
        raise ImportFileError("this is not LiteLLM's map of models")
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for source_id, raw in table(document).items():
        entry = table(raw)
        why = _why_not(source_id, entry)
        if why:
            skipped.append(Skipped(source_id, why))
        else:
            candidates.append(_candidate(source_id, entry))
    return Imported(TABLE, tuple(candidates), tuple(skipped))


def _why_not(source_id: str, entry: Mapping[str, Any]) -> str:
    if source_id == "sample_spec":
        return "describes the table, not a model"
    if str(entry.get("mode")) not in _MODES:
        return f"is for {entry.get('mode') or 'nothing that it names'}, not for text"
    if not entry.get("litellm_provider"):
        return "has no provider"
    if not any(key in entry for key in ("input_cost_per_token", "tiered_pricing", "output_cost_per_token")):
        return "has no price per token"
    return ""


def _candidate(source_id: str, entry: Mapping[str, Any]) -> Candidate:
    vendor = str(entry["litellm_provider"])
    unmapped: list[Unmapped] = []
    doubts: list[Unmapped] = []
    rates = _rates(entry, unmapped)
    if entry.get("mode") == "embedding":
        rates.setdefault("output", Decimal(0))
    tiers = _bands(vendor, entry, rates, unmapped) or _above(vendor, entry, unmapped)
    batch = _batch(entry)
    fee = amount(entry.get("input_cost_per_request"))
    price = Price(Rates(**rates), per_request=fee, batch=batch, tiers=tiers, per_search=_per_search(entry))
    price = replace(price, services=_services(vendor, entry, price, unmapped))
    context, max_output = tokens(entry.get("max_input_tokens")), tokens(entry.get("max_output_tokens"))
    if context is not None:
        doubts.append(Unmapped("context", "max_input_tokens is the limit of the prompt for some models"))
    if max_output is not None and max_output == context:
        unmapped.append(Unmapped("max_output_tokens", "repeats max_input_tokens"))
        max_output = None
    if vendor == "deepseek":
        doubts += [Unmapped(f"price.{name}", _HOURS) for name in rates]
    _other_prices(entry, unmapped)
    return Candidate(
        source_id=source_id,
        model_id=our_id(vendor, source_id),
        price=price,
        context=context,
        max_output=max_output,
        retires=day(entry.get("deprecation_date")),
        source=str(entry.get("source") or ""),
        unmapped=tuple(unmapped),
        doubts=tuple(doubts),
    )


def _rates(entry: Mapping[str, Any], unmapped: list[Unmapped], suffix: str = "") -> dict[str, Decimal]:
    """Return rates by our names, from the keys with this suffix."""
    rates: dict[str, Decimal] = {}
    for key, name in _RATES.items():
        value = per_token(entry.get(key + suffix))
        if value is None:
            continue
        if value == 0 and name.startswith("cache"):
            unmapped.append(Unmapped(key + suffix, "0 means that there is no such price, not that it is free"))
            continue
        rates[name] = value
    if rates.get("reasoning") == rates.get("output"):
        rates.pop("reasoning", None)  # billed as output, as usual: no price of its own
    return rates


def _above(vendor: str, entry: Mapping[str, Any], unmapped: list[Unmapped]) -> tuple[Tier, ...]:
    """Return tiers of keys like ``input_cost_per_token_above_200k_tokens``. Missing rates are those of the tier
    below."""
    sizes = {int(found["size"]) for key in entry if (found := _ABOVE.match(key)) and found["rate"] in _RATES}
    tiers = []
    for size in sorted(sizes):
        rates = _rates(entry, unmapped, f"_above_{size}k_tokens")
        if rates:
            tiers.append(tier_from(vendor, size * 1_000, Rates(**rates)))
    return tuple(tiers)


def _bands(
    vendor: str, entry: Mapping[str, Any], base: dict[str, Decimal], unmapped: list[Unmapped]
) -> tuple[Tier, ...]:
    """Return tiers of ``tiered_pricing``. The band that starts at 0 gives the base rates."""
    bands: list[tuple[int, dict[str, Decimal]]] = []
    for raw in entries(entry.get("tiered_pricing")):
        band = table(raw)
        limits = band.get("range")
        start = limits[0] if isinstance(limits, list) and limits else None
        if not isinstance(start, (int, Decimal)) or isinstance(start, bool):
            unmapped.append(Unmapped("tiered_pricing", "a tier without a range of tokens"))
            continue
        bands.append((int(start), _rates(band, unmapped)))
    bands.sort(key=lambda band: band[0])
    tiers = []
    for start, rates in bands:
        if start <= 0:
            base.update(rates)
        elif rates:
            tiers.append(tier_from(vendor, start, Rates(**rates)))
    return tuple(tiers)


def _services(vendor: str, entry: Mapping[str, Any], normal: Price, unmapped: list[Unmapped]) -> tuple[Service, ...]:
    """Return service tiers of keys like ``input_cost_per_token_flex``."""
    found = []
    for name in SERVICES:
        tiers = []
        for tier in normal.tiers:
            size = (tier.from_ or tier.over or 0) // 1_000
            rates = _rates(entry, unmapped, f"_above_{size}k_tokens_{name}")
            if rates:
                tiers.append(tier_from(vendor, size * 1_000, Rates(**rates)))
        price = Price(Rates(**_rates(entry, unmapped, f"_{name}")), tiers=tuple(tiers))
        service = service_of(name, normal, price)
        if service is not None:
            found.append(service)
    return tuple(found)


def _per_search(entry: Mapping[str, Any]) -> Decimal | None:
    """Return the fee per search, or None if it depends on the amount of page content that the model reads."""
    fees = {amount(fee) for fee in table(entry.get("search_context_cost_per_query")).values()}
    return fees.pop() if len(fees) == 1 else None


def _batch(entry: Mapping[str, Any]) -> Rates | None:
    rates = _rates(entry, [], "_batches")
    return Rates(**rates) if rates else None


def _other_prices(entry: Mapping[str, Any], unmapped: list[Unmapped]) -> None:
    """List prices that are not imported: of images, video, some kinds of searches."""
    known = {"input_cost_per_request", "tiered_pricing", "search_context_cost_per_query", *_RATES}
    for key, value in entry.items():
        above, batch = _ABOVE.match(key), _BATCH.match(key)
        service = _SERVICE.match(key)
        matched = [found["rate"] for found in (above, batch, service) if found]
        is_taken = key in known or any(rate in _RATES for rate in matched)
        if is_taken or not value or not _OTHER_PRICE.search(key):
            continue
        unmapped.append(Unmapped(key, "is not a price for text"))
