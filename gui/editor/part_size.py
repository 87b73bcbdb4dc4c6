"""How much of a large change to the document is made at a time."""

from __future__ import annotations

_LEAST_SECONDS = 1e-6  # what a clock does not see is taken for this


def next_size(size: int, seconds: float, wanted: float, least: int, most: int) -> int:
    """How large the next part should be to take the seconds that are wanted, where one of ``size`` took ``seconds``: at
    most twice as large, for small ones say little of large ones."""
    fitting = int(size * wanted / max(seconds, _LEAST_SECONDS))
    return max(least, min(most, fitting, 2 * size))
