"""The one decorator of all kernels, and the switches of how they are built.

* ``NUMBA_DISABLE_JIT=1`` runs kernels as plain Python: slow, for debugging and coverage.
* ``TOKENLOUPE_CHECKED=1`` builds kernels that verify every access to memory and raise IndexError.
* ``cache_folder`` says where compiled code is kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import config as numba_config
from numba.extending import intrinsic

from engine.kernels.cache_folder import is_checked, writable_folder

_F = TypeVar("_F", bound=Callable[..., Any])

_CONFIG: Any = numba_config  # its attributes are made when it is imported; mypy cannot see them

COMPILED = not _CONFIG.DISABLE_JIT
"""Whether kernels are compiled at all."""

CHECKED = is_checked()
"""Whether this is the checked build."""


@functools.cache
def _is_kept_on_disk() -> bool:
    """Point numba at the cache folder, once, before the first kernel is declared."""
    folder = writable_folder() if COMPILED else None
    if folder is not None:
        _CONFIG.CACHE_DIR = str(folder)
    return folder is not None


def _once_for_all_constants(dispatcher: Any) -> Any:
    """numba compiles a function anew for every constant that some kernel calls it with, which would double the time
    that compiling takes. Make a constant an argument like any other."""
    if COMPILED:
        resolve = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: resolve(tuple(map(types.unliteral, args)), kws)
    return dispatcher


def kernel(function: _F) -> _F:
    """Compile a function of arrays and numbers when it is first called: it runs without the interpreter lock and is
    kept in the cache folder. Division by zero gives infinity, as in numpy."""
    compiled = numba.njit(function, cache=_is_kept_on_disk(), nogil=True, boundscheck=CHECKED, error_model="numpy")
    return cast(_F, _once_for_all_constants(compiled))


def inline_kernel(function: _F) -> _F:
    """As ``kernel``, for small functions that are to vanish in their callers' loops. They are only called by kernels,
    so they are not kept on disk by themselves."""
    compiled = numba.njit(function, nogil=True, boundscheck=CHECKED, error_model="numpy", forceinline=True)
    return cast(_F, _once_for_all_constants(compiled))


def primitive(plain: _F) -> Callable[[Callable[..., Any]], _F]:
    """Declare an instruction that Python has no word for. The decorated function is numba's recipe for it; ``plain``
    does the same in Python and takes its place where nothing is compiled."""

    def choose(recipe: Callable[..., Any]) -> _F:
        chosen: Any = intrinsic(recipe) if COMPILED else plain
        return cast(_F, chosen)

    return choose
