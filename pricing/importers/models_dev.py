"""models.dev: ``api.json``, providers with their models, prices per million tokens.

Pitfalls: tiers start at exactly the given size. If both are present, the older ``context_over_200k`` repeats the tiers,
and its 200,000 may differ from the tier's size. Models of subscriptions have prices of 0. A missing or zero cache price
does not mean a free cache.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    table,
    tokens,
)
from pricing.types import Price, Rates, Tier

TABLE = "models.dev"
OLD_THRESHOLD = 200_000

_RATES = {
    "input": "input",
    "output": "output",
    "cache_read": "cached",
    "cache_write": "cache_write",
    "reasoning": "reasoning",
}
_HOURS = "prices of this vendor depend on the hour; this table has the lower ones"


def is_models_dev(document: object) -> bool:
    """Return True if JSON looks like this table."""
    providers = [table(provider) for provider in table(document).values()]
    return any(isinstance(provider.get("models"), dict) and "id" in provider for provider in providers[:20])


def read_models_dev(document: object) -> Imported:
    """Return the candidates of the table. Raises ImportFileError for another table."""
    if not is_models_dev(document):
        raise ImportFileError("this is not the table of models.dev")
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for vendor, provider in table(document).items():
        for source_id, raw in table(table(provider).get("models")).items():
            entry = table(raw)
            cost = table(entry.get("cost"))
            if amount(cost.get("input")) is None:
                skipped.append(Skipped(f"{vendor}/{source_id}", "has no price"))
            else:
                candidates.append(_candidate(vendor, source_id, entry, cost))
    return Imported(TABLE, tuple(candidates), tuple(skipped))


def _candidate(vendor: str, source_id: str, entry: Mapping[str, Any], cost: Mapping[str, Any]) -> Candidate:
    unmapped: list[Unmapped] = []
    doubts: list[Unmapped] = []
    rates = _rates(cost, unmapped)
    tiers = _tiers(cost, unmapped)
    limit = table(entry.get("limit"))
    if not rates.input and not rates.output:
        doubts += [Unmapped(f"price.{name}", "0 may stand for a subscription") for name in ("input", "output")]
    if vendor == "deepseek":
        doubts += [Unmapped(f"price.{name}", _HOURS) for name in _RATES.values()]
    if entry.get("status"):
        unmapped.append(Unmapped("status", f"is marked as {entry['status']}, without a date"))
    known = {*_RATES, "tiers", "context_over_200k"}
    unmapped += [Unmapped(f"cost.{key}", "is not a price for text") for key in cost if key not in known]
    return Candidate(
        source_id=f"{vendor}/{source_id}",
        model_id=our_id(vendor, source_id),
        price=Price(rates, tiers=tiers),
        name=str(entry.get("name") or ""),
        context=tokens(limit.get("context")),
        max_input=tokens(limit.get("input")),
        max_output=tokens(limit.get("output")),
        checked=day(entry.get("last_updated")),
        unmapped=tuple(unmapped),
        doubts=tuple(doubts),
    )


def _rates(cost: Mapping[str, Any], unmapped: list[Unmapped]) -> Rates:
    rates: dict[str, Decimal | None] = {}
    for key, name in _RATES.items():
        value = amount(cost.get(key))
        if value == 0 and key not in {"input", "output"}:
            unmapped.append(Unmapped(f"cost.{key}", "0 means that there is no such price, not that it is free"))
            value = None
        rates[name] = value
    if rates["reasoning"] == rates["output"]:
        rates["reasoning"] = None  # billed as output, as usual: no price of its own
    return Rates(**rates)


def _tiers(cost: Mapping[str, Any], unmapped: list[Unmapped]) -> tuple[Tier, ...]:
    tiers: list[Tier] = []
    for raw in entries(cost.get("tiers")):
        condition = table(table(raw).get("tier"))
        size = tokens(condition.get("size"))
        if condition.get("type", "context") != "context" or size is None:
            unmapped.append(Unmapped("cost.tiers", "a tier that does not depend on the prompt length"))
            continue
        tiers.append(Tier(_rates(table(raw), unmapped), from_=size))
    old = table(cost.get("context_over_200k"))
    if old and tiers:
        unmapped.append(Unmapped("cost.context_over_200k", "repeats the tiers"))
    elif old:
        tiers.append(Tier(_rates(old, unmapped), over=OLD_THRESHOLD))
    return tuple(sorted(tiers, key=lambda tier: tier.first))
