"""Amounts with their range and sign, in words of the cost table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.models.cost_text import SIGNS, CostText

if TYPE_CHECKING:
    from decimal import Decimal

    from gui.costs.priced_model import Money

MINUS = "−"


def money_text(text: CostText, money: Money, *, plus: bool = False) -> str:
    """``$0.0041``, ``≈ $0.041–0.048``, ``−$2.00``; with ``plus`` what is more than nothing has its sign, too."""
    usd, low, high = money.usd, money.low, money.high
    if usd is None:
        return text.unknown()
    if low is not None and high is not None and low < 0 < high:
        return f"{_signed(text, low, plus=plus)} – {_signed(text, high, plus=plus)}"
    if low is not None and high is not None and usd < 0:
        low, high = -high, -low
    words = text.usd(money.label, abs(usd), low, high)
    sign = MINUS if usd < 0 else "+" if plus and usd > 0 else ""
    approximate = SIGNS.get(money.label or "", "")
    if approximate and words.startswith(approximate):
        return f"{approximate} {sign}{words.removeprefix(approximate).lstrip()}"
    return sign + words


def _signed(text: CostText, usd: Decimal, *, plus: bool) -> str:
    return (MINUS if usd < 0 else "+" if plus and usd else "") + text.amount(abs(usd))
