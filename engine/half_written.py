"""Files that are being written beside the one they will replace; and those that a killed process left half written.

A writer holds a lock on its file until that has its name. Who clears up takes the same lock first, so it never has the
file of a process that lives: not on Windows either, where an open file cannot be removed. Where a file system knows no
locks, nothing is cleared up.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_SUFFIX = ".part"


@contextlib.contextmanager
def replacement_of(path: Path) -> Iterator[IO[bytes]]:
    """A file to write into, which takes the place of ``path`` when all went well, and is removed otherwise. OSError."""
    file, temporary = _opened(path)
    try:
        with file:
            yield file
            if sys.platform == "win32":
                file.close()  # an open file cannot be renamed
            temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def clear_half_written(path: Path) -> None:
    """Remove what killed processes left of their attempts to write ``path``. What cannot be removed stays."""
    own = re.compile(re.escape(path.name) + r"\.[a-z0-9_]{8}" + re.escape(_SUFFIX))
    with contextlib.suppress(OSError):
        for found in list(path.parent.iterdir()):
            if own.fullmatch(found.name):
                _remove_unless_locked(found)


def _opened(path: Path) -> tuple[IO[bytes], Path]:
    while True:
        descriptor, name = tempfile.mkstemp(_SUFFIX, f"{path.name}.", path.parent)
        file = os.fdopen(descriptor, "wb")
        with contextlib.suppress(OSError):
            _lock(file)
        if Path(name).exists():  # nobody cleared it up before it was locked
            return file, Path(name)
        file.close()


def _remove_unless_locked(path: Path) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            path.unlink()
            return
        with path.open("rb") as file:
            _lock(file)
            path.unlink()


def _lock(file: IO[bytes]) -> None:
    """Hold a file until it is closed, where there are locks. OSError where somebody else holds it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
