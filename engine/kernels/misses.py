"""Pretokens that are not tokens: looked up in the caches, or merged and cached.

``resolve_misses`` does this for the pretokens of a batch. As in ``engine.kernels.batch``, each loop does one thing for
all of them, and prefetches the memory for the next.

``merge_long`` merges pretokens of more than 64 bytes in parts. Why parts can be joined: take any sequence of tokens in
which every two neighbours *stand together*, that is, merging their joint bytes alone gives exactly these two. Then the
sequence is what merging all bytes at once gives. For consider the first merge of the whole run that would cross an end
between two neighbours: until then, the run did inside these two exactly what merging them alone does (the lowest merge
of all that lies inside is the lowest inside), so merging them alone would cross that end too. And two neighbours in the
tokens of any text stand together, for the same reason. Both hold for every vocabulary.

*Windows* of 64 bytes, each overlapping the next by 16, are merged side by side in lanes (``merge_windows``). If two
windows have the same token in their overlap, the tokens of the first up to it and those of the second from it form a
sequence of neighbours that stand together, because each two come from one window.

If no such token is found (long runs of one character become few very long tokens), a *block* of 512 bytes is merged by
itself (``merge_blocks``), its last tokens are dropped, and the seam to the tokens before it is tested by merging the
two tokens; at a bad seam, it steps back by one token. A block with the same bytes as the previous block reuses its
tokens. If stepping back does not help either, the whole pretoken is merged by ``merging.merge_queued``.
"""

from __future__ import annotations

import numpy as np

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.layout import BLOCK_BYTES, KEY, LANE, LANE_BYTES, LANE_COUNT, LONG_PRETOKEN, section, space_for
from engine.kernels.lookup import (
    BOTH_WORDS,
    COUNT_SHIFT,
    ELSEWHERE,
    LINE_MARK,
    LOW_HALF,
    OVERFLOWED,
    SECOND_WORD,
    WORD_VALUES,
    equal_bytes,
    find_beside,
    find_long,
    find_short,
    hash_bytes,
    is_current,
    one_token,
    put_recalled,
    put_value,
    put_word,
    recall,
    remember,
    slot_line,
    token_count,
    word_line,
)
from engine.kernels.merging import (
    ENTRY,
    PIECE_START,
    SIZE,
    STARTS,
    TOKENS,
    fill_lane,
    lane_ids,
    merge_lanes,
    merge_once,
    merge_queued,
    take_in,
)
from engine.kernels.primitives import (
    Span,
    clear_lowest,
    keep,
    load32,
    load64,
    match_keys,
    move,
    part,
    prefetch,
    select,
    shift_left,
    shift_right,
    span,
    store32,
    store64,
    trailing_zeros,
)

OVERLAP = 16
STRIDE = LANE_BYTES - OVERLAP
MAX_STEPS_BACK = 64
STEPS_FORGIVEN = 8
"""Number of tokens in a row after which the count of steps back is reset."""
DROPPED = 2
"""Tokens at the end of a block that the text after it may still change."""
SECOND_HALF = 4 * BLOCK_BYTES
"""Byte offset in the scratch space where seams are tested."""


@inline_kernel
def token_size(offsets: Span, number: int) -> int:
    """Return the length of a token, in bytes."""
    return load32(offsets, (number << 2) + 4) - load32(offsets, number << 2)


@inline_kernel
def size_of_tokens(offsets: Span, numbers: Span, count: int) -> int:
    """Return the total length of the first ``count`` tokens, in bytes."""
    size = 0
    for index in range(count):
        size += token_size(offsets, load32(numbers, index << 2))
    return size


@kernel
def shared_token(first: int, second: int) -> int:
    """Return the position where the same token starts in the overlap of two windows, counted from the start of the
    second, or -1 if there is none. Arguments: bit sets of the token starts of both."""
    inside = (1 << OVERLAP) - 1
    first = shift_right(first, STRIDE)
    both = first & second & inside
    either = (first | second) & inside
    while both != 0:
        place = trailing_zeros(both)
        both = clear_lowest(both)
        if both == 0:
            return -1
        if trailing_zeros(both) == trailing_zeros(either & shift_left(-2, place)):
            return place
    return -1


@kernel
def take_tokens(lane: Span, place_start: int, place_end: int, out: Span, out_offset: int) -> int:
    """Write the numbers of a lane's tokens that start in a range of positions. Return their count."""
    starts = load64(lane, STARTS) & shift_right(-1, LANE_BYTES - place_end) & shift_left(-1, place_start)
    count = 0
    while starts != 0:
        store32(out, out_offset + (count << 2), load32(lane, TOKENS + (trailing_zeros(starts) << 2)))
        count += 1
        starts = clear_lowest(starts)
    return count


@kernel
def stand_together(tables: Span, state: Span, text: Span, seam: int, left: int, right: int) -> bool:
    """Return True if two tokens whose bytes meet at byte ``seam`` of the text stand together."""
    offsets = section(tables, layout.TOKEN_OFFSETS)
    scratch = section(state, layout.SCRATCH)
    here = SECOND_HALF
    start = seam - token_size(offsets, left)
    size = seam + token_size(offsets, right) - start
    count = merge_queued(tables, state, text, start, size, section(state, layout.BLOCK), scratch, here)
    return count == 2 and load32(scratch, here) == left and load32(scratch, here + 4) == right


@kernel
def window_fits(tables: Span, state: Span, text: Span, done: int, byte_end: int, left: int) -> bool:
    """Return True if the first token of a window at byte ``done`` stands together with the token before it."""
    lane = part(section(state, layout.LANES), 0, LANE)
    fill_lane(tables, lane, text, done, min(LANE_BYTES, byte_end - done))
    merge_lanes(tables, state, 1)
    return stand_together(tables, state, text, done, left, load32(lane, TOKENS))


@kernel
def merge_windows(
    tables: Span, state: Span, text: Span, done: int, byte_end: int, out: Span, out_offset: int
) -> tuple[int, int]:
    """Merge bytes ``done`` to ``byte_end`` in windows, as far as windows join. Return the token numbers written and the
    byte reached."""
    lanes = section(state, layout.LANES)
    first = done
    count = 0
    while done < byte_end:
        used = 0
        while used < LANE_COUNT:
            start = first + used * STRIDE
            size = min(LANE_BYTES, byte_end - start)
            fill_lane(tables, part(lanes, used * LANE, LANE), text, start, size)
            used += 1
            if start + size == byte_end:
                break
        merge_lanes(tables, state, used)
        for window in range(used - 1):
            place = shared_token(load64(lanes, window * LANE + STARTS), load64(lanes, window * LANE + LANE + STARTS))
            if place < 0:
                return count, done
            start = first + window * STRIDE
            lane = part(lanes, window * LANE, LANE)
            count += take_tokens(lane, done - start, STRIDE + place, out, out_offset + (count << 2))
            done = start + STRIDE + place
        first += (used - 1) * STRIDE
        if first + LANE_BYTES >= byte_end:
            lane = part(lanes, (used - 1) * LANE, LANE)
            count += take_tokens(lane, done - first, LANE_BYTES, out, out_offset + (count << 2))
            done = byte_end
    return count, done


@kernel
def merge_blocks(
    tables: Span, state: Span, text: Span, done: int, byte_end: int, out: Span, out_offset: int, count: int, blocks: int
) -> tuple[int, int]:
    """Continue at byte ``done`` after ``count`` tokens in ``out``, with at most ``blocks`` blocks that differ from the
    one before. Return the number of tokens in ``out``, or -1 if no seam was found, and the byte reached."""
    offsets = section(tables, layout.TOKEN_OFFSETS)
    scratch = section(state, layout.SCRATCH)
    work = section(state, layout.BLOCK)
    block_start = -1  # byte offset of the block whose tokens are in scratch, if reusable
    kept = kept_size = tokens = 0
    good_left = -1
    good_right = -1
    steps_back = 0
    while done < byte_end:
        size = min(BLOCK_BYTES, byte_end - done)
        if size < BLOCK_BYTES or block_start < 0 or not equal_bytes(text, block_start, text, done, size):
            if blocks == 0:
                break
            blocks -= 1
            tokens = merge_queued(tables, state, text, done, size, work, scratch, 0)
            block_start = done
            if size < BLOCK_BYTES:
                block_start = -1
            kept = max(1, tokens - DROPPED)
            kept_size = size_of_tokens(offsets, scratch, kept)
        right = load32(scratch, 0)
        if count > 0:
            left = load32(out, out_offset + (count << 2) - 4)
            if left != good_left or right != good_right:
                if not stand_together(tables, state, text, done, left, right):
                    steps_back += 1
                    if steps_back > MAX_STEPS_BACK:
                        return -1, done
                    count -= 1
                    done -= token_size(offsets, left)
                    blocks += 1
                    continue
                good_left = left
                good_right = right
        if done + size == byte_end:
            kept = tokens
            kept_size = size
        move(part(out, out_offset + (count << 2), kept << 2), part(scratch, 0, kept << 2))
        done += kept_size
        count += kept
        if kept > STEPS_FORGIVEN:
            steps_back = 0
        else:
            steps_back += 1
    return count, done


@inline_kernel
def is_repeating(text: Span, byte_start: int, byte_end: int) -> bool:
    """Return True if the next two spans of 64 bytes are equal, because windows would hardly join there."""
    answer = False
    if byte_start + 128 <= byte_end:
        answer = equal_bytes(text, byte_start, text, byte_start + 64, 64)
    return answer


@kernel
def merge_whole(tables: Span, state: Span, text: Span, start: int, size: int, out: Span, out_offset: int) -> int:
    """Merge a pretoken of any size at once, in newly allocated space. Return the token numbers written."""
    work = np.empty(space_for(size), np.uint8)
    space = span(work)
    for place in range(0, (size >> 3) + 136, 8):
        store64(space, place, 0)
    count = merge_queued(tables, state, text, start, size, space, out, out_offset)
    keep(work)
    return count


@kernel
def merge_long(tables: Span, state: Span, text: Span, start: int, size: int, out: Span, out_offset: int) -> int:
    """Merge a pretoken of any size. Write the ids of its tokens to ``out``, 32 bits each. Return their number."""
    end = start + size
    done = start
    count = 0
    blocks = 1
    if 2 * load64(tables, layout.LONGEST) > BLOCK_BYTES:
        count = -1
    while done < end and count >= 0:
        if not is_repeating(text, done, end) and (
            count == 0 or window_fits(tables, state, text, done, end, load32(out, out_offset + (count << 2) - 4))
        ):
            more, done = merge_windows(tables, state, text, done, end, out, out_offset + (count << 2))
            count += more
        if done < end:
            count, done = merge_blocks(tables, state, text, done, end, out, out_offset, count, blocks)
            blocks *= 2
    if count < 0:
        count = merge_whole(tables, state, text, start, size, out, out_offset)
    first_id = load64(tables, layout.FIRST_ID)
    if first_id != 0:
        for index in range(count):
            at = out_offset + (index << 2)
            store32(out, at, load32(out, at) + first_id)
    return count


@inline_kernel
def part_misses(state: Span, missed: int) -> int:
    """Divide MISSES into words and longer pretokens, and prefetch the lines of the words. Return the word count."""
    keys = section(state, layout.KEYS)
    words = section(state, layout.WORDS)
    misses = section(state, layout.MISSES)
    word_misses = section(state, layout.WORD_MISSES)
    long_misses = section(state, layout.LONG_MISSES)
    found = 0
    for index in range(missed):
        entry = load32(misses, index << 2)
        prefetch(words, word_line(words, load64(keys, entry * KEY + 16)))
        is_word = shift_right(load64(keys, entry * KEY + 8), 56) != LONG_PRETOKEN
        store32(word_misses, found << 2, entry)
        store32(long_misses, (index - found) << 2, entry)
        found += is_word
    return found


@inline_kernel
def recall_words(state: Span, count: int) -> tuple[int, int]:
    """Write the values of cached words, and list the others in COLD. Return the tokens of the cached ones, and the
    number of others."""
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
    """Hash the pretokens in LONG_MISSES, and prefetch the lines that they may be in."""
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
    """Prefetch the cached bytes and ids of the pretokens in LONG_MISSES."""
    keys = section(state, layout.KEYS)
    slots = section(state, layout.SLOTS)
    arena = section(state, layout.ARENA)
    misses = section(state, layout.LONG_MISSES)
    for index in range(count):
        slot = slot_line(state, load64(keys, load32(misses, index << 2) * KEY + 16))
        prefetch(arena, load64(slots, slot + 8) & LOW_HALF)


@kernel
def find_long_piece(tables: Span, state: Span, text: Span, entry: int) -> int:
    """Write the value of a pretoken of 16 bytes or more that is a token, or cached, or too long for a lane (it is
    merged here). Return its number of tokens, or 0."""
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
    """Cache a word of the batch with its value."""
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
    """Write and cache the value of a pretoken whose lane has no merge left. Return its number of tokens."""
    ids = section(state, layout.IDS)
    count = lane_ids(tables, lane, ids)
    entry = load64(lane, ENTRY)
    size = load64(lane, SIZE)
    if size < LONG_PRETOKEN:
        put_value(state, entry << 4, ids, count)
        keep_word(state, entry)
    else:
        hashed = load64(section(state, layout.KEYS), entry * KEY + 16)
        slot = remember(state, text, load64(lane, PIECE_START), size, hashed, ids, count)
        put_recalled(state, slot, entry << 4)
    return count


@kernel
def find_displaced(tables: Span, state: Span, entry: int) -> int:
    """Write the value of a word that is a token or cached, but not in its own line. Return its number of tokens, or
    0."""
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
    """Put a pretoken that was not found in its own line into a lane, unless it is found elsewhere: then write its value
    and return its number of tokens. Return 0 otherwise."""
    keys = section(state, layout.KEYS)
    high = load64(keys, entry * KEY + 8)
    size = shift_right(high, 56)
    known = 0
    if size == LONG_PRETOKEN:
        size = high & LOW_HALF
    else:
        known = find_displaced(tables, state, entry)
    if known == 0:
        fill_lane(tables, lane, text, load64(keys, entry * KEY + 24), size)
        store64(lane, ENTRY, entry)
    return known


@kernel
def merge_cold(tables: Span, state: Span, text: Span, cold: int) -> int:
    """Merge the entries in COLD. Return their number of tokens. A word that occurs twice in a batch is merged twice,
    which is rare.

    A finished lane takes the next pretoken, so that all lanes are busy until none is left.
    """
    pairs = section(tables, layout.PAIRS)
    shift = load64(tables, layout.PAIR_SHIFT)
    colds = section(state, layout.COLD)
    lanes = section(state, layout.LANES)
    active = section(state, layout.ACTIVE)  # all lanes, busy ones first
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
    """Write the values of the entries in MISSES. Return their number of tokens."""
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
