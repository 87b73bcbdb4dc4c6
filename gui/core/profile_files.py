"""Files of a profile: JSON documents with a version number, atomic writes, privacy, and removal of texts. No Qt.

The atomic writers of the engine are imported when they are first called: the window is painted before that, and nothing
is written earlier, unless a file is damaged.
"""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from engine.runtime.atomic_files import (
    is_private,
    make_content_private,
    make_file_private,
    make_folder,  # noqa: F401 - for ``gui.state``, which does not import the engine
    make_private,
)
from gui.core.paths import ProfilePaths

Document = dict[str, Any]
VERSION_KEY = "version"


class DamagedFile(ValueError):
    """Raised for a file that is not a JSON object, or not of the expected kind."""


def read_document(path: Path) -> Document:
    """Read the document in a file; empty if there is none. Raises OSError, DamagedFile."""
    try:
        return document_of(regular_bytes(path))
    except FileNotFoundError:
        return {}


def is_newer(document: Document, version: int) -> bool:
    """Return True if a newer program version wrote the document."""
    there = document.get(VERSION_KEY)
    return isinstance(there, (int, float)) and there > version


def regular_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises OSError, also for a pipe, on which reading would block."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "this is not a regular file", str(path))
    return path.read_bytes()


def document_of(content: bytes) -> Document:
    """Parse a JSON object. Raises DamagedFile."""
    try:
        document = json.loads(content)
    except ValueError as error:
        raise DamagedFile(str(error)) from error
    except RecursionError as error:
        raise DamagedFile("nested too deeply") from error
    if not isinstance(document, dict):
        raise DamagedFile("not a JSON object")
    return document


def document_bytes(document: Document) -> bytes:
    """Serialize a document."""
    try:
        return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # a file name that is not valid Unicode
        return (json.dumps(document, indent=1) + "\n").encode()


def write_atomic(path: Path, content: bytes | Iterable[bytes], *, keep_backup: bool = False) -> int:
    """Call ``engine.runtime.atomic_files.write_atomic``. Raises OSError."""
    from engine.runtime import atomic_files

    return atomic_files.write_atomic(path, content, keep_backup=keep_backup)


def change_atomic(path: Path, change: Callable[[bytes | None], bytes]) -> bytes:
    """Call ``engine.runtime.atomic_files.change_atomic``. Raises OSError, and any error of ``change``."""
    from engine.runtime import atomic_files

    return atomic_files.change_atomic(path, change)


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Call ``engine.runtime.atomic_files.set_aside``. Raises OSError."""
    from engine.runtime import atomic_files

    return atomic_files.set_aside(path, why)


def make_profile_private(paths: ProfilePaths) -> None:
    """Set the folders of a profile to 0700 and their contents to 0600; a no-op on Windows.

    A folder that also holds other files, such as ``--profile .``, stays unchanged; only our files and folders in it are
    made private. A profile whose folders are already private is not traversed again.
    """
    if _holds_only_ours(paths):
        make_private(paths.config)
    for file in _our_files(paths):
        for one in paths.config.glob(f"{file.name}*"):
            make_file_private(one)
    for folder in (paths.data, paths.cache):
        if not is_private(folder):
            make_private(folder)
            make_content_private(folder)


def _our_files(paths: ProfilePaths) -> tuple[Path, ...]:
    return paths.settings_file, paths.prices_file, paths.scenarios_file, paths.calibration_file


def _holds_only_ours(paths: ProfilePaths) -> bool:
    """Return True if the settings folder holds nothing but a profile, or does not exist."""
    names = tuple(file.name for file in _our_files(paths))
    folders = {folder.name for folder in (paths.data, paths.cache) if folder.parent == paths.config}
    try:
        found = [path.name for path in paths.config.iterdir()]
    except OSError:
        return not paths.config.exists()
    return all(name.startswith((*names, ".tokenloupe-")) or name in folders for name in found)


def remove_saved_texts(paths: ProfilePaths, sessions: Iterable[Path]) -> list[str]:
    """Remove the contents of these session folders, the versions of prompts and the texts of the Lab.

    Returns a line for each item that could not be removed.
    """
    problems: list[str] = []
    for folder in (*sessions, paths.versions, paths.lab):
        if not folder.exists():
            continue
        for found in list(folder.iterdir()):
            try:
                if found.is_dir() and not found.is_symlink():
                    shutil.rmtree(found)
                else:
                    found.unlink(missing_ok=True)
            except OSError as error:
                problems.append(f"{found}: {error.strerror or error}")
    return problems
