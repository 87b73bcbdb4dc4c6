"""Bit operations on int64 that Python's operators do not give in compiled code.

numba marks ``+``, ``-`` and ``*`` as never overflowing, so a hash or a carry trick written with them may be optimised
into something else: ``add_wrapping``, ``subtract_wrapping`` and ``multiply_wrapping`` wrap around by contract. ``>>``
copies the sign: ``shift_right`` shifts zeros in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from engine.kernels._jit import primitive

_I1, _I64, _I128 = ir.IntType(1), ir.IntType(64), ir.IntType(128)
_MASK = (1 << 64) - 1


def signed(value: int) -> int:
    """For plain twins: the low 64 bits of a value as a signed number."""
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
    """clear_lowest(value): without its lowest set bit."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.sub(args[0], ir.Constant(_I64, 1)))

    return types.int64(types.int64), recipe


def _plain_below_lowest(value: int) -> int:
    return signed(~value & (value - 1))


@primitive(_plain_below_lowest)
def below_lowest(typing_context: Any, value: Any) -> Any:
    """below_lowest(value): all bits below its lowest set bit; all 64 where there is none."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(builder.not_(args[0]), builder.sub(args[0], ir.Constant(_I64, 1)))

    return types.int64(types.int64), recipe


def _plain_trailing_zeros(value: int) -> int:
    return (value & -value).bit_length() - 1 if value else 64


@primitive(_plain_trailing_zeros)
def trailing_zeros(typing_context: Any, value: Any) -> Any:
    """trailing_zeros(value): the number of the lowest set bit; 64 where there is none."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 0))

    return types.int64(types.int64), recipe


def _plain_leading_zeros(value: int) -> int:
    return 64 - (int(value) & _MASK).bit_length()


@primitive(_plain_leading_zeros)
def leading_zeros(typing_context: Any, value: Any) -> Any:
    """leading_zeros(value): how many bits above its highest set bit; 64 where there is none."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(_I1, 0))

    return types.int64(types.int64), recipe


def _plain_select(condition: int, value: int, otherwise: int) -> int:
    return value if condition else otherwise


@primitive(_plain_select)
def select(typing_context: Any, condition: Any, value: Any, otherwise: Any) -> Any:
    """select(condition, value, otherwise): ``value`` where the condition is not 0, without a branch."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed("!=", args[0], ir.Constant(_I64, 0)), args[1], args[2])

    return types.int64(types.int64, types.int64, types.int64), recipe


def _plain_fold(left: int, right: int) -> int:
    product = (int(left) & _MASK) * (int(right) & _MASK)
    return signed(product ^ (product >> 64))


@primitive(_plain_fold)
def fold_multiply(typing_context: Any, left: Any, right: Any) -> Any:
    """fold_multiply(left, right): low half xor high half of the unsigned 128-bit product. A quick, well mixing hash."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        product = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        high = builder.trunc(builder.lshr(product, ir.Constant(_I128, 64)), _I64)
        return builder.xor(builder.trunc(product, _I64), high)

    return types.int64(types.int64, types.int64), recipe
