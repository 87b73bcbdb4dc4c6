"""Files and folders that are being written beside what they will replace; those that a killed process left half
written; and files that only one process may change at a time.

A writer holds a lock on its file until that has its name. Who clears up takes the same lock first, so it never has the
file of a process that lives: not on Windows either, where an open file cannot be removed. Where a file system knows no
locks, nothing is cleared up.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from engine.runtime.private_folders import make_folder, new_file_mode, private_opener

_PREFIX = ".tokenloupe-"
_SUFFIX = ".part"
_FOLDER = ".files"
_OURS = re.compile(re.escape(_PREFIX) + "[0-9a-f]{32}" + f"({re.escape(_SUFFIX)}|{re.escape(_FOLDER)})")

LOCK_NAME = f"{_PREFIX}lock"
LOCK_SECONDS = 10.0
"""How long somebody waits for another process that changes the same files; that takes milliseconds."""
_TURN_SECONDS = 0.005


@contextlib.contextmanager
def half_written(folder: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A new file in ``folder``, open for writing, and its path. It is gone afterwards, unless it was renamed. OSError.

    What killed processes left in ``folder`` is removed first.
    """
    clear_half_written(folder)
    file, temporary = _opened(folder)
    try:
        with file:
            yield file, temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def half_written_folder(folder: Path) -> Iterator[Path]:
    """A new folder in ``folder``, which is gone afterwards with all that is still in it. OSError."""
    with half_written(folder) as (_, temporary):
        inside = temporary.with_suffix(_FOLDER)
        make_folder(inside)
        try:
            yield inside
        finally:
            shutil.rmtree(inside, ignore_errors=True)


def clear_half_written(folder: Path) -> None:
    """Remove what killed processes left half written in a folder. What cannot be removed stays."""
    with contextlib.suppress(OSError):
        for found in list(os.scandir(folder)):
            ours = _OURS.fullmatch(found.name)
            if ours and ours[1] == _SUFFIX:
                _remove_unless_locked(Path(found.path))
            elif ours and not Path(found.path).with_suffix(_SUFFIX).exists():
                shutil.rmtree(found.path, ignore_errors=True)


@contextlib.contextmanager
def only_here(folder: Path) -> Iterator[None]:
    """Until the end of this, no other process and no other thread is in here for the same folder, which is made if
    need be. For what reads a file and writes it changed. Where there are no locks, nobody waits.

    OSError where somebody else does not come out of it.
    """
    make_folder(folder)
    with open(folder / LOCK_NAME, "ab", opener=private_opener) as file:
        last = time.monotonic() + LOCK_SECONDS
        while not _has_lock(file):
            if time.monotonic() > last:
                raise OSError(errno.EAGAIN, "another window has been writing there for long", str(folder))
            threading.Event().wait(_TURN_SECONDS)
        yield


def _opened(folder: Path) -> tuple[IO[bytes], Path]:
    mode = new_file_mode(folder)
    while True:
        path = folder / f"{_PREFIX}{uuid.uuid4().hex}{_SUFFIX}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        file = os.fdopen(descriptor, "wb")
        if _has_lock(file) and path.exists():  # else somebody was about to clear it up
            return file, path
        file.close()


def _remove_unless_locked(path: Path) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            path.unlink()
        else:
            with path.open("rb") as file:
                if not _locked(file):
                    return
                path.unlink()
        shutil.rmtree(path.with_suffix(_FOLDER), ignore_errors=True)


def _has_lock(file: IO[bytes]) -> bool:
    """Hold a file until it is closed, where there are locks. False where somebody else holds it."""
    try:
        return _locked(file)
    except OSError:
        return True


def _locked(file: IO[bytes]) -> bool:
    """Hold a file until it is closed. False where somebody else holds it. OSError where there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
