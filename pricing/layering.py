"""Overlay of the user's price file on the built-in prices, field by field, and construction of the models.

A field that the user sets takes precedence; ``null`` makes it unknown. ``tiers``, ``changes``, ``history`` and
``services`` are replaced as a whole, prices in a ``batch`` block one by one. A model that is ``like`` another inherits
the fields that it does not set. A model that is null is hidden. Valid input that is probably a mistake becomes a
notice.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pricing.bundled import Bundled
from pricing.types import RATE_NAMES, Change, Model, Notice, Origin, PastPrice, Price, Rates

if TYPE_CHECKING:
    from pricing.load import Entry, PriceFile

PER_TOKEN_LIMIT = Decimal("0.0001")


def lay_over(bundled: Bundled, file: PriceFile) -> tuple[list[Model], list[Notice], list[str]]:
    """Return models, notices and hidden ids of the built-in prices overlaid by ``file``. The user's models come
    last."""
    models: list[Model] = []
    hidden: list[str] = []
    notices: list[Notice] = []
    for model_id, entry in bundled.entries.items():
        yours = file.models.get(model_id)
        if any(name in file.models and file.models[name] is None for name in (model_id, *entry.get("aliases", ()))):
            hidden.append(model_id)
            continue
        models.append(build_model(model_id, bundled, file))
        if yours is not None:
            notices.extend(_notices(model_id, entry, yours))
    for model_id, yours in file.models.items():
        if model_id in bundled.entries:
            continue
        if yours is None:
            if model_id not in bundled.aliases:
                sentence = f"{model_id} is not a built-in model, so nothing is hidden{_hint(model_id, bundled)}"
                notices.append(Notice(model_id, "", sentence))
            continue
        models.append(build_model(model_id, bundled, file))
        notices.extend(_own_notices(model_id, yours, bundled))
    return models, notices, hidden


def build_model(model_id: str, bundled: Bundled, file: PriceFile | None = None) -> Model:
    """Build the model from its built-in entry and that of the user's file."""
    values: dict[str, Any] = dict(bundled.entries.get(model_id, {}))
    origin: dict[str, Origin] = dict.fromkeys(values, "bundled")
    yours = file.models.get(model_id) if file else None
    if file is not None:
        _use_own_rule(values, origin, bundled, file)
    if yours is not None:
        inherited = inherited_fields(yours.fields, bundled.entries, file.models if file else {})
        values.update(inherited)
        origin.update(dict.fromkeys(inherited, "yours"))
        for path, value in yours.fields.items():
            values[path] = _joined_batch(values.get(path), value) if path == "price.batch" else value
            origin[path] = "yours"
    vendor = model_id.partition("/")[0]
    providers = {**bundled.providers, **(file.providers if file else {})}
    provider = values.get("provider") or providers.get(vendor) or vendor
    return Model(
        id=model_id,
        vendor=vendor,
        name=values.get("name") or model_id.partition("/")[2],
        provider=provider,
        price=_price(values, origin),
        count=values.get("count") or bundled.default_rule,
        context=values.get("context"),
        max_input=values.get("max_input"),
        max_output=values.get("max_output"),
        source=values.get("source") or "",
        checked=values.get("checked"),
        checked_in=values.get("checked_in") or "",
        retires=values.get("retires"),
        aliases=values.get("aliases") or (),
        dated_aliases=values.get("dated_aliases") or (),
        notes=values.get("notes") or (),
        origin=origin,
        currency=yours.currency if yours else "USD",
        exchange_rate=yours.exchange_rate if yours else Decimal(1),
        positions=yours.positions if yours else {},
    )


def inherited_fields(
    fields: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]], own: Mapping[str, Entry | None]
) -> dict[str, Any]:
    """Return the fields that a model inherits by ``like``, by path; empty without ``like``.

    ``entries``: built-in models. ``own``: those of the same file, which take precedence. Names are not inherited.
    """
    other = fields.get("like")
    if not isinstance(other, str):
        return {}
    entry = own.get(other)
    found: dict[str, Any] = {}
    if other in entries:
        found.update(inherited_fields(entries[other], entries, {}))
        found.update(entries[other])
    if entry is not None:
        found.update(inherited_fields(entry.fields, entries, own))
        found.update(entry.fields)
    has_prices = any(f"price.{name}" in fields for name in RATE_NAMES)
    left_out = _OWN_FIELDS | _OF_OTHER_PRICES if has_prices else _OWN_FIELDS
    if has_prices and isinstance(found.get("price.batch"), Rates):
        del found["price.batch"]
    return {path: value for path, value in found.items() if path not in left_out}


_OWN_FIELDS = {"name", "like", "aliases", "dated_aliases"}
_OF_OTHER_PRICES = {f"price.{name}" for name in ("tiers", "changes", "services", "since", "history")} | {"checked"}
"""Fields that are not inherited by a model with its own prices."""


def _use_own_rule(values: dict[str, Any], origin: dict[str, Origin], bundled: Bundled, file: PriceFile) -> None:
    """Replace a built-in rule by the rule of the same name under ``counting``, for every model that uses it."""
    for name, rule in file.rules.items():
        if name in bundled.rules and values.get("count") == bundled.rules[name]:
            values["count"] = rule
            origin["count"] = "yours"
            return


def _known_from(values: Mapping[str, Any], origin: Mapping[str, Origin]) -> date | None:
    """Return the first day with a known price: the day of the check, or the first documented day if earlier. At most
    today, whatever the clock says. None if the user gave all prices without a day."""
    checked: date | None = values.get("checked")
    all_yours = _are_all_yours(values, origin)
    since, past = _past(values, origin)
    first = [*([since] if since else []), *(one.from_date for one in past)]
    if checked is None or (all_yours and origin["checked"] != "yours"):
        return min(first, default=None)
    changes: tuple[Change, ...] = values.get("price.changes") or ()
    if changes and origin["price.changes"] == "yours" and not all_yours:
        changes = ()  # they do not apply to the built-in prices
    return min(checked, date.today(), *(change.from_date for change in changes), *first)


def _are_all_yours(values: Mapping[str, Any], origin: Mapping[str, Origin]) -> bool:
    rates = [f"price.{name}" for name in RATE_NAMES if values.get(f"price.{name}") is not None]
    return bool(rates) and all(origin[path] == "yours" for path in rates)


def _past(values: Mapping[str, Any], origin: Mapping[str, Origin]) -> tuple[date | None, tuple[PastPrice, ...]]:
    """Return the first day of the current price, and the earlier prices. Ignores those of the built-in table if the
    user replaced all of its prices."""
    left_out = "bundled" if _are_all_yours(values, origin) else None
    paths = ("price.since", "price.history")
    since, past = (None if origin.get(path, "") == left_out else values.get(path) for path in paths)
    return since, past or ()


def _price(values: Mapping[str, Any], origin: Mapping[str, Origin]) -> Price:
    known_from = _known_from(values, origin)
    since, past = _past(values, origin) if known_from is not None else (None, ())
    return Price(
        rates=Rates(**{name: values.get(f"price.{name}") for name in RATE_NAMES}),
        per_request=values.get("price.per_request"),
        batch=values.get("price.batch"),
        tiers=values.get("price.tiers") or (),
        changes=values.get("price.changes") or (),
        off_peak=values.get("price.off_peak"),
        per_search=values.get("price.per_search"),
        services=values.get("price.services") or (),
        since=since,
        history=past,
        known_from=known_from,
    )


def _joined_batch(bundled: object, yours: object) -> object:
    if not isinstance(bundled, Rates) or not isinstance(yours, Rates):
        return yours
    return replace(bundled, **{name: value for name in RATE_NAMES if (value := getattr(yours, name)) is not None})


def _notices(model_id: str, bundled: Mapping[str, Any], yours: Entry) -> list[Notice]:
    """Return notices of built-in values that still apply although the user set other prices."""
    found = _price_notices(model_id, yours)
    if bundled.get("price.batch") == "half" and isinstance(yours.fields.get("price.batch"), Rates):
        sentence = f"your batch prices of {model_id} replace 'half' entirely; those you leave out are unknown"
        found.append(Notice(model_id, "price.batch", sentence))
    if not any(f"price.{name}" in yours.fields for name in RATE_NAMES):
        return found
    for path, what in (
        ("price.tiers", "the built-in long-prompt prices"),
        ("price.changes", "the built-in price changes"),
        ("price.batch", "the built-in batch prices"),
        ("price.off_peak", "the built-in off-peak prices"),
        ("price.services", "the built-in service tier prices"),
    ):
        survives = bundled.get(path) and path not in yours.fields
        if survives and bundled[path] != "half":
            name = path.partition(".")[2]
            empty = "[]" if name in ("tiers", "changes") else "null"
            sentence = f"{what} of {model_id} still apply alongside yours; set '{name}' too, or write '{name}: {empty}'"
            found.append(Notice(model_id, path, sentence))
    return found


def _own_notices(model_id: str, yours: Entry, bundled: Bundled) -> list[Notice]:
    """Return notices of oddities in a model that the built-in table does not have."""
    found = _price_notices(model_id, yours)
    owner = bundled.aliases.get(model_id)
    if owner is not None:
        sentence = f"{model_id} is an alias of {owner}, but defines a new model here; use {owner} to change that one"
        found.append(Notice(model_id, "", sentence))
        return found
    if "price.input" not in yours.fields:
        sentence = f"{model_id} is not a built-in model, and it has no input price{_hint(model_id, bundled)}"
        found.append(Notice(model_id, "", sentence))
    return found


def _price_notices(model_id: str, yours: Entry) -> list[Notice]:
    """Return notices of prices that look as if they were per token."""
    found = []
    for name in ("input", "output"):
        price = yours.fields.get(f"price.{name}")
        if isinstance(price, Decimal) and 0 < price < PER_TOKEN_LIMIT:
            sentence = f"prices are per million tokens; the {name} price of {model_id} looks like one per token"
            found.append(Notice(model_id, f"price.{name}", sentence))
    return found


def _hint(model_id: str, bundled: Bundled) -> str:
    close = difflib.get_close_matches(model_id, [*bundled.entries, *bundled.aliases], n=1, cutoff=0.7)
    return f", did you mean {close[0]}?" if close else ""
