r"""The split of o200k, Tekken and Kimi, 64 bytes at a time; ``scan_plain.next_o200k`` says what it does.

Each step starts where a pretoken starts, so nothing is carried from block to block. Starts that depend on what stands
behind the block are left to the next step, and what bit algebra leaves undecided to the plain scanner: digits outside
of ASCII, marks that no letter precedes, capitals behind a letter without case, which belong to its word or not
depending on what precedes and follows, and Han that is no letter.
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
from engine.kernels.blocks import (
    ALL,
    BLOCK,
    NONE,
    ONE,
    TOP,
    Mask,
    below_lowest,
    block_masks,
    highest,
    lowest,
    store_positions,
)
from engine.kernels.characters import contraction_length
from engine.kernels.memory import Span, keep, prefetch, span, store32, store64
from engine.kernels.scan_plain import next_o200k
from engine.kernels.utf8 import AHEAD
from engine.kernels.wide_characters import PAIRS_AT, STATE, WINDOW, Tables


@inline_kernel
def _with_contractions(text: Span, at: int, n_bytes: int, quotes: Mask, starts: Mask) -> tuple[Mask, Mask]:
    """The starts without those in contractions that end a word, and with those behind them; and all of the latter. An
    apostrophe right behind such a contraction begins a pretoken of its own."""
    behind = NONE
    while quotes != NONE:
        quote = quotes & (NONE - quotes)
        quotes ^= quote
        length = contraction_length(text, at + lowest(quote), n_bytes, 32) if quote & behind == NONE else 0
        if length != 0:
            starts &= ((quote << length) - quote) ^ ALL
            behind |= quote << length
    return starts | behind, behind


@inline_kernel
def _continuable(starts: Mask, cuts: Mask, cased: Mask) -> Mask:
    """Cuts at which scanning may go on. A word that is cut goes on as a new one, which is the same only as long as it
    had no letter with case: behind those, capitals begin a new word."""
    last, last_cut = highest(starts), highest(cuts)
    if last_cut > last >= 0 and ((ONE << last_cut) - (ONE << last)) & cased != NONE:
        return cuts & ((ONE << last) - ONE)
    return cuts


@inline_kernel
def _eaten(newline: Mask, slash: Mask, mark: Mask) -> Mask:
    r"""What ``[\r\n/]*`` takes behind punctuation: from a line end behind a mark through all line ends and slashes.

    The sum clears them up to the end of their run. A line end behind a slash in such a run is a start as well, and the
    sum sets it again: it is put back by hand."""
    first = newline & mark << 1
    tail = newline | slash
    return (tail & ((tail + first) ^ ALL)) | first


@inline_kernel
def _block(text: Span, at: int, n_bytes: int, split: tuple[int, int, Mask], tables: Tables) -> tuple[Mask, int]:
    """Starts of pretokens in the block at ``at``, without its first byte, and where to go on; 0 or less: undecided."""
    wide, inner, upper, lower, number, newline, blank, control, quote, slash, _ = block_masks(text, at)
    digits, contractions, slashes = split
    slash &= slashes
    white = (control ^ newline) | blank
    anchors = white & ((control | blank | wide) << 1 ^ ALL)
    letter = upper | lower
    cuts = undecided = combining = han = NONE
    if wide != NONE:
        plane0, plane1, plane2, east, cuts = wide_planes(text, at, n_bytes, wide, inner, tables)
        small = plane0 ^ plane1
        combining = plane2 & ((plane0 | plane1) ^ ALL)
        caseless = (plane0 & plane1) | combining
        han = caseless & east & (combining ^ ALL)
        caseless ^= caseless & east
        upper |= small & plane0 & (plane2 ^ ALL)
        lower |= small & plane1 & (plane2 ^ ALL)
        letter = upper | lower | caseless
        white |= plane1 & plane2
        wide_number = small & plane0 & plane2
        number |= wide_number
        undecided = wide_number | (combining & (letter << 1 ^ ALL)) | (upper & caseless << 1) | (east ^ han)
    space = white | newline
    mark = (letter | number | space | han) ^ ALL
    eaten = _eaten(newline, slash, mark)
    mark_start = run_starts(mark & (eaten ^ ALL)) & (blank << 1 ^ ALL)
    prefixed = white << 1 | behind_first_character(mark_start, inner)
    starts = ONE | mark_start | digit_starts(number, digits) | run_starts(han)
    starts |= (run_starts(letter) & (prefixed ^ ALL)) | (upper & lower << 1)
    starts |= line_starts(white, newline, eaten) | last_white(white & (space >> 1 ^ ALL), wide, inner)
    if contractions:
        quotes = quote & letter << 1 & (letter >> 1 | TOP)
        starts, behind = _with_contractions(text, at, n_bytes, quotes, starts)
        undecided |= behind & combining
    starts &= until_open_run(space)
    if undecided != NONE:
        starts &= below_lowest(undecided)
        anchors &= below_lowest(undecided)
        cuts &= below_lowest(undecided)
    if cuts != NONE:
        starts |= _continuable(starts, cuts, upper | lower)
    return choose_step(starts, anchors)


@kernel
def scan_o200k(
    text: NDArray[np.uint8],
    n_bytes: int,
    start: int,
    pages: NDArray[np.uint16],
    classes: NDArray[np.uint8],
    wide_table: NDArray[np.uint8],
    split: NDArray[np.int64],
    ends: NDArray[np.int32],
) -> int:
    """Ends of consecutive pretokens from ``start``: arguments and result as for ``scan_cl100k``; split: int64[3]:
    (unused, most digits, options as for ``next_o200k``)."""
    check_door(text.size, n_bytes, start)
    digits, options = split[1], split[2]
    slashes = NONE if options & 2 else ALL
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
            starts, step = _block(text_span, at, n_bytes, (digits, options & 1, slashes), tables)
            if step > 0:
                found = store_positions(end_span, found, at, starts)
                at += step
                continue
        at = min(next_o200k(text_span, at, n_bytes, page_span, class_span, digits, options), n_bytes)
        store32(end_span, found << 2, at)
        found += 1
    keep(window)
    keep(state)
    return found
