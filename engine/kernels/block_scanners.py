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

The bits of a mask stand for bytes. A character of several bytes has all its bits set in the mask of its class;
``inner`` has those of its continuation bytes. ``m << 1`` means "after an m", ``m >> 1`` means "before an m".

Classes of non-ASCII characters (``wide_planes``) do not depend on the starts of pretokens, so ``classify_ahead`` looks
them up one block ahead of the scanner. The processor can then look up the next ones while it is still busy with the
algebra of this block.

``wide_planes`` also finds additional boundaries at which pretokens may be split: between two characters of three bytes,
if no token of the vocabulary contains bytes of both. This keeps pretokens of scripts without spaces short, so that they
recur. Only characters of three bytes are split apart: words of two-byte characters are separated by spaces, and
four-byte characters would fill the bit set.

Why such a boundary changes no id: merging replaces two neighbouring tokens by one that consists of their bytes, which
is a token of the vocabulary. So no merge ever crosses the boundary. The merges on one side do not affect those on the
other, and in the order of their ranks, the merges of the whole are those of both sides interleaved. A pretoken that is
a token as a whole, which encoders look up first, would cross the boundary as well. A part could be a token that no
merge makes, and be found by that lookup. So there is no boundary before the first character of such a token, nor after
its last.

A scanner may end a call at such a boundary and continue from it: boundaries are only within a run of letters (and
marks, where the pattern includes them), and from inside the run, the pattern matches the rest of it. Only o200k and
Tekken look back for a cased letter in the same run; ``scan_o200k`` skips those boundaries (``_continuable``).

The pairs of characters that some token crosses are a bit set, indexed by a hash of the pair (``crossing_bit``) and
filled by ``mark_crossings``. Two pairs that share a bit cost a boundary, never a token. A token may start inside its
first character or end inside its last one, so it can stand for many pairs. A token that ends with the first bytes of a
character is entered for every character with these first bytes. If a token starts inside a character, the character
after that one is marked on its own: there is no boundary before it, whatever precedes it. The same holds for the first
and last character of tokens that no merge makes, which only whole pretokens can be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.blocks import (
    ALL,
    BLOCK,
    CLASS,
    NONE,
    ONE,
    PAIR_MIX,
    TOP,
    Mask,
    below_lowest,
    bit_masks,
    block_masks,
    class_of,
    code_point_at,
    contraction_length,
    decode_wide,
    highest,
    lowest,
    reversed_bits,
    run_ends,
    store_positions,
    zeros_above,
)
from engine.kernels.plain_scanners import next_end
from engine.kernels.primitives import (
    Span,
    keep,
    load8,
    load16,
    load32,
    load64,
    prefetch,
    span,
    store8,
    store32,
    store64,
)
from engine.kernels.text_bytes import AHEAD

INNER_STARTS = 8192
"""Size of the start of *crossings*, in bytes: a bit for each of 65,536 code points, set if there is no boundary before
it, whatever precedes it. Either a token starts inside the character before and continues into this one, or no merge
makes a token that starts with it."""

CROSSED_PAIRS = 2 * INNER_STARTS
"""Byte offset of the set of hashed pairs, whose size is a power of two. Before it, as many bytes as ``INNER_STARTS``
with a bit for each code point that no boundary may follow."""

PAIRS_AT = 65536
"""Size of the start of the *wide table*, in bytes: class and flags of each code point up to U+FFFF. SPLITTABLE is set
only if it has three bytes and a boundary may follow, CROSSED if its bit of ``INNER_STARTS`` is set. The set of hashed
pairs follows."""

CROSSED = 32
"""Flag beside a class: some token crosses from the previous character."""

WINDOW = 4096
"""Bytes whose classes are stored."""

STATE = 24 + 6 * BLOCK
"""Size of the state, in bytes: offset of the window in the text, offset up to which characters are classified, the code
point of the last one (int64 each), then the output of ``decode_wide``. Initially zeros, except -1 in the second
number."""

_CODE_POINTS = 24
_HASHES = _CODE_POINTS + 2 * BLOCK

Tables = Any
"""In compiled code a tuple that each scanner makes on entry: spans of pages, classes and the wide table, the shift for
the size of its pairs, and working spans of ``WINDOW`` and ``STATE`` bytes."""


@inline_kernel
def crossing_bit(left: int, right: int, shift: int) -> int:
    """Return the bit number of a pair of three-byte characters, as ``decode_wide`` hashes them. shift: 32 - log2(number
    of bits)."""
    return ((left << 16 | right) * PAIR_MIX & 0xFFFF_FFFF) >> shift


@inline_kernel
def _classify(text: Span, at: int, leads: Mask, tables: Tables, offset: int, previous: int) -> int:
    """Classify the characters that start at ``leads`` of the block at ``at``: the window's byte at ``offset`` + i
    receives the class for a lead at i, with SPLITTABLE and CROSSED for characters of three bytes (for others CROSSED is
    meaningless). Return the code point of the last of them if it has three bytes, else an arbitrary number."""
    pages, classes, wide_table, shift, window, state = tables
    last = highest(leads)
    of_four = decode_wide(text, at, previous, shift, state, _CODE_POINTS) & leads
    leads ^= of_four
    while leads != NONE:
        lead = lowest(leads)
        leads &= leads - ONE
        flags = load8(wide_table, load16(state, _CODE_POINTS + (lead << 1)))
        pair = load32(state, _HASHES + (lead << 2))
        crossed = load8(wide_table, PAIRS_AT + (pair >> 3)) >> (pair & 7) & 1
        store8(window, offset + lead, flags | crossed << 5)
    while of_four != NONE:
        lead = lowest(of_four)
        of_four &= of_four - ONE
        store8(window, offset + lead, class_of(code_point_at(text, at + lead) >> 3, pages, classes) & CLASS)
    return load16(state, _CODE_POINTS + (last << 1))


@kernel
def classify_ahead(text: Span, at: int, n_bytes: int, tables: Tables) -> int:
    """Classify the characters of the block at ``at`` and of about one more, unless already done. ``at`` is the start of
    a character and never decreases. Return the offset of ``at`` in the window.

    CROSSED is meaningless for the character at ``at``, and after one that is not splittable.
    """
    state = tables[5]
    base, ahead, previous = load64(state, 0), load64(state, 8), load64(state, 16)
    if ahead < at or at - base > WINDOW - 4 * BLOCK:
        base = at
        ahead = at
    # A block of text may extend 64 bytes beyond the end, and decoding reads two bytes more than a block.
    while ahead < at + 2 * BLOCK and ahead < n_bytes - 1:
        wide, inner, _, _, _, _, _, _, _, _, _ = block_masks(text, ahead)
        leads = wide & (inner ^ ALL)
        if ahead + BLOCK > n_bytes:
            leads &= (ONE << (n_bytes - ahead)) - ONE
        if leads != NONE:
            previous = _classify(text, ahead, leads, tables, ahead - base, previous)
        ahead += BLOCK
    store64(state, 0, base)
    store64(state, 8, ahead)
    store64(state, 16, previous)
    return at - base


Planes = tuple[Mask, Mask, Mask, Mask, Mask]


@kernel
def crossings_shift(n_bytes: int) -> int:
    """Return 32 - log2 of the number of bits in a set of hashed pairs of ``n_bytes`` bytes. Raises IndexError if that
    is not a power of two."""
    if n_bytes < 1 or n_bytes & (n_bytes - 1):
        raise IndexError("the set of crossings has no power of two of bytes")
    shift = 29
    while n_bytes > 1:
        n_bytes >>= 1
        shift -= 1
    return shift


@inline_kernel
def whole(leads: Mask, inner: Mask) -> Mask:
    """Return the mask of the characters that start at ``leads``, including their continuation bytes."""
    first = leads << 1 & inner
    return leads | (inner & ((inner + first) ^ ALL))


@inline_kernel
def wide_planes(text: Span, at: int, n_bytes: int, wide: Mask, inner: Mask, tables: Tables) -> Planes:
    """Return the classes of non-ASCII characters: mask b has bit b of the class, b is 0 to 3. The fifth mask:
    characters with a boundary before them."""
    offset = classify_ahead(text, at, n_bytes, tables)
    leads = wide & (inner ^ ALL)
    plane0, plane1, plane2, plane3, splittable, crossed = bit_masks(tables[4], offset)
    splittable &= leads
    cuts = splittable & (crossed ^ ALL) & whole(splittable, inner) << 1
    plane0, plane1 = whole(plane0 & leads, inner), whole(plane1 & leads, inner)
    plane2, plane3 = whole(plane2 & leads, inner), whole(plane3 & leads, inner)
    return plane0, plane1, plane2, plane3, cuts


@inline_kernel
def run_starts(runs: Mask) -> Mask:
    """Return the first bit of each run of set bits."""
    return runs & (runs << 1 ^ ALL)


@inline_kernel
def after_first_character(run_starts: Mask, inner: Mask) -> Mask:
    """Return the first byte after the character at each start."""
    following = run_starts << 1
    return (following & (inner ^ ALL)) | run_ends(inner, following & inner)


@inline_kernel
def triples(digits: Mask) -> Mask:
    """Return the starts of groups of one to three digits, in runs of one-byte digits."""
    starts = run_starts(digits)
    fourth = digits & digits << 1 & digits << 2 & digits << 3
    chain = starts
    while fourth != NONE:
        chain = chain << 3 & fourth
        if chain == NONE:
            break
        starts |= chain
    return starts


@inline_kernel
def digit_starts(digits: Mask, most: int) -> Mask:
    r"""Return the starts of ``\p{N}{1,most}`` in one-byte digits. most: 1 or 3."""
    return triples(digits) if most == 3 else digits


@inline_kernel
def line_starts(white: Mask, newline: Mask, eaten: Mask) -> Mask:
    r"""Return the starts in whitespace under ``\s*[\r\n]+``, except that of a last character (``last_white``): the
    start of the whitespace, and after its last line end. eaten: line ends that belong to a pretoken of punctuation."""
    left = newline & (eaten ^ ALL)
    behind_line = white & left << 1
    before_line = run_ends(white, behind_line) & newline
    if before_line != NONE:
        # Blank lines: whitespace between two line ends. A sum in the other direction finds its first bit.
        turned = reversed_bits(white)
        reached = turned & ((turned + reversed_bits(before_line >> 1)) ^ ALL)
        behind_line &= reversed_bits(reached) ^ ALL
    return run_starts((white | newline) & (eaten ^ ALL)) | behind_line


@inline_kernel
def last_white(last_bytes: Mask, wide: Mask, inner: Mask) -> Mask:
    """Return the first bytes of whitespace characters, given their last ones. None has four bytes."""
    leads = wide & (inner ^ ALL)
    of_many = last_bytes & inner
    return (last_bytes & (inner ^ ALL)) | ((of_many >> 1 | of_many >> 2) & leads)


@inline_kernel
def until_open_run(space: Mask) -> Mask:
    """Return all bytes up to and including the first one of the whitespace that touches the end of the block. The text
    after the block decides about the rest."""
    touching = zeros_above(space ^ ALL)
    return ALL >> (touching - 1) if touching > 0 else ALL


@inline_kernel
def choose_step(starts: Mask, anchors: Mask, undecided: Mask) -> tuple[Mask, int]:
    """Return the starts from the next block's start back to the first byte, without it, and where the next block
    starts.

    anchors: starts that are known early, from the class of two bytes alone. If the next block starts at one of them,
    the processor can continue without waiting for the rest of the algebra. undecided: characters that bit algebra does
    not decide; the next block starts before the first of them.
    """
    if undecided != NONE:
        starts &= below_lowest(undecided)
        anchors &= below_lowest(undecided)
    if anchors >> 40 != NONE:
        step = highest(anchors)
        return starts & ALL >> (63 - step) & (ONE ^ ALL), step
    return starts & (ONE ^ ALL), highest(starts)


@kernel
def _bytes_in_character(lead: int) -> int:
    if lead < 0xC0:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@kernel
def _set_bit(bits: Span, byte_offset: int, number: int) -> None:
    offset = byte_offset + (number >> 3)
    store8(bits, offset, load8(bits, offset) | 1 << (number & 7))


@kernel
def _mark_token(token: Span, start: int, end: int, crossings: Span, shift: int) -> None:
    """Mark the pairs that token[start:end] crosses."""
    at = start
    while at < end and load8(token, at) & 0xC0 == 0x80:
        at += 1
    left = 0
    while at < end:
        lead = load8(token, at)
        length = _bytes_in_character(lead)
        present = min(length, end - at)
        value = lead if length == 1 else lead & (0x7F >> length)
        for offset in range(1, present):
            value = value << 6 | (load8(token, at + offset) & 0x3F)
        if length == 3:
            unknown = 6 * (length - present)
            for right in range(value << unknown, (value + 1) << unknown):
                if left >= 0x800:
                    _set_bit(crossings, CROSSED_PAIRS, crossing_bit(left, right, shift))
                elif left == 0 and at > start:
                    _set_bit(crossings, 0, right)
        left = value if length == 3 == present else -1
        at += present


@kernel
def _mark_character(token: Span, at: int, crossings: Span, byte_offset: int) -> None:
    lead = load8(token, at)
    if _bytes_in_character(lead) == 3:
        rest = (load8(token, at + 1) & 0x3F) << 6 | (load8(token, at + 2) & 0x3F)
        _set_bit(crossings, byte_offset, (lead & 0x0F) << 12 | rest)


@kernel
def _mark_ends(token: Span, start: int, end: int, crossings: Span) -> None:
    """Mark both ends of token[start:end] as not allowing a boundary."""
    if end - start >= 3:
        _mark_character(token, start, crossings, 0)
        _mark_character(token, end - 3, crossings, INNER_STARTS)


@kernel
def mark_crossings(
    token_bytes: NDArray[np.uint8],
    token_offsets: NDArray[np.int64],
    unmade: NDArray[np.uint32],
    crossings: NDArray[np.uint8],
) -> None:
    """Mark all tokens of a vocabulary in ``crossings``.

    token_bytes: uint8[n], the concatenated tokens. token_offsets: int64[m + 1]. unmade: uint32[l], the numbers of those
    that no merge makes. crossings: uint8[16384 + 2**k], whose bits are set here.
    """
    shift = crossings_shift(crossings.size - CROSSED_PAIRS)
    tokens, crossing_span = span(token_bytes), span(crossings)
    for number in range(token_offsets.size - 1):
        _mark_token(tokens, token_offsets[number], token_offsets[number + 1], crossing_span, shift)
    for number in unmade:
        _mark_ends(tokens, token_offsets[number], token_offsets[number + 1], crossing_span)


Scan = Callable[..., int]


def _scanner(name: str, starts_in_block: Callable[..., tuple[Mask, int]]) -> Scan:
    """Return the kernel of this name for one family of split patterns.

    starts_in_block: returns the pretoken starts in the block at ``at``, without its first byte, and the step to the
    next block. If the step is 0 or less, the block does not decide about its first pretoken.

    The kernel writes the ends of consecutive pretokens from ``start``, where one starts, until the text ends or
    ``ends`` has room for fewer than 64 more.

    text: uint8[n], n >= n_bytes + 64, valid UTF-8 up to n_bytes. pages: uint16[16384], classes: uint8[128 * k],
    wide_table: uint8[65536 + 2**j]: ``engine.split.scanners``. split: int64[3], as for ``scan_plain``. ends:
    int32[m], m >= 64, written. Returns the number of ends. Raises IndexError if n_bytes or start is not within the
    text.

    Where classes are flagged as splittable, pretokens are also split at boundaries that no token crosses. The last end
    may be such a boundary; scanning continues from it.
    """

    def scan(
        text: NDArray[np.uint8],
        n_bytes: int,
        start: int,
        pages: NDArray[np.uint16],
        classes: NDArray[np.uint8],
        wide_table: NDArray[np.uint8],
        split: NDArray[np.int64],
        ends: NDArray[np.int32],
    ) -> int:
        if start < 0 or n_bytes < start or n_bytes + BLOCK > text.size:
            raise IndexError("the text is shorter than it is said to be")
        family, digits, options = split[0], split[1], split[2]
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
                starts, step = starts_in_block(text_span, at, n_bytes, digits, options, tables)
                if step > 0:
                    found = store_positions(end_span, found, at, starts)
                    at += step
                    continue
            at = next_end(text_span, at, n_bytes, page_span, class_span, family, digits, options)
            store32(end_span, found << 2, at)
            found += 1
        keep(window)
        keep(state)
        return found

    scan.__name__ = scan.__qualname__ = name  # names the file of its compiled code
    return kernel(scan)


@inline_kernel
def _with_gpt2_contractions(text: Span, at: int, n_bytes: int, quotes: Mask, starts: Mask) -> Mask:
    """Return the starts, with those of apostrophes that begin a contraction moved to its end."""
    while quotes != NONE:
        offset = lowest(quotes)
        quotes &= quotes - ONE
        length = contraction_length(text, at + offset, n_bytes, 0)
        if length != 0:
            starts &= (ONE << offset << 1) ^ ALL
            if offset + length < BLOCK:
                starts |= ONE << (offset + length)
    return starts


@inline_kernel
def _gpt2_block(text: Span, at: int, n_bytes: int, digits: int, options: int, tables: Tables) -> tuple[Mask, int]:
    """Return the starts for ``scan_gpt2``."""
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
    return choose_step((starts & until_open_run(white)) | cuts, anchors, NONE)


scan_gpt2 = _scanner("scan_gpt2", _gpt2_block)


@inline_kernel
def _after_contractions(text: Span, at: int, n_bytes: int, quotes: Mask) -> Mask:
    """Return the starts after contractions that begin with one of these apostrophes."""
    starts = NONE
    while quotes != NONE:
        offset = lowest(quotes)
        quotes &= quotes - ONE
        length = contraction_length(text, at + offset, n_bytes, 32)
        if length != 0 and offset + length < BLOCK:
            starts |= ONE << (offset + length)
    return starts


@inline_kernel
def _cl100k_block(text: Span, at: int, n_bytes: int, digits: int, options: int, tables: Tables) -> tuple[Mask, int]:
    """Return the starts for ``scan_cl100k``."""
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
    prefixed = white << 1 | after_first_character(mark_start, inner)
    starts = ONE | mark_start | digit_starts(number, digits) | (run_starts(letter) & (prefixed ^ ALL))
    starts |= line_starts(white, newline, eaten) | last_white(white & (space >> 1 ^ ALL), wide, inner)
    starts |= _after_contractions(text, at, n_bytes, quote & mark_start & letter >> 1)
    return choose_step((starts & until_open_run(space)) | cuts, anchors, undecided)


scan_cl100k = _scanner("scan_cl100k", _cl100k_block)


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
def _deepseek_block(text: Span, at: int, n_bytes: int, digits: int, options: int, tables: Tables) -> tuple[Mask, int]:
    """Return the starts for ``scan_deepseek``."""
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
    return choose_step((starts & until_open_run(space)) | cuts, anchors, undecided)


scan_deepseek = _scanner("scan_deepseek", _deepseek_block)


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
def _o200k_block(text: Span, at: int, n_bytes: int, digits: int, options: int, tables: Tables) -> tuple[Mask, int]:
    """Return the starts for ``scan_o200k``."""
    wide, inner, upper, lower, number, newline, blank, control, quote, slash, _ = block_masks(text, at)
    if options & 2:
        slash = NONE
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
    prefixed = white << 1 | after_first_character(mark_start, inner)
    starts = ONE | mark_start | digit_starts(number, digits) | run_starts(han)
    starts |= (run_starts(letter) & (prefixed ^ ALL)) | (upper & lower << 1)
    starts |= line_starts(white, newline, eaten) | last_white(white & (space >> 1 ^ ALL), wide, inner)
    if options & 1:
        quotes = quote & letter << 1 & (letter >> 1 | TOP)
        starts, behind = _with_o200k_contractions(text, at, n_bytes, quotes, starts)
        undecided |= behind & combining
    starts &= until_open_run(space)
    if undecided != NONE:
        starts &= below_lowest(undecided)
        cuts &= below_lowest(undecided)
    if cuts != NONE:
        starts |= _continuable(starts, cuts, upper | lower)
    return choose_step(starts, anchors, undecided)


scan_o200k = _scanner("scan_o200k", _o200k_block)
