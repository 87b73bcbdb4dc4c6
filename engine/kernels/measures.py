"""What tokens measure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import kernel
from engine.kernels.layout import section
from engine.kernels.memory import load32, load64, span


@kernel
def note_token_ends(ids: NDArray[np.uint32], tables: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
    """Where each token ends, in bytes from the start of the first.

    ``ids``: uint32[n], ids of mergeable tokens; ``tables``: see ``layout``; ``ends``: int64[n], written.
    """
    if ends.size < ids.size:
        raise IndexError("no room for the ends of these tokens")
    fixed, numbers = span(tables), span(ids)
    offsets = section(fixed, layout.TOKEN_OFFSETS)
    first_id = load64(fixed, layout.FIRST_ID)
    end = 0
    for index in range(ids.size):
        at = (load32(numbers, index << 2) - first_id) << 2
        end += load32(offsets, at + 4) - load32(offsets, at)
        ends[index] = end
