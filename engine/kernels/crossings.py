"""Which neighbouring characters some token of a vocabulary has bytes of both: between all others a pretoken may be cut
(``engine.kernels.wide_characters`` says why). Only characters of three bytes are ever cut apart: with those of two
bytes words have spaces between them, and those of four would fill the set.

A token may start inside its first character or end inside its last one, so one token can stand for many pairs. One
that ends with the first bytes of a character is entered for every character that begins so. Where one starts inside a
character, the character behind that is noted by itself: it is never cut off, whatever stands before it.

So are the first and the last character of tokens that merging never makes, which only whole pretokens may be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.block_algebra import crossings_shift
from engine.kernels.memory import Span, load8, span, store8
from engine.kernels.wide_characters import CROSSED_PAIRS, INNER_STARTS, crossing_bit


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
