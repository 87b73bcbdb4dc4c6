"""Private folders, which only their owner may enter, and their content: files 0600, folders 0700.

Does nothing on Windows, where a profile is in the user's own folder, which others cannot read.

A new file takes its mode from its folder: in a private folder it is private from the start, even as a temporary file.
Elsewhere, as for an export, the umask decides.
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
    """Return True if only its owner may enter ``folder``. False on Windows, and if it does not exist."""
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
    """Open a file, for the ``opener`` of ``open``. A new file gets the mode of ``new_file_mode``."""
    return os.open(path, flags, new_file_mode(Path(path).parent))


def make_folder(folder: Path) -> None:
    """Create ``folder`` and its parents. New folders inside a private one are private. Raises OSError."""
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
    """Create ``folder`` if needed and restrict it to its owner. Ignores errors."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    _tighten(folder)


def make_content_private(folder: Path) -> None:
    """Restrict all files and folders in ``folder`` to its owner. Links are not followed."""
    for path in _below(folder):
        _tighten(path)


def make_file_private(path: Path) -> None:
    """Restrict one file to its owner, if it exists. A link is not followed."""
    _tighten(path)


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):  # links to folders are listed but not followed
        for name in (*folders, *files):
            yield Path(parent, name)


def _tighten(path: Path) -> None:
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if mode & _OTHERS and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
