"""Single values of a price file: text to number, date or name, or the sentence that says what is wrong with it.

Nothing is guessed: what two people could read differently (``0,50``, ``010``, ``1:30``) is refused with the way to
write it.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

MAX_TEXT = 500
CHECKED_IN = ("vendor", "table")
"""Where facts can have been checked: at the vendor's own page, or in published price tables."""

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MAX_TOKENS = 1_000_000_000_000

_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,12})?")
_TOKENS = re.compile(r"([1-9][0-9]{0,2}(?:_[0-9]{3})+|[0-9]+)(\.[0-9]+)?([kKmM]?)")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_WINDOW = re.compile(r"([0-9]{2}):([0-9]{2}) ?- ?([0-9]{2}):([0-9]{2})")
_SUFFIX = {"": 1, "k": 1_000, "m": 1_000_000}

_NOT_A_NUMBER = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (
        (r"^[+-]?\.?(inf|nan|infinity)$", "a number is expected, and a finite one"),
        (r"^[0-9][0-9.]*,[0-9.,]*$", "use a point for decimals and no thousands separator"),
        (r"^[0-9]+([ _'’\u00a0\u202f][0-9.,]+)+$", "use a point for decimals and no thousands separator"),
        (r"[$€£¥₹]", "write the number only, the currency stands at the top of the file"),
        (
            r"[0-9]\s*(usd|eur|gbp|cny|dollars?|cents?)\b",
            "write the number only, the currency stands at the top of the file",
        ),
        (r"\b(usd|eur|gbp|cny)\s*[0-9]", "write the number only, the currency stands at the top of the file"),
        (r"^-[0-9.]", "a negative number makes no sense here"),
        (r"^[0-9.]+e[+-]?[0-9]+$", "write the number out, without an exponent"),
        (r"^0[0-9]+(\.[0-9]+)?$", "leave out the leading zeros, some programs read them as another number"),
        (r"^0[xob][0-9a-f]+$", "write the number in decimal digits"),
        (r"^[0-9]+(:[0-9]+)+$", "this reads as a time, a number is expected"),
        (r"%$", "a plain number is expected, not a percentage"),
        (r"^[0-9.]+[km]$", "write the number out, suffixes are for token counts only"),
        (r"^[0-9]+\.[0-9]{13,}$", "this has more than 12 decimals"),
        (r"^[1-9][0-9]{9,}(\.[0-9]+)?$", "this number is too big"),
        (r"^(\.[0-9]+|[0-9]+\.|\+[0-9.]+)$", "write the number in full, like 0.50"),
    )
)
"""What people write where a number belongs, in the order in which it is tried, and what to tell them."""


class BadValue(ValueError):
    """A value that cannot be used. The text is a sentence without file and place."""


def read_number(text: str) -> Decimal:
    """A number that is not negative, exact to the last digit. Raises BadValue."""
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    low = text.lower().strip()
    reason = next((sentence for pattern, sentence in _NOT_A_NUMBER if pattern.search(low)), "a number is expected")
    raise BadValue(f"{reason} (got '{shown(text)}')")


def read_tokens(text: str) -> int:
    """A number of tokens, one at least: ``128000``, ``128_000``, ``128k``, ``1.05M`` (k is 1,000). Raises BadValue."""
    found = _TOKENS.fullmatch(text)
    if not found:
        if re.fullmatch(r"[0-9]{1,3}([,.' \u00a0\u202f][0-9]{3})+", text):
            raise BadValue(f"write a number of tokens like 128000, 128_000 or 128k (got '{shown(text)}')")
        raise BadValue(f"a number of tokens is expected, like 128000, 128_000 or 128k (got '{shown(text)}')")
    whole, fraction, suffix = found.groups()
    if len(whole) > 1 and whole.startswith("0"):
        raise BadValue(f"leave out the leading zeros, some programs read them as another number (got '{shown(text)}')")
    if len(text) > 24:
        raise BadValue(f"this is too big for a number of tokens (got '{shown(text)}')")
    value = Decimal(whole.replace("_", "") + (fraction or "")) * _SUFFIX[suffix.lower()]
    if value != value.to_integral_value():
        raise BadValue(f"a whole number of tokens is expected (got '{shown(text)}')")
    if value < 1:
        raise BadValue("a number of tokens is at least 1; leave the line out where it is not known (got '0')")
    if value > MAX_TOKENS:
        raise BadValue(f"this is too big for a number of tokens (got '{shown(text)}')")
    return int(value)


def read_date(text: str) -> date:
    """A day, written like 2026-12-01. Raises BadValue."""
    found = _DATE.fullmatch(text)
    if not found:
        raise BadValue(f"a date is expected, written year-month-day like 2026-12-01 (got '{shown(text)}')")
    try:
        return date(*map(int, found.groups()))
    except ValueError:
        raise BadValue(f"there is no such day in the calendar (got '{shown(text)}')") from None


def read_text(text: str) -> str:
    """A text for people: one line, not empty, at most 500 characters. Raises BadValue."""
    cleaned = " ".join(text.split())
    if not cleaned:
        raise BadValue("a text is expected, this one is empty")
    if len(cleaned) > MAX_TEXT:
        raise BadValue(f"this text is too long ({len(cleaned):,} characters, at most {MAX_TEXT})")
    return cleaned


def read_flag(text: str) -> bool:
    """``true`` or ``false``. Raises BadValue."""
    if text in {"true", "True", "TRUE"}:
        return True
    if text in {"false", "False", "FALSE"}:
        return False
    raise BadValue(f"write true or false (got '{shown(text)}')")


def read_checked_in(text: str) -> str:
    """Where facts were checked: ``vendor`` or ``table``. Raises BadValue."""
    if text not in CHECKED_IN:
        raise BadValue(f"write {' or '.join(CHECKED_IN)} (got '{shown(text)}')")
    return text


def read_window(text: str) -> tuple[int, int]:
    """Hours of a day like ``01:00-04:00``, as minutes of it; the end is not included. Raises BadValue."""
    found = _WINDOW.fullmatch(text)
    if found:
        hours, minutes, last_hours, last_minutes = map(int, found.groups())
        start, end = hours * 60 + minutes, last_hours * 60 + last_minutes
        if minutes < 60 and last_minutes < 60 and start < end <= 24 * 60:
            return start, end
    raise BadValue(f"write hours of one day in UTC like 01:00-04:00 (got '{shown(text)}')")


def read_weekdays(text: str) -> tuple[int, ...]:
    """A day of the week like ``mon``, or days like ``mon-fri``; 0 is Monday. Raises BadValue."""
    first, _, last = text.casefold().partition("-")
    if first in WEEKDAYS and (last or first) in WEEKDAYS:
        start, end = WEEKDAYS.index(first), WEEKDAYS.index(last or first)
        if start <= end:
            return tuple(range(start, end + 1))
    raise BadValue(f"write days like mon or mon-fri (got '{shown(text)}')")


def read_currency(text: str) -> str:
    """A currency as three capital letters. Raises BadValue."""
    if not re.fullmatch(r"[A-Z]{3}", text):
        raise BadValue(f"write a currency as three capital letters, like USD (got '{shown(text)}')")
    return text


def read_id(text: str) -> str:
    """The id of a model, ``vendor/model``. Raises BadValue."""
    vendor, slash, model = text.partition("/")
    if not slash or not vendor or not model or model.endswith("/") or re.search(r"\s", text) or len(text) > 200:
        raise BadValue(f"write the id of a model as vendor/model, without blanks (got '{shown(text)}')")
    return text


def shown(text: str) -> str:
    """A value as a message quotes it: one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
