r"""The split of gpt2, r50k and p50k, 64 bytes at a time; ``scan_plain.next_gpt2`` says what it does.

Each step starts where a pretoken starts, so nothing is carried from block to block. Starts that depend on what stands
behind the block are left to the next step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.block_algebra import (
    check_door,
    choose_step,
    crossings_shift,
    last_white,
    run_starts,
    until_open_run,
    wide_planes,
)
from engine.kernels.blocks import ALL, BLOCK, NONE, ONE, Mask, block_masks, lowest, store_positions
from engine.kernels.characters import contraction_length
from engine.kernels.memory import Span, keep, prefetch, span, store32, store64
from engine.kernels.scan_plain import next_gpt2
from engine.kernels.utf8 import AHEAD
from engine.kernels.wide_characters import PAIRS_AT, STATE, WINDOW, Tables


@inline_kernel
def _with_contractions(text: Span, at: int, n_bytes: int, quotes: Mask, starts: Mask) -> Mask:
    """The starts, moved behind those of the apostrophes that begin a contraction."""
    while quotes != NONE:
        place = lowest(quotes)
        quotes &= quotes - ONE
        length = contraction_length(text, at + place, n_bytes, 0)
        if length != 0:
            starts &= (ONE << place << 1) ^ ALL
            if place + length < BLOCK:
                starts |= ONE << (place + length)
    return starts


@inline_kernel
def _block(text: Span, at: int, n_bytes: int, tables: Tables) -> tuple[Mask, int]:
    """Starts of pretokens in the block at ``at``, without its first byte, and where to go on; 0: undecided."""
    wide, inner, upper, lower, number, _, blank, control, quote, _, _ = block_masks(text, at)
    letter = upper | lower
    white = control | blank
    anchors = white & ((white | wide) << 1 ^ ALL)
    cuts = NONE
    if wide != NONE:
        plane0, plane1, plane2, _, cuts = wide_planes(text, at, n_bytes, wide, inner, tables)
        letter |= (plane0 | plane1) & (plane2 ^ ALL)
        white |= plane1 & plane2
        number |= plane0 & plane2 & (plane1 ^ ALL)
    mark = (letter | number | white) ^ ALL
    behind_blank = blank << 1
    mark_start = run_starts(mark) & (behind_blank ^ ALL)
    in_words = (run_starts(letter) | run_starts(number)) & (behind_blank ^ ALL)
    in_white = run_starts(white) | last_white(white & (white >> 1 ^ ALL), wide, inner)
    quotes = quote & mark_start & letter >> 1
    starts = _with_contractions(text, at, n_bytes, quotes, ONE | mark_start | in_words | in_white)
    return choose_step((starts & until_open_run(white)) | cuts, anchors)


@kernel
def scan_gpt2(
    text: NDArray[np.uint8],
    n_bytes: int,
    start: int,
    pages: NDArray[np.uint16],
    classes: NDArray[np.uint8],
    wide_table: NDArray[np.uint8],
    split: NDArray[np.int64],
    ends: NDArray[np.int32],
) -> int:
    """Ends of consecutive pretokens from ``start``: arguments and result as for ``scan_cl100k``; split is not used."""
    check_door(text.size, n_bytes, start)
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
            starts, step = _block(text_span, at, n_bytes, tables)
            if step > 0:
                found = store_positions(end_span, found, at, starts)
                at += step
                continue
        at = min(next_gpt2(text_span, at, n_bytes, page_span, class_span), n_bytes)
        store32(end_span, found << 2, at)
        found += 1
    keep(window)
    keep(state)
    return found
