"""Sums over millions of numbers, in parts.

numpy holds up every other thread while it adds: for a tenth of a second over the bytes of a text of ten megabytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible

_N = TypeVar("_N", bound=np.signedinteger[Any])

AT_A_TIME = 1 << 18
"""Numbers that are added in one call: that takes less than a millisecond."""


def running_sums(numbers: NDArray[Any], out: NDArray[_N]) -> NDArray[_N]:
    """The sum of the numbers up to each, as ``np.cumsum``, in ``out``, which is as long."""
    return running_sums_of(len(numbers), lambda start, stop: numbers[start:stop], out)


def running_sums_of(count: int, part: Callable[[int, int], NDArray[Any]], out: NDArray[_N]) -> NDArray[_N]:
    """The same of numbers of which ``part`` gives those from a place to another, so that they are never all there."""
    for start in interruptible(range(0, count, AT_A_TIME), every=1):
        stop = min(start + AT_A_TIME, count)
        sums = out[start:stop]
        np.cumsum(part(start, stop), dtype=out.dtype, out=sums)
        if start:
            sums += out[start - 1]
    return out


def running_sums_at(numbers: NDArray[Any], places: NDArray[Any]) -> NDArray[np.int64]:
    """int64[n]: the same of the numbers at n places: where tokens end, from the lengths of all there are."""
    sums = np.empty(len(places), dtype=np.int64)
    return running_sums_of(len(places), lambda start, stop: numbers[places[start:stop]], sums)
