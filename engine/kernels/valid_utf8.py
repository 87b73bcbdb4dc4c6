"""Whether bytes are valid UTF-8, 64 of them at a time: other threads go on meanwhile, and nothing is decoded.

The rules are those of table 3-7 of the Unicode Standard (well-formed UTF-8 byte sequences).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel, primitive
from engine.kernels.blocks import ALL, BLOCK, NONE, ONE, Mask, no_plain_twin
from engine.kernels.memory import SPAN_TYPE, Span, address, keep, move, part, span

TWO = np.uint64(2)
THREE = np.uint64(3)
LAST = np.uint64(63)
LAST_TWO = np.uint64(62)
LAST_THREE = np.uint64(61)

_WORD = ir.IntType(64)
_BYTES = ir.VectorType(ir.IntType(8), BLOCK)
_TWELVE_MASKS = types.UniTuple(types.uint64, 12)  # type: ignore[no-untyped-call]


@primitive(no_plain_twin)
def utf8_masks(typing_context: Any, text: Any, byte_offset: Any) -> Any:
    """utf8_masks(span, byte_offset): twelve masks of the 64 bytes there. From 0x80 on; from 0xC0, 0xC2, 0xE0, 0xF0 and
    0xF5 on; from 0x90 on and from 0xA0 on; exactly 0xE0, 0xED, 0xF0 and 0xF4."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = address(context, builder, args[0], args[1], BLOCK)
        block = builder.load(builder.bitcast(pointer, _BYTES.as_pointer()))
        block.align = 1

        def mask(relation: str, byte: int) -> Any:
            found = builder.icmp_unsigned(relation, block, ir.Constant(_BYTES, [byte] * BLOCK))
            return builder.bitcast(found, _WORD)

        masks = [mask(">=", byte) for byte in (0x80, 0xC0, 0xC2, 0xE0, 0xF0, 0xF5, 0x90, 0xA0)]
        masks += [mask("==", byte) for byte in (0xE0, 0xED, 0xF0, 0xF4)]
        return context.make_tuple(builder, signature.return_type, masks)

    return _TWELVE_MASKS(SPAN_TYPE, types.int64), recipe


@inline_kernel
def check_block(text: Span, at: int, due: Mask, limits: Mask) -> tuple[Mask, Mask, Mask]:
    """What is wrong with 64 bytes. ``due``: which of the first three continue a character of the block before.
    ``limits``: bits 0 to 3, whether the first byte stands behind 0xE0, 0xED, 0xF0 or 0xF4. Bytes that are wrong; and
    both for the next block."""
    high, lead, from_c2, of_three, of_four, from_f5, from_90, from_a0, e0, ed, f0, f4 = utf8_masks(text, at)
    if high == NONE:
        return due, NONE, NONE
    expected = (from_c2 << ONE) | (of_three << TWO) | (of_four << THREE) | due
    wrong = expected ^ (high & (lead ^ ALL)) | (lead & (from_c2 ^ ALL)) | from_f5
    wrong |= ((e0 << ONE) | (limits & ONE)) & (from_a0 ^ ALL)
    wrong |= ((ed << ONE) | (limits >> ONE & ONE)) & from_a0
    wrong |= ((f0 << ONE) | (limits >> TWO & ONE)) & (from_90 ^ ALL)
    wrong |= ((f4 << ONE) | (limits >> THREE & ONE)) & from_90
    due = (from_c2 >> LAST) | (of_three >> LAST_TWO) | (of_four >> LAST_THREE)
    limits = (e0 >> LAST) | (ed >> LAST << ONE) | (f0 >> LAST << TWO) | (f4 >> LAST << THREE)
    return wrong, due, limits


@kernel
def is_valid_utf8(text: NDArray[np.uint8]) -> bool:
    """Whether all bytes together are valid UTF-8. text: uint8[n]."""
    whole = span(text)
    due = limits = wrong = NONE
    at = 0
    while at + BLOCK <= text.size and wrong == NONE:
        wrong, due, limits = check_block(whole, at, due, limits)
        at += BLOCK
    rest = np.zeros(BLOCK, np.uint8)  # behind the last bytes stand zeros, which continue nothing
    last = span(rest)
    if wrong == NONE:
        move(last, part(whole, at, text.size - at))
        wrong, due, limits = check_block(last, 0, due, limits)
    is_valid: bool = wrong == NONE
    keep(rest)
    return is_valid
