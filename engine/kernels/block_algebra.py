"""Bit algebra from the classes of 64 bytes to the starts of pretokens, shared by the block scanners.

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
Tekken look back for a cased letter in the same run; ``block_scanners.scan_o200k`` skips those boundaries.

The pairs of characters that some token crosses are a bit set, indexed by a hash of the pair (``crossing_bit``) and
filled by ``mark_crossings``. Two pairs that share a bit cost a boundary, never a token. A token may start inside its
first character or end inside its last one, so it can stand for many pairs. A token that ends with the first bytes of a
character is entered for every character with these first bytes. If a token starts inside a character, the character
after that one is marked on its own: there is no boundary before it, whatever precedes it. The same holds for the first
and last character of tokens that no merge makes, which only whole pretokens can be.
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
from engine.kernels.primitives import Span, load8, load16, load32, load64, span, store8, store64

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
def check_door(text_size: int, n_bytes: int, start: int) -> None:
    """Raise IndexError unless the text has room for blocks that start anywhere in it."""
    if start < 0 or n_bytes < start or n_bytes + BLOCK > text_size:
        raise IndexError("the text is shorter than it is said to be")


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
def behind_first_character(run_starts: Mask, inner: Mask) -> Mask:
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
def choose_step(starts: Mask, anchors: Mask) -> tuple[Mask, int]:
    """Return the starts from the next block's start back to the first byte, without it, and where the next block
    starts.

    anchors: starts that are known early, from the class of two bytes alone. If the next block starts at one of them,
    the processor can continue without waiting for the rest of the algebra.
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
