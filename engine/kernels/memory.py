"""Unaligned loads and stores of 1 to 8 bytes, which numpy indexing cannot express.

A *span* is a range of memory with a known size: the bytes of an array (``span``), or a part of another span (``part``).
Kernels make spans from their array arguments once, on entry; from then on offsets count bytes from the start of the
span. The checked build verifies every access and raises IndexError; the ordinary build trusts the kernel. A span does
not keep its array alive, so it must not leave the kernel that made it. An array that a kernel allocates is freed after
its last use, and numba does not count uses through a span: see ``keep``.

All numbers are int64: in numba, mixing signed and unsigned 64-bit numbers gives floats. Memory is little-endian.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from engine.kernels._jit import CHECKED, primitive

Span = Any
"""In compiled code a tuple of pointer and size in bytes; without compilation a memoryview of bytes."""

SPAN_TYPE = types.Tuple((types.CPointer(types.uint8), types.int64))  # type: ignore[no-untyped-call]

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_OUTSIDE = "a kernel reached outside of its memory"


def address(context: Any, builder: Any, span: Any, byte_offset: Any, width: int) -> Any:
    """For recipes: return the pointer to ``width`` bytes at an offset, verified in the checked build."""
    pointer = builder.extract_value(span, 0)
    if CHECKED:
        size = builder.extract_value(span, 1)
        last = builder.sub(size, ir.Constant(_I64, width))
        outside = builder.or_(
            builder.icmp_signed("<", byte_offset, ir.Constant(_I64, 0)), builder.icmp_signed(">", byte_offset, last)
        )
        with builder.if_then(outside, likely=False):
            context.call_conv.return_user_exc(builder, IndexError, (_OUTSIDE,))
    return builder.gep(pointer, [byte_offset])


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
            rest = builder.sub(builder.extract_value(whole, 1), byte_offset)
            outside = builder.or_(
                builder.icmp_signed("<", size, ir.Constant(_I64, 0)), builder.icmp_signed(">", size, rest)
            )
            with builder.if_then(outside, likely=False):
                context.call_conv.return_user_exc(builder, IndexError, (_OUTSIDE,))
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
            value = builder.load(builder.bitcast(pointer, kind.as_pointer()))
            value.align = 1
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
            instruction = builder.store(value, builder.bitcast(pointer, kind.as_pointer()))
            instruction.align = 1
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
        builder.call(function, [pointer, ir.Constant(_I32, 0), ir.Constant(_I32, 3), ir.Constant(_I32, 1)])
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, types.int64), recipe


@primitive(len)
def length(typing_context: Any, span: Any) -> Any:
    """length(span): its size in bytes."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.extract_value(args[0], 1)

    return types.int64(SPAN_TYPE), recipe
