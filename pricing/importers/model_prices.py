"""model-prices: ``snapshot.json`` of its package, every price of every model with its day and source.

Pitfalls: the list of a service is sorted from early to late, and starts with the price before the first record.
``null`` means that the service did not exist yet. For prices that depend on the hour it contains the off-peak prices,
and the hours in a separate list. The one-hour cache write is a multiple of the input price.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from typing import Any

from pricing.importers.reading import (
    Candidate,
    Imported,
    ImportFileError,
    Skipped,
    amount,
    day,
    entries,
    our_id,
    plain,
    service_of,
    table,
    tier_from,
    tokens,
)
from pricing.rates import scaled
from pricing.types import RATE_NAMES, SERVICES, OffPeak, PastPrice, Price, Rates, Tier

TABLE = "model-prices"

_RATES = {"input": "input", "output": "output", "cache_read": "cached", "cache_write": "cache_write"}
_WORKDAYS, _EVERY_DAY = tuple(range(5)), tuple(range(7))


def is_model_prices(document: object) -> bool:
    """Return True if JSON looks like this table."""
    return isinstance(document, dict) and isinstance(document.get("prices"), dict) and "schedules" in document


def read_model_prices(document: object) -> Imported:
    """Return the candidates of the table. Raises ImportFileError for another table."""
    if not is_model_prices(document):
        raise ImportFileError("this is not the snapshot of model-prices")
    whole = table(document)
    hours = dict(_peak_hours(table(whole.get("schedules"))))
    status = table(whole.get("status"))
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for vendor, models in table(whole.get("prices")).items():
        for name, raw in table(models).items():
            source_id = f"{vendor}/{name}"
            if table(status.get(vendor)).get(name) == "removed":
                skipped.append(Skipped(source_id, "is no longer served"))
                continue
            candidate = _candidate(vendor, name, table(raw), hours.get(vendor))
            if candidate is None:
                skipped.append(Skipped(source_id, "has no current price"))
            else:
                candidates.append(candidate)
    return Imported(TABLE, tuple(candidates), tuple(skipped), as_of=day(whole.get("updated_at")))


def _candidate(vendor: str, name: str, services: Mapping[str, Any], hours: OffPeak | None) -> Candidate | None:
    records = [(_start(record), table(record.get("rates"))) for record in map(table, entries(services.get("standard")))]
    if not records or not records[-1][1]:
        return None
    periods = _periods(vendor, records)
    since, price, source = periods[-1]
    past = [
        PastPrice(start, one.rates, tiers=one.tiers, source=url)
        for start, one, url in periods[:-1]
        if start is not None
    ]
    price = replace(price, since=since, history=tuple(past), batch=_latest(vendor, services, "batch").rates)
    if price.batch == Rates():
        price = replace(price, batch=None)
    found = [service_of(kind, price, _latest(vendor, services, kind)) for kind in SERVICES]
    price = replace(price, services=tuple(service for service in found if service is not None))
    if hours is not None:
        # The table holds off-peak prices, but a price file gives peak prices.
        price = replace(scaled(price, 1 / hours.factor), off_peak=hours, since=since, history=tuple(past))
    return Candidate(
        source_id=f"{vendor}/{name}", model_id=our_id(vendor, name), price=price, checked=since, source=source
    )


def _periods(vendor: str, records: list[tuple[date | None, Mapping[str, Any]]]) -> list[tuple[date | None, Price, str]]:
    """Return first day, price and source of each price that differs from the one before.

    Records that only add details to the same price, such as the cache price, are merged.
    """
    found: list[tuple[date | None, Price, str]] = []
    for start, raw in records:
        if not raw:
            continue
        price = _price(vendor, raw)
        first = start or day(raw.get("valid_from"))
        if found and _is_same_price(found[-1][1], price):
            found[-1] = found[-1][0], price, str(raw.get("source") or "")
        else:
            found.append((first, price, str(raw.get("source") or "")))
    return found


def _is_same_price(before: Price, after: Price) -> bool:
    pairs = [(getattr(before.rates, name), getattr(after.rates, name)) for name in RATE_NAMES]
    return all(first is None or first == second for first, second in pairs)


def _latest(vendor: str, services: Mapping[str, Any], kind: str) -> Price:
    """Return the current prices of a service, empty if there are none."""
    records = entries(services.get(kind))
    return _price(vendor, table(table(records[-1]).get("rates"))) if records else Price(Rates())


def _price(vendor: str, raw: Mapping[str, Any]) -> Price:
    tiers = []
    for one in map(table, entries(raw.get("tiers"))):
        threshold = tokens(one.get("above"))
        if threshold is not None:
            tiers.append(tier_from(vendor, threshold, _rates(one)))
    return Price(_rates(raw), tiers=_without_repeats(tiers))


def _without_repeats(tiers: list[Tier]) -> tuple[Tier, ...]:
    return tuple(sorted({tier.first: tier for tier in tiers}.values(), key=lambda tier: tier.first))


def _rates(raw: Mapping[str, Any]) -> Rates:
    found: dict[str, Decimal] = {}
    for key, name in _RATES.items():
        value = amount(raw.get(key))
        if value is not None and not (value == 0 and name == "cache_write"):
            found[name] = value
    multiple = amount(raw.get("cache_write_1h_multiple"))
    if multiple is not None and "cache_write" in found and "input" in found:
        found["cache_write_1h"] = plain(found["input"] * multiple)
    return Rates(**found)


def _start(record: Mapping[str, Any]) -> date | None:
    return day(record.get("start"))


def _peak_hours(schedules: Mapping[str, Any]) -> Iterator[tuple[str, OffPeak]]:
    """Yield the peak hours in effect by vendor, if they apply to all of its models."""
    for one in map(table, entries(schedules.get("schedule"))):
        windows = [_window(pair) for pair in entries(one.get("peak_hours_utc"))]
        multiple = amount(one.get("peak_multiplier"))
        if one.get("valid_until") or not windows or None in windows or not multiple:
            continue
        days = _WORKDAYS if one.get("weekdays_only") else _EVERY_DAY
        known = tuple(sorted(window for window in windows if window is not None))
        yield str(one.get("provider")), OffPeak(plain(1 / multiple), known, days, day(one.get("valid_from")))


def _window(pair: object) -> tuple[int, int] | None:
    try:
        start, end = (time.fromisoformat(str(text)) for text in entries(pair))
    except ValueError:
        return None
    return start.hour * 60 + start.minute, end.hour * 60 + end.minute
