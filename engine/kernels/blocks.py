"""Sixty-four bytes at a time: which bytes are what, as bit masks, and where the bits are, as positions.

Masks are uint64; bit i speaks of byte i of a block. Positions are int64. numba makes float64 of uint64 mixed with
int64, so masks are combined with masks and with the constants of this file alone; ``+`` and ``-`` of masks wrap.

These instructions have no plain twins: what is built on them has one as a whole (``engine.kernels.scan_plain``).
The checked build verifies every access (``engine.kernels.memory``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils, config

from engine.kernels._jit import inline_kernel, primitive
from engine.kernels.memory import SPAN_TYPE, Span, address, store32

Mask = Any
"""In compiled code a uint64."""

NONE = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
TOP = np.uint64(0x8000_0000_0000_0000)

BLOCK = 64
"""Bytes in a block. A text that is scanned in blocks has so many readable bytes behind its end."""

_BIT, _BYTE, _LANE, _WORD = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_SIX_MASKS = types.UniTuple(types.uint64, 6)  # type: ignore[no-untyped-call]
_ELEVEN_MASKS = types.UniTuple(types.uint64, 11)  # type: ignore[no-untyped-call]
_BITS, _BYTES = ir.VectorType(_BIT, BLOCK), ir.VectorType(_BYTE, BLOCK)


def no_plain_twin(*args: Any) -> Any:
    """Stands where nothing is compiled for what only compiled kernels do."""
    raise NotImplementedError("blocks are only read by compiled kernels")


def _bit_counter(name: str, options: int) -> Callable[[Mask], int]:
    """One of LLVM's instructions that count bits of a word: from uint64 to int64."""

    @primitive(no_plain_twin)
    def count(typing_context: Any, mask: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.FunctionType(_WORD, [_WORD] + [_BIT] * options)
            function = builder.module.declare_intrinsic(f"llvm.{name}", [_WORD], kind)
            return builder.call(function, [args[0]] + [_BIT(0)] * options)

        return types.int64(types.uint64), recipe

    return cast(Callable[[Mask], int], count)


lowest = _bit_counter("cttz", options=1)
"""lowest(mask): the position of the lowest bit that is set; 64 where none is."""
zeros_above = _bit_counter("ctlz", options=1)
"""zeros_above(mask): how many bits are above the highest that is set; 64 where none is."""
population = _bit_counter("ctpop", options=0)
"""population(mask): how many bits are set."""


@primitive(no_plain_twin)
def reversed_bits(typing_context: Any, mask: Any) -> Any:
    """reversed_bits(mask): the bits in the opposite order."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitreverse(args[0])

    return types.uint64(types.uint64), recipe


@inline_kernel
def highest(mask: Mask) -> int:
    """The position of the highest bit that is set; -1 where none is."""
    return 63 - zeros_above(mask)


@inline_kernel
def below_lowest(mask: Mask) -> Mask:
    """All bits below the lowest that is set; all 64 where none is."""
    return (mask ^ ALL) & (mask - ONE)


@inline_kernel
def run_ends(runs: Mask, starts: Mask) -> Mask:
    """Where runs end: the bit behind each run of set bits of ``runs`` that has a bit of ``starts`` in it. Of several
    starts in a run, the higher ones stay in the result as they are.

    The sum carries from the start through the run to the first bit behind it."""
    return (runs + starts) & (runs ^ ALL)


@primitive(no_plain_twin)
def block_masks(typing_context: Any, text: Any, byte_offset: Any) -> Any:
    """block_masks(span, byte_offset): eleven masks of the 64 bytes there. Not ASCII; UTF-8 continuation; A to Z; a to
    z; 0 to 9; line feed or carriage return; space; U+0009 to U+000D; apostrophe; slash; U+0000 to U+001F and U+007F."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = address(context, builder, args[0], args[1], BLOCK)
        block = builder.load(builder.bitcast(pointer, _BYTES.as_pointer()))
        block.align = 1

        def each(byte: int) -> Any:
            return ir.Constant(_BYTES, [byte] * BLOCK)

        def below(limit: int) -> Any:
            return builder.icmp_signed("<", block, each(limit))

        def equal(character: str) -> Any:
            return builder.icmp_unsigned("==", block, each(ord(character)))

        def between(first: str, length: int) -> Any:
            return builder.icmp_unsigned("<", builder.sub(block, each(ord(first))), each(length))

        found = [
            *(below(0), below(-64)),
            *(between("A", 26), between("a", 26), between("0", 10)),
            *(builder.or_(equal("\n"), equal("\r")), equal(" "), between("\t", 5)),
            *(equal("'"), equal("/"), builder.or_(between("\0", 32), equal("\x7f"))),
        ]
        masks = [builder.bitcast(bits, _WORD) for bits in found]
        return context.make_tuple(builder, signature.return_type, masks)

    return _ELEVEN_MASKS(SPAN_TYPE, types.int64), recipe


@primitive(no_plain_twin)
def bit_masks(typing_context: Any, bytes_span: Any, byte_offset: Any) -> Any:
    """bit_masks(span, byte_offset): mask b of six says which of the 64 bytes there have bit b set."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = address(context, builder, args[0], args[1], BLOCK)
        block = builder.load(builder.bitcast(pointer, _BYTES.as_pointer()))
        block.align = 1
        zero = ir.Constant(_BYTES, [0] * BLOCK)
        masks = []
        for bit in range(6):
            chosen = builder.and_(block, ir.Constant(_BYTES, [1 << bit] * BLOCK))
            masks.append(builder.bitcast(builder.icmp_unsigned("!=", chosen, zero), _WORD))
        return context.make_tuple(builder, signature.return_type, masks)

    return _SIX_MASKS(SPAN_TYPE, types.int64), recipe


PAIR_MIX = 0x9E3779B1
"""Odd; its product with a pair of code points has well mixed high bits."""


@primitive(no_plain_twin)
def decode_wide(
    typing_context: Any, text: Any, byte_offset: Any, previous: Any, shift: Any, places: Any, place: Any
) -> Any:
    """decode_wide(text, byte_offset, previous, shift, places, place): take every byte of the block of text as the
    first of a character of two or three bytes and write 64 code points (uint16) to the span places at ``place``, which
    are meaningful where such a character starts. Behind them 64 hashes (uint32) of each with the code point three bytes
    before: their product with ``PAIR_MIX``, without its lowest ``shift`` bits. previous: the code point that ended
    right before the block. Reads 66 bytes. Returns the mask of first bytes of characters of four bytes."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at, previous, shift, places, place = args
        halves, words = (ir.VectorType(ir.IntType(bits), BLOCK) for bits in (16, 32))
        lanes = ir.VectorType(_LANE, BLOCK)

        def each(kind: Any, value: int) -> Any:
            return ir.Constant(kind, [value] * BLOCK)

        def everywhere(kind: Any, value: Any) -> Any:
            one = builder.insert_element(ir.Constant(kind, ir.Undefined), builder.trunc(value, kind.element), _LANE(0))
            return builder.shuffle_vector(one, one, each(lanes, 0))

        def part(value: Any, mask: int, shift: int) -> Any:
            return builder.shl(builder.and_(value, each(halves, mask)), each(halves, shift))

        blocks = []
        for behind in range(3):
            pointer = address(context, builder, text, builder.add(at, _WORD(behind)), BLOCK)
            block = builder.load(builder.bitcast(pointer, _BYTES.as_pointer()))
            block.align = 1
            blocks.append(block)
        lead, second, third = (builder.zext(block, halves) for block in blocks)
        of_two = builder.or_(part(lead, 0x1F, 6), part(second, 0x3F, 0))
        of_three = builder.or_(builder.or_(part(lead, 0x0F, 12), part(second, 0x3F, 6)), part(third, 0x3F, 0))
        points = builder.select(builder.icmp_unsigned("<", blocks[0], each(_BYTES, 0xE0)), of_two, of_three)
        before = ir.Constant(lanes, [BLOCK, BLOCK, BLOCK, *range(BLOCK - 3)])
        left = builder.shuffle_vector(points, everywhere(halves, previous), before)
        pairs = builder.or_(builder.shl(builder.zext(left, words), each(words, 16)), builder.zext(points, words))
        hashes = builder.lshr(builder.mul(pairs, each(words, PAIR_MIX)), everywhere(words, shift))
        for value, start, size in ((points, 0, 2 * BLOCK), (hashes, 2 * BLOCK, 4 * BLOCK)):
            pointer = address(context, builder, places, builder.add(place, _WORD(start)), size)
            builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=1)
        return builder.bitcast(builder.icmp_unsigned(">=", blocks[0], each(_BYTES, 0xF0)), _WORD)

    span_and_place = (SPAN_TYPE, types.int64)
    return types.uint64(*span_and_place, types.int64, types.int64, *span_and_place), recipe


def _can_pack_bytes() -> bool:
    """Whether the processor that is compiled for packs selected bytes in one instruction (AVX-512 VBMI2)."""
    if binding.llvm_version_info < (19,):
        return False
    # Environment variables of numba's may ask for another processor than this one.
    features, name = getattr(config, "CPU_FEATURES", None), getattr(config, "CPU_NAME", None)
    if features is not None:
        return "+avx512vbmi2" in features
    if name is not None:
        return False
    return bool(binding.get_host_cpu_features().get("avx512vbmi2", False))


PACKS = _can_pack_bytes()
"""Whether ``packed_bytes`` is one instruction; otherwise it is not worth calling."""


def packed_bytes(builder: Any, block: Any, chosen: Any) -> Any:
    """For recipes: of 64 bytes those whose bit is set, one behind the other; behind them anything."""
    kind = ir.FunctionType(_BYTES, [_BYTES, _BITS, _BYTES])
    pack = cgutils.get_or_insert_function(builder.module, kind, "llvm.experimental.vector.compress.v64i8")  # type: ignore[no-untyped-call]
    return builder.call(pack, [block, chosen, ir.Constant(_BYTES, ir.Undefined)])


@primitive(no_plain_twin)
def _store_packed(typing_context: Any, ends: Any, slot: Any, base: Any, mask: Any, number: Any) -> Any:
    """``store_positions`` by one packing instruction, 16 positions a store. number: how many bits are set."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        span, start, offset, mask, bits_set = args
        lanes = ir.VectorType(_LANE, 16)
        nothing = ir.Constant(_BYTES, ir.Undefined)
        packed = packed_bytes(builder, ir.Constant(_BYTES, list(range(BLOCK))), builder.bitcast(mask, _BITS))
        first = builder.insert_element(ir.Constant(lanes, ir.Undefined), builder.trunc(offset, _LANE), _LANE(0))
        bases = builder.shuffle_vector(first, first, ir.Constant(lanes, [0] * 16))
        byte_offset = builder.shl(start, _WORD(2))

        def store(part: int) -> None:
            chosen = ir.Constant(lanes, list(range(part * 16, part * 16 + 16)))
            moved = builder.add(builder.zext(builder.shuffle_vector(packed, nothing, chosen), lanes), bases)
            pointer = address(context, builder, span, builder.add(byte_offset, _WORD(part * 64)), 64)
            builder.store(moved, builder.bitcast(pointer, lanes.as_pointer()), align=4)

        store(0)
        for part in (1, 2, 3):
            with builder.if_then(builder.icmp_signed(">", bits_set, _WORD(part * 16)), likely=False):
                store(part)
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, types.int64, types.int64, types.uint64, types.int64), recipe


@inline_kernel
def store_positions(ends: Span, slot: int, base: int, mask: Mask) -> int:
    """Append base + position of every set bit at ``slot`` of a span of int32; up to ``BLOCK`` slots from there may be
    overwritten. Returns the slot behind the last position."""
    number = population(mask)
    if PACKS:
        _store_packed(ends, slot, base, mask, number)
        return slot + number
    # Eight at a time without asking in between: the number of turns is what a processor guesses wrong.
    place = slot
    while mask != NONE:
        for step in range(8):
            store32(ends, (place + step) << 2, base + lowest(mask))
            mask &= mask - ONE
        place += 8
    return slot + number
