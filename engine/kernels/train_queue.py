"""The queue of pairs: the highest count first, of equal counts the smallest key, which is the smaller left, right id.

Pairs wait in *buckets* by their count: each count below 512 has its own, higher ones share a bucket with those within
half a per cent. Only the pairs of the highest bucket are in order, in a small heap. A pair stays where it is when its
count falls; when its turn comes, the table of pairs says how often it occurs by then, and it moves to that bucket. So
pairs that fall and fall, as most do, are never sorted.
"""

from __future__ import annotations

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import leading_zeros
from engine.kernels.memory import Span, load64, prefetch, store64
from engine.kernels.train_layout import (
    BUCKET,
    HEAP_SIZE,
    PAIR_SHIFT,
    THRESHOLD,
    WAITING_FREE,
    WAITING_USED,
    Merging,
    number,
    put_number,
)
from engine.kernels.train_pairs import find, home

BUCKETS = 56 << 8
"""More than there are for counts of 63 bits."""


@inline_kernel
def bucket_of(count: int) -> int:
    """The bucket of a count: the higher, the higher."""
    shift = max(0, 55 - leading_zeros(count))
    return (shift << 8) + (count >> shift)


@inline_kernel
def is_above(count: int, key: int, other_count: int, other_key: int) -> bool:
    """Whether a pair is merged before another."""
    return (count > other_count) | ((count == other_count) & (key < other_key))


@inline_kernel
def push(heap: Span, size: int, count: int, key: int) -> None:
    """Put a pair into a heap of ``size`` entries, which has room for it. Four entries are below each."""
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


@inline_kernel
def let_wait(work: Merging, count: int, key: int) -> None:
    """Put a pair into the bucket of a count."""
    entry = number(work, WAITING_FREE) - 1
    if entry < 0:
        entry = number(work, WAITING_USED)
        put_number(work, WAITING_USED, entry + 1)
    else:
        put_number(work, WAITING_FREE, load64(work.waiting, (entry << 4) + 8))
    first = bucket_of(count) << 3
    store64(work.waiting, entry << 4, key)
    store64(work.waiting, (entry << 4) + 8, load64(work.buckets, first))
    store64(work.buckets, first, entry + 1)


@inline_kernel
def enqueue(work: Merging, count: int, key: int) -> None:
    """Put a pair where it belongs: it occurs no more often than those in the heap."""
    if bucket_of(count) == number(work, BUCKET):
        size = number(work, HEAP_SIZE)
        push(work.heap, size, count, key)
        put_number(work, HEAP_SIZE, size + 1)
    else:
        let_wait(work, count, key)


@inline_kernel
def dequeue(work: Merging) -> None:
    """Take off the pair on top of the heap."""
    put_number(work, HEAP_SIZE, drop_top(work.heap, number(work, HEAP_SIZE)))


@kernel
def open_bucket(work: Merging) -> None:
    """Empty the current bucket: pairs that occur as often go into the heap, others into their bucket, or out of the
    queue."""
    shift, bucket = number(work, PAIR_SHIFT), number(work, BUCKET)
    first = load64(work.buckets, bucket << 3)
    store64(work.buckets, bucket << 3, 0)
    entry = first - 1
    while entry >= 0:
        prefetch(work.pairs, home(load64(work.waiting, entry << 4), shift))
        entry = load64(work.waiting, (entry << 4) + 8) - 1
    entry = first - 1
    while entry >= 0:
        key = load64(work.waiting, entry << 4)
        following = load64(work.waiting, (entry << 4) + 8) - 1
        store64(work.waiting, (entry << 4) + 8, number(work, WAITING_FREE))
        put_number(work, WAITING_FREE, entry + 1)
        count = load64(work.pairs, find(work.pairs, shift, key) + 8)
        if count >= number(work, THRESHOLD):
            enqueue(work, count, key)
        entry = following


@kernel
def best_pair(work: Merging) -> int:
    """The entry in ``pairs`` of the pair to merge next, which stays on top of the heap; -1: none is left."""
    shift, threshold = number(work, PAIR_SHIFT), number(work, THRESHOLD)
    least = bucket_of(threshold)
    while True:
        while number(work, HEAP_SIZE) > 0:
            key = load64(work.heap, 8)
            entry = find(work.pairs, shift, key)
            count = load64(work.pairs, entry + 8)
            if count == load64(work.heap, 0):
                return entry
            dequeue(work)
            if count >= threshold:
                enqueue(work, count, key)
        bucket = number(work, BUCKET)
        while bucket >= least and load64(work.buckets, bucket << 3) == 0:
            bucket -= 1
        put_number(work, BUCKET, bucket)
        if bucket < least:
            return -1
        open_bucket(work)
