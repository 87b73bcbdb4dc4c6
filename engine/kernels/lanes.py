"""Merging pieces of at most 64 bytes, sixteen of them at a time.

Byte-pair encoding: start from single bytes; while any two neighbours together are a token, merge the pair whose token
has the lowest number, the leftmost of equals. One merge needs two look-ups of new pairs, and each waits for memory. So
sixteen pieces, one in each *lane*, take turns: the lines that a piece asks for in one turn have arrived by its next.

A lane holds, for each byte place of its piece,

* the *merge* waiting there: number of the merged token << 6 | place, so that the smallest of them is the one to do
  next, leftmost first (``layout.NO_MERGE`` and above: none);
* the number of the token that starts there,

and a bit set of the places where tokens start. One place before and one behind the piece hold ``NO_TOKEN``, so that
looking up a pair across an end simply finds nothing.
"""

from __future__ import annotations

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import (
    clear_lowest,
    leading_zeros,
    multiply_wrapping,
    select,
    shift_left,
    shift_right,
    subtract_wrapping,
    trailing_zeros,
)
from engine.kernels.layout import NO_MERGE, NO_TOKEN, NUMBER_BITS, NUMBER_MASK, section
from engine.kernels.memory import Span, load8, load32, load64, prefetch, store32, store64
from engine.kernels.vectors import fill_ones, match_pairs, smallest_of_16, smallest_of_64

LANE = 704
"""Bytes of a lane. Its parts, as offsets:"""
MERGES = 64  # uint32[64], and four bytes before them where a merge at place -1 may be stored
TOKENS = 324  # uint32[64], with one more before and one more behind
STARTS = 584  # bit set of the places where tokens start
SIZE = 592  # bytes of the piece
ENTRY = 600  # whatever the caller wants to know about the piece
LINE_1, LINE_2 = 608, 632  # two requests of 24 bytes each: line of PAIRS, pair, place that asked
PIECE_START = 656  # where the piece begins in its text

PAIR_HASH = -7046029254386353131
SLOTS_FULL = 56
"""The last slot of a line of PAIRS: not empty when the line is full."""


@inline_kernel
def pair_line(pair: int, shift: int) -> int:
    """Byte offset in PAIRS of the line where a pair (left << 20 | right) belongs."""
    return shift_right(multiply_wrapping(pair, PAIR_HASH), shift) << 6


@kernel
def merge_beyond(pairs: Span, shift: int, line: int, pair: int) -> int:
    """The number that a pair merges into, or -1, looked for in the lines behind a full one."""
    last = shift_right(-1, shift) << 6
    while True:
        line = (line + 64) & last
        found = match_pairs(pairs, line, pair)
        if found != 0:
            return load64(pairs, line + (trailing_zeros(found) << 3)) & NUMBER_MASK
        if load64(pairs, line + SLOTS_FULL) == -1:
            return -1


@inline_kernel
def merge_of(pairs: Span, shift: int, line: int, pair: int) -> int:
    """The merge of a pair that belongs in this line, as number << 6, or ``NO_MERGE``."""
    found = match_pairs(pairs, line, pair)
    slot = load64(pairs, line + (trailing_zeros(found | 0x80) << 3))
    merge = select(found, (slot & NUMBER_MASK) << 6, NO_MERGE)
    if (found == 0) & (load64(pairs, line + SLOTS_FULL) != -1):
        number = merge_beyond(pairs, shift, line, pair)
        if number >= 0:
            merge = number << 6
    return merge


@inline_kernel
def fill_lane(tables: Span, lane: Span, text: Span, byte_start: int, size: int) -> None:
    """Put a piece of 1 to 64 bytes into a lane: every byte a token, the merges of neighbours looked up directly."""
    byte_tokens = section(tables, layout.BYTE_TOKENS)
    bigrams = section(tables, layout.BIGRAMS)
    fill_ones(lane, MERGES)
    if size > 16:
        fill_ones(lane, MERGES + 64)
        fill_ones(lane, MERGES + 128)
        fill_ones(lane, MERGES + 192)
    before = load8(text, byte_start)
    store32(lane, TOKENS, load32(byte_tokens, before << 2))
    for place in range(1, size):
        byte = load8(text, byte_start + place)
        store32(lane, TOKENS + (place << 2), load32(byte_tokens, byte << 2))
        store32(lane, MERGES - 4 + (place << 2), load32(bigrams, ((before << 8) | byte) << 2) | (place - 1))
        before = byte
    store32(lane, TOKENS - 4, NO_TOKEN)
    store32(lane, TOKENS + 256, NO_TOKEN)
    store64(lane, STARTS, shift_right(-1, 64 - size))
    store64(lane, SIZE, size)
    store64(lane, PIECE_START, byte_start)


@inline_kernel
def take_in(pairs: Span, shift: int, lanes: Span, lane: int) -> None:
    """Note what the two look-ups that a lane asked for have found."""
    for request in (LINE_1, LINE_2):
        merge = merge_of(pairs, shift, load64(lanes, lane + request), load64(lanes, lane + request + 8))
        place = load64(lanes, lane + request + 16)
        store32(lanes, lane + MERGES + (place << 2), merge | (place & 63))


@inline_kernel
def ask(pairs: Span, shift: int, lanes: Span, request: int, left: int, right: int, place: int) -> None:
    """Ask for the merge of two tokens, for a place. ``request``: byte offset of one of a lane's two requests."""
    pair = (left << NUMBER_BITS) | right
    exists = (left != NO_TOKEN) & (right != NO_TOKEN)
    line = select(exists, pair_line(pair, shift), 0)  # what is not there needs no line of its own
    prefetch(pairs, line)
    store64(lanes, request, line)
    store64(lanes, request + 8, pair)
    store64(lanes, request + 16, place)


@inline_kernel
def merge_once(pairs: Span, shift: int, lanes: Span, lane: int) -> bool:
    """Do the next merge of a lane and ask for the two new pairs. False: there is none."""
    if load64(lanes, lane + SIZE) > 16:
        best = smallest_of_64(lanes, lane + MERGES)
    else:
        best = smallest_of_16(lanes, lane + MERGES)
    if best >= NO_MERGE:
        return False
    left = best & 63
    number = best >> 6
    starts = load64(lanes, lane + STARTS)
    behind = starts & shift_left(-2, left)
    right = trailing_zeros(behind)
    after = trailing_zeros(clear_lowest(behind))
    starts ^= shift_left(1, right)
    before = 63 - leading_zeros(starts & subtract_wrapping(shift_left(1, left), 1))
    store64(lanes, lane + STARTS, starts)
    store32(lanes, lane + TOKENS + (left << 2), number)
    store32(lanes, lane + MERGES + (right << 2), NO_MERGE)
    ask(pairs, shift, lanes, lane + LINE_1, number, load32(lanes, lane + TOKENS + (after << 2)), left)
    ask(pairs, shift, lanes, lane + LINE_2, load32(lanes, lane + TOKENS + (before << 2)), number, before)
    return True


@kernel
def merge_lanes(tables: Span, state: Span, count: int) -> None:
    """Merge the pieces in the first ``count`` lanes until none has a merge left."""
    pairs = section(tables, layout.PAIRS)
    shift = load64(tables, layout.PAIR_SHIFT)
    lanes = section(state, layout.LANES)
    active = section(state, layout.ACTIVE)
    for number in range(count):
        store32(active, number << 2, number * LANE)
    left = count
    while left > 0:
        turn = 0
        while turn < left:
            if merge_once(pairs, shift, lanes, load32(active, turn << 2)):
                turn += 1
            else:
                left -= 1
                store32(active, turn << 2, load32(active, left << 2))
        for turn in range(left):
            take_in(pairs, shift, lanes, load32(active, turn << 2))


@kernel
def lane_ids(tables: Span, lane: Span, ids: Span) -> int:
    """Write the ids of a lane's tokens one after the other, 32 bits each. Their number."""
    first_id = load64(tables, layout.FIRST_ID)
    starts = load64(lane, STARTS)
    count = 0
    while starts != 0:
        store32(ids, count << 2, load32(lane, TOKENS + (trailing_zeros(starts) << 2)) + first_id)
        count += 1
        starts = clear_lowest(starts)
    return count
