"""What the block scanners share: from the classes of 64 bytes to places where pretokens start.

A mask speaks of bytes. A character of several bytes has all its bits set in the mask of its class; ``inner`` has those
of its continuation bytes. ``m << 1`` is "behind an m", ``m >> 1`` is "before an m".
"""

from __future__ import annotations

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.blocks import ALL, BLOCK, NONE, ONE, Mask, bit_masks, highest, reversed_bits, run_ends, zeros_above
from engine.kernels.memory import Span
from engine.kernels.wide_characters import Tables, classify_ahead

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
