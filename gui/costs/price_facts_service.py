"""Values of one model, for the form beside the price file. No Qt.

Every value has its origin and its position in a file. Amounts are US dollars per million tokens, as in the models.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pricing.declaration import Field
    from pricing.editing import Value
    from pricing.types import Batch, CountRule, Model, OffPeak, Place, Rates, Service, Tier

YOURS, BUNDLED = "yours", "bundled"
IN_THE_TEXT = frozenset({"tiers", "changes", "count", "texts", "services", "off_peak", "history", "dated_aliases"})
"""Kinds of values that take more than one line; they can only be edited in the text."""
UNKNOWN_WORDS = frozenset({"n/a", "null", "~", "unknown"})

_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?")
_WHOLE = re.compile(r"[0-9]+(_[0-9]{3})*")
_WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?([/?#][!-~]*)?")
MAX_DIGITS = 30
"""Maximum digits of a token count. Longer numbers stay text, since Python refuses to parse thousands of digits."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Value of a model. ``path``: as in the file (``price.input``); ``about``: a sentence on its meaning.

    ``shown`` is the displayed text, empty if it is not set; ``typed`` is the text as the user would type it. ``origin``
    is ``YOURS``, ``BUNDLED`` or empty; ``place`` is its position as ``file:line``; ``line`` is that line in the user's
    file, else 0.
    """

    path: str
    kind: str
    about: str
    shown: str
    typed: str
    origin: str
    place: str
    line: int

    @property
    def by_hand(self) -> bool:
        """True if it can only be edited in the text."""
        return self.kind in IN_THE_TEXT


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """All values of a model, and the rate at which its own prices were converted to US dollars (1 if they were not)."""

    model_id: str
    name: str
    facts: tuple[Fact, ...]
    source: str
    checked: date | None
    currency: str
    exchange_rate: Decimal

    @property
    def is_yours(self) -> bool:
        """True if the user's file has any value of this model."""
        return any(fact.origin == YOURS for fact in self.facts)


@dataclass(frozen=True, slots=True)
class ListedModel:
    """Model in the list of the page. ``checked``: the day of its prices; ``yours``: the user's file sets a value of it.

    ``hidden``: the user's file hides the model, of which only the ID is then known.
    """

    id: str
    name: str
    provider: str = ""
    checked: date | None = None
    retires: date | None = None
    yours: bool = False
    hidden: bool = False


def listed(model: Model) -> ListedModel:
    """Return the model for the list."""
    return ListedModel(model.id, model.name, model.provider, model.checked, model.retires, model.is_yours)


def is_web_address(text: str) -> bool:
    """Return True if a source is an address of the web without a user name, all of it visible: what a browser may
    open."""
    return _WEB_ADDRESS.fullmatch(text) is not None


def facts_of(model: Model) -> ModelFacts:
    """Return the values of a model. Not for the GUI thread: finding lines in built-in files is slow at first."""
    from pricing.declaration import BLOCKS

    facts = [_fact(model, field, f"price.{field.name}") for field in BLOCKS["price"]]
    facts += [
        _fact(model, field, field.name) for field in BLOCKS["model"] if field.name not in ("price", "currency", "like")
    ]
    return ModelFacts(
        model.id, model.name, tuple(facts), model.source, model.checked, model.currency, model.exchange_rate
    )


def fields_below(path: tuple[str, ...]) -> tuple[tuple[str, str, bool], ...]:
    """Return the fields allowed at this path of a price file: name, meaning, and True if a block follows."""
    from pricing.declaration import BLOCKS, LISTS, TABLES, fields_at

    blocks = {*BLOCKS, *LISTS, *TABLES} - {"batch", "count"}
    return tuple((field.name, field.about, field.kind in blocks) for field in fields_at(path))


def value_of(kind: str, typed: str) -> Value:
    """Parse a typed value for the file. Invalid values stay text, so that the checker reports them."""
    text = typed.strip()
    if text.casefold() in UNKNOWN_WORDS:
        return None
    if kind in {"money", "factor"} and _AMOUNT.fullmatch(text):
        try:
            return Decimal(text)
        except InvalidOperation:
            return text
    if kind == "tokens" and len(text) <= MAX_DIGITS and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "date":
        try:
            return date.fromisoformat(text)
        except ValueError:
            return text
    return text


def _fact(model: Model, field: Field, path: str) -> Fact:
    from pricing.catalog import origin_of

    found = origin_of(model, path)
    origin, place = found if found is not None else ("", None)
    value = _value(model, path)
    shown = _shown(field.kind, value) if origin else ""
    return Fact(
        path,
        field.kind,
        field.about,
        shown,
        _typed(model, field.kind, value, origin),
        origin,
        _place_words(place),
        place.line if place is not None and origin == YOURS else 0,
    )


def _value(model: Model, path: str) -> Any:
    head, _, name = path.partition(".")
    if head != "price":
        return getattr(model, head)
    return getattr(model.price.rates, name, None) if hasattr(model.price.rates, name) else getattr(model.price, name)


def _place_words(place: Place | None) -> str:
    return "" if place is None else f"{place.file}:{place.line}"


def _shown(kind: str, value: Any) -> str:
    if value is None or value == "":
        return "n/a"
    if kind == "money":
        return amount_text(value)
    if kind == "tokens":
        return f"{value:,}"
    if kind == "batch":
        return _batch_words(value)
    if kind == "count":
        return _count_words(value)
    if kind == "tiers":
        return "; ".join(f"{tier.condition}: {_tier_words(tier)}" for tier in value) or "none"
    if kind == "changes":
        return "; ".join(f"{change.from_date}: {_rates_words(change.rates)}" for change in value) or "none"
    if kind == "texts":
        return "; ".join(value) or "none"
    if kind == "services":
        return "; ".join(f"{service.name}: {_service_words(service)}" for service in value) or "none"
    if kind == "history":
        return "; ".join(f"{past.from_date}: {_rates_words(past.rates)}" for past in value) or "none"
    if kind == "off_peak":
        return _hours_words(value)
    if kind == "dated_aliases":
        return "; ".join(f"{alias.name} {alias.period}".strip() for alias in value) or "none"
    return str(value)


def _typed(model: Model, kind: str, value: Any, origin: str) -> str:
    """Return the value as the user would type it: an amount in the user's currency if that is exact."""
    if value is None or not origin or kind in IN_THE_TEXT:
        return ""
    if kind == "money":
        return typed_amount(model, value, origin)
    if kind == "batch":
        return value if value == "half" else ""
    return str(value)


def typed_amount(model: Model, usd: Decimal, origin: str) -> str:
    """Return an amount as the user would type it for this model, in its prices' currency; "" if that is not exact."""
    if model.exchange_rate == 1:
        return amount_text(usd)
    own = usd / model.exchange_rate
    return amount_text(own) if origin == YOURS and own * model.exchange_rate == usd else ""


def amount_text(amount: Decimal) -> str:
    """Format an amount with all its digits, never as a power of ten; at least two decimals unless it is whole."""
    whole, _, decimals = format(amount, "f").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals:0<2}" if decimals else whole


def _rates_words(rates: Rates) -> str:
    from pricing.types import RATE_NAMES

    given = ((name, getattr(rates, name)) for name in RATE_NAMES)
    return ", ".join(f"{name} {amount_text(value)}" for name, value in given if value is not None)


def _tier_words(tier: Tier) -> str:
    return _rates_words(tier.rates)


def _service_words(service: Service) -> str:
    return _rates_words(service.rates) if service.factor is None else f"× {amount_text(service.factor)}"


def _hours_words(off_peak: OffPeak) -> str:
    from pricing.estimation import peak_hours

    words = peak_hours(off_peak)
    return f"× {amount_text(off_peak.factor)}{f' outside {words}' if words else ''}"


def _batch_words(batch: Batch) -> str:
    return batch if batch is None or isinstance(batch, str) else _rates_words(batch)


def _count_words(rule: CountRule) -> str:
    if rule.tokenizer is None:
        return "n/a"
    if rule.low == rule.high == 1:
        return f"{rule.tokenizer}, {rule.label}"
    return f"{rule.tokenizer} × {rule.low}–{rule.high}, {rule.label}"
