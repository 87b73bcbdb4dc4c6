"""Where compiled kernels are kept between two starts. Imports no numba, so that it can be called first.

numba notices a change of the file a kernel stands in, not of the files it calls. So every state of the sources has a
folder of its own, named by a digest over all of them and by the versions of numba and its compiler.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import shutil
import tempfile
from pathlib import Path

VARIABLE = "TOKENLOUPE_KERNEL_CACHE"
"""Environment variable with the folder chosen; empty: keep nothing; unset: ``__pycache__`` beside the sources."""

CHECKED_VARIABLE = "TOKENLOUPE_CHECKED"
"""Environment variable: ``1`` builds kernels that verify every access to memory."""

_PREFIX = "kernels-"
_SOURCES = Path(__file__).parent


def use_cache_folder(folder: Path | None) -> None:
    """Keep compiled kernels below ``folder``, or nowhere. Call it before any other module of this package is imported;
    child processes inherit it. A folder that cannot be written means compiling at each start, never an error."""
    os.environ[VARIABLE] = "" if folder is None else str(folder)


def is_checked() -> bool:
    """Whether kernels are to verify every access."""
    return os.environ.get(CHECKED_VARIABLE, "0") not in ("", "0")


@functools.cache
def sources_digest() -> str:
    """Sixteen hexadecimal digits that change with the kernels' sources."""
    digest = hashlib.sha256()
    for source in sorted(_SOURCES.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def _folder_name() -> str:
    """A name that changes with whatever makes compiled code another."""
    versions = "-".join(importlib.metadata.version(package) for package in ("numba", "llvmlite"))
    return f"{_PREFIX}{sources_digest()}-{versions}{'-checked' if is_checked() else ''}"


def writable_folder() -> Path | None:
    """The folder for this state of the sources, created if need be, or None where nothing can be written."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "":
        return None
    parent = Path(chosen) if chosen else _SOURCES / "__pycache__"
    folder = parent / _folder_name()
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            _drop_others(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return folder


def _drop_others(folder: Path) -> None:
    """Remove the folders of other states of the sources: after an update nobody asks for them again. The newest is
    left, so that a checked and an ordinary build can live side by side."""
    others = [path for path in folder.parent.glob(f"{_PREFIX}*") if path != folder]
    others.sort(key=lambda path: path.stat().st_mtime)
    for path in others[:-1]:
        with contextlib.suppress(OSError):
            shutil.rmtree(path)
