"""Parsing of single values in a price file, and collection of its problems with line and column.

Nothing is guessed: ambiguous values (``0,50``, ``010``, ``1:30``) are refused with the correct spelling.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import TypeVar

from pricing.document import STAND_IN, Broken, Node, Scalar, Sequence, Table
from pricing.types import Problem

MAX_TEXT = 500
CHECKED_IN = ("vendor", "table")
"""Sources of facts: the vendor's own page, or published price tables."""

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
        (r"^[+-]?\.?(inf|nan|infinity)$", "expected a finite number"),
        (r"^[0-9][0-9.]*,[0-9.,]*$", "use a point for decimals and no thousands separator"),
        (r"^[0-9]+([ _'’\u00a0\u202f][0-9.,]+)+$", "use a point for decimals and no thousands separator"),
        (r"[$€£¥₹]", "write only the number; the currency is set at the top of the file"),
        (
            r"[0-9]\s*(usd|eur|gbp|cny|dollars?|cents?)\b",
            "write only the number; the currency is set at the top of the file",
        ),
        (r"\b(usd|eur|gbp|cny)\s*[0-9]", "write only the number; the currency is set at the top of the file"),
        (r"^-[0-9.]", "the number cannot be negative"),
        (r"^[0-9.]+e[+-]?[0-9]+$", "write out the number without an exponent"),
        (r"^0[0-9]+(\.[0-9]+)?$", "remove the leading zeros; some programs read such numbers differently"),
        (r"^0[xob][0-9a-f]+$", "write the number in decimal digits"),
        (r"^[0-9]+(:[0-9]+)+$", "this looks like a time; expected a number"),
        (r"%$", "expected a plain number, not a percentage"),
        (r"^[0-9.]+[km]$", "write out the number; suffixes are only for token counts"),
        (r"^[0-9]+\.[0-9]{13,}$", "this has more than 12 decimal places"),
        (r"^[1-9][0-9]{9,}(\.[0-9]+)?$", "this number is too large"),
        (r"^(\.[0-9]+|[0-9]+\.|\+[0-9.]+)$", "write the number in full, like 0.50"),
    )
)
"""Common mistakes in numbers, in the order in which they are tried, and the messages for them."""


class BadValue(ValueError):
    """An unusable value. The message is a sentence without file and position."""


def read_number(text: str) -> Decimal:
    """Parse a non-negative number exactly. Raises BadValue."""
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    low = text.lower().strip()
    reason = next((sentence for pattern, sentence in _NOT_A_NUMBER if pattern.search(low)), "expected a number")
    raise BadValue(f"{reason} (got '{shown(text)}')")


def read_tokens(text: str) -> int:
    """Parse a positive number of tokens: ``128000``, ``128_000``, ``128k``, ``1.05M`` (k is 1,000). Raises BadValue."""
    found = _TOKENS.fullmatch(text)
    if not found:
        if re.fullmatch(r"[0-9]{1,3}([,.' \u00a0\u202f][0-9]{3})+", text):
            raise BadValue(f"write a number of tokens like 128000, 128_000 or 128k (got '{shown(text)}')")
        raise BadValue(f"expected a number of tokens like 128000, 128_000 or 128k (got '{shown(text)}')")
    whole, fraction, suffix = found.groups()
    if len(whole) > 1 and whole.startswith("0"):
        raise BadValue(f"remove the leading zeros; some programs read such numbers differently (got '{shown(text)}')")
    if len(text) > 24:
        raise BadValue(f"this is too large for a number of tokens (got '{shown(text)}')")
    value = Decimal(whole.replace("_", "") + (fraction or "")) * _SUFFIX[suffix.lower()]
    if value != value.to_integral_value():
        raise BadValue(f"expected a whole number of tokens (got '{shown(text)}')")
    if value < 1:
        raise BadValue("a number of tokens must be at least 1; remove the line if it is unknown (got '0')")
    if value > MAX_TOKENS:
        raise BadValue(f"this is too large for a number of tokens (got '{shown(text)}')")
    return int(value)


def read_date(text: str) -> date:
    """Parse a day such as 2026-12-01. Raises BadValue."""
    found = _DATE.fullmatch(text)
    if not found:
        raise BadValue(f"expected a date like 2026-12-01 (year-month-day) (got '{shown(text)}')")
    try:
        return date(*map(int, found.groups()))
    except ValueError:
        raise BadValue(f"there is no such day in the calendar (got '{shown(text)}')") from None


def read_text(text: str) -> str:
    """Return a text as one line, not empty, at most 500 characters. Raises BadValue."""
    cleaned = " ".join(text.split())
    if not cleaned:
        raise BadValue("the text is empty")
    if len(cleaned) > MAX_TEXT:
        raise BadValue(f"this text is too long ({len(cleaned):,} characters, at most {MAX_TEXT})")
    return cleaned


def read_flag(text: str) -> bool:
    """Parse ``true`` or ``false``. Raises BadValue."""
    if text in {"true", "True", "TRUE"}:
        return True
    if text in {"false", "False", "FALSE"}:
        return False
    raise BadValue(f"write true or false (got '{shown(text)}')")


def read_checked_in(text: str) -> str:
    """Parse the source of facts: ``vendor`` or ``table``. Raises BadValue."""
    if text not in CHECKED_IN:
        raise BadValue(f"write {' or '.join(CHECKED_IN)} (got '{shown(text)}')")
    return text


def read_window(text: str) -> tuple[int, int]:
    """Parse hours of a day such as ``01:00-04:00`` to minutes of the day, end excluded. Raises BadValue."""
    found = _WINDOW.fullmatch(text)
    if found:
        hours, minutes, last_hours, last_minutes = map(int, found.groups())
        start, end = hours * 60 + minutes, last_hours * 60 + last_minutes
        if minutes < 60 and last_minutes < 60 and start < end <= 24 * 60:
            return start, end
    raise BadValue(f"write hours of one day in UTC like 01:00-04:00 (got '{shown(text)}')")


def read_weekdays(text: str) -> tuple[int, ...]:
    """Parse a weekday such as ``mon``, or a range such as ``mon-fri``; 0 is Monday. Raises BadValue."""
    first, _, last = text.casefold().partition("-")
    if first in WEEKDAYS and (last or first) in WEEKDAYS:
        start, end = WEEKDAYS.index(first), WEEKDAYS.index(last or first)
        if start <= end:
            return tuple(range(start, end + 1))
    raise BadValue(f"write days like mon or mon-fri (got '{shown(text)}')")


def read_currency(text: str) -> str:
    """Parse a currency of three capital letters. Raises BadValue."""
    if not re.fullmatch(r"[A-Z]{3}", text):
        raise BadValue(f"write a currency as three capital letters, like USD (got '{shown(text)}')")
    return text


def read_id(text: str) -> str:
    """Parse the id of a model, ``vendor/model``. Raises BadValue."""
    vendor, slash, model = text.partition("/")
    if not slash or not vendor or not model or model.endswith("/") or re.search(r"\s", text) or len(text) > 200:
        raise BadValue(f"write the id of a model as vendor/model, without spaces (got '{shown(text)}')")
    return text


def shown(text: str) -> str:
    """Return a value shortened to one line for a message."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"


T = TypeVar("T")

MAX_PROBLEMS = 200


class Checker:
    """Collects the problems of one file."""

    def __init__(self, file: str, problems: Iterable[Problem] = ()) -> None:
        self._file = file
        self._problems = list(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems in file order. After the first 200, one that gives the number of the rest."""
        ordered = sorted(self._problems, key=lambda problem: (problem.line, problem.column))
        if len(ordered) <= MAX_PROBLEMS:
            return tuple(ordered)
        last = ordered[MAX_PROBLEMS]
        rest = Problem(
            self._file, last.line, last.column, "", f"{len(ordered) - MAX_PROBLEMS} more problems after this one"
        )
        return (*ordered[:MAX_PROBLEMS], rest)

    @property
    def count(self) -> int:
        """Number of problems so far."""
        return len(self._problems)

    def report(self, node: Node, path: str, sentence: str, hint: str = "") -> None:
        """Add a problem. ``hint``: the probable correct name."""
        message = f"{path}: {sentence}" if path else sentence
        if hint:
            message += f", did you mean '{hint}'?"
        self._problems.append(Problem(self._file, node.line, node.column, path, message, hint))

    def table(
        self, node: Node, path: str, known: Collection[str], elsewhere: Mapping[str, str] | None = None
    ) -> dict[str, tuple[Scalar, Node]]:
        """Return the fields of a mapping by name, with the key node. Reports unknown and repeated fields.

        ``elsewhere``: for fields of other blocks, the block to which they belong.
        """
        found: dict[str, tuple[Scalar, Node]] = {}
        for key, value in self.pairs(node, path):
            if key.text in known:
                found.setdefault(key.text, (key, value))
            else:
                self._unknown(key, path, known, (elsewhere or {}).get(key.text, ""))
        return found

    def pairs(self, node: Node, path: str) -> list[tuple[Scalar, Node]]:
        """Return the pairs of a mapping with free names. Reports repeated ones but returns them too."""
        if not isinstance(node, Table):
            self.expect("a block of 'name: value' lines", node, path)
            return []
        found: list[tuple[Scalar, Node]] = []
        first_lines: dict[str, int] = {}
        for key, value in node.pairs:
            name = key.text
            if STAND_IN in name:
                continue
            if name == "<<" and not key.quoted:
                self.report(key, path, "merge keys (<<) are not supported: write out the fields")
                continue
            if name in first_lines:
                sentence = f"duplicate name '{shown(name)}', first used in line {first_lines[name]}"
                self.report(key, join(path, name), sentence)
            first_lines.setdefault(name, key.line)
            found.append((key, value))
        return found

    def items(self, node: Node, path: str) -> list[Node]:
        """Return the items of a list, or an empty list after a report."""
        if isinstance(node, Sequence):
            return node.items
        self.expect("a list", node, path)
        return []

    def scalar(self, node: Node, path: str, read: Callable[[str], T], *, may_be_null: bool = False) -> T | None:
        """Return a single value, or None after a report. ``may_be_null``: the caller accepts null, so suggest it."""
        if not isinstance(node, Scalar):
            self.expect("a single value", node, path)
            return None
        if node.is_empty:
            instead = "remove the line, or write null if it is unknown" if may_be_null else "write one"
            self.report(node, path, f"the value is missing; {instead}")
            return None
        if node.is_null:
            self.report(node, path, "null is not allowed here: write a value")
            return None
        try:
            return read(node.text)
        except BadValue as error:
            self.report(node, path, str(error))
            return None

    def texts(self, node: Node, path: str, read: Callable[[str], str]) -> tuple[str, ...]:
        """Return a list of texts. A single text may be written without the list."""
        if isinstance(node, Scalar) and not node.quoted and node.text.startswith("-"):
            self.report(node, path, "put a space after the '-' of each item")
            return ()
        if isinstance(node, Scalar):
            one = self.scalar(node, path, read)
            return () if one is None else (one,)
        found = [self.scalar(item, join(path, index), read) for index, item in enumerate(self.items(node, path))]
        return tuple(text for text in found if text is not None)

    def expect(self, what: str, node: Node, path: str) -> None:
        """Report an unexpected node, unless it is already reported as broken."""
        if isinstance(node, Broken):
            return
        if isinstance(node, Scalar):
            if node.is_empty:
                self.report(node, path, f"expected {what}, but found nothing")
                return
            got = f"'{shown(node.text)}'"
        else:
            got = "a list" if isinstance(node, Sequence) else "a block of 'name: value' lines"
        self.report(node, path, f"expected {what} (got {got})")

    def _unknown(self, key: Scalar, path: str, known: Collection[str], belongs: str) -> None:
        if belongs:
            self.report(key, join(path, key.text), f"'{key.text}' is in the wrong block; it belongs {belongs}")
            return
        hint = closest(key.text, known)
        listed = "" if hint or len(known) > 12 else f"; known fields are {', '.join(known)}"
        self.report(key, join(path, key.text), f"unknown field '{shown(key.text)}'{listed}", hint)


def join(path: str, name: str | int) -> str:
    """Return the path to a field or item."""
    text = shown(str(name))
    return f"{path}.{text}" if path else text


def closest(text: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the most similar known name, or "" if none is similar enough."""
    found = difflib.get_close_matches(text, list(known), n=1, cutoff=cutoff)
    return found[0] if found else ""
