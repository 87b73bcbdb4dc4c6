"""The heap of pairs: the highest count on top, of equal counts the smallest key, which is the smaller left, right id.

Four entries below each. An entry is two 64-bit words, count and key. Entries are not taken out when their pair changes:
whoever takes the top compares its count with the table of pairs.
"""

from __future__ import annotations

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.memory import Span, load64, store64

ENTRY = 16
"""Bytes of an entry."""


@inline_kernel
def is_above(count: int, key: int, other_count: int, other_key: int) -> bool:
    """Whether a pair is merged before another."""
    return (count > other_count) | ((count == other_count) & (key < other_key))


@inline_kernel
def push(heap: Span, size: int, count: int, key: int) -> None:
    """Put a pair into a heap of ``size`` entries, which has room for it."""
    place = size
    while place > 0:
        parent = (place - 1) >> 2
        parent_count = load64(heap, parent << 4)
        parent_key = load64(heap, (parent << 4) + 8)
        if not is_above(count, key, parent_count, parent_key):
            break
        store64(heap, place << 4, parent_count)
        store64(heap, (place << 4) + 8, parent_key)
        place = parent
    store64(heap, place << 4, count)
    store64(heap, (place << 4) + 8, key)


@kernel
def sink_top(heap: Span, size: int, count: int, key: int) -> None:
    """Put a pair in the place of the top of a heap of ``size`` entries."""
    place = 0
    while True:
        first = (place << 2) + 1
        if first >= size:
            break
        best = first
        best_count = load64(heap, first << 4)
        best_key = load64(heap, (first << 4) + 8)
        for child in range(first + 1, min(first + 4, size)):
            child_count = load64(heap, child << 4)
            child_key = load64(heap, (child << 4) + 8)
            if is_above(child_count, child_key, best_count, best_key):
                best = child
                best_count = child_count
                best_key = child_key
        if not is_above(best_count, best_key, count, key):
            break
        store64(heap, place << 4, best_count)
        store64(heap, (place << 4) + 8, best_key)
        place = best
    store64(heap, place << 4, count)
    store64(heap, (place << 4) + 8, key)


@inline_kernel
def drop_top(heap: Span, size: int) -> int:
    """Take the top off. The size that is left."""
    size -= 1
    if size > 0:
        sink_top(heap, size, load64(heap, size << 4), load64(heap, (size << 4) + 8))
    return size
