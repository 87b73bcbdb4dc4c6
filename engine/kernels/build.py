"""Construction of the tables of a vocabulary, and validation of tables read from a file.

All functions here are called by ``engine.vocabulary.tables``.

``fill_tables`` finds the pair that each token is merged from: it merges the token's own bytes with all other tokens. If
two tokens are left, they are the pair. No text ever merges another pair into that token: when the last merge of a token
happens, nothing has crossed its ends yet, so its bytes were merged just as they are in isolation. Usually this needs
only tokens of lower numbers, whose pairs are known by then (``merge_plainly``). Tokens of higher numbers are looked up
by their bytes (``merge_by_bytes``).

``contents_are_sound`` decides if other kernels may trust the tables: every number that a kernel uses as an index, or
that ends one of its loops, is checked once. After that, tables from any file cannot make a kernel access memory outside
its arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.layout import NO_MERGE, NO_TOKEN, section
from engine.kernels.lookup import LINE_IDS, LINE_MARK, OVERFLOWED, find_long, find_short, hash_bytes, key_hash
from engine.kernels.merging import SLOTS_FULL, merge_of, pair_line
from engine.kernels.primitives import (
    NUMBER_BITS,
    NUMBER_MASK,
    Span,
    keep,
    length,
    load8,
    load32,
    load64,
    shift_right,
    span,
    store32,
    store64,
)


@kernel
def note_bytes(tables: Span) -> None:
    """Fill BYTE_TOKENS, and fill BIGRAMS with "no merge"."""
    blob = section(tables, layout.TOKEN_BYTES)
    offsets = section(tables, layout.TOKEN_OFFSETS)
    byte_tokens = section(tables, layout.BYTE_TOKENS)
    bigrams = section(tables, layout.BIGRAMS)
    for number in range(load64(tables, layout.TOKEN_COUNT)):
        start = load32(offsets, number << 2)
        if load32(offsets, (number << 2) + 4) - start == 1:
            store32(byte_tokens, load8(blob, start) << 2, number)
    for pair in range(65536):
        store32(bigrams, pair << 2, NO_MERGE)


@kernel
def merge_plainly(tables: Span, start: int, size: int, numbers: Span, merges: Span) -> int:
    """Merge a token's bytes with the pairs in PAIRS so far. Leave the tokens in ``numbers`` and return their count.

    ``numbers``, ``merges``: uint32[size], scratch space.
    """
    blob = section(tables, layout.TOKEN_BYTES)
    byte_tokens = section(tables, layout.BYTE_TOKENS)
    pairs = section(tables, layout.PAIRS)
    shift = load64(tables, layout.PAIR_SHIFT)
    for index in range(size):
        store32(numbers, index << 2, load32(byte_tokens, load8(blob, start + index) << 2))
    for index in range(size - 1):
        pair = (load32(numbers, index << 2) << NUMBER_BITS) | load32(numbers, (index << 2) + 4)
        store32(merges, index << 2, merge_of(pairs, shift, pair_line(pair, shift), pair))
    while size > 1:
        best = NO_MERGE
        left = 0
        for index in range(size - 1):
            merge = load32(merges, index << 2)
            if merge < best:
                best = merge
                left = index
        if best == NO_MERGE:
            break
        number = best >> 6
        size -= 1
        store32(numbers, left << 2, number)
        for index in range(left + 1, size):
            store32(numbers, index << 2, load32(numbers, (index << 2) + 4))
            store32(merges, (index << 2) - 4, load32(merges, index << 2))
        if left + 1 < size:
            pair = (number << NUMBER_BITS) | load32(numbers, (left << 2) + 4)
            store32(merges, left << 2, merge_of(pairs, shift, pair_line(pair, shift), pair))
        if left > 0:
            pair = (load32(numbers, (left << 2) - 4) << NUMBER_BITS) | number
            store32(merges, (left << 2) - 4, merge_of(pairs, shift, pair_line(pair, shift), pair))
    return size


@inline_kernel
def short_key(blob: Span, start: int, size: int) -> tuple[int, int]:
    """Return the key of 1 to 15 bytes of tokens, as ``lookup.key_low`` and ``key_high`` make it from texts."""
    low = 0
    high = size << 56
    for index in range(size):
        byte = load8(blob, start + index)
        if index < 8:
            low |= byte << (8 * index)
        else:
            high |= byte << (8 * index - 64)
    return low, high


@kernel
def number_of_bytes(tables: Span, start: int, size: int) -> int:
    """Return the number of the token with these bytes of TOKEN_BYTES, or -1."""
    blob = section(tables, layout.TOKEN_BYTES)
    if size < 16:
        low, high = short_key(blob, start, size)
        found = find_short(tables, low, high, key_hash(low, high))
    else:
        found = find_long(tables, blob, start, size, hash_bytes(blob, start, size))
    return found - load64(tables, layout.FIRST_ID) if found >= 0 else -1


@kernel
def merge_by_bytes(tables: Span, start: int, numbers: Span, count: int) -> int:
    """Continue to merge what ``merge_plainly`` left of a token until two tokens are left, using all tokens. Return the
    number of tokens left."""
    offsets = section(tables, layout.TOKEN_OFFSETS)
    while count > 2:
        best = NO_TOKEN
        left = 0
        at = start
        for index in range(count - 1):
            first = load32(numbers, index << 2) << 2
            second = load32(numbers, (index << 2) + 4) << 2
            middle = at + load32(offsets, first + 4) - load32(offsets, first)
            end = middle + load32(offsets, second + 4) - load32(offsets, second)
            number = number_of_bytes(tables, at, end - at)
            if 0 <= number < best:
                best = number
                left = index
            at = middle
        if best == NO_TOKEN:
            break
        count -= 1
        store32(numbers, left << 2, best)
        for index in range(left + 1, count):
            store32(numbers, index << 2, load32(numbers, (index << 2) + 4))
    return count


@kernel
def put_pair(tables: Span, left: int, right: int, number: int) -> None:
    """Enter a merge into PAIRS, and into BIGRAMS if its parts are single bytes."""
    pairs = section(tables, layout.PAIRS)
    shift = load64(tables, layout.PAIR_SHIFT)
    last = shift_right(-1, shift) << 6
    pair = (left << NUMBER_BITS) | right
    line = pair_line(pair, shift)
    while load64(pairs, line + SLOTS_FULL) != -1:
        line = (line + 64) & last
    index = 0
    while load64(pairs, line + index) != -1:
        index += 8
    store64(pairs, line + index, (pair << NUMBER_BITS) | number)


@kernel
def put_short(tables: Span, start: int, size: int, number: int) -> None:
    """Enter a token of 1 to 15 bytes into LINES."""
    blob = section(tables, layout.TOKEN_BYTES)
    lines = section(tables, layout.LINES)
    shift = load64(tables, layout.LINE_SHIFT)
    last = shift_right(-1, shift)
    low, high = short_key(blob, start, size)
    line = shift_right(key_hash(low, high), shift)
    mark = load32(lines, (line << 6) + LINE_MARK)
    while mark & 3 == 3:
        store32(lines, (line << 6) + LINE_MARK, mark | OVERFLOWED)
        line = (line + 1) & last
        mark = load32(lines, (line << 6) + LINE_MARK)
    at = line << 6
    store64(lines, at + (mark << 4), low)
    store64(lines, at + (mark << 4) + 8, high)
    store32(lines, at + LINE_IDS + (mark << 2), number + load64(tables, layout.FIRST_ID))
    store32(lines, at + LINE_MARK, mark + 1)


@kernel
def put_long(tables: Span, start: int, size: int, number: int) -> None:
    """Enter a token of 16 bytes or more into LONGS."""
    slots = section(tables, layout.LONGS)
    shift = load64(tables, layout.LONG_SHIFT)
    last = shift_right(-1, shift)
    hashed = hash_bytes(section(tables, layout.TOKEN_BYTES), start, size)
    index = shift_right(hashed, shift)
    while load64(slots, index << 3) != 0:
        index = (index + 1) & last
    store64(slots, index << 3, ((hashed & 0xFFFFFFFF) << 32) | (number + 1))


@kernel
def fill_tables(tables: NDArray[np.uint8], unmerged: NDArray[np.uint32]) -> int:
    """Fill all sections of the tables from TOKEN_BYTES and TOKEN_OFFSETS.

    ``tables``: uint8[n], with header, directory and these two sections written, PAIRS all ones, everything else zero.
    ``unmerged``: uint32[TOKEN_COUNT]; receives the numbers of the tokens that no merge makes. Returns their count.
    """
    fixed = span(tables)
    odd_ones = span(unmerged)
    blob = section(fixed, layout.TOKEN_BYTES)
    offsets = section(fixed, layout.TOKEN_OFFSETS)
    bigrams = section(fixed, layout.BIGRAMS)
    space = np.empty(2 * load64(fixed, layout.LONGEST), np.uint32)
    numbers = span(space[: load64(fixed, layout.LONGEST)])
    merges = span(space[load64(fixed, layout.LONGEST) :])
    note_bytes(fixed)
    for number in range(load64(fixed, layout.TOKEN_COUNT)):
        start = load32(offsets, number << 2)
        size = load32(offsets, (number << 2) + 4) - start
        if 0 < size < 16:
            put_short(fixed, start, size, number)
        elif size > 0:
            put_long(fixed, start, size, number)
    odd = 0
    late = 0
    for number in range(load64(fixed, layout.TOKEN_COUNT)):
        start = load32(offsets, number << 2)
        size = load32(offsets, (number << 2) + 4) - start
        if size < 2:
            continue
        count = merge_plainly(fixed, start, size, numbers, merges)
        if count > 2:
            count = merge_by_bytes(fixed, start, numbers, count)
            late += count == 2
        if count != 2:
            store32(odd_ones, odd << 2, number)
            odd += 1
            continue
        put_pair(fixed, load32(numbers, 0), load32(numbers, 4), number)
        if size == 2:
            store32(bigrams, ((load8(blob, start) << 8) | load8(blob, start + 1)) << 2, number << 6)
    store64(fixed, layout.LATE, late)
    keep(space)
    return odd


@kernel
def offsets_are_sound(tables: Span) -> bool:
    """Return True if the offsets of the tokens ascend from the start of their bytes to the end."""
    offsets = section(tables, layout.TOKEN_OFFSETS)
    wrong = load32(offsets, 0) != 0
    for at in range(0, load64(tables, layout.TOKEN_COUNT) << 2, 4):
        wrong |= load32(offsets, at) > load32(offsets, at + 4)
    last = load32(offsets, load64(tables, layout.TOKEN_COUNT) << 2)
    return not wrong and last == length(section(tables, layout.TOKEN_BYTES))


@kernel
def lines_are_sound(tables: Span) -> bool:
    """Return True if the used slots of LINES have ids of this vocabulary, the others nothing that looks like a key, and
    every search terminates."""
    lines = section(tables, layout.LINES)
    first_id = load64(tables, layout.FIRST_ID)
    id_limit = first_id + load64(tables, layout.TOKEN_COUNT)
    wrong = False
    ends = 0
    for line in range(0, length(lines), 64):
        mark = load32(lines, line + LINE_MARK)
        wrong |= mark & ~(OVERFLOWED | 3) != 0
        ends += mark & OVERFLOWED == 0
        for index in range(3):
            token_id = load32(lines, line + LINE_IDS + (index << 2))
            is_key = load64(lines, line + (index << 4) + 8) != 0
            wrong |= is_key & ((index >= mark & 3) | (token_id < first_id) | (token_id >= id_limit))
    return not wrong and ends > 0


@kernel
def longs_are_sound(tables: Span) -> bool:
    """Return True if the slots of LONGS have numbers of this vocabulary, and one is empty."""
    slots = section(tables, layout.LONGS)
    count = load64(tables, layout.TOKEN_COUNT)
    wrong = False
    empty = 0
    for at in range(0, length(slots), 8):
        number = (load64(slots, at) & 0xFFFFFFFF) - 1
        is_empty = load64(slots, at) == 0
        empty += is_empty
        wrong |= (not is_empty) & ((number < 0) | (number >= count))
    return not wrong and empty > 0


@kernel
def pairs_are_sound(tables: Span) -> bool:
    """Return True if every pair makes a valid number and no probe sequence is endless."""
    pairs = section(tables, layout.PAIRS)
    count = load64(tables, layout.TOKEN_COUNT)
    empty = 0
    beyond = 0
    for at in range(0, length(pairs), 8):
        slot = load64(pairs, at)
        number = slot & NUMBER_MASK
        empty += slot == -1
        beyond += number >= count
    ends = 0
    for line in range(0, length(pairs), 64):
        ends += load64(pairs, line + SLOTS_FULL) == -1
    return ends > 0 and beyond == empty  # an empty slot is all ones, so its number is out of range


@kernel
def bytes_are_sound(tables: Span) -> bool:
    """Return True if single bytes, and the merges of two of them, are numbers of this vocabulary."""
    numbers = section(tables, layout.BYTE_TOKENS)
    bigrams = section(tables, layout.BIGRAMS)
    count = load64(tables, layout.TOKEN_COUNT)
    wrong = False
    for at in range(0, length(numbers), 4):
        wrong |= load32(numbers, at) >= count
    for at in range(0, length(bigrams), 4):
        merge = load32(bigrams, at)
        wrong |= (merge < NO_MERGE) & ((merge & 63 != 0) | (merge >> 6 >= count))
    return not wrong


@kernel
def contents_are_sound(tables: NDArray[np.uint8]) -> bool:
    """Return True if all sections are sound. ``tables``: uint8[n], with a valid header and directory
    (``engine.vocabulary.tables``)."""
    fixed = span(tables)
    return (
        offsets_are_sound(fixed)
        and lines_are_sound(fixed)
        and longs_are_sound(fixed)
        and pairs_are_sound(fixed)
        and bytes_are_sound(fixed)
    )
