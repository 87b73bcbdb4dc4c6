"""Merging of pretokens: sixteen at a time if they have at most 64 bytes, longer ones in windows and blocks.

Byte-pair encoding: start from single bytes. While any two neighbours together are a token, merge the pair whose token
has the lowest number, the leftmost of equals.

``merge_lanes`` merges pretokens of at most 64 bytes, sixteen at a time. One merge needs two lookups of new pairs, and
each waits for memory. So sixteen pretokens, one in each *lane*, take turns: the cache lines that one requests in one
turn have arrived by its next. A lane holds, for each byte position of its pretoken,

* the waiting *merge*: number of the merged token << 6 | position, so that the smallest of them is the next one,
  leftmost first (``layout.NO_MERGE`` and above: none);
* the number of the token that starts there,

and a bit set of the positions where tokens start. One position before and one after the pretoken hold ``NO_TOKEN``, so
that looking up a pair across an end finds nothing.

``merge_queued`` merges a pretoken of any size in linear time. There is a list of waiting positions for every number
(linked from QUEUE_HEADS), and two levels of bits mark the lists that are not empty. Usually a merge makes pairs whose
tokens have higher numbers than its own. Then the next merge is found upwards, and all positions of a list are merged at
once (``merge_list``). Where a token is merged from one with a higher number (LATE), the merge of that one makes a pair
of a lower number, which is next, so the rest of the list goes back into the queue.

Positions stay on a list when their pair changes: each position stores the number it currently waits for, and entries
that differ are skipped. Each merge puts two positions on lists, so there are at most three entries per byte.

Every number has one pair. So positions on the same list can only overlap where a token repeats (``aaa``): those are
merged in text order, all others in any order. If there are LATE tokens, all are merged in text order.

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
tokens. If stepping back does not help either, ``merge_queued`` merges the whole pretoken.
"""

from __future__ import annotations

import numpy as np

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.layout import (
    BLOCK_BYTES,
    LANE,
    LANE_BYTES,
    LANE_COUNT,
    NO_MERGE,
    NO_TOKEN,
    second_level,
    section,
    space_for,
)
from engine.kernels.lookup import equal_bytes
from engine.kernels.primitives import (
    NUMBER_BITS,
    NUMBER_MASK,
    Span,
    clear_lowest,
    fill_ones,
    keep,
    leading_zeros,
    load8,
    load32,
    load64,
    match_pairs,
    move,
    multiply_wrapping,
    part,
    prefetch,
    select,
    shift_left,
    shift_right,
    smallest_of_16,
    smallest_of_64,
    span,
    store32,
    store64,
    subtract_wrapping,
    trailing_zeros,
)

# Fields of a lane, as byte offsets.
MERGES = 64  # uint32[64], and four bytes before them where a merge at position -1 may be stored
TOKENS = 324  # uint32[64], with one more before and one more after
STARTS = 584  # bit set of the positions where tokens start
SIZE = 592  # length of the pretoken, in bytes
ENTRY = 600  # for any use by the caller
LINE_1, LINE_2 = 608, 632  # two requests of 24 bytes each: line of PAIRS, pair, requesting position
PRETOKEN_START = 656  # byte offset of the pretoken in its text

PAIR_HASH = -7046029254386353131
SLOTS_FULL = 56
"""Byte offset of the last slot of a line of PAIRS, which is not empty if the line is full."""


@inline_kernel
def pair_line(pair: int, shift: int) -> int:
    """Return the byte offset in PAIRS of the line of a pair (left << 20 | right)."""
    return shift_right(multiply_wrapping(pair, PAIR_HASH), shift) << 6


@kernel
def merge_beyond(pairs: Span, shift: int, line: int, pair: int) -> int:
    """Return the number that a pair merges into, or -1, searched in the lines after a full one."""
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
    """Return the merge of a pair that belongs in this line, as number << 6, or ``NO_MERGE``."""
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
    """Put a pretoken of 1 to 64 bytes into a lane: every byte a token, with the merges of neighbours from BIGRAMS."""
    byte_tokens = section(tables, layout.BYTE_TOKENS)
    bigrams = section(tables, layout.BIGRAMS)
    fill_ones(lane, MERGES)
    if size > 16:
        fill_ones(lane, MERGES + 64)
        fill_ones(lane, MERGES + 128)
        fill_ones(lane, MERGES + 192)
    before = load8(text, byte_start)
    store32(lane, TOKENS, load32(byte_tokens, before << 2))
    for position in range(1, size):
        byte = load8(text, byte_start + position)
        store32(lane, TOKENS + (position << 2), load32(byte_tokens, byte << 2))
        store32(lane, MERGES - 4 + (position << 2), load32(bigrams, ((before << 8) | byte) << 2) | (position - 1))
        before = byte
    store32(lane, TOKENS - 4, NO_TOKEN)
    store32(lane, TOKENS + 256, NO_TOKEN)
    store64(lane, STARTS, shift_right(-1, 64 - size))
    store64(lane, SIZE, size)
    store64(lane, PRETOKEN_START, byte_start)


@inline_kernel
def take_in(pairs: Span, shift: int, lanes: Span, lane: int) -> None:
    """Store the results of the two lookups that a lane requested."""
    for request in (LINE_1, LINE_2):
        merge = merge_of(pairs, shift, load64(lanes, lane + request), load64(lanes, lane + request + 8))
        position = load64(lanes, lane + request + 16)
        store32(lanes, lane + MERGES + (position << 2), merge | (position & 63))


@inline_kernel
def request_pair(pairs: Span, shift: int, lanes: Span, request: int, left: int, right: int, position: int) -> None:
    """Request the merge of two tokens at a position. ``request``: byte offset of one of a lane's two requests."""
    pair = (left << NUMBER_BITS) | right
    exists = (left != NO_TOKEN) & (right != NO_TOKEN)
    line = select(exists, pair_line(pair, shift), 0)  # a missing pair needs no line of its own
    prefetch(pairs, line)
    store64(lanes, request, line)
    store64(lanes, request + 8, pair)
    store64(lanes, request + 16, position)


@inline_kernel
def merge_once(pairs: Span, shift: int, lanes: Span, lane: int) -> bool:
    """Do the next merge of a lane and request its two new pairs. Return False if there is no merge."""
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
    request_pair(pairs, shift, lanes, lane + LINE_1, number, load32(lanes, lane + TOKENS + (after << 2)), left)
    request_pair(pairs, shift, lanes, lane + LINE_2, load32(lanes, lane + TOKENS + (before << 2)), number, before)
    return True


@kernel
def merge_lanes(tables: Span, state: Span, count: int) -> None:
    """Merge the pretokens in the first ``count`` lanes until none has a merge left."""
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
    """Write the consecutive ids of a lane's tokens, 32 bits each. Return their number."""
    first_id = load64(tables, layout.FIRST_ID)
    starts = load64(lane, STARTS)
    count = 0
    while starts != 0:
        store32(ids, count << 2, load32(lane, TOKENS + (trailing_zeros(starts) << 2)) + first_id)
        count += 1
        starts = clear_lowest(starts)
    return count


NOTHING = 0xFFFFFFFF


@inline_kernel
def work_parts(size: int) -> tuple[int, int, int, int, int]:
    """Return byte offsets in the working space: tokens, next positions, previous positions, numbers waited for, list
    entries."""
    first = max(128, ((size >> 6) + 2) << 3)  # the same for all blocks, so that the bit set stays zero between them
    step = (size << 2) + 8
    return first, first + step, first + 2 * step, first + 3 * step, first + 4 * step


@inline_kernel
def number_of(pairs: Span, shift: int, left: int, right: int) -> int:
    """Return the number that two tokens merge into, or NOTHING."""
    pair = (left << NUMBER_BITS) | right
    merge = merge_of(pairs, shift, pair_line(pair, shift), pair)
    number = NOTHING
    if merge != NO_MERGE:
        number = merge >> 6
    return number


@inline_kernel
def queue_of(tables: Span, state: Span) -> tuple[Span, Span, int]:
    """Return the heads and the bits of the queue, and the byte offset of the second level of bits."""
    second = second_level(load64(tables, layout.TOKEN_COUNT))
    return section(state, layout.QUEUE_HEADS), section(state, layout.QUEUE_BITS), second


@inline_kernel
def wait(heads: Span, bits: Span, second: int, work: Span, nodes: int, node: int, number: int, position: int) -> None:
    """Put a position on the list of a number. A list entry is a position and the next entry (plus one; 0: none)."""
    store32(work, nodes + (node << 3), position)
    store32(work, nodes + (node << 3) + 4, load32(heads, number << 2))
    store32(heads, number << 2, node + 1)
    word = number >> 6
    store64(bits, word << 3, load64(bits, word << 3) | shift_left(1, number & 63))
    at = second + ((word >> 6) << 3)
    store64(bits, at, load64(bits, at) | shift_left(1, word & 63))


@kernel
def fill_queue(tables: Span, state: Span, text: Span, byte_start: int, size: int, work: Span) -> int:
    """Start a pretoken: every byte a token, every mergeable pair of bytes on a list. Return the number of list entries.

    Layout of ``work``: bit set of positions (zero before and after), then uint32 per position: token, next position,
    previous position, number waited for; then the list entries, three per position; then the positions of one list.
    """
    byte_tokens = section(tables, layout.BYTE_TOKENS)
    bigrams = section(tables, layout.BIGRAMS)
    heads, bits, second = queue_of(tables, state)
    tokens, behind, before, waited, nodes = work_parts(size)
    count = 0
    for position in range(size):
        byte = load8(text, byte_start + position)
        store32(work, tokens + (position << 2), load32(byte_tokens, byte << 2))
        store32(work, behind + (position << 2), position + 1)
        store32(work, before + (position << 2), position - 1)
        number = NOTHING
        if position + 1 < size:
            merge = load32(bigrams, ((byte << 8) | load8(text, byte_start + position + 1)) << 2)
            if merge < NO_MERGE:
                number = merge >> 6
                wait(heads, bits, second, work, nodes, count, number, position)
                count += 1
        store32(work, waited + (position << 2), number)
    return count


@kernel
def take_list(state: Span, work: Span, size: int, number: int) -> int:
    """Empty the list of a number. Write positions that still wait for it to the end of ``work``; return their count."""
    heads = section(state, layout.QUEUE_HEADS)
    _, _, _, waited, nodes = work_parts(size)
    taken = nodes + 24 * size
    node = load32(heads, number << 2)
    store32(heads, number << 2, 0)
    count = 0
    while node != 0:
        at = nodes + ((node - 1) << 3)
        position = load32(work, at)
        if load32(work, waited + (position << 2)) == number:
            store32(work, taken + (count << 2), position)
            count += 1
        node = load32(work, at + 4)
    return count


@kernel
def put_back(state: Span, tables: Span, work: Span, size: int, number: int, done: int, count: int, node: int) -> None:
    """Put the positions of a list from ``done`` back into the queue, reusing its entries. ``node``: the first entry."""
    heads, bits, second = queue_of(tables, state)
    _, _, _, _, nodes = work_parts(size)
    taken = nodes + 24 * size
    for index in range(done, count):
        at = nodes + ((node - 1) << 3)
        node = load32(work, at + 4)
        wait(heads, bits, second, work, nodes, (at - nodes) >> 3, number, load32(work, taken + (index << 2)))


@kernel
def sort_positions(work: Span, taken: int, count: int) -> None:
    """Sort the positions of one list with the bit set at the start of ``work``."""
    lowest = load32(work, taken) >> 6
    highest = lowest
    for index in range(count):
        position = load32(work, taken + (index << 2))
        word = position >> 6
        store64(work, word << 3, load64(work, word << 3) | shift_left(1, position & 63))
        lowest = min(lowest, word)
        highest = max(highest, word)
    index = 0
    for word in range(lowest, highest + 1):
        left = load64(work, word << 3)
        store64(work, word << 3, 0)
        while left != 0:
            store32(work, taken + (index << 2), (word << 6) | trailing_zeros(left))
            index += 1
            left = clear_lowest(left)


@kernel
def merge_list(
    tables: Span, state: Span, work: Span, size: int, number: int, count: int, nodes_used: int
) -> tuple[int, int]:
    """Do the merges of one list, and put the new pairs on their lists. Return the number of list entries used since the
    start, and how many positions are done: not all if a pair of a lower number was made."""
    pairs = section(tables, layout.PAIRS)
    shift = load64(tables, layout.PAIR_SHIFT)
    heads, bits, second = queue_of(tables, state)
    tokens, behind, before, waited, nodes = work_parts(size)
    taken = nodes + 24 * size
    for index in range(count):
        position = load32(work, taken + (index << 2))
        if load32(work, waited + (position << 2)) != number:
            continue
        right = load32(work, behind + (position << 2))
        after = load32(work, behind + (right << 2))
        store32(work, tokens + (position << 2), number)
        store32(work, behind + (position << 2), after)
        store32(work, waited + (right << 2), NOTHING)
        lowest = NOTHING
        found = NOTHING
        if after < size:
            store32(work, before + (after << 2), position)
            found = number_of(pairs, shift, number, load32(work, tokens + (after << 2)))
            lowest = found
        store32(work, waited + (position << 2), found)
        if found != NOTHING:
            wait(heads, bits, second, work, nodes, nodes_used, found, position)
            nodes_used += 1
        if position > 0:
            left = load32(work, before + (position << 2))
            found = number_of(pairs, shift, load32(work, tokens + (left << 2)), number)
            store32(work, waited + (left << 2), found)
            if found != NOTHING:
                wait(heads, bits, second, work, nodes, nodes_used, found, left)
                nodes_used += 1
                lowest = min(lowest, found)
        if lowest < number:
            return nodes_used, index + 1
    return nodes_used, count


@inline_kernel
def repeats(work: Span, size: int, position: int) -> bool:
    """Return True if the token at a position equals the next one."""
    tokens, behind, _, _, _ = work_parts(size)
    right = load32(work, behind + (position << 2))
    return load32(work, tokens + (position << 2)) == load32(work, tokens + (right << 2))


@kernel
def merge_queued(
    tables: Span, state: Span, text: Span, byte_start: int, size: int, work: Span, out: Span, out_offset: int
) -> int:
    """Merge a pretoken of any size. Write the *numbers* of its tokens to ``out`` (32 bits each). Return their count.

    ``work``: ``space_for(size)`` bytes. The bit set at its start (``size / 8`` bytes and a few more) must be zero.
    """
    heads, bits, second = queue_of(tables, state)
    token_count = load64(tables, layout.TOKEN_COUNT)
    late = load64(tables, layout.LATE) != 0
    tokens, behind, _, _, nodes = work_parts(size)
    taken = nodes + 24 * size
    used = fill_queue(tables, state, text, byte_start, size, work)
    top = 0
    while top <= token_count >> 12:
        words = load64(bits, second + (top << 3))
        if words == 0:
            top += 1
            continue
        word = (top << 6) | trailing_zeros(words)
        waiting = load64(bits, word << 3)
        number = (word << 6) | trailing_zeros(waiting)
        waiting = clear_lowest(waiting)
        store64(bits, word << 3, waiting)
        if waiting == 0:
            store64(bits, second + (top << 3), clear_lowest(words))
        first_node = load32(heads, number << 2)
        count = take_list(state, work, size, number)
        if count == 0:
            continue
        if count > 1 and (late or repeats(work, size, load32(work, taken))):
            sort_positions(work, taken, count)
        used, done = merge_list(tables, state, work, size, number, count, used)
        if late:
            put_back(state, tables, work, size, number, done, count, first_node)
            top = 0
    position = 0
    count = 0
    while position < size:
        store32(out, out_offset + (count << 2), load32(work, tokens + (position << 2)))
        count += 1
        position = load32(work, behind + (position << 2))
    return count


# --- long pretokens in windows and blocks -----------------------------------------------------------------------------


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
        position = trailing_zeros(both)
        both = clear_lowest(both)
        if both == 0:
            return -1
        if trailing_zeros(both) == trailing_zeros(either & shift_left(-2, position)):
            return position
    return -1


@kernel
def take_tokens(lane: Span, start_position: int, end_position: int, out: Span, out_offset: int) -> int:
    """Write the numbers of a lane's tokens that start in a range of positions. Return their count."""
    starts = load64(lane, STARTS) & shift_right(-1, LANE_BYTES - end_position) & shift_left(-1, start_position)
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
            position = shared_token(load64(lanes, window * LANE + STARTS), load64(lanes, window * LANE + LANE + STARTS))
            if position < 0:
                return count, done
            start = first + window * STRIDE
            lane = part(lanes, window * LANE, LANE)
            count += take_tokens(lane, done - start, STRIDE + position, out, out_offset + (count << 2))
            done = start + STRIDE + position
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
    for position in range(0, (size >> 3) + 136, 8):
        store64(space, position, 0)
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
