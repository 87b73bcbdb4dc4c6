"""From the classes of 64 bytes to the places where pretokens start: what the block scanners share.

A mask speaks of bytes. A character of several bytes has all its bits set in the mask of its class; ``inner`` has those
of its continuation bytes. ``m << 1`` is "behind an m", ``m >> 1`` is "before an m".

Classes of characters that are not ASCII (``wide_planes``) do not depend on where pretokens start, so
``classify_ahead`` looks them up a block ahead of the scanner. Then the processor can look up the next ones while it is
still busy with the algebra of this block.

``wide_planes`` also says where pretokens may be cut further: between two characters of three bytes, where no token of
the vocabulary contains bytes of both. This keeps pretokens of scripts without spaces short, so that they are met again.
Only characters of three bytes are ever cut apart: words of characters of two bytes have spaces between them, and
characters of four would fill the set.

Why such a cut changes no id: merging replaces two neighbouring tokens by one that is their bytes together, and that is
a token of the vocabulary. So no merge ever crosses the cut; those on one side change nothing that those on the other
depend on; and taken in the order of their ranks, the merges of the whole are the merges of one side mixed with those of
the other. A pretoken that is a token as a whole, which encoders look up first, would cross the cut, too. A part could
be a token that no merging makes, and be found by that look-up: so nothing is cut before the first character of such a
token, nor behind its last.

A scanner may end a call at a cut and go on from it: cuts are only made within a run of letters (and marks, where the
pattern takes them), and from inside of it the rest of the run is what the pattern matches. Only o200k and Tekken look
back at a cased letter in the same run; ``block_scanners.scan_o200k`` leaves those cuts out.

Which pairs of characters some token crosses is a bit set, asked by a hash of the pair (``crossing_bit``) and filled by
``mark_crossings``. Two pairs that share a bit cost a cut, never a token. A token may start inside its first character
or end inside its last one, so one token can stand for many pairs. One that ends with the first bytes of a character is
entered for every character that begins so. Where one starts inside a character, the character behind that is noted by
itself: it is never cut off, whatever stands before it. So are the first and the last character of tokens that merging
never makes, which only whole pretokens may be.
"""

from __future__ import annotations

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
    Mask,
    bit_masks,
    block_masks,
    class_of,
    code_point_at,
    decode_wide,
    highest,
    lowest,
    reversed_bits,
    run_ends,
    zeros_above,
)
from engine.kernels.memory import Span, load8, load16, load32, load64, span, store8, store64

INNER_STARTS = 8192
"""Bytes at the start of *crossings*: a bit for each of 65,536 code points, set where nothing is cut before it, whatever
that is: some token starts inside of the character before and goes on into this one, or merging never makes a token that
starts with it."""

CROSSED_PAIRS = 2 * INNER_STARTS
"""Behind them as many bytes with a bit for each code point that nothing is cut behind; then, from this byte on, the set
of hashed pairs, a power of two of bytes."""

PAIRS_AT = 65536
"""Bytes at the start of the *wide table*: class and flags of each code point up to U+FFFF, SPLITTABLE only where it has
three bytes and may be cut behind, CROSSED where its bit of ``INNER_STARTS`` is set. Behind them comes the set of hashed
pairs."""

CROSSED = 32
"""Flag beside a class: some token crosses from the character before."""

WINDOW = 4096
"""Bytes whose classes are kept."""

STATE = 24 + 6 * BLOCK
"""Bytes of the state: where the window starts in the text, how far characters are classified, the code point of the
last one (int64 each), then what ``decode_wide`` writes. It starts as zeros, but for the second number, which is -1."""

_CODE_POINTS = 24
_HASHES = _CODE_POINTS + 2 * BLOCK

Tables = Any
"""In compiled code a tuple that each scanner makes at its door: spans of pages, classes and the wide table, the shift
that goes with the size of its pairs, a span of ``WINDOW`` bytes and one of ``STATE`` bytes to work in."""


@inline_kernel
def crossing_bit(left: int, right: int, shift: int) -> int:
    """Number of the bit of a pair of characters of three bytes, as ``decode_wide`` hashes them. shift: 32 - log2(number
    of bits)."""
    return ((left << 16 | right) * PAIR_MIX & 0xFFFF_FFFF) >> shift


@inline_kernel
def _classify(text: Span, at: int, leads: Mask, tables: Tables, offset: int, previous: int) -> int:
    """Classify the characters that start at ``leads`` of the block at ``at``: the byte of the window at ``offset`` + i
    receives the class for a lead at i, with SPLITTABLE and CROSSED for characters of three bytes (of others CROSSED
    means nothing). Returns the code point of the last of them if it has three bytes, else some number."""
    pages, classes, wide_table, shift, window, state = tables
    last = highest(leads)
    of_four = decode_wide(text, at, previous, shift, state, _CODE_POINTS) & leads
    leads ^= of_four
    while leads != NONE:
        place = lowest(leads)
        leads &= leads - ONE
        flags = load8(wide_table, load16(state, _CODE_POINTS + (place << 1)))
        pair = load32(state, _HASHES + (place << 2))
        crossed = load8(wide_table, PAIRS_AT + (pair >> 3)) >> (pair & 7) & 1
        store8(window, offset + place, flags | crossed << 5)
    while of_four != NONE:
        place = lowest(of_four)
        of_four &= of_four - ONE
        store8(window, offset + place, class_of(code_point_at(text, at + place) >> 3, pages, classes) & CLASS)
    return load16(state, _CODE_POINTS + (last << 1))


@kernel
def classify_ahead(text: Span, at: int, n_bytes: int, tables: Tables) -> int:
    """Classify the characters of the block at ``at`` and of about one more, as far as that has not been done; ``at``
    never decreases, and is where a character starts. Returns where ``at`` is in the window.

    CROSSED means nothing for the character at ``at``, nor behind one that is not splittable.
    """
    state = tables[5]
    base, ahead, previous = load64(state, 0), load64(state, 8), load64(state, 16)
    if ahead < at or at - base > WINDOW - 4 * BLOCK:
        base = at
        ahead = at
    # A block of text may reach 64 bytes behind the end, and decoding reads two bytes more than a block.
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
def check_door(text_size: int, n_bytes: int, start: int) -> None:
    """Raise IndexError unless the text has room for blocks that begin anywhere in it."""
    if start < 0 or n_bytes < start or n_bytes + BLOCK > text_size:
        raise IndexError("the text is shorter than it is said to be")


@kernel
def crossings_shift(n_bytes: int) -> int:
    """32 - log2 of the number of bits in a set of hashed pairs of so many bytes. Raises IndexError if that is no power
    of two."""
    if n_bytes < 1 or n_bytes & (n_bytes - 1):
        raise IndexError("the set of crossings has no power of two of bytes")
    shift = 29
    while n_bytes > 1:
        n_bytes >>= 1
        shift -= 1
    return shift


@inline_kernel
def whole(leads: Mask, inner: Mask) -> Mask:
    """The mask of the characters that start at ``leads``, their continuation bytes included."""
    first = leads << 1 & inner
    return leads | (inner & ((inner + first) ^ ALL))


@inline_kernel
def wide_planes(text: Span, at: int, n_bytes: int, wide: Mask, inner: Mask, tables: Tables) -> Planes:
    """Classes of the characters that are not ASCII: mask b has bit b of the class; b is 0 to 3. The fifth: characters
    that may be cut off from the one before."""
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
    """The first bit of each run of set bits."""
    return runs & (runs << 1 ^ ALL)


@inline_kernel
def behind_first_character(run_starts: Mask, inner: Mask) -> Mask:
    """The first byte behind the character at each start."""
    following = run_starts << 1
    return (following & (inner ^ ALL)) | run_ends(inner, following & inner)


@inline_kernel
def triples(digits: Mask) -> Mask:
    """Starts of one to three digits each, in runs of digits of one byte."""
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
    r"""Starts of ``\p{N}{1,most}`` in digits of one byte; most: 1 or 3."""
    return triples(digits) if most == 3 else digits


@inline_kernel
def line_starts(white: Mask, newline: Mask, eaten: Mask) -> Mask:
    r"""Starts in white space under ``\s*[\r\n]+``, but for that of a last character (``last_white``): where it begins,
    and behind its last line end. eaten: line ends that a pretoken of punctuation takes."""
    left = newline & (eaten ^ ALL)
    behind_line = white & left << 1
    before_line = run_ends(white, behind_line) & newline
    if before_line != NONE:
        # Blank lines: white space between two line ends. Its first bit is found by a sum in the other direction.
        turned = reversed_bits(white)
        reached = turned & ((turned + reversed_bits(before_line >> 1)) ^ ALL)
        behind_line &= reversed_bits(reached) ^ ALL
    return run_starts((white | newline) & (eaten ^ ALL)) | behind_line


@inline_kernel
def last_white(last_bytes: Mask, wide: Mask, inner: Mask) -> Mask:
    """First bytes of white characters, given their last ones. None has four bytes."""
    leads = wide & (inner ^ ALL)
    of_many = last_bytes & inner
    return (last_bytes & (inner ^ ALL)) | ((of_many >> 1 | of_many >> 2) & leads)


@inline_kernel
def until_open_run(space: Mask) -> Mask:
    """All bytes up to the first of the white space that touches the end of the block: what follows decides about it."""
    touching = zeros_above(space ^ ALL)
    return ALL >> (touching - 1) if touching > 0 else ALL


@inline_kernel
def choose_step(starts: Mask, anchors: Mask) -> tuple[Mask, int]:
    """Where the next block begins, and the starts from there back to the first byte, without it.

    anchors: starts that are known early, from the class of two bytes alone. The processor need not wait for the rest
    of the algebra to go on with the next block when it begins at one of them.
    """
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
    place = byte_offset + (number >> 3)
    store8(bits, place, load8(bits, place) | 1 << (number & 7))


@kernel
def _mark_token(token: Span, start: int, end: int, crossings: Span, shift: int) -> None:
    """Enter the pairs that token[start:end] crosses."""
    at = start
    while at < end and load8(token, at) & 0xC0 == 0x80:
        at += 1
    left = 0
    while at < end:
        lead = load8(token, at)
        length = _bytes_in_character(lead)
        present = min(length, end - at)
        value = lead if length == 1 else lead & (0x7F >> length)
        for place in range(1, present):
            value = value << 6 | (load8(token, at + place) & 0x3F)
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
    """Mark both edges of token[start:end] as places that must not be cut."""
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
    """Enter all tokens of a vocabulary.

    token_bytes: uint8[n], one token after the other; token_offsets: int64[m + 1]. unmade: uint32[l], the numbers of
    those that merging never makes. crossings: uint8[16384 + 2**k], whose bits are set here.
    """
    shift = crossings_shift(crossings.size - CROSSED_PAIRS)
    tokens, crossing_span = span(token_bytes), span(crossings)
    for number in range(token_offsets.size - 1):
        _mark_token(tokens, token_offsets[number], token_offsets[number + 1], crossing_span, shift)
    for number in unmade:
        _mark_ends(tokens, token_offsets[number], token_offsets[number + 1], crossing_span)
