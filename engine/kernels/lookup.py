"""Looking up whole pieces: those that are tokens, and those whose merging is remembered in bounded space.

*Tokens* are found by their bytes in the tables (``find_short``, ``find_long``). A piece of 1 to 15 bytes is a 16-byte
*key*: its bytes, zeros, and its length in the last byte. Two pieces are equal exactly when their keys are, so a
comparison of keys is a proof, not a guess. Tokens of that size stand in lines of one cache line, in the order of their
ids: a line has three keys, three ids and a fill mark (how many are used; plus ``OVERFLOWED`` when a token that belongs
there had to go to the next line).

What a piece was found to be is a *value* of two 64-bit words, small enough to stand beside its key (``put_inline``,
``put_elsewhere``). The four highest bits of the first word say how many tokens: 1 to 6, whose ids stand in the value
itself, 20 bits each, three to a word. ``ELSEWHERE`` means that the ids are in the arena: the low half of the first word
is their place, the low half of the second their number, its high half the epoch of the arena in which that is true.

Two caches remember what pieces that are no tokens were merged into:

* *Words* are pieces of 1 to 15 bytes (``put_word``). A line of 64 bytes holds two keys with their values; a third word
  that belongs there goes to the line beside it, and when that is full, too, pushes out the older of the two.
* Longer pieces have a table of slots that point into the *arena* (``remember``, ``recall``), where their bytes stand
  for comparison and their ids behind them. A full arena is forgotten as a whole: its *epoch* counts up, and whatever
  was noted in an earlier epoch counts as not found.

Both caches are small at first, and ``make_room`` doubles them where they are when much has come in. Memory has its
price when it is first touched, and a table that is much larger than what it holds is spread over more of the
processor's caches than it needs. A part of a table belongs where the lowest bits of a hash say; when it is doubled one
more bit counts, so all that stands in a place stays there or goes to the same place in the new half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.layout import BATCH, BATCH_BYTES, DIRECTORY, NUMBER_BITS, section
from engine.kernels.memory import Span, length, load8, load32, load64, span, store8, store32, store64
from engine.kernels.vectors import (
    LINE,
    copy_line,
    fold_multiply,
    multiply_wrapping,
    same_line,
    shift_left,
    shift_right,
    spread_ids,
)

HASH_A = -7046029254386353131
HASH_B = -4658895280553007687
"""Odd numbers without a pattern, as multipliers and starting points of hashes."""

KEY_MASKS = np.where(np.tri(16, 16, -1, dtype=bool), np.uint8(0xFF), np.uint8(0)).reshape(-1)
"""uint8[256]: sixteen rows of 16 bytes; in row n the first n are all ones. What kernels that make keys are given."""
KEY_MASKS.flags.writeable = False

OVERFLOWED = 0x80
LINE_IDS = 48
LINE_MARK = 60


@inline_kernel
def key_low(text: Span, masks: Span, byte_start: int, size: int) -> int:
    """First half of the key of a piece of 1 to 15 bytes. 16 bytes are read from ``byte_start`` on."""
    return load64(text, byte_start) & load64(masks, size << 4)


@inline_kernel
def key_high(text: Span, masks: Span, byte_start: int, size: int) -> int:
    """Second half of the key, with the length in its highest byte."""
    return (load64(text, byte_start + 8) & load64(masks, (size << 4) + 8)) | (size << 56)


@inline_kernel
def key_hash(low: int, high: int) -> int:
    """Hash of a key: 64 bits, the highest and the lowest equally good."""
    return fold_multiply(low ^ HASH_A, high ^ HASH_B)


@kernel
def hash_bytes(text: Span, byte_start: int, size: int) -> int:
    """Hash of a stretch of 16 bytes or more. Its last 16 bytes are taken at once, some of them for the second time."""
    mixed = multiply_wrapping(size, HASH_B)
    last = byte_start + size - 16
    for at in range(byte_start, last, 16):
        mixed = fold_multiply(mixed ^ load64(text, at), load64(text, at + 8) ^ HASH_B)
    mixed = fold_multiply(mixed ^ load64(text, last), load64(text, last + 8) ^ HASH_A)
    return multiply_wrapping(mixed, HASH_B)


@kernel
def equal_bytes(left: Span, left_start: int, right: Span, right_start: int, size: int) -> bool:
    """Whether two stretches of 8 bytes or more have the same bytes."""
    done = 0
    while done + LINE <= size:
        if not same_line(left, left_start + done, right, right_start + done):
            return False
        done += LINE
    while done + 8 <= size:
        if load64(left, left_start + done) != load64(right, right_start + done):
            return False
        done += 8
    # The last 8 at once, some of them for the second time.
    return load64(left, left_start + size - 8) == load64(right, right_start + size - 8)


@kernel
def find_short(tables: Span, low: int, high: int, key_hashed: int) -> int:
    """The id of the token with this key, or -1."""
    lines = section(tables, layout.LINES)
    shift = load64(tables, layout.LINE_SHIFT)
    last = shift_right(-1, shift)
    line = shift_right(key_hashed, shift)
    while True:
        at = line << 6
        for place in range(3):
            if load64(lines, at + (place << 4)) == low and load64(lines, at + (place << 4) + 8) == high:
                return load32(lines, at + LINE_IDS + (place << 2))
        if load32(lines, at + LINE_MARK) & OVERFLOWED == 0:
            return -1
        line = (line + 1) & last


@kernel
def find_long(tables: Span, text: Span, byte_start: int, size: int, hashed: int) -> int:
    """The id of the token of 16 bytes or more with exactly these bytes, or -1. ``hashed``: their ``hash_bytes``."""
    slots = section(tables, layout.LONGS)
    blob = section(tables, layout.TOKEN_BYTES)
    offsets = section(tables, layout.TOKEN_OFFSETS)
    shift = load64(tables, layout.LONG_SHIFT)
    last = shift_right(-1, shift)
    place = shift_right(hashed, shift)
    tag = hashed & 0xFFFFFFFF
    while True:
        slot = load64(slots, place << 3)
        if slot == 0:
            return -1
        if shift_right(slot, 32) == tag:
            number = (slot & 0xFFFFFFFF) - 1
            start = load32(offsets, number << 2)
            if load32(offsets, (number << 2) + 4) - start == size and equal_bytes(blob, start, text, byte_start, size):
                return number + load64(tables, layout.FIRST_ID)
        place = (place + 1) & last


COUNT_SHIFT = 60
ELSEWHERE = 15
MOST_INLINE = 6
LOW_HALF = 0xFFFFFFFF


@inline_kernel
def token_count(first: int, second: int) -> int:
    """How many tokens a value stands for."""
    count = shift_right(first, COUNT_SHIFT)
    if count == ELSEWHERE:
        count = second & LOW_HALF
    return count


@inline_kernel
def one_token(token_id: int) -> int:
    """First word of the value of a piece that is a token."""
    return token_id | (1 << COUNT_SHIFT)


@kernel
def put_inline(values: Span, byte_offset: int, ids: Span, count: int) -> None:
    """Write the value of a piece of at most ``MOST_INLINE`` tokens."""
    first = shift_left(count, COUNT_SHIFT)
    second = 0
    for place in range(count):
        token_id = load32(ids, place << 2)
        if place < 3:
            first |= token_id << (NUMBER_BITS * place)
        else:
            second |= token_id << (NUMBER_BITS * (place - 3))
    store64(values, byte_offset, first)
    store64(values, byte_offset + 8, second)


@kernel
def put_elsewhere(values: Span, byte_offset: int, place: int, count: int, epoch: int) -> None:
    """Write the value of a piece whose ids are in the arena."""
    store64(values, byte_offset, shift_left(ELSEWHERE, COUNT_SHIFT) | place)
    store64(values, byte_offset + 8, (epoch << 32) | count)


@inline_kernel
def emit(out: Span, at: int, values: Span, byte_offset: int, arena: Span) -> int:
    """Append the ids of a value to ``out`` at byte offset ``at``. The offset behind them; up to ``SPREAD`` ids more
    than that may be overwritten."""
    first = load64(values, byte_offset)
    count = shift_right(first, COUNT_SHIFT)
    spread_ids(out, at, values, byte_offset)
    if count == ELSEWHERE:
        count = load64(values, byte_offset + 8) & LOW_HALF
        source = first & LOW_HALF
        for place in range(count):
            store32(out, at + (place << 2), load32(arena, source + (place << 2)))
    return at + (count << 2)


WORD_VALUES = 32
"""Where in a line of words the values stand: behind the two keys. A key is never all zero, an empty one is."""
SECOND_WORD = 0b0100
BOTH_WORDS = 0b0101
"""Bits of ``match_keys`` that are words: the third key would be a value."""

SLOT = 32


@inline_kernel
def is_current(first: int, second: int, epoch: int) -> bool:
    """Whether a value still holds."""
    return (shift_right(first, COUNT_SHIFT) != ELSEWHERE) | (shift_right(second, 32) == epoch)


@inline_kernel
def word_line(words: Span, hashed: int) -> int:
    """Byte offset in WORDS of the line where a word belongs. Lines are a power of two."""
    return (hashed & ((length(words) >> 6) - 1)) << 6


@inline_kernel
def is_word(words: Span, entry: int, low: int, high: int) -> bool:
    """Whether the word with this key stands at a byte offset of the cache."""
    return (load64(words, entry) == low) & (load64(words, entry + 8) == high)


@inline_kernel
def is_free(words: Span, entry: int) -> bool:
    """Whether nothing stands there."""
    return load64(words, entry + 8) == 0


@kernel
def place_of_word(words: Span, line: int, low: int, high: int) -> int:
    """Byte offset of the key of a word: where it is, else where there is room in its line or the one beside it, else
    the front of its line, after the one there has pushed the other out. ``line``: where the word belongs."""
    for at in (line, line + 16, line ^ LINE, (line ^ LINE) + 16):
        if is_free(words, at) or is_word(words, at, low, high):
            return at
    for half in range(0, 16, 8):
        store64(words, line + 16 + half, load64(words, line + half))
        store64(words, line + WORD_VALUES + 16 + half, load64(words, line + WORD_VALUES + half))
    return line


@kernel
def put_word(words: Span, line: int, low: int, high: int, values: Span, byte_offset: int) -> None:
    """Note the value of a word."""
    at = place_of_word(words, line, low, high)
    store64(words, at, low)
    store64(words, at + 8, high)
    store64(words, at + WORD_VALUES, load64(values, byte_offset))
    store64(words, at + WORD_VALUES + 8, load64(values, byte_offset + 8))


@kernel
def find_beside(words: Span, line: int, low: int, high: int) -> int:
    """Byte offset of the value of a word in the line beside its own, or -1. Only a full line has words there."""
    if is_free(words, line + 16):
        return -1
    for at in (line ^ LINE, (line ^ LINE) + 16):
        if is_word(words, at, low, high):
            return at + WORD_VALUES
    return -1


@inline_kernel
def slot_line(state: Span, hashed: int) -> int:
    """Byte offset in SLOTS of the two slots where a longer piece belongs. Their number is a power of two."""
    return (hashed & (shift_right(length(section(state, layout.SLOTS)), 6) - 1)) << 6


@kernel
def recall(state: Span, text: Span, byte_start: int, size: int, hashed: int) -> int:
    """Byte offset of the slot that knows this piece of 16 to ``LONGEST_CACHED`` bytes, or -1."""
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
    """Write the value of the piece of a slot. How many tokens it has."""
    slots = section(state, layout.SLOTS)
    place = (load64(slots, slot + 8) & LOW_HALF) + ((load64(slots, slot + 16) + 7) & -8)
    count = load64(slots, slot + 24)
    put_elsewhere(section(state, layout.VALUES), byte_offset, place, count, load64(state, layout.EPOCH))
    return count


@kernel
def keep_ids(state: Span, ids: Span, count: int) -> int:
    """Put ids into the arena. The byte offset where they stand."""
    arena = section(state, layout.ARENA)
    start = load64(state, layout.ARENA_USED)
    for place in range(count):
        store32(arena, start + (place << 2), load32(ids, place << 2))
    store64(state, layout.ARENA_USED, start + (((count << 2) + 7) & -8))
    return start


@kernel
def put_slot(slots: Span, slot: int, hashed: int, where: int, size: int, count: int) -> None:
    """Fill the first slot of a line; what it held goes to the second."""
    for place in range(0, SLOT, 8):
        store64(slots, slot + SLOT + place, load64(slots, slot + place))
    store64(slots, slot, hashed)
    store64(slots, slot + 8, where)
    store64(slots, slot + 16, size)
    store64(slots, slot + 24, count)


@kernel
def remember(state: Span, text: Span, byte_start: int, size: int, hashed: int, ids: Span, count: int) -> int:
    """Note a piece of 16 to ``LONGEST_CACHED`` bytes and its ids, at the front of its two slots. Its slot."""
    arena = section(state, layout.ARENA)
    start = load64(state, layout.ARENA_USED)
    for place in range(size):
        store8(arena, start + place, load8(text, byte_start + place))
    store64(state, layout.ARENA_USED, start + ((size + 7) & -8))
    keep_ids(state, ids, count)
    slot = slot_line(state, hashed)
    put_slot(section(state, layout.SLOTS), slot, hashed, (load64(state, layout.EPOCH) << 32) | start, size, count)
    store64(state, layout.SLOT_COUNT, load64(state, layout.SLOT_COUNT) + 1)
    return slot


@kernel
def put_value(state: Span, byte_offset: int, ids: Span, count: int) -> None:
    """Write the value of a word whose ids are given; those of more than ``MOST_INLINE`` tokens go into the arena."""
    values = section(state, layout.VALUES)
    if count <= MOST_INLINE:
        put_inline(values, byte_offset, ids, count)
    else:
        put_elsewhere(values, byte_offset, keep_ids(state, ids, count), count, load64(state, layout.EPOCH))


NEEDED_BY_BATCH = 5 * BATCH_BYTES + 32 * BATCH
"""Bytes of the arena that one batch may take: the bytes of its pieces and as many ids."""


@inline_kernel
def _double(state: Span, number: int, limit: int) -> int:
    """Have a section take twice its bytes, and its limit, a word of the header, count twice as many. Its bytes before;
    what is behind them has never been written to."""
    entry = DIRECTORY + 16 * number + 8
    size = load64(state, entry)
    store64(state, entry, 2 * size)
    store64(state, limit, 2 * load64(state, limit))
    return size


@inline_kernel
def _clear(span: Span, byte_start: int, size: int) -> None:
    for place in range(byte_start, byte_start + size, 8):
        store64(span, place, 0)


@kernel
def grow_words(state: Span) -> None:
    """Double the cache of words. A word stands in its line or in the one beside it, so lines go in twos."""
    size = _double(state, layout.WORDS, layout.WORD_LIMIT)
    words = section(state, layout.WORDS)
    taken = section(state, layout.VALUES)  # between two batches there is nothing in it
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
    """Double the cache of longer pieces. Of two in a line the first is the newer."""
    size = _double(state, layout.SLOTS, layout.SLOT_LIMIT)
    slots = section(state, layout.SLOTS)
    taken = section(state, layout.VALUES)
    for line in range(0, size, LINE):
        copy_line(taken, 0, slots, line)
        _clear(slots, line, LINE)
        for at in (SLOT, 0):
            bytes_of_piece = load64(taken, at + 16)
            if bytes_of_piece > 0:
                hashed = load64(taken, at)
                where = load64(taken, at + 8)
                put_slot(slots, slot_line(state, hashed), hashed, where, bytes_of_piece, load64(taken, at + 24))


@inline_kernel
def _is_full(state: Span, number: int, count: int, limit: int, room: int) -> bool:
    """Whether a cache has more in it than it should, and may still grow. Words of the header: how many, how many at
    most, bytes at most."""
    full = load64(state, count) > load64(state, limit)
    return full and 2 * length(section(state, number)) <= load64(state, room)


@kernel
def make_room(state: Span) -> None:
    """Before a batch: forget the arena if the batch might not fit into it, and have the caches grow."""
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
    """Where each token ends, in bytes from the start of the first.

    ``ids``: uint32[n], ids of mergeable tokens; ``tables``: see ``layout``; ``ends``: int64[n], written.
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
