r"""DeepSeek's three stages, 64 bytes at a time; ``scan_plain.next_deepseek`` says what they do.

Each step starts where a pretoken starts, so nothing is carried from block to block. Starts that depend on what stands
behind the block are left to the next step, and what bit algebra leaves undecided to the plain scanner: digits outside
of ASCII and characters of no class (controls, format characters, private use, unassigned).
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
    line_starts,
    run_starts,
    triples,
    until_open_run,
    wide_planes,
)
from engine.kernels.blocks import ALL, BLOCK, NONE, ONE, Mask, below_lowest, block_masks, run_ends, store_positions
from engine.kernels.memory import Span, keep, prefetch, span, store32, store64
from engine.kernels.scan_plain import next_deepseek
from engine.kernels.utf8 import AHEAD
from engine.kernels.wide_characters import PAIRS_AT, STATE, WINDOW, Tables


@inline_kernel
def _wide_classes(text: Span, at: int, n_bytes: int, wide: Mask, inner: Mask, tables: Tables) -> tuple[Mask, ...]:
    """Of the characters that are not ASCII: letters and marks, symbols, digits, white space, Han and kana (letters and
    marks, symbols, all), characters of no class; and cuts."""
    plane0, plane1, plane2, east, cuts = wide_planes(text, at, n_bytes, wide, inner, tables)
    west = wide & (east ^ ALL)
    one_of_three = plane0 | plane1 | plane2
    # Classes 1, 3 and 4: a letter or mark. 2: a symbol. 5: a digit. 6: white space. 0: none.
    word = (plane0 & (plane2 ^ ALL)) | (plane2 & ((plane0 | plane1) ^ ALL))
    symbol = plane1 & ((plane0 | plane2) ^ ALL)
    none = wide & (one_of_three ^ ALL)
    digit = plane0 & plane2
    return word & west, symbol & west, digit, plane1 & plane2, word & east, symbol & east, east, none, cuts


@inline_kernel
def _block(text: Span, at: int, n_bytes: int, tables: Tables) -> tuple[Mask, int]:
    """Starts of pretokens in the block at ``at``, without its first byte, and where to go on; 0 or less: undecided."""
    wide, inner, upper, lower, number, newline, blank, control, _, _, rare = block_masks(text, at)
    ascii_letter = upper | lower
    white = (control ^ newline) | blank
    anchors = white & ((control | blank | wide) << 1 ^ ALL)
    undecided = rare & (control ^ ALL)
    word = ascii_letter
    ascii_symbol = (wide | word | number | blank | control | rare) ^ ALL
    symbol = ascii_symbol
    cuts = wide_word = east = NONE
    starts = ONE
    if wide != NONE:
        wide_word, wide_symbol, digit, wide_white, east_word, east_symbol, east, none, cuts = _wide_classes(
            text, at, n_bytes, wide, inner, tables
        )
        word |= wide_word
        symbol |= wide_symbol
        white |= wide_white
        number |= digit
        undecided |= digit | none
        starts |= run_starts(east_word) | run_starts(east_symbol)
    space = white | newline
    eaten = newline & ((newline + (newline & symbol << 1)) ^ ALL)
    symbol_start = run_starts(symbol) & (blank << 1 ^ ALL)
    # One symbol of ASCII takes the letters of ASCII behind it; other letters behind those are a word of their own.
    joined = (symbol_start & ascii_symbol) << 1 & ascii_letter
    starts |= symbol_start | triples(number) | (run_starts(word) & ((white << 1 | joined) ^ ALL))
    starts |= run_ends(ascii_letter, joined) & wide_word
    # White space before a number, Han or kana is at the end of its piece: its last character is not set apart.
    last_bytes = white & ((space | number | east) >> 1 ^ ALL)
    starts |= line_starts(white, newline, eaten) | last_white(last_bytes, wide, inner)
    starts = (starts & until_open_run(space)) | cuts
    if undecided != NONE:
        starts &= below_lowest(undecided)
        anchors &= below_lowest(undecided)
    return choose_step(starts, anchors)


@kernel
def scan_deepseek(
    text: NDArray[np.uint8],
    n_bytes: int,
    start: int,
    pages: NDArray[np.uint16],
    classes: NDArray[np.uint8],
    wide_table: NDArray[np.uint8],
    split: NDArray[np.int64],
    ends: NDArray[np.int32],
) -> int:
    """Ends of consecutive pretokens from ``start``: arguments and result as for ``scan_cl100k``, with tables of the
    DeepSeek reading; split is not used."""
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
        at = min(next_deepseek(text_span, at, n_bytes, page_span, class_span), n_bytes)
        store32(end_span, found << 2, at)
        found += 1
    keep(window)
    keep(state)
    return found
