"""Room for what the caches learn: they are small at first, and are doubled where they are when much has come in.

Memory has its price when it is first touched, and a table that is much larger than what it holds is spread over more
of the processor's caches than it needs. A part of a table belongs where the lowest bits of a hash say; when it is
doubled one more bit counts, so all that stands in a place stays there or goes to the same place in the new half.
"""

from __future__ import annotations

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.caches import SLOT, WORD_VALUES, is_free, put_slot, put_word, slot_line, word_line
from engine.kernels.layout import BATCH, BATCH_BYTES, DIRECTORY, section
from engine.kernels.lookup import key_hash
from engine.kernels.memory import Span, length, load64, store64
from engine.kernels.vectors import LINE, copy_line

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
