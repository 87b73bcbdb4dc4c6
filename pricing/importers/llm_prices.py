"""llm-prices: ``current-v1.json`` and ``historical-v1.json``, prices per million tokens.

Pitfalls: a long-prompt price is a separate entry whose id ends like ``-200k``, but ``gpt-4-32k`` is a model.
``from_date`` is the first day of a price, ``to_date`` the first day without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from pricing.importers.reading import (
    Candidate,
    Imported,
    ImportFileError,
    Skipped,
    Unmapped,
    amount,
    changed_to,
    day,
    our_id,
    table,
    tier_from,
)
from pricing.types import Change, Price, Rates, Tier

TABLE = "llm-prices"
SHORTEST_LONG_PROMPT = 100
"""Minimum size suffix of a long-prompt entry, in thousands of tokens. No vendor charges more for shorter prompts; ids
with smaller suffixes, such as gpt-4-32k, are models."""

_LONG = re.compile(r"^(?P<base>.+)-(?P<size>[0-9]+)k$")


def is_llm_prices(document: object) -> bool:
    """Return True if JSON looks like this table."""
    prices = table(document).get("prices")
    return isinstance(prices, list) and any("vendor" in table(entry) for entry in prices[:5])


def read_llm_prices(document: object) -> Imported:
    """Return the candidates of the table, each with its history. Raises ImportFileError for another table."""
    if not is_llm_prices(document):
        raise ImportFileError("this is not a table of llm-prices")
    updated = day(table(document).get("updated_at"))
    listed = [table(entry) for entry in table(document)["prices"]]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    skipped: list[Skipped] = []
    for entry in listed:
        source_id, vendor = str(entry.get("id") or ""), str(entry.get("vendor") or "")
        if not source_id or not vendor:
            skipped.append(Skipped(source_id, "has no id or no vendor"))
        elif amount(entry.get("input")) is None or amount(entry.get("output")) is None:
            skipped.append(Skipped(source_id, "has no price"))
        else:
            groups.setdefault((vendor, source_id), []).append(entry)
    long = {key: base for key in groups if (base := _base_of(key, groups)) is not None}
    candidates = [
        _candidate(key, history, {other: groups[other] for other, base in long.items() if base == key}, updated)
        for key, history in groups.items()
        if key not in long
    ]
    return Imported(TABLE, tuple(candidates), tuple(skipped), updated)


def _base_of(key: tuple[str, str], groups: Mapping[tuple[str, str], object]) -> tuple[str, str] | None:
    """Return the entry whose long-prompt price this one is, or None."""
    found = _LONG.match(key[1])
    if found is None or int(found["size"]) < SHORTEST_LONG_PROMPT:
        return None
    base = (key[0], found["base"])
    return base if base in groups else None


def _candidate(
    key: tuple[str, str],
    history: list[Mapping[str, Any]],
    long: Mapping[tuple[str, str], list[Mapping[str, Any]]],
    updated: date | None,
) -> Candidate:
    vendor, source_id = key
    days = {day(entry.get("from_date")) for entries in (history, *long.values()) for entry in entries}
    price = _price_on(None, vendor, history, long)
    changes: list[Change] = []
    before = price
    for first in sorted(one for one in days if one is not None):
        after = _price_on(first, vendor, history, long)
        if after != before:
            changes.append(changed_to(before, after, first))
        before = after
    last = max(history, key=lambda entry: day(entry.get("from_date")) or date.min)
    doubts = []
    if day(last.get("to_date")):
        doubts.append(Unmapped("price.input", f"this price ended on {last['to_date']}, and no later one is given"))
    return Candidate(
        source_id=source_id,
        model_id=our_id(vendor, source_id),
        price=Price(price.rates, tiers=price.tiers, changes=tuple(changes)),
        name=str(last.get("name") or "").replace("\u2264200k", "").strip(),
        names=(),
        checked=updated,
        doubts=tuple(doubts),
    )


def _price_on(
    on: date | None,
    vendor: str,
    history: list[Mapping[str, Any]],
    long: Mapping[tuple[str, str], list[Mapping[str, Any]]],
) -> Price:
    """Return the price in effect on a day; None: before the first day listed."""
    tiers: list[Tier] = []
    for (_, source_id), entries in long.items():
        found = _LONG.match(source_id)
        entry = _in_force(entries, on)
        if found is not None and entry is not None:
            tiers.append(tier_from(vendor, int(found["size"]) * 1_000, _rates(entry)))
    base = _in_force(history, on) or history[0]
    return Price(_rates(base), tiers=tuple(sorted(tiers, key=lambda tier: tier.first)))


def _in_force(history: list[Mapping[str, Any]], on: date | None) -> Mapping[str, Any] | None:
    by_day = sorted(history, key=lambda entry: day(entry.get("from_date")) or date.min)
    if on is None:
        return by_day[0]
    return next((entry for entry in reversed(by_day) if (day(entry.get("from_date")) or date.min) <= on), None)


def _rates(entry: Mapping[str, Any]) -> Rates:
    return Rates(amount(entry.get("input")), amount(entry.get("output")), amount(entry.get("input_cached")))
