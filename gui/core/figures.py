"""Parts of an amount as it is drawn (quiet zeros, fixed decimals), and the quality of a count. No Qt.

``$0.000211`` is drawn as a quiet ``$0.000`` and a strong ``211``: the size of an amount is seen at once. A column has
as many decimals as its smallest amount needs, so that the points of all amounts stand below each other. A range of tiny
amounts repeats only the digits behind the zeros that both ends share: ``$0.000132–136``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

LEAST_PLACES, MOST_PLACES = 2, 8
MOST_TOKENS = 100_000_000
"""The most tokens that a field takes."""
SHARED_ZEROS = 2
"""Zeros behind the point that both ends of a range must share for the second end to leave them out."""
_LEADING = re.compile(r"0[.,0]*")

EXACT, ESTIMATED, ASSUMED = "exact", "estimated", "assumed"
QUALITIES: Mapping[str, str] = {
    **dict.fromkeys(("exact", "counted"), EXACT),
    **dict.fromkeys(("reconstructed", "estimated"), ESTIMATED),
    **dict.fromkeys(("formula", "assumed"), ASSUMED),
}
"""The dot of a count by its label."""


class Run(NamedTuple):
    """A part of a cell's text in one weight: quiet parts are regular and grey."""

    text: str
    strong: bool = True


def amount_places(amounts: Iterable[Decimal], digits: int = 2) -> int:
    """Return how many decimals a column needs: some digits of its smallest amount, whole cents at least."""
    smallest = min((amount for amount in amounts if amount > 0), default=Decimal(1))
    if smallest >= Decimal("0.01"):
        return LEAST_PLACES
    return min(digits - 1 - smallest.adjusted(), MOST_PLACES)


def price_places(prices: Iterable[Decimal]) -> int:
    """Return how many decimals a column of published prices needs: every digit of each."""
    return min(max(LEAST_PLACES, *map(_digits_behind_the_point, prices), 0), MOST_PLACES)


@lru_cache(maxsize=4096)
def _digits_behind_the_point(price: Decimal) -> int:
    return -int(price.normalize().as_tuple().exponent)


def amount_runs(
    low: Decimal, high: Decimal, places: int, sign: str, localised: Callable[[str], str] = str
) -> tuple[Run, ...]:
    """Return the parts of an amount, or of its range where the ends differ in these decimals."""
    first, last = f"{low:,.{places}f}", f"{high:,.{places}f}"
    if high > 0 and not last.strip("0."):
        return Run("<" + sign, strong=False), Run(localised(last[:-1] + "1"))
    zeros, digits = _parts(last)
    if first == last:
        return Run(sign + localised(zeros), strong=False), Run(localised(digits))
    if len(zeros) >= 2 + SHARED_ZEROS and first.startswith(zeros):
        ends = (Run(localised(first[len(zeros) :])), Run("–", strong=False), Run(localised(digits)))
        return Run(sign + localised(zeros), strong=False), *ends
    other_zeros, other_digits = _parts(first)
    return (
        Run(sign + localised(other_zeros), strong=False),
        Run(localised(other_digits)),
        Run("–" + localised(zeros), strong=False),
        Run(localised(digits)),
    )


def _parts(text: str) -> tuple[str, str]:
    """Return the leading zeros of a number, and the rest; a number that is nothing but zeros has no leading ones."""
    found = _LEADING.match(text)
    end = found.end() if found is not None else 0
    return ("", text) if end == len(text) else (text[:end], text[end:])


def usd_text(usd: Decimal) -> str:
    """An amount with as many digits as it needs, in C notation: ``$0.00045``, ``$1,234.50``."""
    from pricing.money import format_usd

    return format_usd(usd)
