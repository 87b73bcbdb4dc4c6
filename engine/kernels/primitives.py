"""Instructions that Python and numpy lack: access to memory, operations on bits and on whole cache lines.

Memory is accessed by *spans*. A span is a range of memory with a known size: the bytes of an array (``span``), or a
part of another span (``part``). Loads and stores need no alignment. Kernels make spans from their array arguments once,
on entry; from then on offsets count bytes from the start of the span. The checked build verifies every access and
raises IndexError; the ordinary build trusts the kernel. A span does not keep its array alive, so it must not leave the
kernel that made it. An array that a kernel allocates is freed after its last use, and numba does not count uses through
a span: see ``keep``.

All numbers are int64: in numba, mixing signed and unsigned 64-bit numbers gives floats. Memory is little-endian.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils

from engine.kernels._jit import CHECKED, primitive

Span = Any
"""In compiled code a tuple of pointer and size in bytes; without compilation a memoryview of bytes."""

SPAN_TYPE = types.Tuple((types.CPointer(types.uint8), types.int64))  # type: ignore[no-untyped-call]

LINE = 64
"""Size of a cache line, in bytes."""

NUMBER_BITS = 20
"""Bits of a token's number or id in tables and values: there are at most 2**20 - 1 tokens."""
NUMBER_MASK = (1 << NUMBER_BITS) - 1

_I1, _I8, _I32, _I64, _I128 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128))
_OUTSIDE = "a kernel reached outside of its memory"


def address(context: Any, builder: Any, span: Any, byte_offset: Any, width: int) -> Any:
    """For recipes: return the pointer to ``width`` bytes at an offset, verified in the checked build."""
    if CHECKED:
        last = builder.sub(builder.extract_value(span, 1), _I64(width))
        _raise_unless_between(context, builder, byte_offset, last)
    return builder.gep(builder.extract_value(span, 0), [byte_offset])


def _raise_unless_between(context: Any, builder: Any, value: Any, last: Any) -> None:
    outside = builder.or_(builder.icmp_signed("<", value, _I64(0)), builder.icmp_signed(">", value, last))
    with builder.if_then(outside, likely=False):
        context.call_conv.return_user_exc(builder, IndexError, (_OUTSIDE,))


def load_vector(context: Any, builder: Any, span: Any, byte_offset: Any, kind: Any, align: int = 1) -> Any:
    """For recipes: load a vector of this LLVM type."""
    pointer = address(context, builder, span, byte_offset, kind.count * kind.element.width // 8)
    return builder.load(builder.bitcast(pointer, kind.as_pointer()), align=align)


def store_vector(context: Any, builder: Any, span: Any, byte_offset: Any, value: Any, align: int = 1) -> Any:
    """For recipes: store a vector."""
    pointer = address(context, builder, span, byte_offset, value.type.count * value.type.element.width // 8)
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=align)
    return context.get_dummy_value()


def view(span: Any, byte_offset: int, width: int) -> Any:
    """For plain twins: return ``width`` bytes at an offset, verified."""
    if width < 0 or not 0 <= byte_offset <= len(span) - width:
        raise IndexError(_OUTSIDE)
    return span[byte_offset : byte_offset + width]


def _plain_span(array: Any) -> Any:
    return memoryview(array).cast("B") if array.size else memoryview(b"")


@primitive(_plain_span)
def span(typing_context: Any, array: Any) -> Any:
    """span(array): all bytes of a contiguous array."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        struct = context.make_array(signature.args[0])(context, builder, value=args[0])
        pointer = builder.bitcast(struct.data, _I8.as_pointer())
        size = builder.mul(struct.nitems, struct.itemsize)
        return context.make_tuple(builder, signature.return_type, (pointer, size))

    return SPAN_TYPE(array), recipe


def _plain_keep(array: Any) -> None:
    """Do nothing: in Python, the memoryview keeps the array alive."""


@primitive(_plain_keep)
def keep(typing_context: Any, array: Any) -> Any:
    """keep(array): keep the array alive until here. For arrays that a kernel allocates and makes spans of, which numba
    would otherwise free after the call of ``span``."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_dummy_value()

    return types.void(array), recipe


def _plain_part(whole: Any, byte_offset: int, size: int) -> Any:
    return view(whole, byte_offset, size)


@primitive(_plain_part)
def part(typing_context: Any, whole: Any, byte_offset: Any, size: Any) -> Any:
    """part(whole, byte_offset, size): a span inside a span."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, byte_offset, size = args
        pointer = address(context, builder, whole, byte_offset, 0)
        if CHECKED:
            _raise_unless_between(context, builder, size, builder.sub(builder.extract_value(whole, 1), byte_offset))
        return context.make_tuple(builder, signature.return_type, (pointer, size))

    return SPAN_TYPE(SPAN_TYPE, types.int64, types.int64), recipe


def _loader(bits: int) -> Callable[[Any, int], int]:
    width = bits // 8
    kind = ir.IntType(bits)

    def plain(span: Any, byte_offset: int) -> int:
        return int.from_bytes(view(span, byte_offset, width), "little", signed=bits == 64)

    @primitive(plain)
    def load(typing_context: Any, span: Any, byte_offset: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = address(context, builder, args[0], args[1], width)
            value = builder.load(builder.bitcast(pointer, kind.as_pointer()), align=1)
            return value if bits == 64 else builder.zext(value, _I64)

        return types.int64(SPAN_TYPE, types.int64), recipe

    return load


def _storer(bits: int) -> Callable[[Any, int, int], None]:
    width = bits // 8
    kind = ir.IntType(bits)
    mask = (1 << bits) - 1

    def plain(span: Any, byte_offset: int, value: int) -> None:
        view(span, byte_offset, width)[:] = (int(value) & mask).to_bytes(width, "little")

    @primitive(plain)
    def store(typing_context: Any, span: Any, byte_offset: Any, value: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = address(context, builder, args[0], args[1], width)
            value = args[2] if bits == 64 else builder.trunc(args[2], kind)
            builder.store(value, builder.bitcast(pointer, kind.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(SPAN_TYPE, types.int64, types.int64), recipe

    return store


load8 = _loader(8)
"""load8(span, byte_offset): the byte there, 0 to 255."""
load16 = _loader(16)
"""load16(span, byte_offset): two bytes, unsigned."""
load32 = _loader(32)
"""load32(span, byte_offset): four bytes, unsigned."""
load64 = _loader(64)
"""load64(span, byte_offset): eight bytes, signed."""
store8 = _storer(8)
"""store8(span, byte_offset, value): the low byte of a value."""
store32 = _storer(32)
"""store32(span, byte_offset, value): the low four bytes of a value."""
store64 = _storer(64)
"""store64(span, byte_offset, value): all eight bytes."""


def _plain_move(target: Any, source: Any) -> None:
    view(target, 0, len(source))[:] = bytes(source)


@primitive(_plain_move)
def move(typing_context: Any, target: Any, source: Any) -> Any:
    """move(target, source): copy all of one span to the start of another, which may overlap it."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = builder.extract_value(args[1], 1)
        if CHECKED:
            with builder.if_then(builder.icmp_signed(">", size, builder.extract_value(args[0], 1)), likely=False):
                context.call_conv.return_user_exc(builder, IndexError, (_OUTSIDE,))
        pointer_type = _I8.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer_type, pointer_type, _I64, ir.IntType(1)])
        function = builder.module.declare_intrinsic("llvm.memmove", [pointer_type, pointer_type, _I64], kind)
        pointers = [builder.extract_value(span, 0) for span in args]
        builder.call(function, [*pointers, size, ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, SPAN_TYPE), recipe


def _plain_prefetch(span: Any, byte_offset: int) -> None:
    """Do nothing: Python has no prefetch."""


@primitive(_plain_prefetch)
def prefetch(typing_context: Any, span: Any, byte_offset: Any) -> Any:
    """prefetch(span, byte_offset): start loading a cache line. Never fails, even if the offset is out of range."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer_type = _I8.as_pointer()
        pointer = builder.gep(builder.extract_value(args[0], 0), [args[1]])
        signature_type = ir.FunctionType(ir.VoidType(), [pointer_type, _I32, _I32, _I32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer_type], signature_type)
        builder.call(function, [pointer, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, types.int64), recipe


@primitive(len)
def length(typing_context: Any, span: Any) -> Any:
    """length(span): its size in bytes."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.extract_value(args[0], 1)

    return types.int64(SPAN_TYPE), recipe


# --- bits -------------------------------------------------------------------------------------------------------------


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


def _of_one(build: Callable[[Any, Any], Any], plain: Callable[[int], int]) -> Callable[[int], int]:
    @primitive(plain)
    def operation(typing_context: Any, value: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return build(builder, args[0])

        return types.int64(types.int64), recipe

    return operation


add_wrapping = _of_two("add", lambda left, right: signed(left + right))
"""add_wrapping(left, right): the sum modulo 2**64."""
subtract_wrapping = _of_two("sub", lambda left, right: signed(left - right))
"""subtract_wrapping(left, right): the difference modulo 2**64."""
multiply_wrapping = _of_two("mul", lambda left, right: signed(int(left) * int(right)))
"""multiply_wrapping(left, right): the product modulo 2**64."""
shift_left = _of_two("shl", lambda value, bits: signed(int(value) << int(bits)))
"""shift_left(value, bits): bits shifted out are lost; 0 to 63 bits."""
shift_right = _of_two("lshr", lambda value, bits: signed((int(value) & _MASK) >> int(bits)))
"""shift_right(value, bits): zeros shifted in; 0 to 63 bits."""
clear_lowest = _of_one(
    lambda builder, value: builder.and_(value, builder.sub(value, _I64(1))),
    lambda value: signed(value & (value - 1)),
)
"""clear_lowest(value): the value without its lowest set bit."""
trailing_zeros = _of_one(
    lambda builder, value: builder.cttz(value, _I1(0)),
    lambda value: (value & -value).bit_length() - 1 if value else 64,
)
"""trailing_zeros(value): the number of the lowest set bit; 64 if none is set."""
leading_zeros = _of_one(
    lambda builder, value: builder.ctlz(value, _I1(0)),
    lambda value: 64 - (int(value) & _MASK).bit_length(),
)
"""leading_zeros(value): number of bits above its highest set bit; 64 if none is set."""


def _plain_select(condition: int, value: int, otherwise: int) -> int:
    return value if condition else otherwise


@primitive(_plain_select)
def select(typing_context: Any, condition: Any, value: Any, otherwise: Any) -> Any:
    """select(condition, value, otherwise): ``value`` if condition is not 0, else ``otherwise``; branchless."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed("!=", args[0], _I64(0)), args[1], args[2])

    return types.int64(types.int64, types.int64, types.int64), recipe


def _plain_fold(left: int, right: int) -> int:
    product = (int(left) & _MASK) * (int(right) & _MASK)
    return signed(product ^ (product >> 64))


@primitive(_plain_fold)
def fold_multiply(typing_context: Any, left: Any, right: Any) -> Any:
    """fold_multiply(left, right): low half xor high half of the unsigned 128-bit product. A fast, well-mixing hash."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        product = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        high = builder.trunc(builder.lshr(product, _I128(64)), _I64)
        return builder.xor(builder.trunc(product, _I64), high)

    return types.int64(types.int64, types.int64), recipe


# --- whole cache lines ------------------------------------------------------------------------------------------------
#
# Cache lines are 64 bytes. Offsets count bytes from the start of a span, as above. The compiler selects the
# instructions.


_WORDS = ir.VectorType(_I64, 8)
_KEY = ir.VectorType(_I64, 2)
_NUMBERS = ir.VectorType(_I32, 16)

SPREAD = 8
"""Number of ids that ``spread_ids`` writes."""
_ID_SHIFTS = [0, NUMBER_BITS, 2 * NUMBER_BITS] * 2 + [3 * NUMBER_BITS] * 2


def _splat(builder: Any, value: Any) -> Any:
    vector = builder.insert_element(ir.Constant(_WORDS, ir.Undefined), value, _I32(0))
    return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(_I32, 8), [0] * 8))


def _plain_match_keys(lines: Any, line_offset: int, keys: Any, key_offset: int) -> int:
    key = bytes(view(keys, key_offset, 16))
    line = bytes(view(lines, line_offset, LINE))
    return sum(1 << (2 * index) for index in range(3) if line[16 * index : 16 * index + 16] == key)


@primitive(_plain_match_keys)
def match_keys(typing_context: Any, lines: Any, line_offset: Any, keys: Any, key_offset: Any) -> Any:
    """match_keys(lines, line_offset, keys, key_offset): find a key among the first three 16-byte keys of a line. Bit 0,
    2 or 4 of the result is set, or none."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        key = load_vector(context, builder, args[2], args[3], _KEY, align=4)
        key = builder.shuffle_vector(key, key, ir.Constant(ir.VectorType(_I32, 8), [0, 1] * 4))
        line = load_vector(context, builder, args[0], args[1], _WORDS, align=4)
        halves = builder.bitcast(builder.icmp_unsigned("==", line, key), _I8)
        both = builder.and_(halves, builder.lshr(halves, _I8(1)))
        return builder.zext(builder.and_(both, _I8(0b010101)), _I64)

    return types.int64(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe


def _plain_match_pairs(pairs: Any, line_offset: int, pair: int) -> int:
    slots = [load64(pairs, line_offset + 8 * index) for index in range(8)]
    return sum(1 << index for index, slot in enumerate(slots) if (slot & (1 << 64) - 1) >> 20 == pair)


@primitive(_plain_match_pairs)
def match_pairs(typing_context: Any, pairs: Any, line_offset: Any, pair: Any) -> Any:
    """match_pairs(pairs, line_offset, pair): bit n is set if the n-th of a line's eight slots, without its low 20 bits,
    equals ``pair``."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        line = load_vector(context, builder, args[0], args[1], _WORDS, align=4)
        line = builder.lshr(line, ir.Constant(_WORDS, [20] * 8))
        return builder.zext(builder.bitcast(builder.icmp_unsigned("==", line, _splat(builder, args[2])), _I8), _I64)

    return types.int64(SPAN_TYPE, types.int64, types.int64), recipe


def _plain_same_line(left: Any, left_offset: int, right: Any, right_offset: int) -> bool:
    return bytes(view(left, left_offset, LINE)) == bytes(view(right, right_offset, LINE))


@primitive(_plain_same_line)
def same_line(typing_context: Any, left: Any, left_offset: Any, right: Any, right_offset: Any) -> Any:
    """same_line(left, left_offset, right, right_offset): True if 64 bytes are equal."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left = load_vector(context, builder, args[0], args[1], _WORDS)
        right = load_vector(context, builder, args[2], args[3], _WORDS)
        differing = builder.bitcast(builder.icmp_unsigned("!=", left, right), _I8)
        return builder.icmp_unsigned("==", differing, _I8(0))

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
        return min(load32(numbers, byte_offset + 4 * index) for index in range(16 * lines))

    @primitive(plain)
    def smallest(typing_context: Any, numbers: Any, byte_offset: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            numbers, byte_offset = args
            vectors = []
            for line in range(lines):
                here = builder.add(byte_offset, _I64(LINE * line))
                vectors.append(load_vector(context, builder, numbers, here, _NUMBERS, align=4))
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
        return store_vector(context, builder, args[0], args[1], _NUMBERS([0xFFFFFFFF] * 16), align=4)

    return types.void(SPAN_TYPE, types.int64), recipe


def _plain_spread_ids(out: Any, out_offset: int, values: Any, value_offset: int) -> None:
    words = load64(values, value_offset), load64(values, value_offset + 8)
    for index in range(SPREAD):
        word = words[0] if index < 3 else words[1]
        store32(out, out_offset + 4 * index, (word & (1 << 64) - 1) >> _ID_SHIFTS[index] & NUMBER_MASK)


@primitive(_plain_spread_ids)
def spread_ids(typing_context: Any, out: Any, out_offset: Any, values: Any, value_offset: Any) -> Any:
    """spread_ids(out, out_offset, values, value_offset): write the six ids in a value, three in each of its two 64-bit
    words, 20 bits each, as 32-bit numbers; and ``SPREAD`` - 6 arbitrary ones."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = load_vector(context, builder, args[2], args[3], _KEY, align=4)
        bits = ir.Constant(ir.VectorType(_I32, SPREAD), [0, 0, 0, 1, 1, 1, 1, 1])
        ids = builder.lshr(builder.shuffle_vector(words, words, bits), ir.Constant(_WORDS, _ID_SHIFTS))
        ids = builder.and_(ids, ir.Constant(_WORDS, [NUMBER_MASK] * SPREAD))
        ids = builder.trunc(ids, ir.VectorType(_I32, SPREAD))
        return store_vector(context, builder, args[0], args[1], ids, align=4)

    return types.void(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe


def _plain_copy_line(out: Any, out_offset: int, source: Any, source_offset: int) -> None:
    view(out, out_offset, LINE)[:] = view(source, source_offset, LINE)


@primitive(_plain_copy_line)
def copy_line(typing_context: Any, out: Any, out_offset: Any, source: Any, source_offset: Any) -> Any:
    """copy_line(out, out_offset, source, source_offset): copy 64 bytes."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = load_vector(context, builder, args[2], args[3], _NUMBERS, align=4)
        return store_vector(context, builder, args[0], args[1], value, align=4)

    return types.void(SPAN_TYPE, types.int64, SPAN_TYPE, types.int64), recipe
