"""Comparison of published tables with the built-in and the user's prices, and application of selected differences.

Prices are compared on one day, because one table may give the launch price with its end, another the price after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from pricing.bundled import Bundled, load_bundled
from pricing.editing import Value, add_models, set_field
from pricing.importers.reading import Candidate, Difference, Disagreement, Imported, State
from pricing.layering import build_model
from pricing.load import PriceFile, read_price_text
from pricing.rates import price_on, scaled_rates
from pricing.types import RATE_NAMES, Batch, Change, EditError, Model, OffPeak, Price, Rates, Service, Tier
from pricing.values import WEEKDAYS

FACTS = ("context", "max_input", "max_output", "retires")
_HALF = Decimal("0.5")
BUILT_IN = "built in"


def three_way(imported: Imported, bundled: Bundled, user: PriceFile, on: date) -> tuple[Difference, ...]:
    """Return every field in which the table differs from the built-in or the user's prices, in table order.

    Models hidden by the user's file are skipped. Fields missing in the table are no difference.
    """
    found: list[Difference] = []
    for candidate, model_id in _with_our_ids(imported, bundled, user):
        if model_id in user.models and user.models[model_id] is None:
            continue
        entry = user.models.get(model_id)
        yours = set(entry.fields) if entry is not None else set()
        ours = build_model(model_id, bundled) if model_id in bundled.entries else None
        mine = build_model(model_id, bundled, user) if yours else None
        found.extend(_differences(imported.table, candidate, model_id, ours, mine, yours, on))
    return tuple(found)


def disagreements(tables: Sequence[Imported], bundled: Bundled, on: date) -> tuple[Disagreement, ...]:
    """Return the fields of our models for which the tables, or a table and the built-in prices, differ."""
    said: dict[tuple[str, str], dict[str, object]] = {}
    for imported in tables:
        for candidate, model_id in _with_our_ids(imported, bundled, PriceFile("")):
            if model_id in bundled.entries:
                for path, value in _values_of(candidate, on):
                    said.setdefault((model_id, path), {})[imported.table] = value
    found = []
    for (model_id, path), by_table in said.items():
        ours = dict(_values_of(build_model(model_id, bundled), on)).get(path)
        values = ({BUILT_IN: ours} if ours is not None else {}) | by_table
        first = next(iter(values.values()))
        if any(not _same(path, first, value) for value in values.values()):
            shown = tuple((name, written(value)) for name, value in values.items())
            found.append(Disagreement(model_id, path, shown))
    return tuple(found)


def _with_our_ids(imported: Imported, bundled: Bundled, user: PriceFile) -> Iterator[tuple[Candidate, str]]:
    """Yield candidates with the ids of our models, matched by id or alias, never by a part of one. Each model once."""
    aliases = dict(bundled.aliases)
    for model_id, entry in user.models.items():
        named = entry.fields.get("aliases") if entry is not None else None
        aliases.update(dict.fromkeys(named if isinstance(named, tuple) else (), model_id))
    taken: set[str] = set()
    for candidate in imported.candidates:
        ids = (candidate.model_id, *candidate.names)
        known = [one for one in ids if one in bundled.entries or one in user.models]
        known += [aliases[one] for one in ids if one in aliases]
        model_id = known[0] if known else candidate.model_id
        if model_id not in taken:
            taken.add(model_id)
            yield candidate, model_id


def _differences(
    name: str,
    candidate: Candidate,
    model_id: str,
    ours: Model | None,
    mine: Model | None,
    yours: set[str],
    on: date,
) -> Iterator[Difference]:
    bundled = dict(_values_of(ours, on)) if ours is not None else {}
    own = dict(_values_of(mine, on)) if mine is not None else {}
    doubts = {doubt.key: doubt.why for doubt in candidate.doubts}
    for path, theirs in _values_of(candidate, on):
        is_yours = path in yours
        in_force = own.get(path) if is_yours else bundled.get(path)
        if in_force is not None and _same(path, in_force, theirs):
            continue
        if path == "context" and ours is not None and theirs == ours.max_input:
            continue  # the prompt limit under another name
        state: State = "yours" if is_yours else "adds" if bundled.get(path) is None else "differs"
        yield Difference(
            name,
            model_id,
            path,
            written(bundled.get(path)),
            written(own.get(path)) if is_yours else None,
            written(theirs),
            state,
            is_new=ours is None and mine is None,
            doubt=doubts.get(path, ""),
            source=candidate.source,
            checked=candidate.checked,
        )


def _values_of(model: Candidate | Model, on: date) -> Iterator[tuple[str, object]]:
    """Yield the known values of a model by path, with the prices in effect on a day."""
    price, _ = price_on(model.price, on)
    for name in RATE_NAMES:
        if getattr(price.rates, name) is not None:
            yield f"price.{name}", getattr(price.rates, name)
    if price.per_request is not None:
        yield "price.per_request", price.per_request
    if price.batch is not None:
        yield "price.batch", (price.batch, price.rates)
    if price.tiers:
        yield "price.tiers", price.tiers
    if price.services:
        yield "price.services", (price.services, price)
    if price.per_search is not None:
        yield "price.per_search", price.per_search
    if price.off_peak is not None:
        yield "price.off_peak", price.off_peak
    coming = tuple(change for change in price.changes if change.from_date > on)
    if coming:
        yield "price.changes", coming
    for fact in FACTS:
        if getattr(model, fact) is not None:
            yield fact, getattr(model, fact)


def _same(path: str, ours: Any, theirs: Any) -> bool:
    """Return True if two values are equivalent. Tables differ in how they write a threshold, so 'over' and 'from' of
    the same number are equal, and our own is kept.
    """
    if path == "price.batch":
        return _agree(_half_written_out(*ours), _half_written_out(*theirs))
    if path == "price.off_peak":  # no two tables agree on weekdays and first day
        return (ours.factor, ours.peak) == (theirs.factor, theirs.peak)
    if path == "price.services":
        mine, others = (_written_out(*services) for services in (ours, theirs))
        return all(_services_agree(mine[name], others[name]) for name in mine.keys() & others.keys())
    if path == "price.tiers":
        here, there = (dict(map(_without_edge, tiers)) for tiers in (ours, theirs))
        return here.keys() == there.keys() and all(_agree(here[size], there[size]) for size in here)
    if path == "price.changes":
        return [replace(change, note="") for change in ours] == [replace(change, note="") for change in theirs]
    return bool(ours == theirs)


def _half_written_out(batch: Batch, rates: Rates) -> Rates:
    """Return the batch prices of input, output and cache reads, with ``half`` resolved."""
    half = batch == "half" or batch is None
    own = rates if half else batch
    assert isinstance(own, Rates)
    factor = _HALF if half else Decimal(1)
    return Rates(*(None if price is None else price * factor for price in (own.input, own.output, own.cached)))


def _agree(ours: Rates, theirs: Rates) -> bool:
    """Return True if all rates that both know are equal."""
    pairs = ((getattr(ours, name), getattr(theirs, name)) for name in RATE_NAMES)
    return all(first == second for first, second in pairs if first is not None and second is not None)


_Written = tuple[Rates, dict[int, Rates]]


def _written_out(services: Sequence[Service], price: Price) -> dict[str, _Written]:
    """Return the rates of each service tier and of its long-prompt tiers by threshold, with factors resolved."""
    found: dict[str, _Written] = {}
    for service in services:
        if service.factor is None:
            tiers = {_without_edge(tier)[0]: tier.rates for tier in service.tiers or ()}
            found[service.name] = service.rates, tiers
        else:
            tiers = {_without_edge(tier)[0]: scaled_rates(tier.rates, service.factor) for tier in price.tiers}
            found[service.name] = scaled_rates(price.rates, service.factor), tiers
    return found


def _services_agree(ours: _Written, theirs: _Written) -> bool:
    shared = ours[1].keys() & theirs[1].keys()
    return _agree(ours[0], theirs[0]) and all(_agree(ours[1][size], theirs[1][size]) for size in shared)


def _without_edge(tier: Tier) -> tuple[int, Rates]:
    """Return the threshold of a tier and its prices of input, output and cache reads, which every table has."""
    limit = tier.from_ if tier.from_ is not None else tier.over or 0
    return limit, Rates(tier.rates.input, tier.rates.output, tier.rates.cached)


def written(value: Any) -> Any:
    """Return a value as a price file writes it, with plain lists and tables."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Rates):
        return _written_batch(value[0])
    if isinstance(value, OffPeak):
        return _written_hours(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Price):
        return {service.name: _written_service(service) for service in value[0]}
    if isinstance(value, tuple):
        return [_written_tier(item) if isinstance(item, Tier) else _written_change(item) for item in value]
    return value


def _written_rates(rates: Rates) -> dict[str, Any]:
    return {name: price for name in RATE_NAMES if (price := getattr(rates, name)) is not None}


def _written_batch(batch: Batch) -> Any:
    return _written_rates(batch) if isinstance(batch, Rates) else batch


def _written_hours(off_peak: OffPeak) -> dict[str, Any]:
    windows = ["-".join(f"{time // 60:02}:{time % 60:02}" for time in window) for window in off_peak.peak]
    days = [WEEKDAYS[day] for day in off_peak.weekdays]
    start = {} if off_peak.from_date is None else {"from_date": off_peak.from_date}
    note = {"note": off_peak.note} if off_peak.note else {}
    return {"factor": off_peak.factor, "peak": windows, "weekdays": days, **start, **note}


def _written_service(service: Service) -> Any:
    if service.factor is not None:
        return "half" if service.factor == _HALF else {"factor": service.factor}
    tiers = {} if service.tiers is None else {"tiers": [_written_tier(tier) for tier in service.tiers]}
    return {**_written_rates(service.rates), **tiers}


def _written_tier(tier: Tier) -> dict[str, Any]:
    limit: Mapping[str, Any] = {"from": tier.from_} if tier.from_ is not None else {"over": tier.over}
    batch = {"batch": _written_batch(tier.batch)} if tier.batch is not None else {}
    return {**limit, **_written_rates(tier.rates), **dict.fromkeys(tier.unknown), **batch}


def _written_change(change: Change) -> dict[str, Any]:
    fields: dict[str, Any] = {"from_date": change.from_date, **_written_rates(change.rates)}
    fields.update(dict.fromkeys(change.unknown))
    if change.per_request is not None:
        fields["per_request"] = change.per_request
    if change.batch is not None:
        fields["batch"] = _written_batch(change.batch)
    if change.tiers is not None:
        fields["tiers"] = [_written_tier(tier) for tier in change.tiers]
    return fields | ({"note": change.note} if change.note else {})


DOLLARS = "USD"


def apply_differences(
    text: str, picked: Iterable[Difference], *, file_name: str = "prices.yaml", tokenizers: Collection[str] = ()
) -> str:
    """Return the text of the user's file with these values set, each model with its source and the day of its table.

    Never changes an existing value: raises EditError if one is selected, and for a model whose prices the file gives in
    another currency. Raises PriceFileError for a file with errors. Then nothing is applied.
    """
    before = read_price_text(text, file_name, tokenizers, load_bundled().rules) if text else PriceFile(file_name)
    by_model: dict[str, list[Difference]] = {}
    for difference in picked:
        entry = before.models.get(difference.model_id)
        if not difference.applicable or (entry is not None and difference.path in entry.fields):
            raise EditError(f"{difference.model_id}: your own {difference.path} is kept; an import does not change it")
        by_model.setdefault(difference.model_id, []).append(difference)
    currency: dict[str, Value] = {} if before.currency == DOLLARS else {"currency": DOLLARS}
    new: dict[str, dict[str, Value]] = {}
    for model_id, differences in by_model.items():
        entry = before.models.get(model_id)
        fields = _fields(differences)
        if entry is None:
            new[model_id] = _nested({**currency, **fields})
            continue
        if entry.currency != DOLLARS:
            raise EditError(f"{model_id}: your prices are in {entry.currency}, those of the table in {DOLLARS}")
        for path, value in fields.items():
            if path not in entry.fields:
                text = set_field(text, model_id, path, value, file_name=file_name, tokenizers=tokenizers)
    return add_models(text, new, file_name=file_name, tokenizers=tokenizers)


def _fields(differences: Sequence[Difference]) -> dict[str, Value]:
    """Return the values to write for one model, by path, with their source."""
    first = differences[0]
    values: dict[str, Any] = {difference.path: difference.theirs for difference in differences}
    values["source"] = first.source or f"the table of {first.table}"
    return values if first.checked is None else {**values, "checked": first.checked}


def _nested(fields: dict[str, Value]) -> dict[str, Value]:
    """Return values by path as nested blocks."""
    block: dict[str, Any] = {}
    for path, value in fields.items():
        head, _, name = path.rpartition(".")
        (block.setdefault(head, {}) if head else block)[name] = value
    return block
