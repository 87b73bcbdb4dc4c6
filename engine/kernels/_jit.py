"""The one decorator of all kernels, and the switches of how they are built.

* ``NUMBA_DISABLE_JIT=1`` runs kernels as plain Python: slow, for debugging and coverage.
* ``TOKENLOUPE_CHECKED=1`` builds kernels that verify every access to memory and raise IndexError.
* ``cache_folder`` says where compiled code is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import config as numba_config
from numba.extending import intrinsic

from engine.kernels.cache_folder import is_checked
from engine.kernels.kept_code import KeptCode

_F = TypeVar("_F", bound=Callable[..., Any])

_CONFIG: Any = numba_config  # its attributes are made when it is imported; mypy cannot see them

COMPILED = not _CONFIG.DISABLE_JIT
"""Whether kernels are compiled at all."""

CHECKED = is_checked()
"""Whether this is the checked build."""


_njit: Any = numba.njit  # its type names only some of the options that it takes

_OPTIONS = {"nogil": True, "boundscheck": CHECKED, "error_model": "numpy", "no_cfunc_wrapper": True}


def _prepared(dispatcher: Any) -> Any:
    """A function that numba compiles, in two things another way than numba's own.

    It recompiles a function for every constant that some kernel calls it with, which would double the time that
    compiling takes: a constant becomes an argument like any other. And before anything is compiled or loaded it loads
    what other packages have registered with it, which kernels have no use for and which may take long.
    """
    if COMPILED:
        resolve = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: resolve(tuple(map(types.unliteral, args)), kws)
        dispatcher._compilation_chain_init_hook = lambda: None
    return dispatcher


def kernel(function: _F) -> _F:
    """Compile a function of arrays and numbers when it is first called: it runs without the interpreter lock and is
    kept in the cache folder. Division by zero gives infinity, as in numpy."""
    compiled = _njit(function, **_OPTIONS)
    if COMPILED and function.__module__.startswith(f"{__package__}."):
        # Nothing else is named by the digest over the sources that its file would be found by.
        compiled._cache = KeptCode(function)
    return cast(_F, _prepared(compiled))


def inline_kernel(function: _F) -> _F:
    """As ``kernel``, for small functions that are to vanish in their callers' loops. They are only called by kernels,
    so they are not kept on disk by themselves."""
    compiled = _njit(function, forceinline=True, no_cpython_wrapper=True, **_OPTIONS)
    return cast(_F, _prepared(compiled))


def uncompiled(small: _F) -> _F:
    """The Python function of a kernel. For Python's own use of an inline kernel: those are not kept on disk, so calling
    one would compile it at each start."""
    return cast(_F, getattr(small, "py_func", small))


def primitive(plain: _F) -> Callable[[Callable[..., Any]], _F]:
    """Declare an instruction that Python has no word for. The decorated function is numba's recipe for it; ``plain``
    does the same in Python and takes its place where nothing is compiled."""

    def choose(recipe: Callable[..., Any]) -> _F:
        chosen: Any = intrinsic(recipe) if COMPILED else plain
        return cast(_F, chosen)

    return choose
