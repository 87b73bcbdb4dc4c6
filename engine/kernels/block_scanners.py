"""Scanners that split a text into pretokens 64 bytes at a time, one for each family of split patterns.

The scanners, their patterns, and the plain scanner of ``engine.kernels.plain_scanners`` that defines their result:

* ``scan_gpt2``: gpt2, r50k and p50k (``next_gpt2``);
* ``scan_cl100k``: cl100k, Llama 3 and Qwen (``next_cl100k``);
* ``scan_deepseek``: DeepSeek's three stages (``next_deepseek``);
* ``scan_o200k``: o200k, Tekken and Kimi (``next_o200k``).

Each step starts where a pretoken starts, so nothing is carried from block to block. Starts that depend on text after
the block are left to the next step. Cases that bit algebra does not decide are left to the plain scanner:

* for all but ``scan_gpt2``, digits outside ASCII;
* for ``scan_deepseek``, also characters of no class (controls, format characters, private use, unassigned);
* for ``scan_o200k``, also marks without a preceding letter, capitals after a caseless letter, which belong to its word
  or not depending on the text around them, and Han that is not a letter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.block_algebra import (
    PAIRS_AT,
    STATE,
    WINDOW,
    Tables,
    behind_first_character,
    check_door,
    choose_step,
    crossings_shift,
    digit_starts,
    last_white,
    line_starts,
    run_starts,
    triples,
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
    contraction_length,
    highest,
    lowest,
    run_ends,
    store_positions,
)
from engine.kernels.plain_scanners import next_cl100k, next_deepseek, next_gpt2, next_o200k
from engine.kernels.primitives import Span, keep, prefetch, span, store32, store64
from engine.kernels.utf8 import AHEAD


@inline_kernel
def _with_gpt2_contractions(text: Span, at: int, n_bytes: int, quotes: Mask, starts: Mask) -> Mask:
    """Return the starts, with those of apostrophes that begin a contraction moved to its end."""
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
def _gpt2_block(text: Span, at: int, n_bytes: int, tables: Tables) -> tuple[Mask, int]:
    """Return the pretoken starts in the block at ``at``, without its first byte, and the step; 0: undecided."""
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
    starts = _with_gpt2_contractions(text, at, n_bytes, quotes, ONE | mark_start | in_words | in_white)
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
    """Write the ends of pretokens from ``start``. Arguments and result as for ``scan_cl100k``; split is unused."""
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
            starts, step = _gpt2_block(text_span, at, n_bytes, tables)
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


@inline_kernel
def _behind_contractions(text: Span, at: int, n_bytes: int, quotes: Mask) -> Mask:
    """Return the starts after contractions that begin with one of these apostrophes."""
    starts = NONE
    while quotes != NONE:
        place = lowest(quotes)
        quotes &= quotes - ONE
        length = contraction_length(text, at + place, n_bytes, 32)
        if length != 0 and place + length < BLOCK:
            starts |= ONE << (place + length)
    return starts


@inline_kernel
def _cl100k_block(text: Span, at: int, n_bytes: int, digits: int, tables: Tables) -> tuple[Mask, int]:
    """Return the pretoken starts in the block at ``at``, without its first byte, and the step; 0 or less: undecided."""
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
    # Line ends after punctuation: the sum clears those that the run from the first one reaches.
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
    """Write the ends of consecutive pretokens from ``start``, where one starts, until the text ends or ``ends`` has
    room for fewer than 64 more.

    text: uint8[n], n >= n_bytes + 64, valid UTF-8 up to n_bytes. pages: uint16[16384], classes: uint8[128 * k],
    wide_table: uint8[65536 + 2**j]: ``engine.split.scanners``. split: int64[3]: (unused, most digits, whole_tail).
    ends: int32[m], m >= 64, written. Returns the number of ends. Raises IndexError if n_bytes or start is not within
    the text.

    Where classes are flagged as splittable, pretokens are also split at boundaries that no token crosses. The last end
    may be such a boundary; scanning continues from it.
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
            starts, step = _cl100k_block(text_span, at, n_bytes, digits, tables)
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


@inline_kernel
def _wide_classes(text: Span, at: int, n_bytes: int, wide: Mask, inner: Mask, tables: Tables) -> tuple[Mask, ...]:
    """Return masks of the non-ASCII characters: letters and marks, symbols, digits, whitespace, Han and kana (letters
    and marks, symbols, all), characters of no class; and boundaries."""
    plane0, plane1, plane2, east, cuts = wide_planes(text, at, n_bytes, wide, inner, tables)
    west = wide & (east ^ ALL)
    one_of_three = plane0 | plane1 | plane2
    # Classes 1, 3 and 4: a letter or mark. 2: a symbol. 5: a digit. 6: whitespace. 0: none.
    word = (plane0 & (plane2 ^ ALL)) | (plane2 & ((plane0 | plane1) ^ ALL))
    symbol = plane1 & ((plane0 | plane2) ^ ALL)
    none = wide & (one_of_three ^ ALL)
    digit = plane0 & plane2
    return word & west, symbol & west, digit, plane1 & plane2, word & east, symbol & east, east, none, cuts


@inline_kernel
def _deepseek_block(text: Span, at: int, n_bytes: int, tables: Tables) -> tuple[Mask, int]:
    """Return the pretoken starts in the block at ``at``, without its first byte, and the step; 0 or less: undecided."""
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
    # One ASCII symbol takes the ASCII letters after it; other letters after those are a separate word.
    joined = (symbol_start & ascii_symbol) << 1 & ascii_letter
    starts |= symbol_start | triples(number) | (run_starts(word) & ((white << 1 | joined) ^ ALL))
    starts |= run_ends(ascii_letter, joined) & wide_word
    # Whitespace before a number, Han or kana ends its piece, so its last character is not split off.
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
    """Write the ends of pretokens from ``start``. Arguments and result as for ``scan_cl100k``, with tables of the
    DeepSeek classes; split is unused."""
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
            starts, step = _deepseek_block(text_span, at, n_bytes, tables)
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


@inline_kernel
def _with_o200k_contractions(text: Span, at: int, n_bytes: int, quotes: Mask, starts: Mask) -> tuple[Mask, Mask]:
    """Return the starts, without those inside contractions that end a word and with those after them; and the latter
    alone. An apostrophe directly after such a contraction starts a new pretoken."""
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
    """Return the boundaries at which scanning may continue. A split word continues as a new word, which is equivalent
    only if it had no cased letter before: after those, capitals start a new word."""
    last, last_cut = highest(starts), highest(cuts)
    if last_cut > last >= 0 and ((ONE << last_cut) - (ONE << last)) & cased != NONE:
        return cuts & ((ONE << last) - ONE)
    return cuts


@inline_kernel
def _eaten(newline: Mask, slash: Mask, mark: Mask) -> Mask:
    r"""Return what ``[\r\n/]*`` takes after punctuation: from a line end after a mark through all line ends and
    slashes.

    The sum clears them up to the end of their run. A line end after a slash in such a run is also a start, which the
    sum sets again, so it is added explicitly."""
    first = newline & mark << 1
    tail = newline | slash
    return (tail & ((tail + first) ^ ALL)) | first


@inline_kernel
def _o200k_block(text: Span, at: int, n_bytes: int, split: tuple[int, int, Mask], tables: Tables) -> tuple[Mask, int]:
    """Return the pretoken starts in the block at ``at``, without its first byte, and the step; 0 or less: undecided."""
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
        starts, behind = _with_o200k_contractions(text, at, n_bytes, quotes, starts)
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
    """Write the ends of pretokens from ``start``. Arguments and result as for ``scan_cl100k``; split: int64[3]:
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
            starts, step = _o200k_block(text_span, at, n_bytes, (digits, options & 1, slashes), tables)
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
