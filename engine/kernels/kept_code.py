"""Compiled kernels in files: one for each function and signature.

numba has a cache of its own, but an index in it for each function: two processes that compile at the same time can
leave one that names the wrong code. It forgets its code when the sources are copied elsewhere, and prepares itself for
compiling before it loads anything, which takes longer than the loading. Here the name of a file says all that its code
depends on, so nothing has to be looked up, and nothing is ever changed.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from engine.errors import EngineError
from engine.kernels import cache_folder

_unkept: list[OSError] = []


class NotCompiledError(EngineError):
    """A kernel would have to be compiled, where that was not to be."""


def raise_unkept() -> None:
    """Raise the first error that kept compiled code from being kept in this process, if there was one."""
    if _unkept:
        raise _unkept[0]


class KeptCode(_Cache):
    """What numba asks for the compiled code of one kernel, and gives it to when it was compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    @property
    def cache_path(self) -> str | None:
        """The folder, for those who ask numba for it."""
        folder = cache_folder.current_folder()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature, None if it is to be compiled. NotCompiledError if it must not be."""
        path = self._path(sig, target_context.codegen())
        content = None if path is None else _read(path)
        if content is not None:
            rtsys.initialize(target_context)  # compiled code calls into it
            return CompileResult._rebuild(target_context, *pickle.loads(content))  # type: ignore[no-untyped-call]
        if cache_folder.is_compiled_only():
            raise NotCompiledError(f"The kernel {self._name} is not compiled for this computer yet.")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, if that is possible."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return  # holds addresses of this process
        path = self._path(sig, data.codegen)
        if path is not None:
            try:
                content: bytes = dumps(data._reduce())  # type: ignore[no-untyped-call]
                cache_folder.keep(path, hashlib.sha256(content).digest() + content)
            except OSError as error:
                _unkept.append(error)

    def enable(self) -> None:
        """numba's own way of switching a cache on; ours is ``cache_folder``."""

    def disable(self) -> None:
        """numba's own way of switching a cache off; ours is ``cache_folder``."""

    def flush(self) -> None:
        """numba's own way of emptying a cache. Nothing in ours ever goes stale."""

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        """The file for a signature on this processor and this Python. None where nothing is kept."""
        folder = cache_folder.current_folder()
        if folder is None:
            return None
        what = repr((str(sig), codegen.magic_tuple(), sys.implementation.cache_tag))
        return folder / f"{self._name}-{hashlib.sha256(what.encode()).hexdigest()[:16]}.code"


def _read(path: Path) -> bytes | None:
    """What was kept in a file. None where there is none, or where it is damaged: running that would be no error but a
    crash."""
    try:
        kept = path.read_bytes()
    except OSError:
        return None
    digest, content = kept[:32], kept[32:]
    return content if hashlib.sha256(content).digest() == digest else None
