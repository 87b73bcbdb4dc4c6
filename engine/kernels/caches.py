"""What pieces that are no tokens were merged into, remembered in bounded space.

*Words* are pieces of 1 to 15 bytes. A line of 64 bytes holds two keys with their values; a third word that belongs
there goes to the line beside it, and when that is full, too, pushes out the older of the two.

Longer pieces have a table of slots that point into the *arena*, where their bytes stand for comparison and their ids
behind them. A full arena is forgotten as a whole: its *epoch* counts up, and whatever was noted in an earlier epoch
counts as not found.

Both are small at first and grow with what they hold (``engine.kernels.growing``).
"""

from __future__ import annotations

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import shift_right
from engine.kernels.layout import section
from engine.kernels.lookup import equal_bytes
from engine.kernels.memory import Span, length, load8, load32, load64, store8, store32, store64
from engine.kernels.values import COUNT_SHIFT, ELSEWHERE, LOW_HALF, MOST_INLINE, put_elsewhere, put_inline
from engine.kernels.vectors import LINE

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
