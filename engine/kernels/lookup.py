"""Lookup of whole pretokens: tokens, and cached results of merging, in bounded space.

*Tokens* are found by their bytes in the tables (``find_short``, ``find_long``). A pretoken of 1 to 15 bytes is a
16-byte *key*: its bytes, zeros, and its length in the last byte. Two pretokens are equal exactly if their keys are, so
comparing keys is a proof, not a guess. Tokens of that size are in lines of one cache line, in the order of their ids: a
line has three keys, three ids and a fill mark (number of used slots; plus ``OVERFLOWED`` if a token that belongs there
had to go to the next line).

The result for a pretoken is a *value* of two 64-bit words, small enough to store beside its key (``put_inline``,
``put_elsewhere``). The four highest bits of the first word give the number of tokens: 1 to 6, whose ids are in the
value itself, 20 bits each, three per word. ``ELSEWHERE`` means that the ids are in the arena: the low half of the first
word is their offset, the low half of the second their number, its high half the epoch of the arena in which this is
valid.

Two caches store what pretokens that are not tokens were merged into:

* *Words* are pretokens of 1 to 15 bytes (``put_word``). A line of 64 bytes holds two keys with their values. A third
  word that belongs there goes to the neighbouring line; if that is full too, it replaces the older of the two.
* Longer pretokens have a table of slots that point into the *arena* (``remember``, ``recall``), which stores their
  bytes for comparison, followed by their ids. A full arena is dropped as a whole: its *epoch* is incremented, and
  entries of an earlier epoch count as not found.

Both caches start small, and ``make_room`` doubles them in place as they fill. Memory costs time when it is first
touched, and a table much larger than its content takes more of the processor's caches than it needs. The lowest bits of
a hash give an entry's line. Doubling adds one bit, so every entry either stays or moves to the same position in the new
half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.layout import BATCH, BATCH_BYTES, DIRECTORY, SLOT, section
from engine.kernels.primitives import (
    LINE,
    NUMBER_BITS,
    Span,
    copy_line,
    fold_multiply,
    length,
    load8,
    load32,
    load64,
    multiply_wrapping,
    same_line,
    shift_left,
    shift_right,
    span,
    spread_ids,
    store8,
    store32,
    store64,
)

HASH_A = -7046029254386353131
HASH_B = -4658895280553007687
"""Odd numbers without a pattern, used as multipliers and initial values of hashes."""

KEY_MASKS = np.where(np.tri(16, 16, -1, dtype=bool), np.uint8(0xFF), np.uint8(0)).reshape(-1)
"""uint8[256]: sixteen rows of 16 bytes; in row n the first n are all ones. Argument of kernels that make keys."""
KEY_MASKS.flags.writeable = False

OVERFLOWED = 0x80
LINE_IDS = 48
LINE_MARK = 60


@inline_kernel
def key_low(text: Span, masks: Span, byte_start: int, size: int) -> int:
    """Return the first half of the key of a pretoken of 1 to 15 bytes. Reads 16 bytes from ``byte_start``."""
    return load64(text, byte_start) & load64(masks, size << 4)


@inline_kernel
def key_high(text: Span, masks: Span, byte_start: int, size: int) -> int:
    """Return the second half of the key, with the length in its highest byte."""
    return (load64(text, byte_start + 8) & load64(masks, (size << 4) + 8)) | (size << 56)


@inline_kernel
def key_hash(low: int, high: int) -> int:
    """Return the hash of a key: 64 bits, the highest and the lowest equally good."""
    return fold_multiply(low ^ HASH_A, high ^ HASH_B)


@kernel
def hash_bytes(text: Span, byte_start: int, size: int) -> int:
    """Return the hash of a span of 16 bytes or more. Its last 16 bytes are read at once, some for the second time."""
    mixed = multiply_wrapping(size, HASH_B)
    last = byte_start + size - 16
    for at in range(byte_start, last, 16):
        mixed = fold_multiply(mixed ^ load64(text, at), load64(text, at + 8) ^ HASH_B)
    mixed = fold_multiply(mixed ^ load64(text, last), load64(text, last + 8) ^ HASH_A)
    return multiply_wrapping(mixed, HASH_B)


@kernel
def equal_bytes(left: Span, left_start: int, right: Span, right_start: int, size: int) -> bool:
    """Return True if two spans of 8 bytes or more have the same bytes."""
    done = 0
    while done + LINE <= size:
        if not same_line(left, left_start + done, right, right_start + done):
            return False
        done += LINE
    while done + 8 <= size:
        if load64(left, left_start + done) != load64(right, right_start + done):
            return False
        done += 8
    # The last 8 bytes at once, some for the second time.
    return load64(left, left_start + size - 8) == load64(right, right_start + size - 8)


@kernel
def find_short(tables: Span, low: int, high: int, key_hashed: int) -> int:
    """Return the id of the token with this key, or -1."""
    lines = section(tables, layout.LINES)
    shift = load64(tables, layout.LINE_SHIFT)
    last = shift_right(-1, shift)
    line = shift_right(key_hashed, shift)
    while True:
        at = line << 6
        for index in range(3):
            if load64(lines, at + (index << 4)) == low and load64(lines, at + (index << 4) + 8) == high:
                return load32(lines, at + LINE_IDS + (index << 2))
        if load32(lines, at + LINE_MARK) & OVERFLOWED == 0:
            return -1
        line = (line + 1) & last


@kernel
def find_long(tables: Span, text: Span, byte_start: int, size: int, hashed: int) -> int:
    """Return the id of the token with exactly these 16 bytes or more, or -1. ``hashed``: their ``hash_bytes``."""
    slots = section(tables, layout.LONGS)
    blob = section(tables, layout.TOKEN_BYTES)
    offsets = section(tables, layout.TOKEN_OFFSETS)
    shift = load64(tables, layout.LONG_SHIFT)
    last = shift_right(-1, shift)
    index = shift_right(hashed, shift)
    tag = hashed & 0xFFFFFFFF
    while True:
        slot = load64(slots, index << 3)
        if slot == 0:
            return -1
        if shift_right(slot, 32) == tag:
            number = (slot & 0xFFFFFFFF) - 1
            start = load32(offsets, number << 2)
            if load32(offsets, (number << 2) + 4) - start == size and equal_bytes(blob, start, text, byte_start, size):
                return number + load64(tables, layout.FIRST_ID)
        index = (index + 1) & last


# --- values: ids, inline or elsewhere ---------------------------------------------------------------------------------

COUNT_SHIFT = 60
ELSEWHERE = 15
MAX_INLINE = 6
LOW_HALF = 0xFFFFFFFF


@inline_kernel
def token_count(first: int, second: int) -> int:
    """Return the number of tokens in a value."""
    count = shift_right(first, COUNT_SHIFT)
    if count == ELSEWHERE:
        count = second & LOW_HALF
    return count


@inline_kernel
def one_token(token_id: int) -> int:
    """Return the first word of the value of a pretoken that is a token."""
    return token_id | (1 << COUNT_SHIFT)


@kernel
def put_inline(values: Span, byte_offset: int, ids: Span, count: int) -> None:
    """Write the value of a pretoken of at most ``MAX_INLINE`` tokens."""
    first = shift_left(count, COUNT_SHIFT)
    second = 0
    for index in range(count):
        token_id = load32(ids, index << 2)
        if index < 3:
            first |= token_id << (NUMBER_BITS * index)
        else:
            second |= token_id << (NUMBER_BITS * (index - 3))
    store64(values, byte_offset, first)
    store64(values, byte_offset + 8, second)


@kernel
def put_elsewhere(values: Span, byte_offset: int, index: int, count: int, epoch: int) -> None:
    """Write the value of a pretoken whose ids are in the arena."""
    store64(values, byte_offset, shift_left(ELSEWHERE, COUNT_SHIFT) | index)
    store64(values, byte_offset + 8, (epoch << 32) | count)


@inline_kernel
def emit(out: Span, at: int, values: Span, byte_offset: int, arena: Span) -> int:
    """Append the ids of a value to ``out`` at byte offset ``at``. Return the offset after them; up to ``SPREAD`` more
    ids may be overwritten."""
    first = load64(values, byte_offset)
    count = shift_right(first, COUNT_SHIFT)
    spread_ids(out, at, values, byte_offset)
    if count == ELSEWHERE:
        count = load64(values, byte_offset + 8) & LOW_HALF
        source = first & LOW_HALF
        for index in range(count):
            store32(out, at + (index << 2), load32(arena, source + (index << 2)))
    return at + (count << 2)


# --- cached words -----------------------------------------------------------------------------------------------------

WORD_VALUES = 32
"""Byte offset of the values in a line of words, after the two keys. A key is never all zero, an empty slot is."""
SECOND_WORD = 0b0100
BOTH_WORDS = 0b0101
"""Bits of ``match_keys`` that are words; the third key would be a value."""


@inline_kernel
def is_current(first: int, second: int, epoch: int) -> bool:
    """Return True if a value is still valid."""
    return (shift_right(first, COUNT_SHIFT) != ELSEWHERE) | (shift_right(second, 32) == epoch)


@inline_kernel
def word_line(words: Span, hashed: int) -> int:
    """Return the byte offset in WORDS of a word's line. The number of lines is a power of two."""
    return (hashed & ((length(words) >> 6) - 1)) << 6


@inline_kernel
def is_word(words: Span, entry: int, low: int, high: int) -> bool:
    """Return True if the word with this key is at a byte offset of the cache."""
    return (load64(words, entry) == low) & (load64(words, entry + 8) == high)


@inline_kernel
def is_free(words: Span, entry: int) -> bool:
    """Return True if a slot is empty."""
    return load64(words, entry + 8) == 0


@kernel
def offset_of_word(words: Span, line: int, low: int, high: int) -> int:
    """Return the byte offset for the key of a word: its slot if it is cached, else a free slot in its line or the
    neighbouring one, else the front of its line, after moving that entry to the second slot. ``line``: byte offset of
    the word's line."""
    for at in (line, line + 16, line ^ LINE, (line ^ LINE) + 16):
        if is_free(words, at) or is_word(words, at, low, high):
            return at
    for half in range(0, 16, 8):
        store64(words, line + 16 + half, load64(words, line + half))
        store64(words, line + WORD_VALUES + 16 + half, load64(words, line + WORD_VALUES + half))
    return line


@kernel
def put_word(words: Span, line: int, low: int, high: int, values: Span, byte_offset: int) -> None:
    """Cache the value of a word."""
    at = offset_of_word(words, line, low, high)
    store64(words, at, low)
    store64(words, at + 8, high)
    store64(words, at + WORD_VALUES, load64(values, byte_offset))
    store64(words, at + WORD_VALUES + 8, load64(values, byte_offset + 8))


@kernel
def find_beside(words: Span, line: int, low: int, high: int) -> int:
    """Return the byte offset of a word's value in the neighbouring line, or -1. Only full lines overflow there."""
    if is_free(words, line + 16):
        return -1
    for at in (line ^ LINE, (line ^ LINE) + 16):
        if is_word(words, at, low, high):
            return at + WORD_VALUES
    return -1


@inline_kernel
def slot_line(state: Span, hashed: int) -> int:
    """Return the byte offset in SLOTS of a longer pretoken's two slots. Their number is a power of two."""
    return (hashed & (shift_right(length(section(state, layout.SLOTS)), 6) - 1)) << 6


@kernel
def recall(state: Span, text: Span, byte_start: int, size: int, hashed: int) -> int:
    """Return the byte offset of the slot of this pretoken of 16 to ``LONGEST_CACHED`` bytes, or -1."""
    slots = section(state, layout.SLOTS)
    arena = section(state, layout.ARENA)
    epoch = load64(state, layout.EPOCH)
    slot = slot_line(state, hashed)
    for _ in range(2):
        where = load64(slots, slot + 8)
        same = (load64(slots, slot) == hashed) & (load64(slots, slot + 16) == size)
        if same and shift_right(where, 32) == epoch and equal_bytes(arena, where & LOW_HALF, text, byte_start, size):
            return slot
        slot += SLOT
    return -1


@inline_kernel
def put_recalled(state: Span, slot: int, byte_offset: int) -> int:
    """Write the value of the pretoken in a slot. Return its number of tokens."""
    slots = section(state, layout.SLOTS)
    index = (load64(slots, slot + 8) & LOW_HALF) + ((load64(slots, slot + 16) + 7) & -8)
    count = load64(slots, slot + 24)
    put_elsewhere(section(state, layout.VALUES), byte_offset, index, count, load64(state, layout.EPOCH))
    return count


@kernel
def keep_ids(state: Span, ids: Span, count: int) -> int:
    """Write ids to the arena. Return their byte offset."""
    arena = section(state, layout.ARENA)
    start = load64(state, layout.ARENA_USED)
    for index in range(count):
        store32(arena, start + (index << 2), load32(ids, index << 2))
    store64(state, layout.ARENA_USED, start + (((count << 2) + 7) & -8))
    return start


@kernel
def put_slot(slots: Span, slot: int, hashed: int, where: int, size: int, count: int) -> None:
    """Fill the first slot of a line. Its previous content moves to the second."""
    for index in range(0, SLOT, 8):
        store64(slots, slot + SLOT + index, load64(slots, slot + index))
    store64(slots, slot, hashed)
    store64(slots, slot + 8, where)
    store64(slots, slot + 16, size)
    store64(slots, slot + 24, count)


@kernel
def remember(state: Span, text: Span, byte_start: int, size: int, hashed: int, ids: Span, count: int) -> int:
    """Cache a pretoken of 16 to ``LONGEST_CACHED`` bytes and its ids in the first of its slots. Return the slot."""
    arena = section(state, layout.ARENA)
    start = load64(state, layout.ARENA_USED)
    for index in range(size):
        store8(arena, start + index, load8(text, byte_start + index))
    store64(state, layout.ARENA_USED, start + ((size + 7) & -8))
    keep_ids(state, ids, count)
    slot = slot_line(state, hashed)
    put_slot(section(state, layout.SLOTS), slot, hashed, (load64(state, layout.EPOCH) << 32) | start, size, count)
    store64(state, layout.SLOT_COUNT, load64(state, layout.SLOT_COUNT) + 1)
    return slot


@kernel
def put_value(state: Span, byte_offset: int, ids: Span, count: int) -> None:
    """Write the value of a word with these ids. Those of more than ``MAX_INLINE`` tokens go into the arena."""
    values = section(state, layout.VALUES)
    if count <= MAX_INLINE:
        put_inline(values, byte_offset, ids, count)
    else:
        put_elsewhere(values, byte_offset, keep_ids(state, ids, count), count, load64(state, layout.EPOCH))


# --- space ------------------------------------------------------------------------------------------------------------

NEEDED_BY_BATCH = 5 * BATCH_BYTES + 32 * BATCH
"""Maximum space in the arena for one batch, in bytes: the bytes of its pretokens and as many ids."""


@inline_kernel
def _double(state: Span, number: int, limit: int) -> int:
    """Double a section's size and its limit, a word of the header. Return its previous size in bytes; the memory after
    that has never been written."""
    entry = DIRECTORY + 16 * number + 8
    size = load64(state, entry)
    store64(state, entry, 2 * size)
    store64(state, limit, 2 * load64(state, limit))
    return size


@inline_kernel
def _clear(span: Span, byte_start: int, size: int) -> None:
    for index in range(byte_start, byte_start + size, 8):
        store64(span, index, 0)


@kernel
def grow_words(state: Span) -> None:
    """Double the cache of words. A word is in its line or the neighbouring one, so lines are moved in pairs."""
    size = _double(state, layout.WORDS, layout.WORD_LIMIT)
    words = section(state, layout.WORDS)
    taken = section(state, layout.VALUES)  # empty between two batches
    for pair in range(0, size, 2 * LINE):
        if is_free(words, pair) and is_free(words, pair + LINE):
            continue
        copy_line(taken, 0, words, pair)
        copy_line(taken, LINE, words, pair + LINE)
        _clear(words, pair, 2 * LINE)
        for at in (0, 16, LINE, LINE + 16):
            if not is_free(taken, at):
                low = load64(taken, at)
                high = load64(taken, at + 8)
                put_word(words, word_line(words, key_hash(low, high)), low, high, taken, at + WORD_VALUES)


@kernel
def grow_slots(state: Span) -> None:
    """Double the cache of longer pretokens. The first of two in a line is the newer."""
    size = _double(state, layout.SLOTS, layout.SLOT_LIMIT)
    slots = section(state, layout.SLOTS)
    taken = section(state, layout.VALUES)
    for line in range(0, size, LINE):
        copy_line(taken, 0, slots, line)
        _clear(slots, line, LINE)
        for at in (SLOT, 0):
            size_in_bytes = load64(taken, at + 16)
            if size_in_bytes > 0:
                hashed = load64(taken, at)
                where = load64(taken, at + 8)
                put_slot(slots, slot_line(state, hashed), hashed, where, size_in_bytes, load64(taken, at + 24))


@inline_kernel
def _is_full(state: Span, number: int, count: int, limit: int, room: int) -> bool:
    """Return True if a cache holds more than its limit and may still grow. Header words: count, limit of the count,
    maximum size in bytes."""
    full = load64(state, count) > load64(state, limit)
    return full and 2 * length(section(state, number)) <= load64(state, room)


@kernel
def make_room(state: Span) -> None:
    """Prepare for a batch: drop the arena if the batch might not fit, and grow the caches if they are full."""
    used = load64(state, layout.ARENA_USED)
    if used + NEEDED_BY_BATCH > length(section(state, layout.ARENA)):
        store64(state, layout.ARENA_USED, 0)
        store64(state, layout.EPOCH, load64(state, layout.EPOCH) + 1)
    if _is_full(state, layout.WORDS, layout.WORD_COUNT, layout.WORD_LIMIT, layout.WORD_ROOM):
        grow_words(state)
    if _is_full(state, layout.SLOTS, layout.SLOT_COUNT, layout.SLOT_LIMIT, layout.SLOT_ROOM):
        grow_slots(state)


@kernel
def note_token_ends(ids: NDArray[np.uint32], tables: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
    """Write the end of each token, in bytes from the start of the first.

    ``ids``: uint32[n], ids of mergeable tokens. ``tables``: see ``layout``. ``ends``: int64[n], written.
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
