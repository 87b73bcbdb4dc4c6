"""Token ids as a list of Python numbers, at a tenth of the price of making each number anew.

A compiled function may return a type of one's own if it says how to *box* it, that is, how to make a Python object of
it: numba calls that with the interpreter lock held. Ours makes a list and puts into it, for each id, the one number
object that stands for this id in all lists.
"""

from __future__ import annotations

import functools
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import box, models, register_model
from numpy.typing import NDArray

from engine.kernels._jit import COMPILED, kernel, primitive
from engine.kernels.blocks import no_plain_twin

_POINTER: Any = types.CPointer  # without declared types, as much of numba


class _ListType(types.Type):
    """Ids that leave a kernel as a list."""

    def __init__(self) -> None:
        super().__init__(name="ListOfNumbers")


_LIST = _ListType()


@register_model(_ListType)
class _ListModel(models.StructModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        members = [
            ("ids", _POINTER(types.uint32)),
            ("count", types.int64),
            ("objects", _POINTER(types.intp)),
        ]
        super().__init__(manager, numba_type, members)  # type: ignore[no-untyped-call]


@box(_ListType)  # type: ignore[no-untyped-call,untyped-decorator]
def _box_list(numba_type: Any, value: Any, tools: Any) -> Any:
    builder, api = tools.builder, tools.pyapi
    held = cgutils.create_struct_proxy(numba_type)(tools.context, builder, value=value)  # type: ignore[no-untyped-call]
    made = api.list_new(held.count)
    is_made = builder.icmp_unsigned("!=", made, ir.Constant(made.type, None))  # else MemoryError is set
    with builder.if_then(is_made, likely=True), cgutils.for_range(builder, held.count) as loop:
        token_id = builder.load(builder.gep(held.ids, [loop.index]))
        place = builder.zext(token_id, ir.IntType(64))
        number = builder.inttoptr(builder.load(builder.gep(held.objects, [place])), api.pyobj)
        api.incref(number)
        api.list_setitem(made, loop.index, number)  # takes over the reference
    return made


@primitive(no_plain_twin)
def _as_list(typing_context: Any, ids: Any, objects: Any) -> Any:
    """_as_list(ids, objects): let these ids leave the kernel as a list."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        id_array, object_array = (
            context.make_array(kind)(context, builder, value=array)
            for kind, array in zip(signature.args, args, strict=True)
        )
        held = cgutils.create_struct_proxy(_LIST)(context, builder)  # type: ignore[no-untyped-call]
        held.ids, held.count, held.objects = id_array.data, id_array.nitems, object_array.data
        return held._getvalue()

    return _LIST(ids, objects), recipe


@kernel
def _numbers_of(ids: NDArray[np.uint32], objects: NDArray[np.intp]) -> Any:
    bits = np.uint32(0)
    for index in range(ids.size):
        bits |= ids[index]
    if bits >= objects.size:  # a power of two
        raise IndexError("there are ids that have no number")
    return _as_list(ids, objects)


def list_of(ids: NDArray[np.uint32], id_limit: int) -> list[int]:
    """The ids as a list; all are below ``id_limit``, IndexError else. ``ids``: uint32[n], contiguous."""
    if not COMPILED:
        return cast(list[int], ids.tolist())
    return cast(list[int], _numbers_of(ids, _numbers(id_limit.bit_length())[1]))


@functools.lru_cache(maxsize=4)
def _numbers(bits: int) -> tuple[list[int], NDArray[np.intp]]:
    """All numbers of so many bits, kept alive, and intp[2**bits]: where each stands in memory."""
    numbers = list(range(1 << bits))
    places = np.fromiter(map(id, numbers), dtype=np.intp, count=len(numbers))
    places.flags.writeable = False
    return numbers, places
