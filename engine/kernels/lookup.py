"""Whole pieces that are tokens: found by their bytes in the tables.

A piece of 1 to 15 bytes is a 16-byte *key*: its bytes, zeros, and its length in the last byte. Two pieces are equal
exactly when their keys are, so a comparison of keys is a proof, not a guess. Tokens of that size stand in lines of one
cache line, in the order of their ids: a line has three keys, three ids and a fill mark (how many are used; plus
``OVERFLOWED`` when a token that belongs there had to go to the next line).
"""

from __future__ import annotations

import numpy as np

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import fold_multiply, multiply_wrapping, shift_right
from engine.kernels.layout import section
from engine.kernels.memory import Span, load32, load64
from engine.kernels.vectors import LINE, same_line

HASH_A = -7046029254386353131
HASH_B = -4658895280553007687
"""Odd numbers without a pattern, as multipliers and starting points of hashes."""

KEY_MASKS = np.where(np.tri(16, 16, -1, dtype=bool), np.uint8(0xFF), np.uint8(0)).reshape(-1)
"""uint8[256]: sixteen rows of 16 bytes; in row n the first n are all ones. What kernels that make keys are given."""
KEY_MASKS.flags.writeable = False

OVERFLOWED = 0x80
LINE_IDS = 48
LINE_MARK = 60


@inline_kernel
def key_low(text: Span, masks: Span, byte_start: int, size: int) -> int:
    """First half of the key of a piece of 1 to 15 bytes. 16 bytes are read from ``byte_start`` on."""
    return load64(text, byte_start) & load64(masks, size << 4)


@inline_kernel
def key_high(text: Span, masks: Span, byte_start: int, size: int) -> int:
    """Second half of the key, with the length in its highest byte."""
    return (load64(text, byte_start + 8) & load64(masks, (size << 4) + 8)) | (size << 56)


@inline_kernel
def key_hash(low: int, high: int) -> int:
    """Hash of a key: 64 bits, the highest and the lowest equally good."""
    return fold_multiply(low ^ HASH_A, high ^ HASH_B)


@kernel
def hash_bytes(text: Span, byte_start: int, size: int) -> int:
    """Hash of a stretch of 16 bytes or more. Its last 16 bytes are taken at once, some of them for the second time."""
    mixed = multiply_wrapping(size, HASH_B)
    last = byte_start + size - 16
    for at in range(byte_start, last, 16):
        mixed = fold_multiply(mixed ^ load64(text, at), load64(text, at + 8) ^ HASH_B)
    mixed = fold_multiply(mixed ^ load64(text, last), load64(text, last + 8) ^ HASH_A)
    return multiply_wrapping(mixed, HASH_B)


@kernel
def equal_bytes(left: Span, left_start: int, right: Span, right_start: int, size: int) -> bool:
    """Whether two stretches of 8 bytes or more have the same bytes."""
    done = 0
    while done + LINE <= size:
        if not same_line(left, left_start + done, right, right_start + done):
            return False
        done += LINE
    while done + 8 <= size:
        if load64(left, left_start + done) != load64(right, right_start + done):
            return False
        done += 8
    # The last 8 at once, some of them for the second time.
    return load64(left, left_start + size - 8) == load64(right, right_start + size - 8)


@kernel
def find_short(tables: Span, low: int, high: int, key_hashed: int) -> int:
    """The id of the token with this key, or -1."""
    lines = section(tables, layout.LINES)
    shift = load64(tables, layout.LINE_SHIFT)
    last = shift_right(-1, shift)
    line = shift_right(key_hashed, shift)
    while True:
        at = line << 6
        for place in range(3):
            if load64(lines, at + (place << 4)) == low and load64(lines, at + (place << 4) + 8) == high:
                return load32(lines, at + LINE_IDS + (place << 2))
        if load32(lines, at + LINE_MARK) & OVERFLOWED == 0:
            return -1
        line = (line + 1) & last


@kernel
def find_long(tables: Span, text: Span, byte_start: int, size: int, hashed: int) -> int:
    """The id of the token of 16 bytes or more with exactly these bytes, or -1. ``hashed``: their ``hash_bytes``."""
    slots = section(tables, layout.LONGS)
    blob = section(tables, layout.TOKEN_BYTES)
    offsets = section(tables, layout.TOKEN_OFFSETS)
    shift = load64(tables, layout.LONG_SHIFT)
    last = shift_right(-1, shift)
    place = shift_right(hashed, shift)
    tag = hashed & 0xFFFFFFFF
    while True:
        slot = load64(slots, place << 3)
        if slot == 0:
            return -1
        if shift_right(slot, 32) == tag:
            number = (slot & 0xFFFFFFFF) - 1
            start = load32(offsets, number << 2)
            if load32(offsets, (number << 2) + 4) - start == size and equal_bytes(blob, start, text, byte_start, size):
                return number + load64(tables, layout.FIRST_ID)
        place = (place + 1) & last
