"""Pieces that are not tokens themselves: looked up in the caches, and merged where no cache knows them.

As in ``batch``, each loop does one thing for all of them, and what memory is needed for next is asked for ahead.
"""

from __future__ import annotations

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import select, shift_right, trailing_zeros
from engine.kernels.caches import (
    BOTH_WORDS,
    SECOND_WORD,
    WORD_VALUES,
    find_beside,
    is_current,
    put_recalled,
    put_value,
    put_word,
    recall,
    remember,
    slot_line,
    word_line,
)
from engine.kernels.lanes import ENTRY, LANE, PIECE_START, SIZE, fill_lane, lane_ids, merge_once, take_in
from engine.kernels.layout import KEY, LANE_BYTES, LANE_COUNT, LONG_PIECE, section
from engine.kernels.long_pieces import merge_long
from engine.kernels.lookup import LINE_MARK, OVERFLOWED, find_long, find_short, hash_bytes
from engine.kernels.memory import Span, load32, load64, part, prefetch, store32, store64
from engine.kernels.values import COUNT_SHIFT, ELSEWHERE, LOW_HALF, one_token, token_count
from engine.kernels.vectors import match_keys


@inline_kernel
def part_misses(state: Span, missed: int) -> int:
    """Part MISSES into words and longer pieces, and ask for the lines of the words. How many are words."""
    keys = section(state, layout.KEYS)
    words = section(state, layout.WORDS)
    misses = section(state, layout.MISSES)
    word_misses = section(state, layout.WORD_MISSES)
    long_misses = section(state, layout.LONG_MISSES)
    found = 0
    for index in range(missed):
        entry = load32(misses, index << 2)
        prefetch(words, word_line(words, load64(keys, entry * KEY + 16)))
        is_word = shift_right(load64(keys, entry * KEY + 8), 56) != LONG_PIECE
        store32(word_misses, found << 2, entry)
        store32(long_misses, (index - found) << 2, entry)
        found += is_word
    return found


@inline_kernel
def recall_words(state: Span, count: int) -> tuple[int, int]:
    """Write the values of the words that the cache knows, list the others in COLD. Tokens of the known ones; others."""
    keys = section(state, layout.KEYS)
    words = section(state, layout.WORDS)
    values = section(state, layout.VALUES)
    misses = section(state, layout.WORD_MISSES)
    colds = section(state, layout.COLD)
    epoch = load64(state, layout.EPOCH)
    total = 0
    cold = 0
    for index in range(count):
        entry = load32(misses, index << 2)
        line = word_line(words, load64(keys, entry * KEY + 16))
        found = match_keys(words, line, keys, entry * KEY) & BOTH_WORDS
        value = line + WORD_VALUES + (trailing_zeros(found | SECOND_WORD) << 3)
        first = load64(words, value)
        second = load64(words, value + 8)
        store64(values, entry << 4, first)
        store64(values, (entry << 4) + 8, second)
        tokens = shift_right(first, COUNT_SHIFT)
        if tokens == ELSEWHERE:
            tokens = second & LOW_HALF
            if shift_right(second, 32) != epoch:
                found = 0
        total += select(found, tokens, 0)
        store32(colds, cold << 2, entry)
        cold += found == 0
    return total, cold


@inline_kernel
def hash_long_misses(tables: Span, state: Span, text: Span, count: int) -> None:
    """Hash the pieces in LONG_MISSES, and ask for the lines that may know them."""
    keys = section(state, layout.KEYS)
    slots = section(state, layout.SLOTS)
    longs = section(tables, layout.LONGS)
    shift = load64(tables, layout.LONG_SHIFT)
    misses = section(state, layout.LONG_MISSES)
    for index in range(count):
        at = load32(misses, index << 2) * KEY
        hashed = hash_bytes(text, load64(keys, at + 24), load64(keys, at + 8) & LOW_HALF)
        store64(keys, at + 16, hashed)
        prefetch(longs, shift_right(hashed, shift) << 3)
        prefetch(slots, slot_line(state, hashed))


@inline_kernel
def ask_for_recalled(state: Span, count: int) -> None:
    """Ask for what the cache may know of the pieces in LONG_MISSES: their bytes, to compare, and ids."""
    keys = section(state, layout.KEYS)
    slots = section(state, layout.SLOTS)
    arena = section(state, layout.ARENA)
    misses = section(state, layout.LONG_MISSES)
    for index in range(count):
        slot = slot_line(state, load64(keys, load32(misses, index << 2) * KEY + 16))
        prefetch(arena, load64(slots, slot + 8) & LOW_HALF)


@kernel
def find_long_piece(tables: Span, state: Span, text: Span, entry: int) -> int:
    """Write the value of a piece of 16 bytes and more that is a token, that the cache knows, or that no lane can take
    (it is merged here). Its tokens, or 0."""
    keys = section(state, layout.KEYS)
    size = load64(keys, entry * KEY + 8) & LOW_HALF
    start = load64(keys, entry * KEY + 24)
    hashed = load64(keys, entry * KEY + 16)
    if size <= load64(tables, layout.LONGEST):
        token_id = find_long(tables, text, start, size, hashed)
        if token_id >= 0:
            store64(section(state, layout.VALUES), entry << 4, one_token(token_id))
            return 1
    slot = recall(state, text, start, size, hashed)
    if slot < 0:
        if size <= LANE_BYTES:
            return 0
        ids = section(state, layout.IDS)
        count = merge_long(tables, state, text, start, size, ids, 0)
        slot = remember(state, text, start, size, hashed, ids, count)
    return put_recalled(state, slot, entry << 4)


@kernel
def keep_word(state: Span, entry: int) -> None:
    """Put a word of the batch and its value into the cache."""
    keys = section(state, layout.KEYS)
    line = word_line(section(state, layout.WORDS), load64(keys, entry * KEY + 16))
    put_word(
        section(state, layout.WORDS),
        line,
        load64(keys, entry * KEY),
        load64(keys, entry * KEY + 8),
        section(state, layout.VALUES),
        entry << 4,
    )
    store64(state, layout.WORD_COUNT, load64(state, layout.WORD_COUNT) + 1)


@kernel
def finish_lane(tables: Span, state: Span, text: Span, lane: Span) -> int:
    """Write the value of a piece whose lane has no merge left, and remember it. Its tokens."""
    ids = section(state, layout.IDS)
    count = lane_ids(tables, lane, ids)
    entry = load64(lane, ENTRY)
    size = load64(lane, SIZE)
    if size < LONG_PIECE:
        put_value(state, entry << 4, ids, count)
        keep_word(state, entry)
    else:
        hashed = load64(section(state, layout.KEYS), entry * KEY + 16)
        slot = remember(state, text, load64(lane, PIECE_START), size, hashed, ids, count)
        put_recalled(state, slot, entry << 4)
    return count


@kernel
def find_displaced(tables: Span, state: Span, entry: int) -> int:
    """Write the value of a word that is known, but not in the line where it belongs: a token, or in the cache. How many
    tokens it has, or 0."""
    keys = section(state, layout.KEYS)
    words = section(state, layout.WORDS)
    values = section(state, layout.VALUES)
    low = load64(keys, entry * KEY)
    high = load64(keys, entry * KEY + 8)
    hashed = load64(keys, entry * KEY + 16)
    at = find_beside(words, word_line(words, hashed), low, high)
    if at >= 0:
        first = load64(words, at)
        second = load64(words, at + 8)
        if is_current(first, second, load64(state, layout.EPOCH)):
            store64(values, entry << 4, first)
            store64(values, (entry << 4) + 8, second)
            return token_count(first, second)
    line = shift_right(hashed, load64(tables, layout.LINE_SHIFT)) << 6
    if load32(section(tables, layout.LINES), line + LINE_MARK) & OVERFLOWED != 0:
        token_id = find_short(tables, low, high, hashed)
        if token_id >= 0:
            store64(values, entry << 4, one_token(token_id))
            keep_word(state, entry)
            return 1
    return 0


@kernel
def begin_piece(tables: Span, state: Span, text: Span, entry: int, lane: Span) -> int:
    """Put a piece that no cache line knew into a lane; or write its value, if it is known elsewhere. Its tokens then, 0
    otherwise."""
    keys = section(state, layout.KEYS)
    high = load64(keys, entry * KEY + 8)
    size = shift_right(high, 56)
    known = 0
    if size == LONG_PIECE:
        size = high & LOW_HALF
    else:
        known = find_displaced(tables, state, entry)
    if known == 0:
        fill_lane(tables, lane, text, load64(keys, entry * KEY + 24), size)
        store64(lane, ENTRY, entry)
    return known


@kernel
def merge_cold(tables: Span, state: Span, text: Span, cold: int) -> int:
    """Merge the entries in COLD. Their tokens. A word that comes twice in a batch is merged twice: that is rare.

    A lane whose piece is done takes the next one, so that all lanes are busy until there are no more pieces.
    """
    pairs = section(tables, layout.PAIRS)
    shift = load64(tables, layout.PAIR_SHIFT)
    colds = section(state, layout.COLD)
    lanes = section(state, layout.LANES)
    active = section(state, layout.ACTIVE)  # all lanes, those that are busy first
    for number in range(LANE_COUNT):
        store32(active, number << 2, number * LANE)
    total = 0
    busy = 0
    index = 0
    while True:
        while busy < LANE_COUNT and index < cold:
            lane = part(lanes, load32(active, busy << 2), LANE)
            known = begin_piece(tables, state, text, load32(colds, index << 2), lane)
            index += 1
            total += known
            busy += known == 0
        if busy == 0:
            break
        turn = 0
        while turn < busy:
            place = load32(active, turn << 2)
            if merge_once(pairs, shift, lanes, place):
                turn += 1
            else:
                total += finish_lane(tables, state, text, part(lanes, place, LANE))
                busy -= 1
                store32(active, turn << 2, load32(active, busy << 2))
                store32(active, busy << 2, place)
        for turn in range(busy):
            take_in(pairs, shift, lanes, load32(active, turn << 2))
    return total


@kernel
def resolve_misses(tables: Span, state: Span, text: Span, missed: int) -> int:
    """Write the values of the entries in MISSES. Their tokens."""
    words = part_misses(state, missed)
    total, cold = recall_words(state, words)
    if words < missed:
        colds = section(state, layout.COLD)
        misses = section(state, layout.LONG_MISSES)
        hash_long_misses(tables, state, text, missed - words)
        ask_for_recalled(state, missed - words)
        for index in range(missed - words):
            entry = load32(misses, index << 2)
            tokens = find_long_piece(tables, state, text, entry)
            total += tokens
            store32(colds, cold << 2, entry)
            cold += tokens == 0
    if cold > 0:
        total += merge_cold(tables, state, text, cold)
    return total
