"""Formatting of money, short for the screen and exact for exports, and the line-by-line explanation of a cost."""

from __future__ import annotations

from decimal import MAX_PREC, ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pricing.types import CostEstimate, CostPart

UNKNOWN = "n/a"
_EXACT = Context(prec=MAX_PREC)
_SCREEN = Context(prec=60, rounding=ROUND_HALF_EVEN)


def exact_usd(amount: Decimal) -> str:
    """Return every digit of ``amount``, without an exponent or trailing zeros: ``0.0125``, ``12``, ``0``."""
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def format_usd(amount: Decimal | None, digits: int = 3) -> str:
    """Format an amount for the screen: cents from one dollar, ``digits`` significant digits below.

    ``$1,234.50``, ``$12.34``, ``$0.50``, ``$0.00045``, ``$0``; ``n/a`` if the amount is unknown.
    """
    if amount is None:
        return UNKNOWN
    sign = "-" if amount < 0 else ""
    return f"{sign}${_plain(_EXACT.abs(amount), _places(amount, digits))}"


def format_usd_range(amount: Decimal | None, low: Decimal | None, high: Decimal | None, digits: int = 3) -> str:
    """Format an amount with its range, both ends with the same number of decimals: ``$0.041–0.048``.

    A single amount if the ends look alike; ``n/a`` if an amount is unknown.
    """
    if amount is None or low is None or high is None:
        return UNKNOWN
    if low == high:
        return format_usd(amount, digits)
    places = _places(high, digits)
    first, last = _plain(low, places), _plain(high, places)
    return f"${last}" if first == last else f"${first}–{last}"


def _places(amount: Decimal, digits: int) -> int:
    """Return the number of decimals that show ``digits`` significant digits, at least two."""
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


_NAMES = {
    "input": "fresh input",
    "cached": "cached input",
    "cache_write": "cache write",
    "cache_write_1h": "cache write, 1 hour",
    "output": "output",
    "reasoning": "reasoning",
    "audio_input": "audio input",
    "audio_output": "audio output",
    "per_search": "searches",
    "per_request": "fee per request",
}

_CHECKED_IN = {"vendor": " at the vendor's page", "table": " in published price tables"}


def explain(estimate: CostEstimate) -> tuple[str, ...]:
    """Return one line for each part of the cost, then total, range, calls, tier, remarks and source."""
    if estimate.input_tokens is None:
        return ("the token count of the prompt is unknown",)
    lines = [_part(part) for part in estimate.parts]
    if estimate.factor != 1:
        lines.append(f"times {exact_usd(estimate.factor)}")
    if estimate.usd is None:
        lines.append(f"total: unknown, there is no price for {', '.join(estimate.unknown)}")
    else:
        lines.append(f"one call: ${exact_usd(estimate.usd)}")
        lines.extend(_ranges(estimate))
    if estimate.tier:
        lines.append(f"prices for {estimate.tier} apply to the whole request")
    lines.extend(filter(None, (estimate.context_note, estimate.price_note)))
    lines.extend(estimate.notes)
    if estimate.price_checked:
        where = _CHECKED_IN.get(estimate.price_checked_in, "")
        lines.append(f"prices checked on {estimate.price_checked.isoformat()}{where}")
    if estimate.source:
        lines.append(f"source: {estimate.source}")
    return tuple(lines)


def _part(part: CostPart) -> str:
    name = _NAMES.get(part.name, part.name)
    note = f" ({part.note})" if part.note else ""
    if part.tokens is None:
        return f"{name}: ${exact_usd(part.usd)}{note}" if part.usd is not None else f"{name}: unknown{note}"
    if part.usd is None or part.usd_per_mtok is None:
        return f"{name}: {part.tokens:,} tokens, price unknown{note}"
    sum_text = f"{part.tokens:,} tokens × ${exact_usd(part.usd_per_mtok)} / 1,000,000 = ${exact_usd(part.usd)}"
    return f"{name}: {sum_text}{note}"


def _ranges(estimate: CostEstimate) -> list[str]:
    lines = []
    prompts = outputs = ""
    if estimate.input_low is not None and estimate.input_high is not None and estimate.input_low < estimate.input_high:
        prompts = f"{estimate.input_low:,} to {estimate.input_high:,} prompt tokens"
    if estimate.output_low < estimate.output_high:
        outputs = f"{estimate.output_low:,} to {estimate.output_high:,} tokens of output and reasoning"
    tokens = " and ".join(filter(None, (prompts, outputs)))
    if estimate.price_note and estimate.usd_low != estimate.usd_high:
        tokens = " and ".join(filter(None, (tokens, "one of the possible prices")))
    if tokens and (estimate.usd_low is None or estimate.usd_high is None):
        lines.append(f"for {tokens}: unknown, there is no price at one end")
    elif tokens and estimate.usd_low is not None and estimate.usd_high is not None:
        lines.append(f"for {tokens}: ${exact_usd(estimate.usd_low)} to ${exact_usd(estimate.usd_high)}")
    if estimate.calls != 1 and estimate.usd_calls is not None:
        lines.append(f"{estimate.calls:,} calls: ${exact_usd(estimate.usd_calls)}")
    return lines
