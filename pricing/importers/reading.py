"""Results of an import, and parsing that all tables share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Literal

from pricing.types import RATE_NAMES, Change, Price, PricingError, Rates, Service, Tier


class ImportFileError(PricingError):
    """A file that is none of the tables that can be read, or is damaged. The text is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A value of a table that has no place in ours, and why."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry of a table that was not taken over, and why."""

    source_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one table says about one model, in our form and in US dollars per million tokens.

    ``model_id`` is the id that the model would have here, ``names`` others that the table gives it; ``source_id`` is
    its own id there. ``doubts`` are values that were taken over but may mean something else, by path (``context``).
    """

    source_id: str
    model_id: str
    price: Price
    name: str = ""
    names: tuple[str, ...] = ()
    context: int | None = None
    max_input: int | None = None
    max_output: int | None = None
    retires: date | None = None
    checked: date | None = None
    source: str = ""
    unmapped: tuple[Unmapped, ...] = ()
    doubts: tuple[Unmapped, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """A table as read. ``table`` is its name, ``as_of`` the day it gives for itself."""

    table: str
    candidates: tuple[Candidate, ...]
    skipped: tuple[Skipped, ...] = ()
    as_of: date | None = None


State = Literal["adds", "differs", "yours"]
"""``adds``: nothing is known here. ``differs``: the built-in value is another. ``yours``: the user has a value of their
own, which no import touches."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field in which a table differs from what is in force. Values are as a price file would write them, in US
    dollars; None where there is none. ``model_id`` is ours; ``is_new``: we have no such model.
    """

    table: str
    model_id: str
    path: str
    bundled: object
    yours: object
    theirs: object
    state: State
    is_new: bool = False
    doubt: str = ""
    source: str = ""
    checked: date | None = None

    @property
    def applicable(self) -> bool:
        """Whether it may be picked."""
        return self.state != "yours"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One field for which tables give different values: each value by the name of the table that gives it."""

    model_id: str
    path: str
    values: tuple[tuple[str, object], ...]


MAX_CHARACTERS = 60_000_000
DIGITS = 9
"""Significant digits that an amount keeps: enough for every list price, too few for what a float adds to it."""

_ROUNDED = Context(prec=DIGITS)
_MILLION = Decimal(1_000_000)

VENDORS = {
    "aws": "bedrock",
    "amazon": "bedrock",
    "amazon-bedrock": "bedrock",
    "bedrock_converse": "bedrock",
    "cohere_chat": "cohere",
    "dashscope": "alibaba",
    "qwen": "alibaba",
    "gemini": "google",
    "meta-ai": "meta",
    "meta_llama": "meta",
    "moonshot-ai": "moonshot",
    "moonshotai": "moonshot",
    "x-ai": "xai",
    "z.ai": "zai",
    "text-completion-openai": "openai",
}
"""How the tables name the vendors that our ids begin with, where they name them otherwise."""

_COUNT_FROM_THE_THRESHOLD = {"xai"}
"""Vendors whose long-prompt prices begin with exactly the threshold; at the others with one token more."""


def read_json(text: str) -> Any:
    """JSON with every number exact. Raises ImportFileError with the line and column of a mistake."""
    if len(text) > MAX_CHARACTERS:
        raise ImportFileError(f"the file is too big for a price table ({len(text):,} characters)")
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_float=Decimal, parse_constant=lambda name: None)
    except json.JSONDecodeError as error:
        raise ImportFileError(f"this is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    except (RecursionError, ValueError, ArithmeticError) as error:
        raise ImportFileError("this is nested too deep, or has a number that is too long, for a price table") from error


def amount(value: object) -> Decimal | None:
    """A price per million tokens as written there; None for what is no price: nothing, text, a negative number."""
    number = _number(value)
    if number is None or number.adjusted() >= DIGITS:
        return None
    return plain(_ROUNDED.plus(number))


def per_token(value: object) -> Decimal | None:
    """A price per token as one per million tokens, rounded to what people write: floats leave dust."""
    number = _number(value)
    return None if number is None or number.adjusted() > 0 else amount(number * _MILLION)


def _number(value: object) -> Decimal | None:
    """A finite number that is not negative, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)):
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() and number >= 0 else None


def plain(number: Decimal) -> Decimal:
    """The same number without exponent and zeros at the end."""
    stripped = number.normalize()
    exponent = stripped.as_tuple().exponent
    return stripped.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else stripped


def tokens(value: object) -> int | None:
    """A number of tokens, None for what is none."""
    number = amount(value)
    return int(number) if number is not None and number >= 1 and number == number.to_integral_value() else None


def day(value: object) -> date | None:
    """A day, from text that begins with one; None for what is none."""
    try:
        return date.fromisoformat(str(value)[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


def table(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[Any]:
    """A JSON array; an empty one for anything else."""
    return value if isinstance(value, list) else []


def our_id(vendor: str, name: str) -> str:
    """An id in our form: ``vendor/model``, with our name of the vendor, which may stand in front already."""
    ours = VENDORS.get(vendor, vendor)
    first, slash, rest = name.partition("/")
    if slash and first in {vendor, ours}:
        name = rest
    return "".join(f"{ours}/{name}".split())


def tier_from(vendor: str, threshold: int, rates: Rates) -> Tier:
    """A long-prompt tier at the threshold that a table gives, counted as the vendor does."""
    if VENDORS.get(vendor, vendor) in _COUNT_FROM_THE_THRESHOLD:
        # A table whose tiers all begin with one token more writes one less.
        return Tier(rates, from_=threshold + 1 if threshold % 1_000 == 999 else threshold)
    return Tier(rates, over=threshold)


def service_of(name: str, normal: Price, price: Price) -> Service | None:
    """A service tier with these prices; None where they say nothing. Tables list only what differs from the normal."""
    if price.rates == Rates():
        return None
    thresholds = {tier.first for tier in normal.tiers}
    tiers = tuple(tier for tier in price.tiers if tier.first in thresholds)
    return Service(name, rates=price.rates, tiers=tiers or (None if normal.tiers else ()))


def changed_to(before: Price, after: Price, from_date: date, note: str = "") -> Change:
    """The change that turns one set of prices into another, gone ones included."""
    gone = [name for name in RATE_NAMES if getattr(after.rates, name) is None and getattr(before.rates, name)]
    if before.per_request is not None and after.per_request is None:
        gone.append("per_request")
    if before.batch is not None and after.batch is None:
        gone.append("batch")
    tiers = after.tiers if after.tiers != before.tiers else None
    return Change(
        from_date,
        after.rates,
        per_request=after.per_request,
        batch=after.batch,
        tiers=tiers,
        note=note,
        unknown=tuple(gone),
    )
