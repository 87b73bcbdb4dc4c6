"""Where compiled kernels, and the tables they work on, are kept between two starts. Imports no numba.

Compiled code depends on all sources of the kernels, not only on the file its function stands in. So every state of the
sources has a folder of its own, named by a digest over all of them and by the versions of numba and its compiler.
Every file in it appears when it is complete and is never changed, so any number of processes may read and write there
at the same time.

One parent folder serves a user: ``user_folder``, in the system's place for caches. The window, the command line and
programs that import ``engine`` find the same code there.
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

from engine.runtime.private_folders import private_opener

VARIABLE = "TOKENLOUPE_KERNEL_CACHE"
"""Environment variable with the folder. It takes precedence over every other choice. Empty: keep nothing."""

CHECKED_VARIABLE = "TOKENLOUPE_CHECKED"
"""Environment variable: ``1`` builds kernels that verify every access to memory."""

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
    """Cache what this thread compiles or loads below ``folder``. With ``compiled_only`` nothing
    is compiled: NotCompiledError instead. None and False: as outside of this; otherwise ``user_folder``.

    A folder that cannot be written means compiling at each start, never an error.
    """
    outer = _choice.get()
    token = _choice.set(_Choice(folder or outer.folder, compiled_only or outer.compiled_only))
    try:
        yield
    finally:
        _choice.reset(token)


def as_now() -> Callable[[], AbstractContextManager[None]]:
    """What is chosen on this thread now, for what is loaded later: called then, on any thread, it is as ``kept_in``."""
    choice = _choice.get()
    return lambda: kept_in(choice.folder, compiled_only=choice.compiled_only)


def is_compiled_only() -> bool:
    """Whether nothing may be compiled now, on this thread."""
    return _choice.get().compiled_only


def is_checked() -> bool:
    """Whether kernels are to verify every access."""
    return os.environ.get(CHECKED_VARIABLE, "0") not in ("", "0")


def is_uncompiled() -> bool:
    """Whether kernels are to run as plain Python, which numba is told by a variable of its own."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def current_folder() -> Path | None:
    """The folder for this state of the sources, whether it exists or not. None where nothing is kept."""
    named = os.environ.get(VARIABLE)
    if named == "":
        return None
    parent = Path(named) if named else _choice.get().folder or user_folder()
    return parent / _folder_name(is_checked())


def user_folder() -> Path:
    """Return the folder that all programs of this user share: in the system's place for caches, or beside the sources
    for a user without a home. ``gui.core.paths`` names the same one."""
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
    """Write a file of the current folder in one step. OSError where that is impossible.

    Creates the folder, and then removes those of other states of the sources, which are not used after an update.
    Others may read the file unless the folder is private: one user can compile for all of a container.
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
    """Sixteen hexadecimal digits that change with the kernels' sources, in this folder and below it."""
    digest = hashlib.sha256()
    for source in sorted(_SOURCES.rglob("*.py")):
        digest.update(source.relative_to(_SOURCES).as_posix().encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _folder_name(checked: bool) -> str:
    """A name that changes with whatever makes compiled code another."""
    versions = "-".join(importlib.metadata.version(package) for package in ("numba", "llvmlite"))
    return f"{_PREFIX}{sources_digest()}-{versions}{'-checked' if checked else ''}"


def _drop_others(folder: Path) -> None:
    """Remove the folders of other states of the sources. The newest is left, so that a checked and an ordinary build,
    or two versions, can live side by side."""
    with contextlib.suppress(OSError):  # another process may be at it, too
        others = [path for path in folder.parent.glob(f"{_PREFIX}*") if path != folder]
        others.sort(key=lambda path: path.stat().st_mtime)
        for path in others[:-1]:
            shutil.rmtree(path, ignore_errors=True)
