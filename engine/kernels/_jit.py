"""The decorators of all kernels, and the switches that control how they are built.

* ``NUMBA_DISABLE_JIT=1`` runs kernels as plain Python: slow, for debugging and coverage.
* ``TOKENLOUPE_CHECKED=1`` builds kernels that verify every memory access and raise IndexError.
* ``cache_folder`` decides where compiled code is cached.
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

_CONFIG: Any = numba_config  # its attributes are created at import, so mypy cannot see them

COMPILED = not _CONFIG.DISABLE_JIT
"""True if kernels are compiled."""

CHECKED = is_checked()
"""True in the checked build."""


_njit: Any = numba.njit  # its type declares only some of its options

_OPTIONS = {"nogil": True, "boundscheck": CHECKED, "error_model": "numpy", "no_cfunc_wrapper": True}


def _prepared(dispatcher: Any) -> Any:
    """Return a numba function with two changes to numba's defaults.

    numba recompiles a function for every constant that a kernel passes to it, which would double the compile time.
    Here, constants are passed like other arguments. And before compiling or loading anything, numba loads the
    registrations of other packages, which may take long and which kernels do not need.
    """
    if COMPILED:
        resolve = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: resolve(tuple(map(types.unliteral, args)), kws)
        dispatcher._compilation_chain_init_hook = lambda: None
    return dispatcher


def kernel(function: _F) -> _F:
    """Compile a function of arrays and numbers on its first call. It runs without the GIL and is cached in the cache
    folder. Division by zero gives infinity, as in numpy."""
    compiled = _njit(function, **_OPTIONS)
    if COMPILED and function.__module__.startswith(f"{__package__}."):
        # Only functions of this package are covered by the digest of the sources that names the cache folder.
        compiled._cache = KeptCode(function)
    return cast(_F, _prepared(compiled))


def inline_kernel(function: _F) -> _F:
    """Like ``kernel``, for small functions to be inlined into the loops of their callers. Only kernels call them, so
    they are not cached on disk themselves."""
    compiled = _njit(function, forceinline=True, no_cpython_wrapper=True, **_OPTIONS)
    return cast(_F, _prepared(compiled))


def uncompiled(small: _F) -> _F:
    """Return the Python function of a kernel, for calls of inline kernels from Python. These are not cached on disk, so
    calling the compiled function would compile it at each start."""
    return cast(_F, getattr(small, "py_func", small))


def primitive(plain: _F) -> Callable[[Callable[..., Any]], _F]:
    """Declare an instruction that Python does not have. The decorated function is numba's recipe for it. ``plain`` does
    the same in Python and replaces it if nothing is compiled."""

    def choose(recipe: Callable[..., Any]) -> _F:
        chosen: Any = intrinsic(recipe) if COMPILED else plain
        return cast(_F, chosen)

    return choose
