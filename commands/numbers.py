"""Numbers and days that commands take, with a plain sentence for what is none."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import click

MOST_DIGITS = 100


class WholeNumber(click.ParamType):
    """A whole number of ``least`` or more, in ASCII digits."""

    name = "integer"

    def __init__(self, least: int) -> None:
        self._least = least

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> int:
        """The number, or a usage error."""
        if isinstance(value, int):
            return value
        text = str(value).strip()
        digits = text.removeprefix("+").removeprefix("-")
        # Python refuses to read some thousands of digits; nothing here is that large.
        number = int(text) if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS else None
        if number is None or number < self._least:
            self.fail(f"{value!r} is not a whole number of {self._least} or more", parameter, context)
        return number


class Day(click.ParamType):
    """A day, as ``datetime.date``."""

    name = "day"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> date:
        """The day, or a usage error."""
        if isinstance(value, date):
            return value
        try:
            return datetime.strptime(value, "%Y-%m-%d").date()
        except ValueError:
            self.fail(f"{value!r} is not a day, like 2026-01-31", parameter, context)


class DecimalNumber(click.ParamType):
    """A decimal number, taken from its text without passing through a float."""

    name = "number"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Decimal:
        """The number, or a usage error."""
        if isinstance(value, Decimal):
            return value
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite() or number < 0:
            self.fail(f"{value!r} is not a number of 0 or more, like 1.10", parameter, context)
        return number
