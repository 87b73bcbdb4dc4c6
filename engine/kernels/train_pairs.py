"""The table of pairs: how often each occurs. Open addressing; entries are never taken out, a pair that is gone has the
count 0. All offsets count bytes; ``lists`` has its entry at the same offset as ``pairs``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import multiply_wrapping, shift_right
from engine.kernels.lookup import HASH_A
from engine.kernels.memory import Span, length, load64, span, store64

ENTRY = 16
"""Bytes of an entry, in ``pairs`` as in ``lists``."""


@inline_kernel
def pair_key(left: int, right: int) -> int:
    """The key of a pair; never 0. Keys are in the order of (left, right)."""
    return ((left << 32) | right) + 1


@inline_kernel
def home(key: int, shift: int) -> int:
    """Where the entry of a key is, if nothing was in its way."""
    return shift_right(multiply_wrapping(key, HASH_A), shift) << 4


@inline_kernel
def find(pairs: Span, shift: int, key: int) -> int:
    """Where the entry of a key is, or the empty one where it would be."""
    last = (shift_right(-1, shift) << 4) | 15
    entry = home(key, shift)
    while True:
        found = load64(pairs, entry)
        if (found == key) | (found == 0):
            return entry
        entry = (entry + ENTRY) & last


@kernel
def move_pairs(
    pairs: NDArray[np.int64],
    lists: NDArray[np.int64],
    new_pairs: NDArray[np.int64],
    new_lists: NDArray[np.int64],
    new_shift: int,
    least: int,
) -> int:
    """Enter all pairs with a count of ``least`` or more, and their lists, into an empty table, int64[2 * 2**k], of
    which ``new_shift`` is 64 - k. How many they are."""
    old_pairs, old_lists, out_pairs, out_lists = span(pairs), span(lists), span(new_pairs), span(new_lists)
    moved = 0
    for entry in range(0, length(old_pairs), ENTRY):
        key = load64(old_pairs, entry)
        count = load64(old_pairs, entry + 8)
        if (key != 0) & (count >= least):
            new_entry = find(out_pairs, new_shift, key)
            store64(out_pairs, new_entry, key)
            store64(out_pairs, new_entry + 8, count)
            store64(out_lists, new_entry, load64(old_lists, entry))
            store64(out_lists, new_entry + 8, load64(old_lists, entry + 8))
            moved += 1
    return moved
