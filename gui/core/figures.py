"""Formatting of amounts in weighted runs (grey zeros, fixed decimals), and the quality of counts. No Qt.

``$0.000211`` is drawn as a grey ``$0.000`` and a strong ``211``, so that its magnitude is seen at once. All amounts of
a column have as many decimals as the smallest one needs, so that their points are aligned. A range of tiny amounts
repeats only the digits after the zeros that both ends share: ``$0.000132–136``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

MIN_PLACES, MAX_PLACES = 2, 8
MAX_TOKENS = 100_000_000
"""Maximum value of a token field."""
SHARED_ZEROS = 2
"""Minimum number of leading zeros after the point that both ends of a range share before the second end omits them."""
_LEADING = re.compile(r"0[.,0]*")

EXACT, ESTIMATED, ASSUMED = "exact", "estimated", "assumed"
QUALITIES: Mapping[str, str] = {
    **dict.fromkeys(("exact", "counted"), EXACT),
    **dict.fromkeys(("reconstructed", "estimated", "estimate"), ESTIMATED),
    **dict.fromkeys(("formula", "assumed"), ASSUMED),
}
"""The quality dot of a count, by its label, or by the grade of a request."""

NO_MODEL = "-"
"""Choice of no model: the figures are those of the encoding alone."""


class Run(NamedTuple):
    """A part of a cell's text in one weight: weak runs are regular and grey."""

    text: str
    strong: bool = True


def amount_places(amounts: Iterable[Decimal], digits: int = 2) -> int:
    """Return the number of decimals of a column: ``digits`` digits of its smallest amount, at least whole cents."""
    smallest = min((amount for amount in amounts if amount > 0), default=Decimal(1))
    if smallest >= Decimal("0.01"):
        return MIN_PLACES
    return min(digits - 1 - smallest.adjusted(), MAX_PLACES)


def price_places(prices: Iterable[Decimal]) -> int:
    """Return the number of decimals of a column of published prices: every digit of each price."""
    return min(max(MIN_PLACES, *map(_digits_after_point, prices), 0), MAX_PLACES)


@lru_cache(maxsize=4096)
def _digits_after_point(price: Decimal) -> int:
    return -int(price.normalize().as_tuple().exponent)


def amount_runs(
    low: Decimal, high: Decimal, places: int, sign: str, localised: Callable[[str], str] = str
) -> tuple[Run, ...]:
    """Return the runs of an amount, or of a range if its ends differ in these decimals."""
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
    """Split off the leading zeros of a number. A number of only zeros has none."""
    found = _LEADING.match(text)
    end = found.end() if found is not None else 0
    return ("", text) if end == len(text) else (text[:end], text[end:])


def usd_text(usd: Decimal) -> str:
    """Format an amount with as many digits as it needs, in C notation: ``$0.00045``, ``$1,234.50``."""
    from pricing.money import format_usd

    return format_usd(usd)
