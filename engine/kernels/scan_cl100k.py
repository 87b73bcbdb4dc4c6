r"""The split of cl100k, Llama 3 and Qwen, 64 bytes at a time; ``scan_plain.next_cl100k`` says what it does.

Each step starts where a pretoken starts, so nothing is carried from block to block. Starts that depend on what stands
behind the block are left to the next step, and what bit algebra leaves undecided to the plain scanner: digits outside
of ASCII.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.block_algebra import (
    behind_first_character,
    check_door,
    choose_step,
    crossings_shift,
    digit_starts,
    last_white,
    line_starts,
    run_starts,
    until_open_run,
    wide_planes,
)
from engine.kernels.blocks import ALL, BLOCK, NONE, ONE, Mask, below_lowest, block_masks, lowest, store_positions
from engine.kernels.characters import contraction_length
from engine.kernels.memory import Span, keep, prefetch, span, store32, store64
from engine.kernels.scan_plain import next_cl100k
from engine.kernels.utf8 import AHEAD
from engine.kernels.wide_characters import PAIRS_AT, STATE, WINDOW, Tables


@inline_kernel
def _behind_contractions(text: Span, at: int, n_bytes: int, quotes: Mask) -> Mask:
    """Starts behind those of the apostrophes that begin a contraction."""
    starts = NONE
    while quotes != NONE:
        place = lowest(quotes)
        quotes &= quotes - ONE
        length = contraction_length(text, at + place, n_bytes, 32)
        if length != 0 and place + length < BLOCK:
            starts |= ONE << (place + length)
    return starts


@inline_kernel
def _block(text: Span, at: int, n_bytes: int, digits: int, tables: Tables) -> tuple[Mask, int]:
    """Starts of pretokens in the block at ``at``, without its first byte, and where to go on; 0 or less: undecided."""
    wide, inner, upper, lower, number, newline, blank, control, quote, _, _ = block_masks(text, at)
    letter = upper | lower
    white = (control ^ newline) | blank
    anchors = white & ((control | blank | wide) << 1 ^ ALL)
    cuts = undecided = NONE
    if wide != NONE:
        plane0, plane1, plane2, _, cuts = wide_planes(text, at, n_bytes, wide, inner, tables)
        letter |= (plane0 | plane1) & (plane2 ^ ALL)
        white |= plane1 & plane2
        undecided = plane0 & plane2
        number |= undecided
    space = white | newline
    mark = (letter | number | space) ^ ALL
    mark_start = run_starts(mark) & (blank << 1 ^ ALL)
    # Line ends behind punctuation: the sum clears those that the run from the first one reaches.
    eaten = newline & ((newline + (newline & mark << 1)) ^ ALL)
    prefixed = white << 1 | behind_first_character(mark_start, inner)
    starts = ONE | mark_start | digit_starts(number, digits) | (run_starts(letter) & (prefixed ^ ALL))
    starts |= line_starts(white, newline, eaten) | last_white(white & (space >> 1 ^ ALL), wide, inner)
    starts |= _behind_contractions(text, at, n_bytes, quote & mark_start & letter >> 1)
    starts = (starts & until_open_run(space)) | cuts
    if undecided != NONE:
        starts &= below_lowest(undecided)
        anchors &= below_lowest(undecided)
    return choose_step(starts, anchors)


@kernel
def scan_cl100k(
    text: NDArray[np.uint8],
    n_bytes: int,
    start: int,
    pages: NDArray[np.uint16],
    classes: NDArray[np.uint8],
    wide_table: NDArray[np.uint8],
    split: NDArray[np.int64],
    ends: NDArray[np.int32],
) -> int:
    """Ends of consecutive pretokens from ``start``, where one starts, until the text is at its end or ``ends`` has
    room for fewer than 64 more.

    text: uint8[n], n >= n_bytes + 64, valid UTF-8 up to n_bytes. pages: uint16[16384], classes: uint8[128 * k],
    wide_table: uint8[65536 + 2**j]: ``engine.split.scan_tables``. split: int64[3]: (unused, most digits, whole_tail).
    ends: int32[m], m >= 64, written. Returns the number of ends. Raises IndexError when n_bytes or start is not within
    the text.

    Where classes are flagged as splittable, pretokens are cut further at places that no token crosses. The last end
    may be such a place; scanning goes on from it.
    """
    check_door(text.size, n_bytes, start)
    digits, whole_tail = split[1], split[2]
    text_span, page_span, class_span, end_span = span(text), span(pages), span(classes), span(ends)
    window, state = np.empty(WINDOW, np.uint8), np.zeros(STATE, np.uint8)
    store64(span(state), 8, -1)
    shift = crossings_shift(wide_table.size - PAIRS_AT)
    tables = (page_span, class_span, span(wide_table), shift, span(window), span(state))
    found = 0
    at = start
    while at < n_bytes and found <= ends.size - BLOCK:
        if at + BLOCK <= n_bytes:
            prefetch(text_span, at + AHEAD)
            starts, step = _block(text_span, at, n_bytes, digits, tables)
            if step > 0:
                found = store_positions(end_span, found, at, starts)
                at += step
                continue
        at = min(next_cl100k(text_span, at, n_bytes, page_span, class_span, digits, whole_tail), n_bytes)
        store32(end_span, found << 2, at)
        found += 1
    keep(window)
    keep(state)
    return found
