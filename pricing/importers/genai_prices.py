"""genai-prices: ``data.json`` of version 2, providers with their models, prices per million tokens.

Traps: each rate has tiers of its own; prices may be a list with conditions, of days (which are changes) or of hours
(which a price file has no place for); the rules that match ids match by their beginning, so ``claude-opus-5`` also
answers for later models with other prices: only rules of equality are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from pricing.importers.reading import amount, changed_to, day, entries, our_id, plain, table, tier_from, tokens
from pricing.importers.types import Candidate, Imported, ImportFileError, Skipped, Unmapped
from pricing.types import Change, Price, Rates, Tier

TABLE = "genai-prices"

_RATES = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_read_mtok": "cached",
    "cache_write_mtok": "cache_write",
    "cache_write_5m_mtok": "cache_write",
    "cache_write_1h_mtok": "cache_write_1h",
    "output_reasoning_mtok": "reasoning",
}
_THOUSAND = Decimal(1_000)


def is_genai_prices(document: object) -> bool:
    """Whether JSON looks like this table."""
    if not isinstance(document, list):
        return False
    providers = [table(provider) for provider in document]
    return any(isinstance(provider.get("models"), list) and "id" in provider for provider in providers[:20])


def read_genai_prices(document: object) -> Imported:
    """The candidates of the table. Raises ImportFileError where it is another."""
    if not isinstance(document, list) or not is_genai_prices(document):
        raise ImportFileError("this is not the table of genai-prices")
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for raw in document:
        provider = table(raw)
        vendor = str(provider.get("id") or "")
        for model in entries(provider.get("models")):
            entry = table(model)
            source_id = f"{vendor}/{entry.get('id')}"
            if not entry.get("id") or not entry.get("prices"):
                skipped.append(Skipped(source_id, "has no id or no price"))
            else:
                candidates.append(_candidate(vendor, provider, entry))
    return Imported(TABLE, tuple(candidates), tuple(skipped))


def _candidate(vendor: str, provider: Mapping[str, Any], entry: Mapping[str, Any]) -> Candidate:
    unmapped: list[Unmapped] = []
    price = _price_with_changes(vendor, entry["prices"], unmapped)
    if entry.get("deprecated"):
        unmapped.append(Unmapped("deprecated", "says that the model is deprecated, without a day"))
    urls = provider.get("pricing_urls")
    return Candidate(
        source_id=f"{vendor}/{entry['id']}",
        model_id=our_id(vendor, str(entry["id"])),
        price=price,
        name=str(entry.get("name") or ""),
        names=tuple(our_id(vendor, name) for name in _equal_names(entry.get("match"))),
        context=tokens(entry.get("context_window")),
        checked=day(entry.get("prices_checked")),
        source=str(urls[0]) if isinstance(urls, list) and urls else "",
        unmapped=tuple(unmapped),
    )


def _price_with_changes(vendor: str, prices: object, unmapped: list[Unmapped]) -> Price:
    """The first prices of a list, and those of later days as changes; those of hours are left."""
    if not isinstance(prices, list):
        return _price(vendor, table(prices), unmapped)
    first = table(prices[0]) if prices else {}
    base = before = _price(vendor, table(first.get("prices")), unmapped)
    changes: list[Change] = []
    dated = []
    for raw in prices[1:]:
        constraint = table(table(raw).get("constraint"))
        start = day(constraint.get("start_date"))
        if start is None:
            unmapped.append(Unmapped("prices", f"a price that holds at certain hours: {_hours(constraint)}"))
        else:
            dated.append((start, table(table(raw).get("prices"))))
    for start, new in sorted(dated, key=lambda item: item[0]):
        after = _price(vendor, new, unmapped)
        changes.append(changed_to(before, after, start))
        before = after
    return Price(base.rates, base.per_request, base.batch, base.tiers, tuple(changes))


def _hours(constraint: Mapping[str, Any]) -> str:
    return f"{constraint.get('start_time', '?')} to {constraint.get('end_time', '?')}"


def _price(vendor: str, prices: Mapping[str, Any], unmapped: list[Unmapped]) -> Price:
    base: dict[str, Decimal] = {}
    bands: dict[str, list[tuple[int, Decimal]]] = {}
    for key, value in prices.items():
        name = _RATES.get(key)
        if name is None:
            if key != "requests_kcount":
                unmapped.append(Unmapped(key, "is no price of text"))
            continue
        found = amount(value["base"] if isinstance(value, dict) and "base" in value else value)
        if found is not None:
            base[name] = found
            bands[name] = list(_bands(value))
    thousand = amount(prices.get("requests_kcount"))
    fee = None if thousand is None else plain(thousand / _THOUSAND)
    return Price(Rates(**base), per_request=fee, tiers=_tiers(vendor, base, bands))


def _bands(value: object) -> Iterator[tuple[int, Decimal]]:
    for raw in entries(table(value).get("tiers")):
        start, price = tokens(table(raw).get("start")), amount(table(raw).get("price"))
        if start is not None and price is not None:
            yield start, price


def _tiers(
    vendor: str, base: Mapping[str, Decimal], bands: Mapping[str, list[tuple[int, Decimal]]]
) -> tuple[Tier, ...]:
    """One tier for each threshold of any rate; a rate without a price there keeps the one of below."""
    tiers = []
    for start in sorted({start for found in bands.values() for start, _ in found}):
        rates = {
            name: max(((first, price) for first, price in found if first <= start), default=(0, base[name]))[1]
            for name, found in bands.items()
        }
        tiers.append(tier_from(vendor, start, Rates(**rates)))
    return tuple(tiers)


def _equal_names(match: object) -> Iterator[str]:
    """The names that a matching rule gives in full."""
    rule = table(match)
    if isinstance(rule.get("equals"), str):
        yield rule["equals"]
    for inner in entries(rule.get("or")):
        yield from _equal_names(inner)
