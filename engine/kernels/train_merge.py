"""Merging of pairs in training: the arrays it works on, counts of pairs, their queue, and the merges themselves.

*Slots* are the unique pretokens one after the other: a head (``HEAD`` plus the count of the pretoken), then one slot
for each symbol of the alphabet, then the next head; one more head ends them all. A merged token keeps the slots of its
parts: the first and the last of them hold its id. So both neighbours of a token are found without links, and nothing
ever moves.

A *position* is a slot and the weight of its pretoken: ``slot << 32 | weight``. Each pair of tokens has a list of its
positions at the time the list was made, in slot order. Whether a position is still valid is checked on use.

Pairs are identified by a *key*, ``(left << 32 | right) + 1``. The table of pairs holds their counts (``find``). It uses
open addressing. Entries are never removed; a pair that no longer occurs has the count 0. All offsets count bytes;
``lists`` has its entry at the same offset as ``pairs``.

The queue of pairs (``enqueue``, ``best_pair``) returns the highest count first; of equal counts the smallest key, which
is the smaller left id, then the smaller right id. Pairs wait in *buckets* by their count: each count below 512 has its
own bucket, higher ones share one with those within half a percent. Only the pairs of the highest bucket are sorted, in
a small heap. A pair stays in its bucket when its count decreases. When its turn comes, its current count is read from
the table of pairs, and it moves to the bucket of that. So pairs that keep decreasing, as most do, are never sorted.

``merge_pairs`` is the main loop of training: merge the most frequent pair, repeatedly. A merge (``merge_pair``) visits
only the positions of its pair. The first pass rewrites each position and sums the effect on its neighbours, by
neighbour. Then the count of each neighbour's old pair is reduced and its new pair entered, once. The second pass puts
the positions on the lists of the new pairs.

``aaa`` is two pairs of ``aa`` but one merge, from left to right: if the left neighbour of a position is a token merged
just before, both positions belong to this pair, and the sums are corrected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.lookup import HASH_A
from engine.kernels.primitives import (
    Span,
    keep,
    leading_zeros,
    length,
    load32,
    load64,
    multiply_wrapping,
    part,
    prefetch,
    shift_right,
    span,
    store32,
    store64,
)

HEAD = 1 << 31
"""Marks the slot before a pretoken. Ids and weights are smaller."""
GONE = 0xFFFFFFFF
"""Marks the first slot of a token that became the right part of another."""
MAX_WEIGHT = HEAD - 1
"""Maximum weight. A pretoken with a higher count has several copies."""

# Indexes of numbers in ``state``.
THRESHOLD = 0  # pairs with a lower count are not in PAIRS
PAIR_SHIFT = 1  # hash >> shift is an entry of ``pairs``
PAIRS_USED = 2  # entries of ``pairs`` in use
HEAP_SIZE = 3  # entries of ``heap`` in use
POSITIONS_USED = 4  # entries of ``positions`` in use
MERGED = 5  # merges done
TOKENS = 6  # tokens of the corpus
FIRST_ID = 7  # id of the first merge: number of symbols of the alphabet
NEEDED = 8  # room needed, when merging stopped for lack of room
LONGEST = 9  # maximum length of a token, in bytes
LEFT = 10  # left part of the pair being merged
BUCKET = 11  # the bucket whose pairs are in ``heap``
WAITING_USED = 12  # entries of ``waiting`` that were ever used
WAITING_FREE = 13  # the first free entry of ``waiting``, plus one; 0: none
STATE_SIZE = 16

# Reasons why merging stopped.
PAUSED = 0  # the budget is used up
BELOW_THRESHOLD = 1  # no pair with such a count is left
NO_ROOM_POSITIONS = 2
NO_ROOM_PAIRS = 3
NO_ROOM_RECORDS = 4

MERGE_FIELDS = 4
"""Fields of a merge in ``merges``: left id, right id, count of the pair, tokens of the corpus afterwards."""


class Merging(NamedTuple):
    """All arrays that merging needs; contiguous and writable. ``V``: maximum number of ids. Kernels use the same tuple
    with a span of each array: ``spans_of``.

    slots: uint32[n]. widths: uint32[V], slots per token. byte_lengths: uint32[V].
    pairs: int64[2 * 2**k], key and count of each pair; key 0 is empty. lists: int64[2 * 2**k], start and length in
    ``positions`` of the list of the pair at the same index of ``pairs``.
    positions: int64[p]. heap: int64[2**k], count and key of pairs. waiting: int64[2**k], key of a pair, and the number
    plus one of the next in its bucket. buckets: int64[BUCKETS], the number plus one of the first in each, 0 for none.
    sums: int64[4 * V], zero between merges: for each token, weight and occurrences as a left neighbour, then as a
    right one. neighbours: int64[2 * V], left ones, then right ones.
    records: int64[2 * r], for each merged position: the position, and ``left neighbour << 32 | right neighbour``.
    merges: int64[MERGE_FIELDS * V]. state: int64[STATE_SIZE].
    """

    slots: NDArray[np.uint32]
    widths: NDArray[np.uint32]
    byte_lengths: NDArray[np.uint32]
    pairs: NDArray[np.int64]
    lists: NDArray[np.int64]
    positions: NDArray[np.int64]
    heap: NDArray[np.int64]
    waiting: NDArray[np.int64]
    buckets: NDArray[np.int64]
    sums: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    records: NDArray[np.int64]
    merges: NDArray[np.int64]
    state: NDArray[np.int64]


@inline_kernel
def spans_of(work: Merging) -> Merging:
    """Return a span of each array. Call it once, on entry to a kernel: numba counts references to arrays, and passing
    an array on costs as much as several lookups."""
    return Merging(
        span(work.slots),
        span(work.widths),
        span(work.byte_lengths),
        span(work.pairs),
        span(work.lists),
        span(work.positions),
        span(work.heap),
        span(work.waiting),
        span(work.buckets),
        span(work.sums),
        span(work.neighbours),
        span(work.records),
        span(work.merges),
        span(work.state),
    )


@inline_kernel
def number(work: Merging, index: int) -> int:
    """Return one of the numbers in ``state``."""
    return load64(work.state, index << 3)


@inline_kernel
def put_number(work: Merging, index: int, value: int) -> None:
    """Set one of the numbers in ``state``."""
    store64(work.state, index << 3, value)


# --- Counts of pairs, their queue, and the merges ---------------------------------------------------------------------


ENTRY = 16
"""Size of an entry in ``pairs`` and in ``lists``, in bytes."""


@inline_kernel
def pair_key(left: int, right: int) -> int:
    """Return the key of a pair, never 0. Keys are ordered like (left, right)."""
    return ((left << 32) | right) + 1


@inline_kernel
def home(key: int, shift: int) -> int:
    """Return the offset of a key's entry if there is no collision."""
    return shift_right(multiply_wrapping(key, HASH_A), shift) << 4


@inline_kernel
def find(pairs: Span, shift: int, key: int) -> int:
    """Return the offset of a key's entry, or of the empty entry where it would be."""
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
    """Copy all pairs with a count of at least ``least``, and their lists, to an empty table, int64[2 * 2**k], with
    ``new_shift`` = 64 - k. Return their number."""
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


BUCKETS = 56 << 8
"""Upper bound of the number of buckets for counts of 63 bits."""


@inline_kernel
def bucket_of(count: int) -> int:
    """Return the bucket of a count. Higher counts have higher buckets."""
    shift = max(0, 55 - leading_zeros(count))
    return (shift << 8) + (count >> shift)


@inline_kernel
def is_above(count: int, key: int, other_count: int, other_key: int) -> bool:
    """Return True if a pair is merged before another."""
    return (count > other_count) | ((count == other_count) & (key < other_key))


@inline_kernel
def push(heap: Span, size: int, count: int, key: int) -> None:
    """Push a pair onto a heap of ``size`` entries, which has room for it. Each entry has four children."""
    index = size
    while index > 0:
        parent = (index - 1) >> 2
        parent_count = load64(heap, parent << 4)
        parent_key = load64(heap, (parent << 4) + 8)
        if not is_above(count, key, parent_count, parent_key):
            break
        store64(heap, index << 4, parent_count)
        store64(heap, (index << 4) + 8, parent_key)
        index = parent
    store64(heap, index << 4, count)
    store64(heap, (index << 4) + 8, key)


@kernel
def sink_top(heap: Span, size: int, count: int, key: int) -> None:
    """Replace the top of a heap of ``size`` entries by a pair."""
    index = 0
    while True:
        first = (index << 2) + 1
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
        store64(heap, index << 4, best_count)
        store64(heap, (index << 4) + 8, best_key)
        index = best
    store64(heap, index << 4, count)
    store64(heap, (index << 4) + 8, key)


@inline_kernel
def drop_top(heap: Span, size: int) -> int:
    """Remove the top. Return the new size."""
    size -= 1
    if size > 0:
        sink_top(heap, size, load64(heap, size << 4), load64(heap, (size << 4) + 8))
    return size


@inline_kernel
def add_to_bucket(work: Merging, count: int, key: int) -> None:
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
    """Put a pair into the heap or its bucket. Its count is not above those in the heap."""
    if bucket_of(count) == number(work, BUCKET):
        size = number(work, HEAP_SIZE)
        push(work.heap, size, count, key)
        put_number(work, HEAP_SIZE, size + 1)
    else:
        add_to_bucket(work, count, key)


@inline_kernel
def dequeue(work: Merging) -> None:
    """Remove the pair on top of the heap."""
    put_number(work, HEAP_SIZE, drop_top(work.heap, number(work, HEAP_SIZE)))


@kernel
def open_bucket(work: Merging) -> None:
    """Empty the current bucket: pairs that still have such a count go into the heap, others into their bucket or out of
    the queue."""
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
    """Return the entry in ``pairs`` of the pair to merge next, which stays on top of the heap; -1 if none is left."""
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


SEEN = 1 << 40
"""Added to the occurrences of a listed neighbour, so that they do not read as 0 after they decrease again."""
LOW = 0xFFFFFFFF
"""Mask of the lower half: the weight in a position, the right id in a key."""
AHEAD = 16
"""Number of positions to prefetch ahead."""
RECORD = 16
"""Size of an entry of ``records``, in bytes."""
MERGE_COST = 64
"""Fixed cost of a merge, expressed in places."""


@inline_kernel
def room_for(work: Merging, positions: int) -> int:
    """Check that all arrays have room for a merge of ``positions`` positions. Return PAUSED, or which array is too
    small."""
    most_new = 2 * min(positions, number(work, FIRST_ID) + number(work, MERGED)) + 2
    status = PAUSED
    if (number(work, POSITIONS_USED) + positions) << 3 > length(work.positions):
        status = NO_ROOM_POSITIONS
    elif (number(work, PAIRS_USED) + most_new) << 5 > length(work.pairs):
        status = NO_ROOM_PAIRS
    elif positions * RECORD > length(work.records):
        status = NO_ROOM_RECORDS
    return status


@inline_kernel
def add_neighbour(sums: Span, at: int, weight: int, neighbours: Span, count: int, token: int) -> int:
    """Add an occurrence to the sums at a byte offset, and list the token if it is new. Return the number listed."""
    occurrences = load64(sums, at + 8)
    if occurrences == 0:
        store64(neighbours, count << 3, token)
        count += 1
        occurrences = SEEN
    store64(sums, at, load64(sums, at) + weight)
    store64(sums, at + 8, occurrences + 1)
    return count


@inline_kernel
def subtract_neighbour(sums: Span, at: int, weight: int) -> None:
    """Subtract an occurrence from the sums at a byte offset."""
    store64(sums, at, load64(sums, at) - weight)
    store64(sums, at + 8, load64(sums, at + 8) - 1)


@inline_kernel
def rewrite(work: Merging, left: int, right: int, token: int, start: int, stop: int) -> tuple[int, int, int, int, int]:
    """First pass over the positions at byte offsets ``start`` to ``stop``: merge where the pair still is, record the
    position, and sum its neighbours. Return the number of left and of right neighbours, the size of the records in
    bytes, the weight of the merged positions, and the weight of those whose left neighbour had merged just before."""
    slots, positions, sums, records, neighbours = work.slots, work.positions, work.sums, work.records, work.neighbours
    right_neighbours = part(neighbours, length(neighbours) >> 1, length(neighbours) >> 1)
    left_width = load32(work.widths, left << 2) << 2
    right_width = load32(work.widths, right << 2) << 2
    n_left = n_right = merged = weight_sum = repeated = 0
    for at in range(start, stop, 8):
        prefetch(slots, (load64(positions, min(at + 8 * AHEAD, stop - 8)) >> 32) << 2)
        position = load64(positions, at)
        slot = (position >> 32) << 2
        middle = slot + left_width
        if load32(slots, slot) != left or load32(slots, middle) != right:
            continue
        behind = middle + right_width
        weight = position & LOW
        before_token = load32(slots, slot - 4)
        behind_token = load32(slots, behind)
        store32(slots, slot, token)
        store32(slots, middle, GONE)
        store32(slots, behind - 4, token)
        weight_sum += weight
        if before_token == token:
            # The right neighbour of the previous merge was the left part of this one. Now it is the new token.
            store32(records, merged - 4, token)
            subtract_neighbour(sums, (left << 5) + 16, weight)
            repeated += weight
            n_right = add_neighbour(sums, (token << 5) + 16, weight, right_neighbours, n_right, token)
            before_token = GONE
        elif before_token < HEAD:
            n_left = add_neighbour(sums, before_token << 5, weight, neighbours, n_left, before_token)
        if behind_token < HEAD:
            n_right = add_neighbour(sums, (behind_token << 5) + 16, weight, right_neighbours, n_right, behind_token)
        store64(records, merged, position)
        store32(records, merged + 8, before_token)
        store32(records, merged + 12, behind_token)
        merged += RECORD
    return n_left, n_right, merged, weight_sum, repeated


@inline_kernel
def count_down(pairs: Span, shift: int, key: int, weight: int) -> None:
    """Subtract occurrences from a pair, if it is in the table."""
    entry = find(pairs, shift, key)
    if load64(pairs, entry) != 0:
        store64(pairs, entry + 8, load64(pairs, entry + 8) - weight)


@inline_kernel
def enter_pair(work: Merging, key: int, weight: int, occurrences: int, free: int, stop: int) -> tuple[int, int]:
    """Enter a new pair with room for its list: at ``free``, if that fits before ``stop``, else at the end of
    ``positions``. Return the start of its list and the new ``free``, both as indexes of positions."""
    entry = find(work.pairs, number(work, PAIR_SHIFT), key)
    start = free
    if free + occurrences <= stop:
        free += occurrences
    else:
        start = number(work, POSITIONS_USED)
        put_number(work, POSITIONS_USED, start + occurrences)
    store64(work.pairs, entry, key)
    store64(work.pairs, entry + 8, weight)
    store64(work.lists, entry, start)
    store64(work.lists, entry + 8, occurrences)
    put_number(work, PAIRS_USED, number(work, PAIRS_USED) + 1)
    enqueue(work, weight, key)
    return start, free


@inline_kernel
def replace_pairs(
    work: Merging, side: int, count: int, old: int, token: int, repeated: int, room: tuple[int, int]
) -> int:
    """For the neighbours on one side (0: left, 1: right), reduce the counts of their old pairs and enter their new
    ones. Write the start of each new list, or -1, to ``sums``. ``old``: the part of the token next to the neighbour.
    ``room``: free positions, first and end. Return the first place that remains free."""
    pairs, sums, lengths, neighbours = work.pairs, work.sums, work.byte_lengths, work.neighbours
    shift, threshold, last_left = number(work, PAIR_SHIFT), number(work, THRESHOLD), number(work, LEFT)
    most = number(work, LONGEST) - load32(lengths, token << 2)
    noted = side * (length(neighbours) >> 1)
    free, stop = room
    for index in range(count):
        other = load64(neighbours, noted + (index << 3))
        prefetch(pairs, home(pair_key(old, other) if side else pair_key(other, old), shift))
    for index in range(count):
        other = load64(neighbours, noted + (index << 3))
        at = (other << 5) + (side << 4)
        weight = load64(sums, at)
        if other != token:
            lost = weight + (repeated if side and other == last_left else 0)
            count_down(pairs, shift, pair_key(old, other) if side else pair_key(other, old), lost)
        start = -1
        if weight >= threshold and load32(lengths, other << 2) <= most:
            key = pair_key(token, other) if side else pair_key(other, token)
            start, free = enter_pair(work, key, weight, load64(sums, at + 8) - SEEN, free, stop)
        store64(sums, at, start)
    return free


@inline_kernel
def fill_lists(work: Merging, merged: int) -> None:
    """Second pass, over the records: put each position on the lists of its two new pairs."""
    positions, sums, records, widths = work.positions, work.sums, work.records, work.widths
    for at in range(0, merged, RECORD):
        position = load64(records, at)
        before_token = load32(records, at + 8)
        behind_token = load32(records, at + 12)
        if before_token < HEAD:
            cursor = load64(sums, before_token << 5)
            if cursor >= 0:
                store64(positions, cursor << 3, position - (load32(widths, before_token << 2) << 32))
                store64(sums, before_token << 5, cursor + 1)
        if behind_token < HEAD:
            cursor = load64(sums, (behind_token << 5) + 16)
            if cursor >= 0:
                store64(positions, cursor << 3, position)
                store64(sums, (behind_token << 5) + 16, cursor + 1)


@inline_kernel
def clear_sums(work: Merging, side: int, count: int) -> None:
    """Reset the sums of listed neighbours to zero."""
    sums, neighbours = work.sums, work.neighbours
    noted = side * (length(neighbours) >> 1)
    for index in range(count):
        at = (load64(neighbours, noted + (index << 3)) << 5) + (side << 4)
        store64(sums, at, 0)
        store64(sums, at + 8, 0)


@inline_kernel
def note_merge(work: Merging, left: int, right: int, count: int, weight: int) -> None:
    """Record that a pair with count ``count`` was merged at positions of this weight."""
    merged, tokens = number(work, MERGED), number(work, TOKENS) - weight
    at = merged * MERGE_FIELDS * 8
    store64(work.merges, at, left)
    store64(work.merges, at + 8, right)
    store64(work.merges, at + 16, count)
    store64(work.merges, at + 24, tokens)
    put_number(work, TOKENS, tokens)
    put_number(work, MERGED, merged + 1)


@kernel
def merge_pair(work: Merging, entry: int) -> None:
    """Merge the pair on top of the queue. ``entry``: its entry in ``pairs``. All arrays must have room for it."""
    key = load64(work.pairs, entry) - 1
    count = load64(work.pairs, entry + 8)
    left, right = key >> 32, key & LOW
    token = number(work, FIRST_ID) + number(work, MERGED)
    put_number(work, LEFT, left)
    dequeue(work)
    first = load64(work.lists, entry)
    stop = first + load64(work.lists, entry + 8)
    widths, lengths = work.widths, work.byte_lengths
    store32(widths, token << 2, load32(widths, left << 2) + load32(widths, right << 2))
    store32(lengths, token << 2, load32(lengths, left << 2) + load32(lengths, right << 2))
    n_left, n_right, merged, weight, repeated = rewrite(work, left, right, token, first << 3, stop << 3)
    free = replace_pairs(work, 0, n_left, left, token, 0, (first, stop))
    replace_pairs(work, 1, n_right, right, token, repeated, (free, stop))
    store64(work.pairs, entry + 8, 0)
    fill_lists(work, merged)
    clear_sums(work, 0, n_left)
    clear_sums(work, 1, n_right)
    note_merge(work, left, right, count, weight)


@kernel
def merge_pairs(arrays: Merging, most: int, budget: int) -> int:
    """Merge up to ``most`` pairs, but stop when about ``budget`` positions were visited. Return why it stopped: PAUSED,
    BELOW_THRESHOLD, or which array lacks room for the next merge, whose number of positions is then in NEEDED."""
    work = spans_of(arrays)
    status = PAUSED
    while most > 0 and budget > 0:
        entry = best_pair(work)
        if entry < 0:
            status = BELOW_THRESHOLD
            break
        positions = load64(work.lists, entry + 8)
        status = room_for(work, positions)
        if status != PAUSED:
            put_number(work, NEEDED, positions)
            break
        merge_pair(work, entry)
        most -= 1
        budget -= positions + MERGE_COST
    return status


# --- Start of a merging phase: count all pairs, and make the lists of those that are frequent enough ------------------
#
# Pairs below a threshold have neither a list nor a queue entry, which keeps both small: most pairs are rare. When the
# queue has run down to the threshold, the rest is recounted with a lower one: the next *phase*.


BATCH = 128
"""Pairs looked up together, so that the processor does not wait for each."""


@kernel
def compact(slots: NDArray[np.uint32], widths: NDArray[np.uint32]) -> int:
    """Reduce every token to one slot and drop pretokens of one token, in place. Return the number of slots left."""
    text, width_of = span(slots), span(widths)
    used = 0
    at = 0
    while at < slots.size - 1:
        word = used
        store32(text, used << 2, load32(text, at << 2))
        used += 1
        at += 1
        while True:
            token = load32(text, at << 2)
            if token >= HEAD:
                break
            store32(text, used << 2, token)
            used += 1
            at += load32(width_of, token << 2)
        if used - word <= 2:
            used = word
    store32(text, used << 2, HEAD)
    return used + 1


@inline_kernel
def gather(work: Merging, at: int, stop: int, weight: int, batch: Span) -> tuple[int, int, int]:
    """Write up to ``BATCH`` pairs that start in slots ``at`` to ``stop`` to ``batch``, as key and position. Every
    token must have one slot. ``weight``: that of the pretoken at ``at``. Return the number of
    pairs, the slot reached, and the weight there."""
    slots, pairs, lists, shift = work.slots, work.pairs, work.lists, number(work, PAIR_SHIFT)
    count = 0
    while count < BATCH and at < stop:
        token = load32(slots, at << 2)
        behind = load32(slots, (at << 2) + 4)
        if token >= HEAD:
            weight = token - HEAD
        elif behind < HEAD:
            key = pair_key(token, behind)
            store64(batch, count << 4, key)
            store64(batch, (count << 4) + 8, (at << 32) | weight)
            prefetch(pairs, home(key, shift))
            prefetch(lists, home(key, shift))
            count += 1
        at += 1
    return count, at, weight


@kernel
def count_pairs(arrays: Merging, start: int, stop: int) -> int:
    """Add the pairs that start in slots ``start`` to ``stop`` to the table. Every token must have one slot. Return the
    slot reached, which is earlier if the table is half full. Occurrences are counted in the second word of
    ``lists``."""
    work = spans_of(arrays)
    pairs, lists, shift, used = work.pairs, work.lists, number(work, PAIR_SHIFT), number(work, PAIRS_USED)
    keys = np.empty(2 * BATCH, np.int64)
    batch = span(keys)
    at = head = start
    while load32(work.slots, head << 2) < HEAD:
        head -= 1
    weight = load32(work.slots, head << 2) - HEAD
    while at < stop and (used + BATCH) << 5 <= length(pairs):
        count, at, weight = gather(work, at, stop, weight, batch)
        for index in range(count):
            key = load64(batch, index << 4)
            entry = find(pairs, shift, key)
            used += load64(pairs, entry) == 0
            store64(pairs, entry, key)
            store64(pairs, entry + 8, load64(pairs, entry + 8) + (load64(batch, (index << 4) + 8) & LOW))
            store64(lists, entry + 8, load64(lists, entry + 8) + 1)
    put_number(work, PAIRS_USED, used)
    keep(keys)
    return at


@kernel
def drop_long_pairs(arrays: Merging) -> int:
    """Drop pairs that would make too long a token. Return the highest remaining count."""
    pairs, lengths = span(arrays.pairs), span(arrays.byte_lengths)
    longest = arrays.state[LONGEST]
    highest = 0
    for entry in range(0, length(pairs), ENTRY):
        key = load64(pairs, entry)
        if key != 0:
            left, right = (key - 1) >> 32, (key - 1) & LOW
            if load32(lengths, left << 2) + load32(lengths, right << 2) > longest:
                store64(pairs, entry + 8, 0)
            highest = max(highest, load64(pairs, entry + 8))
    return highest


@kernel
def pairs_above(arrays: Merging, least: int) -> tuple[int, int]:
    """Return how many pairs have a count of at least ``least``, and how many positions they have."""
    pairs, lists = span(arrays.pairs), span(arrays.lists)
    found = positions = 0
    for entry in range(0, length(pairs), ENTRY):
        if load64(pairs, entry) != 0 and load64(pairs, entry + 8) >= least:
            found += 1
            positions += load64(lists, entry + 8)
    return found, positions


@kernel
def start_lists(arrays: Merging, highest: int) -> None:
    """Reserve room for each pair's list, and put it into the empty queue. No count exceeds ``highest``."""
    work = spans_of(arrays)
    put_number(work, BUCKET, bucket_of(highest))
    put_number(work, HEAP_SIZE, 0)
    used = 0
    for entry in range(0, length(work.pairs), ENTRY):
        key = load64(work.pairs, entry)
        if key != 0:
            store64(work.lists, entry, used)
            used += load64(work.lists, entry + 8)
            add_to_bucket(work, load64(work.pairs, entry + 8), key)
    put_number(work, POSITIONS_USED, used)


@kernel
def list_positions(arrays: Merging, start: int, stop: int) -> None:
    """Put the positions of slots ``start`` to ``stop``, where a pretoken starts, on the lists of their pairs. The start
    of each list moves to the end of its content."""
    work = spans_of(arrays)
    pairs, lists, positions, shift = work.pairs, work.lists, work.positions, number(work, PAIR_SHIFT)
    keys = np.empty(2 * BATCH, np.int64)
    batch = span(keys)
    at = start
    weight = 0
    while at < stop:
        count, at, weight = gather(work, at, stop, weight, batch)
        for index in range(count):
            entry = find(pairs, shift, load64(batch, index << 4))
            if load64(pairs, entry) != 0:
                cursor = load64(lists, entry)
                store64(positions, cursor << 3, load64(batch, (index << 4) + 8))
                store64(lists, entry, cursor + 1)
    keep(keys)


@kernel
def rewind_lists(arrays: Merging) -> None:
    """Reset the start of each list after ``list_positions``."""
    lists, pairs = span(arrays.lists), span(arrays.pairs)
    for entry in range(0, length(lists), ENTRY):
        if load64(pairs, entry) != 0:
            store64(lists, entry, load64(lists, entry) - load64(lists, entry + 8))
