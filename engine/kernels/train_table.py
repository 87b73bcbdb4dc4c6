"""Counting pretokens: a hash table of all different ones.

An *entry* is three 64-bit words, in the order of first sight. A pretoken of up to 15 bytes is its 16-byte key
(``lookup``) and how often it occurred; of a longer one the entry has the hash of its bytes, ``LONG_PIECE << 56`` plus
its place in the arena, and the count. In the arena stand its length (64 bits) and its bytes. The *index* says where
entries are: their number plus one, 0 where there is none; at most half of it is used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import shift_right
from engine.kernels.layout import LONG_PIECE
from engine.kernels.lookup import equal_bytes, hash_bytes, key_hash, key_high, key_low
from engine.kernels.memory import Span, keep, length, load8, load32, load64, prefetch, span, store8, store32, store64

ENTRY_WORDS = 3
ENTRY = 8 * ENTRY_WORDS
"""Bytes of an entry."""
LONG = LONG_PIECE << 56
ARENA_MASK = (1 << 56) - 1
BATCH = 128
"""Pretokens that are looked up together."""

# Places of numbers in ``state``.
ENTRIES_USED = 0
ARENA_USED = 1
INDEX_SHIFT = 2  # hash >> shift is a place in the index
NEEDED = 3  # bytes of the arena that are missing
STATE_SIZE = 8


class CountTable(NamedTuple):
    """buckets: uint32[2**k], the index. entries: int64[3 * n], n <= 2**(k - 1). arena: uint8[m]. state:
    int64[STATE_SIZE]. Kernels work on the same with a span of each: ``spans_of``."""

    buckets: NDArray[np.uint32]
    entries: NDArray[np.int64]
    arena: NDArray[np.uint8]
    state: NDArray[np.int64]


@inline_kernel
def spans_of(table: CountTable) -> CountTable:
    """A span of each array. To be made once, at the door of a kernel: numba counts references to arrays."""
    return CountTable(span(table.buckets), span(table.entries), span(table.arena), span(table.state))


@inline_kernel
def number_in(table: CountTable, place: int) -> int:
    """One of the numbers in ``state``."""
    return load64(table.state, place << 3)


@inline_kernel
def put_number_in(table: CountTable, place: int, value: int) -> None:
    """Change one of the numbers in ``state``."""
    store64(table.state, place << 3, value)


@inline_kernel
def last_bucket(table: CountTable) -> int:
    """The last place of the index; all its bits are ones."""
    return (length(table.buckets) >> 2) - 1


@inline_kernel
def short_entry(table: CountTable, low: int, high: int, place: int, count: int) -> None:
    """Count a key, from this place of the index on; make an entry for it if there is none."""
    index, entries, last = table.buckets, table.entries, last_bucket(table)
    while True:
        number = load32(index, place << 2)
        if number == 0:
            used = number_in(table, ENTRIES_USED)
            store64(entries, used * ENTRY, low)
            store64(entries, used * ENTRY + 8, high)
            store64(entries, used * ENTRY + 16, count)
            store32(index, place << 2, used + 1)
            put_number_in(table, ENTRIES_USED, used + 1)
            break
        at = (number - 1) * ENTRY
        if load64(entries, at) == low and load64(entries, at + 8) == high:
            store64(entries, at + 16, load64(entries, at + 16) + count)
            break
        place = (place + 1) & last


@kernel
def long_entry(table: CountTable, text: Span, start: int, size: int, hashed: int, count: int) -> None:
    """Count a pretoken of 16 bytes or more; make an entry for it if there is none."""
    index, entries, arena, last = table.buckets, table.entries, table.arena, last_bucket(table)
    place = shift_right(hashed, number_in(table, INDEX_SHIFT))
    while True:
        number = load32(index, place << 2)
        if number == 0:
            used, free = number_in(table, ENTRIES_USED), number_in(table, ARENA_USED)
            store64(entries, used * ENTRY, hashed)
            store64(entries, used * ENTRY + 8, LONG | free)
            store64(entries, used * ENTRY + 16, count)
            store32(index, place << 2, used + 1)
            store64(arena, free, size)
            for byte in range(size):
                store8(arena, free + 8 + byte, load8(text, start + byte))
            put_number_in(table, ENTRIES_USED, used + 1)
            put_number_in(table, ARENA_USED, free + 8 + size)
            break
        at = (number - 1) * ENTRY
        if load64(entries, at) == hashed and shift_right(load64(entries, at + 8), 56) == LONG_PIECE:
            known = load64(entries, at + 8) & ARENA_MASK
            if load64(arena, known) == size and equal_bytes(arena, known + 8, text, start, size):
                store64(entries, at + 16, load64(entries, at + 16) + count)
                break
        place = (place + 1) & last


@inline_kernel
def has_room(table: CountTable, entries: int) -> bool:
    """Whether so many more entries leave half of the index free."""
    return (number_in(table, ENTRIES_USED) + entries) << 3 <= length(table.buckets)


@inline_kernel
def lacks_arena(table: CountTable, size: int) -> bool:
    """Whether the arena has no room for a pretoken. NEEDED says how many bytes it must have more."""
    lacks = number_in(table, ARENA_USED) + size + 8 > length(table.arena)
    if lacks:
        put_number_in(table, NEEDED, size + 8)
    return lacks


@kernel
def count_pretokens(
    text: NDArray[np.uint8],
    ends: NDArray[np.int32],
    first: int,
    count: int,
    start: int,
    masks: NDArray[np.uint8],
    arrays: CountTable,
) -> tuple[int, int]:
    """Count pretokens ``first`` to ``count``, the first of which begins at byte ``start``.

    text: uint8[n], readable for 16 bytes behind the last end. ends: int32[m]. masks: uint8[256]: MASKS of ``layout``.
    Returns the first pretoken that was not counted, and where it begins: the table has no room for it when that is not
    ``count``. NEEDED then says how many bytes the arena lacks, 0 when it is the index that is full.
    """
    if count > ends.size or start < 0 or (count > first and ends[count - 1] + 16 > text.size):
        raise IndexError("the text is shorter than its pretokens need")
    source, stops, mask_rows, table = span(text), span(ends), span(masks), spans_of(arrays)
    index, entries, shift = table.buckets, table.entries, number_in(table, INDEX_SHIFT)
    batch_keys = np.empty(3 * BATCH, np.int64)
    keys = span(batch_keys)
    put_number_in(table, NEEDED, 0)
    while first < count and number_in(table, NEEDED) == 0 and has_room(table, BATCH):
        made = 0
        while made < BATCH and first < count:
            stop = load32(stops, first << 2)
            size = stop - start
            if size < LONG_PIECE:
                low = key_low(source, mask_rows, start, size)
                high = key_high(source, mask_rows, start, size)
                place = shift_right(key_hash(low, high), shift)
                prefetch(index, place << 2)
                store64(keys, made * 24, low)
                store64(keys, made * 24 + 8, high)
                store64(keys, made * 24 + 16, place)
                made += 1
            elif lacks_arena(table, size) or not has_room(table, BATCH):
                break
            else:
                long_entry(table, source, start, size, hash_bytes(source, start, size), 1)
            first += 1
            start = stop
        for key in range(made):
            number = load32(index, load64(keys, key * 24 + 16) << 2)
            prefetch(entries, (number - 1) * ENTRY)
        for key in range(made):
            short_entry(table, load64(keys, key * 24), load64(keys, key * 24 + 8), load64(keys, key * 24 + 16), 1)
    keep(batch_keys)
    return first, start


@kernel
def add_entries(other_arrays: CountTable, first: int, arrays: CountTable) -> int:
    """Count what another table counted, from its entry ``first`` on. The first entry that was not counted, as above."""
    other, table = spans_of(other_arrays), spans_of(arrays)
    arena, entries, index, shift = other.arena, other.entries, table.buckets, number_in(table, INDEX_SHIFT)
    stop = number_in(other, ENTRIES_USED)
    put_number_in(table, NEEDED, 0)
    while first < stop and has_room(table, 1):
        at = first * ENTRY
        low, high, count = load64(entries, at), load64(entries, at + 8), load64(entries, at + 16)
        if first + 16 < stop:
            ahead = at + 16 * ENTRY
            prefetch(index, shift_right(key_hash(load64(entries, ahead), load64(entries, ahead + 8)), shift) << 2)
        if shift_right(high, 56) == LONG_PIECE:
            known = high & ARENA_MASK
            size = load64(arena, known)
            if lacks_arena(table, size):
                break
            long_entry(table, arena, known + 8, size, low, count)
        else:
            short_entry(table, low, high, shift_right(key_hash(low, high), shift), count)
        first += 1
    return first


@kernel
def fill_index(arrays: CountTable) -> None:
    """Enter all entries into an empty index."""
    table = spans_of(arrays)
    index, entries, last, shift = table.buckets, table.entries, last_bucket(table), number_in(table, INDEX_SHIFT)
    for number in range(number_in(table, ENTRIES_USED)):
        hashed = load64(entries, number * ENTRY)
        high = load64(entries, number * ENTRY + 8)
        if shift_right(high, 56) != LONG_PIECE:
            hashed = key_hash(hashed, high)
        place = shift_right(hashed, shift)
        while load32(index, place << 2) != 0:
            place = (place + 1) & last
        store32(index, place << 2, number + 1)
