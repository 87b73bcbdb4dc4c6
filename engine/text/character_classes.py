"""Which letter of a small alphabet stands for a character: a table of all code points, in little memory.

Flat, it would take two megabytes for each split pattern. Most of it repeats itself: blocks of neighbouring code points
that are alike are kept once, which leaves a twentieth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import while_wanted
from engine.runtime.running_sums import AT_A_TIME

_BLOCK_BITS = 8
_BLOCK = 1 << _BLOCK_BITS


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    """``starts``: int32[4352], where the block of so many code points begins in ``blocks``: uint16[256 * n]. Both are
    read-only. ``count``: letters there are, from 0 on."""

    starts: NDArray[np.int32]
    blocks: NDArray[np.uint16]
    count: int

    @classmethod
    def from_table(cls, table: NDArray[np.uint16]) -> Letters:
        """``table``: uint16[1114112], the letter of every code point."""
        numbers: dict[bytes, int] = {}  # np.unique sorts rows, which takes a hundred times as long
        number_of = [numbers.setdefault(block.tobytes(), len(numbers)) for block in table.reshape(-1, _BLOCK)]
        starts = np.array(number_of, dtype=np.int32) << _BLOCK_BITS
        flat = np.frombuffer(b"".join(numbers), dtype=np.uint16)
        starts.flags.writeable = False
        return cls(starts, flat, int(table.max(initial=0)) + 1)

    def of(self, points: NDArray[np.uint32]) -> NDArray[np.uint16]:
        """uint16[n]: the letters of these code points."""
        letters = np.empty(len(points), dtype=np.uint16)
        for start in while_wanted(range(0, len(points), AT_A_TIME), every=1):
            some = points[start : start + AT_A_TIME]
            places = self.starts[some >> np.uint32(_BLOCK_BITS)]
            places += (some & np.uint32(_BLOCK - 1)).astype(np.int32)
            letters[start : start + AT_A_TIME] = self.blocks[places]
        return letters
