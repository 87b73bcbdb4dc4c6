"""Kernels on the bytes of texts: UTF-8 encoding of Python texts, UTF-8 validation, and sums for digests.

They are kernels so that other threads keep running. None copies a whole text or decodes anything.

``write_utf8`` writes the UTF-8 of a Python text. Python stores the characters of a text in 1, 2 or 4 bytes each,
depending on its widest one: its *width*. Most blocks of 64 characters are ASCII and are copied at once. In others,
sixteen at a time are spread over four bytes each and packed.

``is_valid_utf8`` validates UTF-8, 64 bytes at a time, by the rules of table 3-7 of the Unicode Standard (well-formed
UTF-8 byte sequences).

``sum_blocks`` sums kilobyte blocks of texts, at 1/32 of their size: the input of the digests in
``engine.text.digests``. This is the function NH of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway, 1999; RFC 4418,
section 5.2): 32-bit words are added to random words and multiplied in pairs, and the products are summed. For any two
different blocks, at most one in 2**32 choices of random words gives them the same sum. So at most one in 2**128 gives
them the same four sums, each with its own random words. The choice of pairs does not matter: here, words at the same
position of both halves of a block are paired, because processors handle many of those at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel, primitive
from engine.kernels.block_layout import FACTOR_BYTES, SUM_BLOCK, SUM_BYTES
from engine.kernels.blocks import ALL, BLOCK, NONE, ONE, PACKS, Mask, no_plain_twin, packed_bytes
from engine.kernels.primitives import (
    LINE,
    SPAN_TYPE,
    Span,
    add_wrapping,
    keep,
    load8,
    load16,
    load32,
    load_vector,
    move,
    multiply_wrapping,
    part,
    prefetch,
    span,
    store8,
    store32,
    store64,
    store_vector,
)

PADDING = 64
"""Number of zero bytes after the text."""
ROOM = PADDING + BLOCK
"""Bytes that ``write_utf8`` needs beyond ``MAX_BYTES`` per character, because it writes whole blocks."""
MAX_BYTES = 4
GROUP = 16
"""Characters packed at once."""
AHEAD = 2048
"""Distance in bytes at which a text is prefetched. The hardware prefetcher does not cross 4 KB pages, which hold a
thousand wide characters, and prefetches less the more other memory is accessed."""

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_GROUP, _GROUP_BYTES = ir.VectorType(_I32, GROUP), ir.VectorType(_I8, 4 * GROUP)
_BLOCK_BYTES = ir.VectorType(_I8, BLOCK)


@primitive(no_plain_twin)
def characters(typing_context: Any, text: Any) -> Any:
    """characters(text): the memory of a Python text's characters, as a span."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = cgutils.create_struct_proxy(types.unicode_type)(context, builder, value=args[0])  # type: ignore[no-untyped-call]
        size = builder.mul(held.length, builder.sext(held.kind, _I64))
        return context.make_tuple(builder, signature.return_type, (held.data, size))

    return SPAN_TYPE(types.unicode_type), recipe


@primitive(no_plain_twin)
def width_of(typing_context: Any, text: Any) -> Any:
    """width_of(text): bytes per character in the memory of a Python text."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = cgutils.create_struct_proxy(types.unicode_type)(context, builder, value=args[0])  # type: ignore[no-untyped-call]
        return builder.sext(held.kind, _I64)

    return types.int64(types.unicode_type), recipe


@primitive(no_plain_twin)
def is_ascii(typing_context: Any, text: Any) -> Any:
    """is_ascii(text): 1 if a Python text is all ASCII, as Python has recorded, else 0."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = cgutils.create_struct_proxy(types.unicode_type)(context, builder, value=args[0])  # type: ignore[no-untyped-call]
        return builder.zext(builder.icmp_unsigned("!=", held.is_ascii, held.is_ascii.type(0)), _I64)

    return types.int64(types.unicode_type), recipe


def room_for(text: str, characters: int) -> int:
    """Return the bytes that ``write_utf8`` needs for ``characters`` characters of a text."""
    return (1 if text.isascii() else MAX_BYTES) * characters + ROOM


def load_characters(context: Any, builder: Any, source: Any, byte_offset: Any, width: int, count: int) -> Any:
    """For recipes: load ``count`` characters of a text at once, ``width`` bytes each."""
    return load_vector(context, builder, source, byte_offset, ir.VectorType(ir.IntType(8 * width), count), align=width)


def _ascii_copier(width: int) -> Callable[[Span, int, Span, int], int]:
    @primitive(no_plain_twin)
    def copy_ascii(typing_context: Any, source: Any, byte_offset: Any, target: Any, at: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source, byte_offset, target, at = args
            block = load_characters(context, builder, source, byte_offset, width, BLOCK)
            limit = ir.Constant(block.type, [0x80] * BLOCK)
            wide = builder.bitcast(builder.icmp_unsigned(">=", block, limit), _I64)
            store_vector(context, builder, target, at, block if width == 1 else builder.trunc(block, _BLOCK_BYTES))
            return wide

        return types.int64(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe

    return cast(Callable[[Span, int, Span, int], int], copy_ascii)


_copy_ascii_1, _copy_ascii_2, _copy_ascii_4 = map(_ascii_copier, (1, 2, 4))


@inline_kernel
def copy_ascii(source: Span, byte_offset: int, width: int, target: Span, at: int) -> int:
    """Write the low bytes of 64 characters to ``target`` at byte offset ``at``. Return a bit set of those that are not
    ASCII; if there are any, the output is invalid."""
    if width == 1:
        return _copy_ascii_1(source, byte_offset, target, at)
    if width == 2:
        return _copy_ascii_2(source, byte_offset, target, at)
    return _copy_ascii_4(source, byte_offset, target, at)


def _spread(builder: Any, points: Any) -> tuple[Any, Any]:
    """For recipes: return the UTF-8 of each code point, first byte lowest, and a mask of the bytes used."""

    def each(value: int) -> Any:
        return ir.Constant(_GROUP, [value] * GROUP)

    def byte(shift: int, mask: int, mark: int, offset: int) -> Any:
        bits = builder.and_(builder.lshr(points, each(shift)), each(mask))
        return builder.shl(builder.or_(bits, each(mark)), each(8 * offset))

    def joined(*parts: Any) -> Any:
        whole = parts[0]
        for one in parts[1:]:
            whole = builder.or_(whole, one)
        return whole

    encoded = points
    used = each(0x01)
    for limit, forms in (
        (0x80, (byte(6, 0x1F, 0xC0, 0), byte(0, 0x3F, 0x80, 1))),
        (0x800, (byte(12, 0x0F, 0xE0, 0), byte(6, 0x3F, 0x80, 1), byte(0, 0x3F, 0x80, 2))),
        (0x10000, (byte(18, 0x07, 0xF0, 0), byte(12, 0x3F, 0x80, 1), byte(6, 0x3F, 0x80, 2), byte(0, 0x3F, 0x80, 3))),
    ):
        reaches = builder.icmp_unsigned(">=", points, each(limit))
        encoded = builder.select(reaches, joined(*forms), encoded)
        used = builder.select(reaches, each((1 << 8 * len(forms)) - 1 & 0x01010101), used)
    return encoded, used


def _packer(width: int) -> Callable[[Span, int, Span, int], int]:
    @primitive(no_plain_twin)
    def pack(typing_context: Any, source: Any, byte_offset: Any, target: Any, at: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source, byte_offset, target, at = args
            found = load_characters(context, builder, source, byte_offset, width, GROUP)
            points = found if width == 4 else builder.zext(found, _GROUP)
            encoded, used = _spread(builder, points)
            used = builder.trunc(builder.bitcast(used, _GROUP_BYTES), ir.VectorType(ir.IntType(1), 4 * GROUP))
            packed = packed_bytes(builder, builder.bitcast(encoded, _GROUP_BYTES), used)
            store_vector(context, builder, target, at, packed)
            size = builder.ctpop(builder.bitcast(used, _I64))
            high = builder.and_(points, ir.Constant(_GROUP, [0xFFFFF800] * GROUP))
            surrogates = builder.icmp_unsigned("==", high, ir.Constant(_GROUP, [0xD800] * GROUP))
            none = builder.icmp_unsigned("==", builder.bitcast(surrogates, ir.IntType(GROUP)), ir.IntType(GROUP)(0))
            return builder.select(none, size, _I64(-1))

        return types.int64(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe

    return cast(Callable[[Span, int, Span, int], int], pack)


_pack_1, _pack_2, _pack_4 = map(_packer, (1, 2, 4))


@inline_kernel
def _pack_group(source: Span, byte_offset: int, width: int, target: Span, at: int) -> int:
    if width == 1:
        return _pack_1(source, byte_offset, target, at)
    if width == 2:
        return _pack_2(source, byte_offset, target, at)
    return _pack_4(source, byte_offset, target, at)


@inline_kernel
def put_character(source: Span, byte_offset: int, width: int, target: Span, at: int) -> int:
    """Write the UTF-8 of one character. Return its length in bytes, or -1 for a surrogate."""
    if width == 1:
        point = load8(source, byte_offset)
    elif width == 2:
        point = load16(source, byte_offset)
    else:
        point = load32(source, byte_offset)
    size = 1
    if point < 0x80:
        store8(target, at, point)
    elif point < 0x800:
        store32(target, at, 0x80C0 | (point >> 6) | ((point & 0x3F) << 8))
        size = 2
    elif point < 0x10000:
        store32(target, at, 0x8080E0 | (point >> 12) | ((point >> 6 & 0x3F) << 8) | ((point & 0x3F) << 16))
        size = -1 if point & 0xF800 == 0xD800 else 3
    else:
        low = ((point >> 6 & 0x3F) << 16) | ((point & 0x3F) << 24)
        store32(target, at, 0x808080F0 | (point >> 18) | ((point >> 12 & 0x3F) << 8) | low)
        size = 4
    return size


@inline_kernel
def put_group(source: Span, byte_offset: int, width: int, target: Span, at: int) -> int:
    """Write the UTF-8 of 16 characters; may overwrite 64 bytes. Return its length in bytes, or -1 for a surrogate."""
    if PACKS:
        return _pack_group(source, byte_offset, width, target, at)
    written = 0
    for offset in range(byte_offset, byte_offset + GROUP * width, width):
        size = put_character(source, offset, width, target, at + written)
        if size < 0:
            return -1
        written += size
    return written


@inline_kernel
def prefetch_ahead(source: Span, offset: int, size: int) -> None:
    """Prefetch ``size`` bytes of a text, ``AHEAD`` bytes after the position being read."""
    for line in range(offset + AHEAD, offset + AHEAD + size, LINE):
        prefetch(source, line)


@inline_kernel
def kernel_room(text: str, characters: int) -> int:
    """Return the same as ``room_for``, for kernels."""
    return (1 if is_ascii(text) != 0 else MAX_BYTES) * characters + ROOM


@kernel
def write_utf8(text: str, char_start: int, char_end: int, out: NDArray[np.uint8]) -> int:
    """Write the UTF-8 of a range of characters, followed by ``PADDING`` zeros. Return its length in bytes, or -1 if it
    contains a surrogate, which UTF-8 cannot represent.

    ``out``: uint8[m], m >= room_for(text, char_end - char_start), written. Raises IndexError if it is shorter, or if
    the characters are not within the text.
    """
    width = width_of(text)
    if char_start < 0 or char_end < char_start or char_end > len(text):
        raise IndexError("there are no such characters in the text")
    if out.size < kernel_room(text, char_end - char_start):
        raise IndexError("no room for the UTF-8 of these characters")
    source = part(characters(text), char_start * width, (char_end - char_start) * width)
    target = span(out)
    end = (char_end - char_start) * width
    at = offset = 0
    while offset < end:
        if offset + BLOCK * width <= end and copy_ascii(source, offset, width, target, at) == 0:
            prefetch_ahead(source, offset, BLOCK * width)
            step = BLOCK
            size = BLOCK
        elif offset + GROUP * width <= end:
            prefetch_ahead(source, offset, GROUP * width)
            step = GROUP
            size = put_group(source, offset, width, target, at)
        else:
            step = 1
            size = put_character(source, offset, width, target, at)
        if size < 0:
            return -1
        at += size
        offset += step * width
    for zeros in range(at, at + PADDING, 8):
        store64(target, zeros, 0)
    return at


# --- validation -------------------------------------------------------------------------------------------------------


TWO = np.uint64(2)
THREE = np.uint64(3)
LAST = np.uint64(63)
LAST_TWO = np.uint64(62)
LAST_THREE = np.uint64(61)

_TWELVE_MASKS = types.UniTuple(types.uint64, 12)  # type: ignore[no-untyped-call]


@primitive(no_plain_twin)
def utf8_masks(typing_context: Any, text: Any, byte_offset: Any) -> Any:
    """utf8_masks(span, byte_offset): twelve masks of the 64 bytes there: at least 0x80, 0xC0, 0xC2, 0xE0, 0xF0, 0xF5,
    0x90, 0xA0; equal to 0xE0, 0xED, 0xF0, 0xF4."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        block = load_vector(context, builder, args[0], args[1], _BLOCK_BYTES)

        def mask(relation: str, byte: int) -> Any:
            found = builder.icmp_unsigned(relation, block, _BLOCK_BYTES([byte] * BLOCK))
            return builder.bitcast(found, _I64)

        masks = [mask(">=", byte) for byte in (0x80, 0xC0, 0xC2, 0xE0, 0xF0, 0xF5, 0x90, 0xA0)]
        masks += [mask("==", byte) for byte in (0xE0, 0xED, 0xF0, 0xF4)]
        return context.make_tuple(builder, signature.return_type, masks)

    return _TWELVE_MASKS(SPAN_TYPE, types.int64), recipe


@inline_kernel
def check_block(text: Span, at: int, due: Mask, limits: Mask) -> tuple[Mask, Mask, Mask]:
    """Return the invalid ones of 64 bytes. ``due``: which of the first three continue a character of the previous
    block. ``limits``: bits 0 to 3, whether the first byte follows 0xE0, 0xED, 0xF0 or 0xF4. Also returns both for the
    next block."""
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
    """Return True if all bytes together are valid UTF-8. text: uint8[n]."""
    whole = span(text)
    due = limits = wrong = NONE
    at = 0
    while at + BLOCK <= text.size and wrong == NONE:
        wrong, due, limits = check_block(whole, at, due, limits)
        at += BLOCK
    rest = np.zeros(BLOCK, np.uint8)  # zeros after the last bytes, which continue no character
    last = span(rest)
    if wrong == NONE:
        move(last, part(whole, at, text.size - at))
        wrong, due, limits = check_block(last, 0, due, limits)
    is_valid: bool = wrong == NONE
    keep(rest)
    return is_valid


# --- sums -------------------------------------------------------------------------------------------------------------


_HALF = SUM_BLOCK // 2
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
    for offset in range(0, _HALF, 4):
        low, high = load32(text, at + offset), load32(text, at + _HALF + offset)
        first = add_wrapping(first, product(low, high, factors, offset))
        second = add_wrapping(second, product(low, high, factors, SUM_BLOCK + offset))
        third = add_wrapping(third, product(low, high, factors, 2 * SUM_BLOCK + offset))
        fourth = add_wrapping(fourth, product(low, high, factors, 3 * SUM_BLOCK + offset))
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
    rest = np.zeros(SUM_BLOCK, np.uint8)
    last = span(rest)
    if factors.size < FACTOR_BYTES:
        raise IndexError("too few random words")
    row = 0
    for index in range(len(byte_spans)):
        at, end = byte_spans[index, 0], byte_spans[index, 1]
        if at < 0 or end < at or end > content.size:
            raise IndexError("the texts are not within their memory")
        if row + (end - at + SUM_BLOCK - 1) // SUM_BLOCK * SUM_BYTES > 8 * sums.size:
            raise IndexError("no room for the sums")
        while at + SUM_BLOCK <= end:
            sum_block(text, at, words, out, row)
            row += SUM_BYTES
            at += SUM_BLOCK
        if at < end:
            rest[:] = 0
            move(last, part(text, at, end - at))
            sum_block(last, 0, words, out, row)
            row += SUM_BYTES
    keep(rest)
