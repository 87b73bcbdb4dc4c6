"""Bit operations on int64 that Python's operators lack in compiled code, and operations on whole cache lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils

from engine.kernels._jit import primitive
from engine.kernels.layout import NUMBER_BITS, NUMBER_MASK
from engine.kernels.memory import SPAN_TYPE, address, load32, load64, store32, view

_I1, _I64, _I128 = ir.IntType(1), ir.IntType(64), ir.IntType(128)
_MASK = (1 << 64) - 1


def signed(value: int) -> int:
    """For plain twins: return the low 64 bits of a value as a signed number."""
    value = int(value) & _MASK
    return value - (1 << 64) if value >> 63 else value


def _of_two(instruction: str, plain: Callable[[int, int], int]) -> Callable[[int, int], int]:
    @primitive(plain)
    def operation(typing_context: Any, left: Any, right: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1])

        return types.int64(types.int64, types.int64), recipe

    return operation


add_wrapping = _of_two("add", lambda left, right: signed(left + right))
"""add_wrapping(left, right): the sum modulo 2**64."""
subtract_wrapping = _of_two("sub", lambda left, right: signed(left - right))
"""subtract_wrapping(left, right): the difference modulo 2**64."""
multiply_wrapping = _of_two("mul", lambda left, right: signed(int(left) * int(right)))
"""multiply_wrapping(left, right): the product modulo 2**64."""
shift_left = _of_two("shl", lambda value, places: signed(int(value) << int(places)))
"""shift_left(value, places): bits shifted out are lost; 0 to 63 places."""
shift_right = _of_two("lshr", lambda value, places: signed((int(value) & _MASK) >> int(places)))
"""shift_right(value, places): zeros shifted in; 0 to 63 places."""


def _plain_clear_lowest(value: int) -> int:
    return signed(value & (value - 1))


@primitive(_plain_clear_lowest)
def clear_lowest(typing_context: Any, value: Any) -> Any:
    """clear_lowest(value): the value without its lowest set bit."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.sub(args[0], ir.Constant(_I64, 1)))

    return types.int64(types.int64), recipe


def _plain_below_lowest(value: int) -> int:
    return signed(~value & (value - 1))


@primitive(_plain_below_lowest)
def below_lowest(typing_context: Any, value: Any) -> Any:
    """below_lowest(value): all bits below its lowest set bit; all 64 if none is set."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(builder.not_(args[0]), builder.sub(args[0], ir.Constant(_I64, 1)))

    return types.int64(types.int64), recipe


def _plain_trailing_zeros(value: int) -> int:
    return (value & -value).bit_length() - 1 if value else 64


@primitive(_plain_trailing_zeros)
def trailing_zeros(typing_context: Any, value: Any) -> Any:
    """trailing_zeros(value): the number of the lowest set bit; 64 if none is set."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 0))

    return types.int64(types.int64), recipe


def _plain_leading_zeros(value: int) -> int:
    return 64 - (int(value) & _MASK).bit_length()


@primitive(_plain_leading_zeros)
def leading_zeros(typing_context: Any, value: Any) -> Any:
    """leading_zeros(value): number of bits above its highest set bit; 64 if none is set."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(_I1, 0))

    return types.int64(types.int64), recipe


def _plain_select(condition: int, value: int, otherwise: int) -> int:
    return value if condition else otherwise


@primitive(_plain_select)
def select(typing_context: Any, condition: Any, value: Any, otherwise: Any) -> Any:
    """select(condition, value, otherwise): ``value`` if condition is not 0, else ``otherwise``; branchless."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed("!=", args[0], ir.Constant(_I64, 0)), args[1], args[2])

    return types.int64(types.int64, types.int64, types.int64), recipe


def _plain_fold(left: int, right: int) -> int:
    product = (int(left) & _MASK) * (int(right) & _MASK)
    return signed(product ^ (product >> 64))


@primitive(_plain_fold)
def fold_multiply(typing_context: Any, left: Any, right: Any) -> Any:
    """fold_multiply(left, right): low half xor high half of the unsigned 128-bit product. A fast, well-mixing hash."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        product = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        high = builder.trunc(builder.lshr(product, ir.Constant(_I128, 64)), _I64)
        return builder.xor(builder.trunc(product, _I64), high)

    return types.int64(types.int64, types.int64), recipe


# --- whole cache lines ------------------------------------------------------------------------------------------------
#
# Cache lines are 64 bytes. Offsets count bytes from the start of a span, as in ``memory``. The compiler selects the
# instructions.


LINE = 64
"""Size of a cache line, in bytes."""

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_WORDS = ir.VectorType(_I64, 8)
_KEY = ir.VectorType(_I64, 2)
_NUMBERS = ir.VectorType(_I32, 16)
_ONES = 0xFFFFFFFF

SPREAD = 8
"""Number of ids that ``spread_ids`` writes."""
_ID_SHIFTS = [0, NUMBER_BITS, 2 * NUMBER_BITS] * 2 + [3 * NUMBER_BITS] * 2


def _load(context: Any, builder: Any, span: Any, byte_offset: Any, kind: Any, width: int) -> Any:
    pointer = address(context, builder, span, byte_offset, width)
    value = builder.load(builder.bitcast(pointer, kind.as_pointer()))
    value.align = 4
    return value


def _splat(builder: Any, value: Any) -> Any:
    vector = builder.insert_element(ir.Constant(_WORDS, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(_I32, 8), [0] * 8))


def _plain_match_keys(lines: Any, line_offset: int, keys: Any, key_offset: int) -> int:
    key = bytes(view(keys, key_offset, 16))
    line = bytes(view(lines, line_offset, LINE))
    return sum(1 << (2 * place) for place in range(3) if line[16 * place : 16 * place + 16] == key)


@primitive(_plain_match_keys)
def match_keys(typing_context: Any, lines: Any, line_offset: Any, keys: Any, key_offset: Any) -> Any:
    """match_keys(lines, line_offset, keys, key_offset): find a key among the first three 16-byte keys of a line. Bit 0,
    2 or 4 of the result is set, or none."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        key = _load(context, builder, args[2], args[3], _KEY, 16)
        key = builder.shuffle_vector(key, key, ir.Constant(ir.VectorType(_I32, 8), [0, 1] * 4))
        line = _load(context, builder, args[0], args[1], _WORDS, LINE)
        halves = builder.bitcast(builder.icmp_unsigned("==", line, key), _I8)
        both = builder.and_(halves, builder.lshr(halves, ir.Constant(_I8, 1)))
        return builder.zext(builder.and_(both, ir.Constant(_I8, 0b010101)), _I64)

    return types.int64(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe


def _plain_match_pairs(pairs: Any, line_offset: int, pair: int) -> int:
    slots = [load64(pairs, line_offset + 8 * place) for place in range(8)]
    return sum(1 << place for place, slot in enumerate(slots) if (slot & (1 << 64) - 1) >> 20 == pair)


@primitive(_plain_match_pairs)
def match_pairs(typing_context: Any, pairs: Any, line_offset: Any, pair: Any) -> Any:
    """match_pairs(pairs, line_offset, pair): bit n is set if the n-th of a line's eight slots, without its low 20 bits,
    equals ``pair``."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        line = _load(context, builder, args[0], args[1], _WORDS, LINE)
        line = builder.lshr(line, ir.Constant(_WORDS, [20] * 8))
        return builder.zext(builder.bitcast(builder.icmp_unsigned("==", line, _splat(builder, args[2])), _I8), _I64)

    return types.int64(SPAN_TYPE, types.int64, types.int64), recipe


def _plain_same_line(left: Any, left_offset: int, right: Any, right_offset: int) -> bool:
    return bytes(view(left, left_offset, LINE)) == bytes(view(right, right_offset, LINE))


@primitive(_plain_same_line)
def same_line(typing_context: Any, left: Any, left_offset: Any, right: Any, right_offset: Any) -> Any:
    """same_line(left, left_offset, right, right_offset): True if 64 bytes are equal."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lines = []
        for whole, byte_offset in (args[:2], args[2:]):
            pointer = address(context, builder, whole, byte_offset, LINE)
            lines.append(builder.load(builder.bitcast(pointer, _WORDS.as_pointer()), align=1))
        differing = builder.bitcast(builder.icmp_unsigned("!=", *lines), _I8)
        return builder.icmp_unsigned("==", differing, ir.Constant(_I8, 0))

    return types.boolean(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe


def _minimum(builder: Any, vectors: list[Any]) -> Any:
    while len(vectors) > 1:
        left, right = vectors[0], vectors[1]
        vectors = [*vectors[2:], builder.select(builder.icmp_unsigned("<", left, right), left, right)]
    kind = ir.FunctionType(_I32, [_NUMBERS])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.vector.reduce.umin.v16i32")  # type: ignore[no-untyped-call]
    return builder.zext(builder.call(function, vectors), _I64)


def _smallest(lines: int) -> Any:
    def plain(numbers: Any, byte_offset: int) -> int:
        return min(load32(numbers, byte_offset + 4 * place) for place in range(16 * lines))

    @primitive(plain)
    def smallest(typing_context: Any, numbers: Any, byte_offset: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            numbers, byte_offset = args
            vectors = []
            for line in range(lines):
                here = builder.add(byte_offset, ir.Constant(_I64, LINE * line))
                vectors.append(_load(context, builder, numbers, here, _NUMBERS, LINE))
            return _minimum(builder, vectors)

        return types.int64(SPAN_TYPE, types.int64), recipe

    return smallest


smallest_of_16 = _smallest(1)
"""smallest_of_16(numbers, byte_offset): the smallest of 16 unsigned 32-bit numbers."""
smallest_of_64 = _smallest(4)
"""smallest_of_64(numbers, byte_offset): the smallest of 64 unsigned 32-bit numbers."""


def _plain_fill_ones(span: Any, byte_offset: int) -> None:
    view(span, byte_offset, LINE)[:] = b"\xff" * LINE


@primitive(_plain_fill_ones)
def fill_ones(typing_context: Any, span: Any, byte_offset: Any) -> Any:
    """fill_ones(span, byte_offset): set all bits of 64 bytes."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = address(context, builder, args[0], args[1], LINE)
        store = builder.store(ir.Constant(_NUMBERS, [_ONES] * 16), builder.bitcast(pointer, _NUMBERS.as_pointer()))
        store.align = 4
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, types.int64), recipe


def _plain_spread_ids(out: Any, out_offset: int, values: Any, value_offset: int) -> None:
    words = load64(values, value_offset), load64(values, value_offset + 8)
    for place in range(SPREAD):
        word = words[0] if place < 3 else words[1]
        store32(out, out_offset + 4 * place, (word & (1 << 64) - 1) >> _ID_SHIFTS[place] & NUMBER_MASK)


@primitive(_plain_spread_ids)
def spread_ids(typing_context: Any, out: Any, out_offset: Any, values: Any, value_offset: Any) -> Any:
    """spread_ids(out, out_offset, values, value_offset): write the six ids in a value, three in each of its two 64-bit
    words, 20 bits each, as 32-bit numbers; and ``SPREAD`` - 6 arbitrary ones."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = _load(context, builder, args[2], args[3], _KEY, 16)
        places = ir.Constant(ir.VectorType(_I32, SPREAD), [0, 0, 0, 1, 1, 1, 1, 1])
        ids = builder.lshr(builder.shuffle_vector(words, words, places), ir.Constant(_WORDS, _ID_SHIFTS))
        ids = builder.and_(ids, ir.Constant(_WORDS, [NUMBER_MASK] * SPREAD))
        ids = builder.trunc(ids, ir.VectorType(_I32, SPREAD))
        pointer = address(context, builder, args[0], args[1], 4 * SPREAD)
        store = builder.store(ids, builder.bitcast(pointer, ids.type.as_pointer()))
        store.align = 4
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe


def _plain_copy_line(out: Any, out_offset: int, source: Any, source_offset: int) -> None:
    view(out, out_offset, LINE)[:] = view(source, source_offset, LINE)


@primitive(_plain_copy_line)
def copy_line(typing_context: Any, out: Any, out_offset: Any, source: Any, source_offset: Any) -> Any:
    """copy_line(out, out_offset, source, source_offset): copy 64 bytes."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = _load(context, builder, args[2], args[3], _NUMBERS, LINE)
        pointer = address(context, builder, args[0], args[1], LINE)
        store = builder.store(value, builder.bitcast(pointer, _NUMBERS.as_pointer()))
        store.align = 4
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe
