"""Cost estimates as JSON rows and as text lines, for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from pricing.estimation import NO_PRICE_YET, NO_SERVICE
from pricing.money import exact_usd, format_usd_range
from pricing.types import CostEstimate


def json_row(estimate: CostEstimate, with_calls: bool, with_sum: bool = False) -> dict[str, Any]:
    """Return an estimate as JSON data: money as exact decimal strings, null if unknown; dates as ISO strings.

    ``with_sum``: include the explanation line by line.
    """

    def money(amount: Decimal | None) -> str | None:
        return None if amount is None else exact_usd(amount)

    row: dict[str, Any] = {
        "model": estimate.model_id,
        "label": estimate.label,
        "input_tokens": estimate.input_tokens,
        "input_low": estimate.input_low,
        "input_high": estimate.input_high,
        "usd": money(estimate.usd),
        "usd_low": money(estimate.usd_low),
        "usd_high": money(estimate.usd_high),
        "unknown": list(estimate.unknown),
        "price_checked": estimate.price_checked.isoformat() if estimate.price_checked else None,
        "price_checked_in": estimate.price_checked_in,
        "retired": estimate.retired,
        "usd_label": estimate.usd_label,
        "price_note": estimate.price_note,
        "context_exceeded": bool(estimate.over_context),
        "complete": estimate.is_complete,
    }
    if with_calls:
        row["calls"] = estimate.calls
        row["usd_calls"] = money(estimate.usd_calls)
        row["usd_calls_low"] = money(estimate.usd_calls_low)
        row["usd_calls_high"] = money(estimate.usd_calls_high)
    if with_sum:
        row["explanation"] = list(estimate.explanation)
    return row


def text_lines(estimates: Sequence[CostEstimate], day: date, with_calls: bool, with_sums: bool = False) -> list[str]:
    """Return a table as text, cheapest first, unknown costs last. ``with_sums``: explain each row below it."""

    def cheapest_first(estimate: CostEstimate) -> tuple[bool, Decimal]:
        return estimate.usd is None, estimate.usd or Decimal(0)

    width = max((len(estimate.model_id) for estimate in estimates), default=0)
    lines = []
    for estimate in sorted(estimates, key=cheapest_first):
        lines.append(text_line(estimate, width, with_calls))
        if with_sums:
            lines.extend(f"    {line}" for line in estimate.explanation)
    return [*lines, f"USD per call, at the prices on {day.isoformat()}."]


def text_line(estimate: CostEstimate, width: int, with_calls: bool) -> str:
    """Return one row of the table, the model's id padded to ``width`` characters."""
    money = format_usd_range(estimate.usd, estimate.usd_low, estimate.usd_high)
    line = f"{estimate.model_id:<{width}}  {tokens_text(estimate):>17} {estimate.label or '':<10} {money}"
    if with_calls:
        usd = format_usd_range(estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high)
        line += f"   {estimate.calls:,} calls: {usd}"
    if estimate.unknown and not any(reason in estimate.price_note for reason in (NO_PRICE_YET, NO_SERVICE)):
        line += f"   no price for {unknown_text(estimate)}"
    if estimate.retired:
        line += "   retired"
    left_out = "" if estimate.is_complete else "plus parts that are not counted"
    return "   ".join(filter(None, (line, left_out, estimate.price_note, estimate.context_note)))


def unknown_text(estimate: CostEstimate) -> str:
    """Return the required prices that are unknown, in words."""
    return ", ".join(name.removeprefix("services.").replace(".", " ").replace("_", " ") for name in estimate.unknown)


def tokens_text(estimate: CostEstimate) -> str:
    """Return the tokens of the prompt, as a range if they are an estimate."""
    if estimate.input_tokens is None:
        return "n/a"
    if estimate.input_low != estimate.input_high:
        return f"{estimate.input_low:,}–{estimate.input_high:,}"
    return f"{estimate.input_tokens:,}"
