"""The bytes of merged tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel


@kernel
def spell(symbols: NDArray[np.uint8], merges: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Write where the bytes of each merged token begin and end, and return the bytes of all tokens.

    symbols: uint8[s], the bytes of the alphabet. merges: int64[n, 4], left and right id first. offsets: int64[ids + 1],
    filled up to the end of the alphabet.
    """
    first = offsets.size - 1 - merges.shape[0]
    for index in range(merges.shape[0]):
        left, right = merges[index, 0], merges[index, 1]
        size = offsets[left + 1] - offsets[left] + offsets[right + 1] - offsets[right]
        offsets[first + index + 1] = offsets[first + index] + size
    blob = np.empty(offsets[offsets.size - 1], np.uint8)
    blob[: symbols.size] = symbols
    for index in range(merges.shape[0]):
        at = offsets[first + index]
        for side in range(2):
            part = merges[index, side]
            for byte in range(offsets[part], offsets[part + 1]):
                blob[at] = blob[byte]
                at += 1
    return blob
