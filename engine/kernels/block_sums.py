"""Sums over kilobyte blocks of texts, at 1/32 of their size: the input of the digests in ``engine.text.digests``.

This is the function NH of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway, 1999; RFC 4418, section 5.2): 32-bit
words are added to random words and multiplied in pairs, and the products are summed. For any two different blocks, at
most one in 2**32 choices of random words gives them the same sum. So at most one in 2**128 gives them the same four
sums, each with its own random words. The choice of pairs does not matter: here, words at the same position of both
halves of a block are paired, because processors handle many of those at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.block_layout import BLOCK, FACTOR_BYTES, SUM_BYTES
from engine.kernels.primitives import Span, add_wrapping, keep, load32, move, multiply_wrapping, part, span, store64

_HALF = BLOCK // 2
_LOW = 0xFFFFFFFF


@inline_kernel
def product(low: int, high: int, factors: Span, byte_offset: int) -> int:
    """Return the summand of a pair of words. ``byte_offset``: offset of the random word for the lower one."""
    low = (low + load32(factors, byte_offset)) & _LOW
    return multiply_wrapping(low, (high + load32(factors, byte_offset + _HALF)) & _LOW)


@inline_kernel
def sum_block(text: Span, at: int, factors: Span, sums: Span, row: int) -> None:
    """Write the sums of the block at byte offset ``at`` to byte offset ``row``."""
    first = second = third = fourth = 0
    for place in range(0, _HALF, 4):
        low, high = load32(text, at + place), load32(text, at + _HALF + place)
        first = add_wrapping(first, product(low, high, factors, place))
        second = add_wrapping(second, product(low, high, factors, BLOCK + place))
        third = add_wrapping(third, product(low, high, factors, 2 * BLOCK + place))
        fourth = add_wrapping(fourth, product(low, high, factors, 3 * BLOCK + place))
    store64(sums, row, first)
    store64(sums, row + 8, second)
    store64(sums, row + 16, third)
    store64(sums, row + 24, fourth)


@kernel
def sum_blocks(
    content: NDArray[np.uint8], byte_spans: NDArray[np.int64], factors: NDArray[np.uint8], sums: NDArray[np.int64]
) -> None:
    """Write the consecutive sums of all blocks of n texts.

    ``content``: uint8[m], read-only. ``byte_spans``: int64[n, 2], start and end of each text in it. ``factors``:
    uint8[FACTOR_BYTES], read-only, random. ``sums``: int64[k, SUMS], k >= blocks of all texts; an empty text has none.
    Raises IndexError if a text is not within ``content``, or an array is too short.
    """
    text, words, out = span(content), span(factors), span(sums)
    rest = np.zeros(BLOCK, np.uint8)
    last = span(rest)
    if factors.size < FACTOR_BYTES:
        raise IndexError("too few random words")
    row = 0
    for index in range(len(byte_spans)):
        at, end = byte_spans[index, 0], byte_spans[index, 1]
        if at < 0 or end < at or end > content.size:
            raise IndexError("the texts are not within their memory")
        if row + (end - at + BLOCK - 1) // BLOCK * SUM_BYTES > 8 * sums.size:
            raise IndexError("no room for the sums")
        while at + BLOCK <= end:
            sum_block(text, at, words, out, row)
            row += SUM_BYTES
            at += BLOCK
        if at < end:
            rest[:] = 0
            move(last, part(text, at, end - at))
            sum_block(last, 0, words, out, row)
            row += SUM_BYTES
    keep(rest)
