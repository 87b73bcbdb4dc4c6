"""Disk cache of compiled kernels and the tables they work on. Imports no numba.

Compiled code depends on all sources of the kernels, not only on the file of its function. So every state of the sources
has its own folder, named by a digest of all of them and by the versions of numba and its compiler. Every file in it
appears only when complete and is never changed, so any number of processes may read and write there concurrently.

Each user has one parent folder: ``user_folder``, in the system's cache folder. The window, the command line and
programs that import ``engine`` share the code there.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from engine.runtime.atomic_files import private_opener

VARIABLE = "TOKENLOUPE_KERNEL_CACHE"
"""Environment variable with the folder. It takes precedence over every other choice. Empty: cache nothing."""

CHECKED_VARIABLE = "TOKENLOUPE_CHECKED"
"""Environment variable: ``1`` builds kernels that verify every memory access."""

_PREFIX = "kernels-"
_SOURCES = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class _Choice:
    folder: Path | None = None
    compiled_only: bool = False


_NOTHING_CHOSEN = _Choice()
_choice: ContextVar[_Choice] = ContextVar("kernel_cache", default=_NOTHING_CHOSEN)


@contextlib.contextmanager
def kept_in(folder: Path | None, *, compiled_only: bool = False) -> Iterator[None]:
    """Cache what this thread compiles or loads below ``folder``. With ``compiled_only``, nothing is compiled:
    NotCompiledError is raised instead. None and False: as in the enclosing context; by default ``user_folder``.

    If the folder is not writable, kernels are compiled at each start; this is never an error.
    """
    outer = _choice.get()
    token = _choice.set(_Choice(folder or outer.folder, compiled_only or outer.compiled_only))
    try:
        yield
    finally:
        _choice.reset(token)


def as_now() -> Callable[[], AbstractContextManager[None]]:
    """Return a factory of contexts like ``kept_in`` with this thread's current choice, for use later on any thread."""
    choice = _choice.get()
    return lambda: kept_in(choice.folder, compiled_only=choice.compiled_only)


def is_compiled_only() -> bool:
    """Return True if nothing may be compiled on this thread now."""
    return _choice.get().compiled_only


def is_checked() -> bool:
    """Return True if kernels are to verify every memory access."""
    return os.environ.get(CHECKED_VARIABLE, "0") not in ("", "0")


def is_uncompiled() -> bool:
    """Return True if kernels run as plain Python, which an environment variable of numba selects."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def current_folder() -> Path | None:
    """Return the folder for this state of the sources, whether it exists or not. None if nothing is cached."""
    named = os.environ.get(VARIABLE)
    if named == "":
        return None
    parent = Path(named) if named else _choice.get().folder or user_folder()
    return parent / _folder_name(is_checked())


def user_folder() -> Path:
    """Return the folder shared by all programs of this user: in the system's cache folder, or beside the sources for a
    user without a home. ``gui.core.profile_files`` returns the same."""
    try:
        if sys.platform == "win32":
            return _absolute("LOCALAPPDATA", ("AppData", "Local")) / "Tokenloupe" / "cache" / "compiled"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "Tokenloupe" / "compiled"
        return _absolute("XDG_CACHE_HOME", (".cache",)) / "tokenloupe" / "compiled"
    except RuntimeError:  # the home folder of this user is unknown
        return _SOURCES / "__pycache__"


def _absolute(variable: str, below_home: tuple[str, ...]) -> Path:
    named = os.environ.get(variable, "")
    return Path(named) if named and Path(named).is_absolute() else Path.home().joinpath(*below_home)


def keep(path: Path, content: bytes | memoryview) -> None:
    """Write a file of the current folder atomically. Raises OSError if that is impossible.

    If the folder is new, removes those of other states of the sources, which are unused after an update. Others may
    read the file unless the folder is private, so that one user can compile for a whole container.
    """
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        _drop_others(path.parent)
    temporary = path.with_name(f".new-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with open(temporary, "xb", opener=private_opener) as file:
            file.write(content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@functools.cache
def sources_digest() -> str:
    """Return 16 hexadecimal digits that change with the sources of the kernels, in this folder and below it."""
    digest = hashlib.sha256()
    for source in sorted(_SOURCES.rglob("*.py")):
        digest.update(source.relative_to(_SOURCES).as_posix().encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _folder_name(checked: bool) -> str:
    """Return a name that changes with everything that affects compiled code."""
    versions = "-".join(importlib.metadata.version(package) for package in ("numba", "llvmlite"))
    return f"{_PREFIX}{sources_digest()}-{versions}{'-checked' if checked else ''}"


def _drop_others(folder: Path) -> None:
    """Remove the folders of other states of the sources, except the newest, so that a checked and an ordinary build, or
    two versions, can coexist."""
    with contextlib.suppress(OSError):  # another process may be removing them too
        others = [path for path in folder.parent.glob(f"{_PREFIX}*") if path != folder]
        others.sort(key=lambda path: path.stat().st_mtime)
        for path in others[:-1]:
            shutil.rmtree(path, ignore_errors=True)
