"""Token ids as a list of Python numbers, at a tenth of the cost of creating each number.

A compiled function may return a type of one's own if it says how to *box* it, that is, how to make a Python object of
it: numba calls that with the interpreter lock held. Ours makes a list and puts into it, for each id, the one number
object that stands for this id in all lists.
"""

from __future__ import annotations

import mmap
import sys
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import box, models, register_model
from numpy.typing import NDArray

from engine.kernels._jit import COMPILED, kernel, primitive
from engine.kernels.blocks import no_plain_twin
from engine.runtime import caches
from engine.runtime.cancellation import interruptible

_POINTER: Any = types.CPointer  # without declared types, as much of numba
_I8, _I32, _I64 = (ir.IntType(bits) for bits in (8, 32, 64))

_POINTER_BYTES = 8
_ITEMS_AT = object.__basicsize__ + _POINTER_BYTES
"""Where a list has the pointer to its items: behind what every object begins with, and its length. The headers of
Python show it, and every compiled extension has it built in."""
_MADE_AT_A_TIME = 1 << 14
_MANY_ITEMS = 1 << 19
"""Items that take 4 MB."""


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
    with builder.if_then(is_made, likely=True):
        items = _items(builder, made, api.pyobj)
        _ask_for_large_pages(builder, items, held.count)
        with cgutils.for_range(builder, held.count) as loop:
            token_id = builder.load(builder.gep(held.ids, [loop.index]))
            place = builder.zext(token_id, _I64)
            number = builder.inttoptr(builder.load(builder.gep(held.objects, [place])), api.pyobj)
            api.incref(number)
            builder.store(number, builder.gep(items, [loop.index]))  # takes over the reference
    return made


def _items(builder: Any, made: Any, kind: Any) -> Any:
    """For recipes: where a new list has its items. They are NULL and may simply be written, as by PyList_SET_ITEM in
    Python's headers; the function that checks, too, would be called for each id."""
    start = builder.gep(builder.bitcast(made, _I8.as_pointer()), [_I64(_ITEMS_AT)])
    return builder.load(builder.bitcast(start, kind.as_pointer().as_pointer()))


def _ask_for_large_pages(builder: Any, items: Any, count: Any) -> None:
    """For recipes: let the memory of many items, which is fresh, become real 2 MB at a time, as numpy does with large
    arrays. Where the system cannot, nothing happens."""
    if sys.platform != "linux":
        return
    with builder.if_then(builder.icmp_signed(">=", count, _I64(_MANY_ITEMS)), likely=False):
        start = builder.ptrtoint(items, _I64)
        page = builder.and_(builder.add(start, _I64(mmap.PAGESIZE - 1)), _I64(-mmap.PAGESIZE))
        size = builder.sub(builder.add(start, builder.mul(count, _I64(_POINTER_BYTES))), page)
        kind = ir.FunctionType(_I32, [_I8.as_pointer(), _I64, _I32])
        advise = cgutils.get_or_insert_function(builder.module, kind, "madvise")  # type: ignore[no-untyped-call]
        builder.call(advise, [builder.inttoptr(page, _I8.as_pointer()), size, _I32(mmap.MADV_HUGEPAGE)])


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
    bits = id_limit.bit_length()
    numbers = _kept.of(bits)  # held here while they are used: others may have them let go of
    return cast(list[int], _numbers_of(ids, numbers.places[: 1 << bits]))


class _Numbers:
    """All numbers of so many bits. ``places``: intp[2**bits], where each stands in memory."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.objects: list[int] = []
        self.places = np.empty(1 << bits, dtype=np.intp)
        for start in interruptible(range(0, 1 << bits, _MADE_AT_A_TIME), every=1):
            some = list(range(start, min(start + _MADE_AT_A_TIME, 1 << bits)))
            self.places[start : start + len(some)] = np.fromiter(map(id, some), dtype=np.intp, count=len(some))
            self.objects += some
        self.places.flags.writeable = False


class _Kept:
    """The numbers of as many bits as anybody asked for: 13 MB for vocabularies of up to 262,143 ids."""

    def __init__(self) -> None:
        self._numbers: _Numbers | None = None
        caches.add(self)

    def of(self, bits: int) -> _Numbers:
        """Those of so many bits, or of more."""
        numbers = self._numbers
        if numbers is None or numbers.bits < bits:
            numbers = _Numbers(bits)
            kept = self._numbers  # which another thread may have built in the meantime
            if kept is None or kept.bits < bits:
                self._numbers = numbers
        return numbers

    def let_go(self) -> None:
        """Rebuild them when they are needed again."""
        self._numbers = None


_kept = _Kept()
