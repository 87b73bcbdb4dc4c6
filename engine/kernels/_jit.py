"""The decorators of all kernels, and the switches that control how they are built.

* ``NUMBA_DISABLE_JIT=1`` runs kernels as plain Python: slow, for debugging and coverage.
* ``TOKENLOUPE_CHECKED=1`` builds kernels that verify every memory access and raise IndexError.
* ``cache_folder`` decides where compiled code is cached.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import config as numba_config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.extending import intrinsic

from engine.errors import EngineError
from engine.kernels import cache_folder
from engine.kernels.cache_folder import is_checked

# --- Disk cache of compiled kernels: one file for each function and signature -----------------------------------------
#
# numba has its own cache, but with an index per function: two processes that compile at the same time can leave an
# index that names the wrong code. It loses its code when the sources are copied elsewhere, and it initializes the
# compiler before it loads anything, which takes longer than loading. Here, the name of a file states everything that
# its code depends on, so there is no index, and no file is ever changed.


_unsaved: list[OSError] = []


class NotCompiledError(EngineError):
    """A kernel is not compiled, and compiling is not allowed."""


def raise_unsaved() -> None:
    """Raise the first error that prevented compiled code from being cached in this process, if any."""
    if _unsaved:
        raise _unsaved[0]


class KeptCode(_Cache):
    """numba's interface for loading and saving the compiled code of one kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    @property
    def cache_path(self) -> str | None:
        """The folder, as numba's interface requires."""
        folder = cache_folder.current_folder()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function, or None to compile it. Raises NotCompiledError if compiling is not allowed."""
        path = self._path(sig, target_context.codegen())
        content = None if path is None else _read(path)
        if content is not None:
            rtsys.initialize(target_context)  # compiled code calls into the runtime
            return CompileResult._rebuild(target_context, *pickle.loads(content))  # type: ignore[no-untyped-call]
        if cache_folder.is_compiled_only():
            raise NotCompiledError(f"The kernel {self._name} is not compiled for this computer yet.")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache a compiled function, if possible."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return  # holds addresses of this process
        path = self._path(sig, data.codegen)
        if path is not None:
            try:
                content: bytes = dumps(data._reduce())  # type: ignore[no-untyped-call]
                cache_folder.keep(path, hashlib.sha256(content).digest() + content)
            except OSError as error:
                _unsaved.append(error)

    def enable(self) -> None:
        """Required by numba's interface; unused, because ``cache_folder`` controls caching."""

    def disable(self) -> None:
        """Required by numba's interface; unused, because ``cache_folder`` controls caching."""

    def flush(self) -> None:
        """Required by numba's interface. This cache never has stale entries."""

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        """Return the file for a signature on this processor and Python version, or None if nothing is cached."""
        folder = cache_folder.current_folder()
        if folder is None:
            return None
        what = repr((str(sig), codegen.magic_tuple(), sys.implementation.cache_tag))
        return folder / f"{self._name}-{hashlib.sha256(what.encode()).hexdigest()[:16]}.code"


def _read(path: Path) -> bytes | None:
    """Return the content of a cache file, or None if it is missing or damaged: damaged code would crash, not raise."""
    try:
        kept = path.read_bytes()
    except OSError:
        return None
    digest, content = kept[:32], kept[32:]
    return content if hashlib.sha256(content).digest() == digest else None


# --- The decorators of all kernels, and the switches that control how they are built ----------------------------------


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
