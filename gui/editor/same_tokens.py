"""Where the tokens of a text begin to differ from those before. No Qt in here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def first_difference(unequal: NDArray[np.bool_]) -> int:
    """Where the first True is; the length where there is none."""
    return int(unequal.argmax()) if unequal.any() else len(unequal)


def listed(ends: NDArray[np.int32], ids: NDArray[np.int32], flags: NDArray[np.uint8]) -> list[tuple[int, int, int]]:
    """End, id and flags of each token."""
    return [*zip(ends.tolist(), ids.tolist(), flags.tolist(), strict=True)]


def same_at_first(old: list[tuple[int, int, int]], new: list[tuple[int, int, int]]) -> int:
    """How many tokens both begin with: for the few of a keystroke that is quicker than a dozen calls of numpy."""
    same = 0
    for one, other in zip(old, new, strict=True):
        if one != other:
            break
        same += 1
    return same
