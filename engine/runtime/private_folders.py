"""Folders that only their owner may enter, and what is made in them: files 0600, folders 0700.

Nothing is done on Windows, where a profile lies in the user's own folder, which others cannot read.

A file takes its mode from the folder it is made in: in a private folder it is private itself, even while it is half
written. Elsewhere, as for an export, the umask decides.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS = 0o077


def is_private(folder: Path) -> bool:
    """True if only its owner may enter ``folder``. False on Windows, and where it does not exist."""
    if sys.platform == "win32":
        return False
    try:
        return not folder.stat().st_mode & _OTHERS
    except OSError:
        return False


def new_file_mode(folder: Path) -> int:
    """Return the mode to create a file with in ``folder``."""
    return FILE_MODE if is_private(folder) else 0o666


def private_opener(path: str, flags: int) -> int:
    """An ``opener`` for ``open`` that gives a new file the mode of ``new_file_mode``."""
    return os.open(path, flags, new_file_mode(Path(path).parent))


def make_folder(folder: Path) -> None:
    """Make ``folder`` with its parents; those that are new are private below a private one. Raises OSError."""
    missing = []
    at = folder
    while not at.exists() and at != at.parent:
        missing.append(at)
        at = at.parent
    mode = FOLDER_MODE if is_private(at) else 0o777
    for new in reversed(missing):
        new.mkdir(mode=mode, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)


def make_private(folder: Path) -> None:
    """Make ``folder`` if need be, and take it from everybody but its owner. What is refused stays as it is."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    _tighten(folder)


def make_content_private(folder: Path) -> None:
    """Take all files and folders in ``folder`` from everybody but its owner. Links are not followed."""
    for path in _below(folder):
        _tighten(path)


def make_file_private(path: Path) -> None:
    """Take one file from everybody but its owner, if it exists. A link is not followed."""
    _tighten(path)


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):  # folders that are links are named and not entered
        for name in (*folders, *files):
            yield Path(parent, name)


def _tighten(path: Path) -> None:
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if mode & _OTHERS and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
