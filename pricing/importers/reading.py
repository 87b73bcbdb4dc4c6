"""Results of an import, and parsers shared by all tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Literal

from pricing.types import RATE_NAMES, Change, Price, PricingError, Rates, Service, Tier


class ImportFileError(PricingError):
    """A file that is not a supported table, or is damaged. The message is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A value of a table without an equivalent in our format, and the reason."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry of a table that was not imported, and the reason."""

    source_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One model of one table, in our format and in US dollars per million tokens.

    ``model_id``: the id that the model would have in our format. ``names``: other ids in the table. ``source_id``: its
    own id there. ``doubts``: imported values that may mean something else, by path (``context``).
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
    """A parsed table. ``table``: its name. ``as_of``: its own date."""

    table: str
    candidates: tuple[Candidate, ...]
    skipped: tuple[Skipped, ...] = ()
    as_of: date | None = None


State = Literal["adds", "differs", "yours"]
"""``adds``: no value exists yet. ``differs``: the built-in value differs. ``yours``: the user has set a value, which no
import changes."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field in which a table differs from the value in effect. Values are as written in a price file, in US
    dollars; None if there is none. ``model_id``: in our format. ``is_new``: the model does not exist yet.
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
        """True if it may be selected."""
        return self.state != "yours"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One field for which tables give different values: each value with the name of its table."""

    model_id: str
    path: str
    values: tuple[tuple[str, object], ...]


MAX_CHARACTERS = 60_000_000
DIGITS = 9
"""Significant digits kept of an amount: enough for every list price, too few for float rounding errors."""

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
"""Vendor names in the tables that differ from those in our ids."""

_COUNT_FROM_THE_THRESHOLD = {"xai"}
"""Vendors whose long-prompt prices start at exactly the threshold. For the others, they start one token above it."""


def read_json(text: str) -> Any:
    """Parse JSON with exact numbers. Raises ImportFileError with the line and column of an error."""
    if len(text) > MAX_CHARACTERS:
        raise ImportFileError(f"the file is too large for a price table ({len(text):,} characters)")
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_float=Decimal, parse_constant=lambda name: None)
    except json.JSONDecodeError as error:
        raise ImportFileError(f"this is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    except (RecursionError, ValueError, ArithmeticError) as error:
        raise ImportFileError("this is nested too deeply for a price table, or has too long a number") from error


def amount(value: object) -> Decimal | None:
    """Return a price per million tokens, or None if it is missing, text or negative."""
    number = _number(value)
    if number is None or number.adjusted() >= DIGITS:
        return None
    return plain(_ROUNDED.plus(number))


def per_token(value: object) -> Decimal | None:
    """Convert a price per token to one per million tokens, rounded to remove float errors."""
    number = _number(value)
    return None if number is None or number.adjusted() > 0 else amount(number * _MILLION)


def _number(value: object) -> Decimal | None:
    """Return a finite non-negative number, or None for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)):
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() and number >= 0 else None


def plain(number: Decimal) -> Decimal:
    """Return the number without exponent and trailing zeros."""
    stripped = number.normalize()
    exponent = stripped.as_tuple().exponent
    return stripped.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else stripped


def tokens(value: object) -> int | None:
    """Return a number of tokens, or None for any other value."""
    number = amount(value)
    return int(number) if number is not None and number >= 1 and number == number.to_integral_value() else None


def day(value: object) -> date | None:
    """Return the day at the start of a text, or None for any other value."""
    try:
        return date.fromisoformat(str(value)[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


def table(value: object) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[Any]:
    """Return a JSON array, or an empty one for any other value."""
    return value if isinstance(value, list) else []


def our_id(vendor: str, name: str) -> str:
    """Return an id in our format, ``vendor/model``, with our vendor name. ``name`` may already include the vendor."""
    ours = VENDORS.get(vendor, vendor)
    first, slash, rest = name.partition("/")
    if slash and first in {vendor, ours}:
        name = rest
    return "".join(f"{ours}/{name}".split())


def tier_from(vendor: str, threshold: int, rates: Rates) -> Tier:
    """Return a long-prompt tier at a table's threshold, with the vendor's convention for the boundary."""
    if VENDORS.get(vendor, vendor) in _COUNT_FROM_THE_THRESHOLD:
        # A table whose tiers all start one token above the threshold writes one token less.
        return Tier(rates, from_=threshold + 1 if threshold % 1_000 == 999 else threshold)
    return Tier(rates, over=threshold)


def service_of(name: str, normal: Price, price: Price) -> Service | None:
    """Return a service tier with these prices, or None if they are empty. Tables list only deviations."""
    if price.rates == Rates():
        return None
    thresholds = {tier.first for tier in normal.tiers}
    tiers = tuple(tier for tier in price.tiers if tier.first in thresholds)
    return Service(name, rates=price.rates, tiers=tiers or (None if normal.tiers else ()))


def changed_to(before: Price, after: Price, from_date: date, note: str = "") -> Change:
    """Return the change that turns one set of prices into another, including prices that end."""
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
