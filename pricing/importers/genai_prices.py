"""genai-prices: ``data.json`` of version 2, or ``data.py`` of its package: prices per million tokens.

The module is parsed as text and never executed: it is one expression of calls with literal arguments.

Pitfalls: each rate has its own tiers. Prices may be a list with conditions, by days (which become changes) or by hours
(peak hours without weekdays). Most rules that match ids match prefixes, so ``claude-opus-5`` also matches later models
with other prices: only equality rules are used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, time
from decimal import Decimal, InvalidOperation
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
    entries,
    our_id,
    plain,
    service_of,
    table,
    tier_from,
    tokens,
)
from pricing.types import Change, OffPeak, Price, Rates, Tier

TABLE = "genai-prices"

_RATES = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_read_mtok": "cached",
    "cache_write_mtok": "cache_write",
    "cache_write_5m_mtok": "cache_write",
    "cache_write_1h_mtok": "cache_write_1h",
    "output_reasoning_mtok": "reasoning",
    "input_audio_mtok": "audio_input",
    "output_audio_mtok": "audio_output",
}
_SERVICES = {("service_tier", name): name for name in ("flex", "priority", "fast", "ultrafast")}
_SERVICES[("speed", "fast")] = "fast"
_EVERY_DAY = tuple(range(7))
_THOUSAND = Decimal(1_000)


def is_genai_prices(document: object) -> bool:
    """Return True if JSON looks like this table."""
    if not isinstance(document, list):
        return False
    providers = [table(provider) for provider in document]
    return any(isinstance(provider.get("models"), list) and "id" in provider for provider in providers[:20])


def is_genai_module(text: str) -> bool:
    """Return True if text looks like the module that contains the table."""
    return "providers: list[Provider]" in text[:5_000]


def read_genai_module(text: str) -> Imported:
    """Return the candidates in the text of ``genai_prices/data.py``. Raises ImportFileError for other content."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ImportFileError("this is not the module of genai-prices with its table") from error
    for statement in body:
        target = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id == "providers" and statement.value is not None:  # type: ignore[attr-defined]
            try:
                return read_genai_prices(_literal(statement.value))  # type: ignore[attr-defined]
            except (TypeError, ArithmeticError, RecursionError) as error:
                raise ImportFileError("this module of genai-prices has an unknown format") from error
    raise ImportFileError("this module of genai-prices has no table")


def _literal(node: ast.expr) -> Any:
    """Return an expression of literals and calls as JSON data. Calls become tables of their named arguments."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {_literal(key): _literal(value) for key, value in zip(node.keys, node.values, strict=True) if key}
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = [_literal(argument) for argument in node.args]
        try:
            if name == "Decimal":
                return Decimal(given[0])
            if name == "date":
                return date(*given).isoformat()
            if name == "time":
                return time(*given[:3]).isoformat()
        except (ValueError, TypeError, IndexError, InvalidOperation):
            return None
        return {word.arg.rstrip("_"): _literal(word.value) for word in node.keywords if word.arg}
    return None


def read_genai_prices(document: object) -> Imported:
    """Return the candidates of the table. Raises ImportFileError for another table."""
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
    price = _with_variants(vendor, price, entries(entry.get("price_variants")), unmapped)
    if entry.get("deprecated"):
        unmapped.append(Unmapped("deprecated", "is marked as deprecated, without a date"))
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
    """Return the first price of a list, with those of later days as changes, and hourly ones as ``off_peak``."""
    if not isinstance(prices, list):
        return _price(vendor, table(prices), unmapped)
    first = table(prices[0]) if prices else {}
    base = before = _price(vendor, table(first.get("prices")), unmapped)
    changes: list[Change] = []
    dated, hourly = [], []
    for raw in prices[1:]:
        constraint, new = table(table(raw).get("constraint")), table(table(raw).get("prices"))
        start, hours = day(constraint.get("start_date")), _hours(constraint)
        if start is not None:
            dated.append((start, new))
        elif hours is not None:
            hourly.append((hours, new))
        else:
            unmapped.append(Unmapped("prices", "a price with an unknown condition"))
    for start, new in sorted(dated, key=lambda item: item[0]):
        after = _price(vendor, new, unmapped)
        changes.append(changed_to(before, after, start))
        before = after
    found = replace(base, changes=tuple(changes))
    return _at_peak(vendor, found, before, hourly, unmapped) if hourly else found


def _at_peak(
    vendor: str,
    found: Price,
    last: Price,
    hourly: list[tuple[tuple[int, int], Mapping[str, Any]]],
    unmapped: list[Unmapped],
) -> Price:
    """Return the peak prices with the off-peak rule, from a list that states them the other way round."""
    peak = _price(vendor, hourly[0][1], unmapped)
    same = all(_price(vendor, new, []) == peak for _, new in hourly)
    if not same or not peak.rates.input or not last.rates.input:
        unmapped.append(Unmapped("prices", "prices that depend on the hour"))
        return found
    windows = tuple(sorted(window for window, _ in hourly))
    off_peak = OffPeak(plain(last.rates.input / peak.rates.input), windows, _EVERY_DAY)
    if not found.changes:
        return replace(peak, off_peak=off_peak)
    start = found.changes[-1].from_date
    changes = (*found.changes[:-1], changed_to(last, peak, start))
    return replace(found, changes=changes, off_peak=replace(off_peak, from_date=start))


def _with_variants(vendor: str, price: Price, variants: list[Any], unmapped: list[Unmapped]) -> Price:
    """Return a price with its batch and service prices, the latest of each kind."""
    found: dict[str, tuple[date | None, Price]] = {}
    for raw in variants:
        variant = table(raw)
        when = table(variant.get("when"))
        start = day(table(variant.get("constraint")).get("start_date"))
        pairs = [(key, str(value)) for key, value in when.items()]
        kinds = ["batch" if pair == ("processing", "batch") else _SERVICES.get(pair, "") for pair in pairs]
        if len(kinds) != 1 or not kinds[0]:
            if ("service_tier", "default") not in when.items():
                unmapped.append(Unmapped("price_variants", f"a price for {', '.join(map(str, when.values()))}"))
            continue
        earlier = found.get(kinds[0])
        if (start or date.min) > date.today():
            unmapped.append(Unmapped("price_variants", f"a price from {start} on for {kinds[0]}"))
        elif earlier is None or (start or date.min) > (earlier[0] or date.min):
            found[kinds[0]] = start, _price(vendor, table(variant.get("prices")), unmapped)
    batch = found.pop("batch", (None, Price(Rates())))[1]
    tiers = {tier.first: tier for tier in batch.tiers}
    normal = tuple(
        replace(tier, batch=tiers[tier.first].rates) if tier.first in tiers else tier for tier in price.tiers
    )
    services = [service_of(name, price, variant) for name, (_, variant) in sorted(found.items())]
    return replace(
        price,
        batch=batch.rates if batch.rates != Rates() else None,
        tiers=normal,
        services=tuple(service for service in services if service is not None),
    )


def _hours(constraint: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return hours of a day as minutes of the day, end excluded, or None if invalid."""
    try:
        start, end = (time.fromisoformat(str(constraint.get(key))[:5]) for key in ("start_time", "end_time"))
    except ValueError:
        return None
    minutes = start.hour * 60 + start.minute, end.hour * 60 + end.minute
    return minutes if minutes[0] < minutes[1] else None


def _price(vendor: str, prices: Mapping[str, Any], unmapped: list[Unmapped]) -> Price:
    base: dict[str, Decimal] = {}
    bands: dict[str, list[tuple[int, Decimal]]] = {}
    for key, value in prices.items():
        name = _RATES.get(key)
        if name is None:
            if key not in {"requests_kcount", "web_searches_kcount"} and value is not None:
                unmapped.append(Unmapped(key, "is not a price for text"))
            continue
        found = amount(value["base"] if isinstance(value, dict) and "base" in value else value)
        if found is not None:
            base[name] = found
            bands[name] = list(_bands(value))
    thousand = amount(prices.get("requests_kcount"))
    fee = None if thousand is None else plain(thousand / _THOUSAND)
    searches = amount(prices.get("web_searches_kcount"))
    per_search = None if searches is None else plain(searches / _THOUSAND)
    return Price(Rates(**base), per_request=fee, tiers=_tiers(vendor, base, bands), per_search=per_search)


def _bands(value: object) -> Iterator[tuple[int, Decimal]]:
    for raw in entries(table(value).get("tiers")):
        start, price = tokens(table(raw).get("start")), amount(table(raw).get("price"))
        if start is not None and price is not None:
            yield start, price


def _tiers(
    vendor: str, base: Mapping[str, Decimal], bands: Mapping[str, list[tuple[int, Decimal]]]
) -> tuple[Tier, ...]:
    """Return one tier per threshold of any rate. A rate without a price there has that of the tier below."""
    tiers = []
    for start in sorted({start for found in bands.values() for start, _ in found}):
        rates = {
            name: max(((first, price) for first, price in found if first <= start), default=(0, base[name]))[1]
            for name, found in bands.items()
        }
        tiers.append(tier_from(vendor, start, Rates(**rates)))
    return tuple(tiers)


def _equal_names(match: object) -> Iterator[str]:
    """Yield the names that a matching rule gives in full."""
    rule = table(match)
    if isinstance(rule.get("equals"), str):
        yield rule["equals"]
    for inner in entries(rule.get("or")):
        yield from _equal_names(inner)
