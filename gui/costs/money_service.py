"""Amounts as text, for the parts of the window that may not call pricing."""

from __future__ import annotations

from decimal import Decimal


def usd_text(usd: Decimal) -> str:
    """An amount with as many digits as it needs, in C notation: ``$0.00045``, ``$1,234.50``."""
    from pricing.money import format_usd

    return format_usd(usd)
