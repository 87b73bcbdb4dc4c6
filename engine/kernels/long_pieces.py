"""Merging pieces of more than 64 bytes, part by part.

Why parts can be joined: take any sequence of tokens in which every two neighbours *stand together*, that is, merging
their joint bytes alone gives exactly these two. Then the sequence is what merging all bytes at once gives. For look at
the first merge of the whole run that would cross an end between two neighbours: until then, the run did inside these
two exactly what merging them alone does (the lowest merge of all that lies inside is the lowest inside), so merging
them alone would cross that end too. And two tokens that end up as neighbours in the tokens of any text stand together,
for the same reason. Both hold for every vocabulary.

*Windows* of 64 bytes, each overlapping the next by 16, are merged side by side in lanes. Where two windows have the
same token in their overlap, the tokens of the first up to it and those of the second from it on form a sequence of
neighbours that stand together, because each two come from one window.

Where no such token is found (long runs of one character are few very long tokens), a *block* of 512 bytes is merged
by itself, its last tokens are dropped, and the seam to the tokens before it is tested by merging the two; a bad seam
steps back a token. A block with the bytes of the block before reuses its tokens. If stepping back does not help
either, the whole piece goes through ``queue``.
"""

from __future__ import annotations

import numpy as np

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import clear_lowest, shift_left, shift_right, trailing_zeros
from engine.kernels.lanes import LANE, STARTS, TOKENS, fill_lane, merge_lanes
from engine.kernels.layout import LANE_BYTES, LANE_COUNT, section
from engine.kernels.lookup import equal_bytes
from engine.kernels.memory import Span, keep, load32, load64, move, part, span, store32, store64
from engine.kernels.queue import BLOCK_BYTES, merge_queued, space_for

OVERLAP = 16
STRIDE = LANE_BYTES - OVERLAP
MOST_STEPS_BACK = 64
STEPS_FORGIVEN = 8
"""Tokens in a row after which steps back are no longer held against a piece."""
DROPPED = 2
"""Tokens at the end of a block that the text behind it may still change."""
SECOND_HALF = 4 * BLOCK_BYTES
"""Where in the scratch space seams are tested."""


@inline_kernel
def token_size(offsets: Span, number: int) -> int:
    """Bytes of a token."""
    return load32(offsets, (number << 2) + 4) - load32(offsets, number << 2)


@inline_kernel
def size_of_tokens(offsets: Span, numbers: Span, count: int) -> int:
    """Bytes of so many tokens, whose numbers are given."""
    size = 0
    for index in range(count):
        size += token_size(offsets, load32(numbers, index << 2))
    return size


@kernel
def shared_token(first: int, second: int) -> int:
    """Place where the same token starts in the overlap of two windows, counted from the start of the second; -1 if
    there is none. Arguments: the places where tokens start, of both."""
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
    """Write the numbers of a lane's tokens that start in these places. How many they are."""
    starts = load64(lane, STARTS) & shift_right(-1, LANE_BYTES - place_end) & shift_left(-1, place_start)
    count = 0
    while starts != 0:
        store32(out, out_offset + (count << 2), load32(lane, TOKENS + (trailing_zeros(starts) << 2)))
        count += 1
        starts = clear_lowest(starts)
    return count


@kernel
def stand_together(tables: Span, state: Span, text: Span, seam: int, left: int, right: int) -> bool:
    """Whether two tokens whose bytes meet at byte ``seam`` of the text stand together."""
    offsets = section(tables, layout.TOKEN_OFFSETS)
    scratch = section(state, layout.SCRATCH)
    here = SECOND_HALF
    start = seam - token_size(offsets, left)
    size = seam + token_size(offsets, right) - start
    count = merge_queued(tables, state, text, start, size, section(state, layout.BLOCK), scratch, here)
    return count == 2 and load32(scratch, here) == left and load32(scratch, here + 4) == right


@kernel
def window_fits(tables: Span, state: Span, text: Span, done: int, byte_end: int, left: int) -> bool:
    """Whether the first token of a window at byte ``done`` stands together with the token before it."""
    lane = part(section(state, layout.LANES), 0, LANE)
    fill_lane(tables, lane, text, done, min(LANE_BYTES, byte_end - done))
    merge_lanes(tables, state, 1)
    return stand_together(tables, state, text, done, left, load32(lane, TOKENS))


@kernel
def merge_windows(
    tables: Span, state: Span, text: Span, done: int, byte_end: int, out: Span, out_offset: int
) -> tuple[int, int]:
    """Merge bytes ``done`` to ``byte_end`` in windows, as far as windows join. Token numbers written; bytes done."""
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
    """Go on at byte ``done`` behind ``count`` tokens in ``out``, with at most so many blocks that differ from the one
    before. Tokens in ``out``, or -1 where no seam was found; bytes done."""
    offsets = section(tables, layout.TOKEN_OFFSETS)
    scratch = section(state, layout.SCRATCH)
    work = section(state, layout.BLOCK)
    block_start = -1  # of the block whose tokens are in scratch, while it may be reused
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
                    if steps_back > MOST_STEPS_BACK:
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
    """Whether the next two stretches of 64 bytes are the same: windows would hardly join."""
    answer = False
    if byte_start + 128 <= byte_end:
        answer = equal_bytes(text, byte_start, text, byte_start + 64, 64)
    return answer


@kernel
def merge_whole(tables: Span, state: Span, text: Span, start: int, size: int, out: Span, out_offset: int) -> int:
    """Merge a piece of any size at once, with space allocated for it. Token numbers written."""
    work = np.empty(space_for(size), np.uint8)
    space = span(work)
    for place in range(0, (size >> 3) + 136, 8):
        store64(space, place, 0)
    count = merge_queued(tables, state, text, start, size, space, out, out_offset)
    keep(work)
    return count


@kernel
def merge_long(tables: Span, state: Span, text: Span, start: int, size: int, out: Span, out_offset: int) -> int:
    """Merge a piece of any size; write the ids of its tokens to ``out``, 32 bits each. How many they are."""
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
