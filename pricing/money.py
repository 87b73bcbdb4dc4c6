"""Amounts of money as text: short for the screen, exact for exports."""

from __future__ import annotations

from decimal import MAX_PREC, ROUND_HALF_EVEN, Context, Decimal

UNKNOWN = "n/a"
_EXACT = Context(prec=MAX_PREC)
_SCREEN = Context(prec=60, rounding=ROUND_HALF_EVEN)


def exact_usd(amount: Decimal) -> str:
    """Every digit of ``amount``, without exponent and without zeros at the end: ``0.0125``, ``12``, ``0``."""
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def format_usd(amount: Decimal | None, digits: int = 3) -> str:
    """An amount for the screen: cents from one dollar on, ``digits`` significant digits below.

    ``$1,234.50``, ``$12.34``, ``$0.50``, ``$0.00045``, ``$0``; ``n/a`` where the amount is unknown.
    """
    if amount is None:
        return UNKNOWN
    sign = "-" if amount < 0 else ""
    return f"{sign}${_plain(_EXACT.abs(amount), _places(amount, digits))}"


def format_usd_range(amount: Decimal | None, low: Decimal | None, high: Decimal | None, digits: int = 3) -> str:
    """An amount with its range, both ends with the same number of decimals: ``$0.041–0.048``.

    One amount where the ends look alike; ``n/a`` where something is unknown.
    """
    if amount is None or low is None or high is None:
        return UNKNOWN
    if low == high:
        return format_usd(amount, digits)
    places = _places(high, digits)
    first, last = _plain(low, places), _plain(high, places)
    return f"${last}" if first == last else f"${first}–{last}"


def _places(amount: Decimal, digits: int) -> int:
    """How many decimals show ``digits`` significant digits, two at least."""
    if not amount or abs(amount) >= 1:
        return 2
    return max(2, digits - 1 - amount.adjusted())


def _plain(amount: Decimal, places: int) -> str:
    if not amount:
        return "0"
    rounded = _SCREEN.quantize(amount, Decimal(1).scaleb(-places)) if amount.adjusted() < 40 else amount
    whole, _, fraction = format(rounded, ",f").partition(".")
    fraction = fraction.rstrip("0").ljust(2, "0")
    return f"{whole}.{fraction}"
