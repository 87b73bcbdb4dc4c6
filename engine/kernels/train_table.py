"""Pretokens of a corpus: counted in a hash table, and laid out for merging.

``count_pretokens`` counts them in a hash table of unique pretokens. An *entry* is three 64-bit words, in order of first
occurrence. For a pretoken of up to 15 bytes it is its 16-byte key (``engine.kernels.lookup``) and its count. For a
longer one it is the hash of its bytes, ``LONG_PRETOKEN << 56`` plus its offset in the arena, and its count. The arena
holds its length (64 bits) and its bytes. The *index* maps hashes to entries: their number plus one, or 0; at most half
of it is used.

``digest_counts`` is a digest of counted pretokens that does not depend on the order of counting.

``fill_slots`` converts counted pretokens to the slots that merging works on (``train_merge``), one for each byte or
character. ``in_characters``: 0 if symbols are bytes, 1 if they are characters; the pretokens must then be valid UTF-8.
``spell`` returns the bytes of the tokens that merging made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.layout import LONG_PRETOKEN
from engine.kernels.lookup import HASH_A, HASH_B, equal_bytes, hash_bytes, key_hash, key_high, key_low
from engine.kernels.primitives import (
    Span,
    add_wrapping,
    fold_multiply,
    keep,
    length,
    load8,
    load32,
    load64,
    multiply_wrapping,
    prefetch,
    shift_right,
    span,
    store8,
    store32,
    store64,
)
from engine.kernels.train_merge import HEAD, MAX_WEIGHT

ENTRY_WORDS = 3
ENTRY = 8 * ENTRY_WORDS
"""Size of an entry, in bytes."""
LONG = LONG_PRETOKEN << 56
ARENA_MASK = (1 << 56) - 1
BATCH = 128
"""Pretokens looked up together."""

# Indexes of numbers in ``state``.
ENTRIES_USED = 0
ARENA_USED = 1
INDEX_SHIFT = 2  # hash >> shift is an index of ``buckets``
NEEDED = 3  # bytes that the arena lacks
STATE_SIZE = 8


class CountTable(NamedTuple):
    """buckets: uint32[2**k], the index. entries: int64[3 * n], n <= 2**(k - 1). arena: uint8[m]. state:
    int64[STATE_SIZE]. Kernels use the same tuple with a span of each: ``spans_of``."""

    buckets: NDArray[np.uint32]
    entries: NDArray[np.int64]
    arena: NDArray[np.uint8]
    state: NDArray[np.int64]


@inline_kernel
def spans_of(table: CountTable) -> CountTable:
    """Return a span of each array. Call it once, on entry to a kernel, because numba counts references to arrays."""
    return CountTable(span(table.buckets), span(table.entries), span(table.arena), span(table.state))


@inline_kernel
def number_in(table: CountTable, index: int) -> int:
    """Return one of the numbers in ``state``."""
    return load64(table.state, index << 3)


@inline_kernel
def put_number_in(table: CountTable, index: int, value: int) -> None:
    """Set one of the numbers in ``state``."""
    store64(table.state, index << 3, value)


@inline_kernel
def last_bucket(table: CountTable) -> int:
    """Return the last position in the index; all its bits are ones."""
    return (length(table.buckets) >> 2) - 1


@inline_kernel
def short_entry(table: CountTable, low: int, high: int, bucket: int, count: int) -> None:
    """Count a key, searching from this position of the index. Makes a new entry if there is none."""
    index, entries, last = table.buckets, table.entries, last_bucket(table)
    while True:
        number = load32(index, bucket << 2)
        if number == 0:
            used = number_in(table, ENTRIES_USED)
            store64(entries, used * ENTRY, low)
            store64(entries, used * ENTRY + 8, high)
            store64(entries, used * ENTRY + 16, count)
            store32(index, bucket << 2, used + 1)
            put_number_in(table, ENTRIES_USED, used + 1)
            break
        at = (number - 1) * ENTRY
        if load64(entries, at) == low and load64(entries, at + 8) == high:
            store64(entries, at + 16, load64(entries, at + 16) + count)
            break
        bucket = (bucket + 1) & last


@kernel
def long_entry(table: CountTable, text: Span, start: int, size: int, hashed: int, count: int) -> None:
    """Count a pretoken of 16 bytes or more. Makes a new entry if there is none."""
    index, entries, arena, last = table.buckets, table.entries, table.arena, last_bucket(table)
    bucket = shift_right(hashed, number_in(table, INDEX_SHIFT))
    while True:
        number = load32(index, bucket << 2)
        if number == 0:
            used, free = number_in(table, ENTRIES_USED), number_in(table, ARENA_USED)
            store64(entries, used * ENTRY, hashed)
            store64(entries, used * ENTRY + 8, LONG | free)
            store64(entries, used * ENTRY + 16, count)
            store32(index, bucket << 2, used + 1)
            store64(arena, free, size)
            for byte in range(size):
                store8(arena, free + 8 + byte, load8(text, start + byte))
            put_number_in(table, ENTRIES_USED, used + 1)
            put_number_in(table, ARENA_USED, free + 8 + size)
            break
        at = (number - 1) * ENTRY
        if load64(entries, at) == hashed and shift_right(load64(entries, at + 8), 56) == LONG_PRETOKEN:
            known = load64(entries, at + 8) & ARENA_MASK
            if load64(arena, known) == size and equal_bytes(arena, known + 8, text, start, size):
                store64(entries, at + 16, load64(entries, at + 16) + count)
                break
        bucket = (bucket + 1) & last


@inline_kernel
def has_room(table: CountTable, entries: int) -> bool:
    """Return True if ``entries`` more entries leave half of the index free."""
    return (number_in(table, ENTRIES_USED) + entries) << 3 <= length(table.buckets)


@inline_kernel
def lacks_arena(table: CountTable, size: int) -> bool:
    """Return True if the arena has no room for a pretoken. Sets NEEDED to the additional bytes required."""
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
    """Count pretokens ``first`` to ``count``, the first of which starts at byte ``start``.

    text: uint8[n], readable for 16 bytes beyond the last end. ends: int32[m]. masks: uint8[256]: MASKS of ``layout``.
    Returns the first pretoken that was not counted, and its start in bytes. If it is not ``count``, the table is full,
    and NEEDED is the number of bytes that the arena lacks, or 0 if the index is full.
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
            if size < LONG_PRETOKEN:
                low = key_low(source, mask_rows, start, size)
                high = key_high(source, mask_rows, start, size)
                bucket = shift_right(key_hash(low, high), shift)
                prefetch(index, bucket << 2)
                store64(keys, made * 24, low)
                store64(keys, made * 24 + 8, high)
                store64(keys, made * 24 + 16, bucket)
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
    """Add the counts of another table from its entry ``first``. Return the first entry not counted, as above."""
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
        if shift_right(high, 56) == LONG_PRETOKEN:
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
        if shift_right(high, 56) != LONG_PRETOKEN:
            hashed = key_hash(hashed, high)
        bucket = shift_right(hashed, shift)
        while load32(index, bucket << 2) != 0:
            bucket = (bucket + 1) & last
        store32(index, bucket << 2, number + 1)


@inline_kernel
def pretoken_of(table: CountTable, number: int) -> tuple[Span, int, int, int]:
    """Return where the bytes of an entry are (span, start and size), and its count."""
    high = load64(table.entries, number * ENTRY + 8)
    source: Span = table.entries
    start, size = number * ENTRY, shift_right(high, 56)
    if size == LONG_PRETOKEN:
        source, start = table.arena, (high & ARENA_MASK) + 8
        size = load64(source, start - 8)
    return source, start, size, load64(table.entries, number * ENTRY + 16)


@inline_kernel
def copies(count: int) -> int:
    """Return the number of heads for a pretoken, each with a weight of at most ``MAX_WEIGHT``."""
    return 1 + (count - 1) // MAX_WEIGHT


@inline_kernel
def character_bytes(source: Span, at: int) -> int:
    """Return the number of bytes of the character that starts there, in valid UTF-8."""
    lead = load8(source, at)
    return 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)


@inline_kernel
def code_point(source: Span, at: int, size: int) -> int:
    """Return the code point of a character of ``size`` bytes."""
    value = load8(source, at)
    if size > 1:
        value &= 0x7F >> size
    for byte in range(at + 1, at + size):
        value = (value << 6) | (load8(source, byte) & 0x3F)
    return value


@inline_kernel
def count_symbols(source: Span, start: int, size: int, in_characters: int) -> int:
    """Return the number of symbols in a pretoken."""
    if in_characters == 0:
        return size
    characters = 0
    for byte in range(start, start + size):
        characters += load8(source, byte) & 0xC0 != 0x80
    return characters


@kernel
def mark_characters(arrays: CountTable, seen: NDArray[np.uint8]) -> None:
    """Set ``seen`` to 1 at the code point of each character of the pretokens. seen: uint8[0x110000]."""
    table, marks = spans_of(arrays), span(seen)
    for number in range(number_in(table, ENTRIES_USED)):
        source, start, size, _ = pretoken_of(table, number)
        at = start
        while at < start + size:
            width = character_bytes(source, at)
            store8(marks, code_point(source, at, width), 1)
            at += width


@kernel
def measure_slots(arrays: CountTable, in_characters: int) -> tuple[int, int, int]:
    """Return the slots that pretokens of more than one symbol need, and the symbols and bytes of the corpus."""
    table = spans_of(arrays)
    slots = 1
    symbols = total = 0
    for number in range(number_in(table, ENTRIES_USED)):
        source, start, size, count = pretoken_of(table, number)
        length = count_symbols(source, start, size, in_characters)
        total += size * count
        symbols += length * count
        if length > 1:
            slots += (length + 1) * copies(count)
    return slots, symbols, total


@inline_kernel
def write_bytes(source: Span, start: int, size: int, ids: Span, out: Span, at: int) -> int:
    """Write bytes as slots from byte offset ``at``. Return the offset after them."""
    for byte in range(start, start + size):
        store32(out, at, load32(ids, load8(source, byte) << 2))
        at += 4
    return at


@inline_kernel
def write_characters(source: Span, start: int, size: int, ids: Span, out: Span, at: int) -> int:
    """Write characters as slots from byte offset ``at``. Return the offset after them."""
    byte = start
    while byte < start + size:
        width = character_bytes(source, byte)
        store32(out, at, load32(ids, code_point(source, byte, width) << 2))
        at += 4
        byte += width
    return at


@kernel
def fill_slots(arrays: CountTable, in_characters: int, ids: NDArray[np.uint32], slots: NDArray[np.uint32]) -> None:
    """Write the pretokens of more than one symbol as slots. ids: uint32[256] by byte, or uint32[0x110000] by code
    point. slots: uint32[n], n as measured."""
    table, id_of, out = spans_of(arrays), span(ids), span(slots)
    at = 0
    for number in range(number_in(table, ENTRIES_USED)):
        source, start, size, count = pretoken_of(table, number)
        if count_symbols(source, start, size, in_characters) < 2:
            continue
        while count > 0:
            weight = min(count, MAX_WEIGHT)
            count -= weight
            store32(out, at, HEAD + weight)
            if in_characters:
                at = write_characters(source, start, size, id_of, out, at + 4)
            else:
                at = write_bytes(source, start, size, id_of, out, at + 4)
    store32(out, at, HEAD)


@kernel
def digest_counts(arrays: CountTable) -> tuple[int, int]:
    """Return 128 bits, as two signed words: sums over all entries of a hash of the pretoken and its count."""
    table = spans_of(arrays)
    entries, arena = table.entries, table.arena
    first = second = 0
    for number in range(number_in(table, ENTRIES_USED)):
        low = load64(entries, number * ENTRY)
        high = load64(entries, number * ENTRY + 8)
        count = load64(entries, number * ENTRY + 16)
        if shift_right(high, 56) == LONG_PRETOKEN:
            high = LONG | load64(arena, high & ARENA_MASK)  # its size, because its offset depends on the order
        one = fold_multiply(low ^ HASH_A, high ^ HASH_B)
        other = fold_multiply(multiply_wrapping(low, HASH_B) ^ high, HASH_A)
        first = add_wrapping(first, fold_multiply(one ^ HASH_B, multiply_wrapping(count, HASH_A)))
        second = add_wrapping(second, fold_multiply(other ^ HASH_A, multiply_wrapping(count, HASH_B)))
    return first, second


@kernel
def spell(symbols: NDArray[np.uint8], merges: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Write the offsets of each merged token's bytes, and return the bytes of all tokens.

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
