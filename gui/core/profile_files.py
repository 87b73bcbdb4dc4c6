"""Files of a profile: where they are, JSON documents with a version number, atomic writes, and privacy. No Qt.

With ``--profile DIR``, everything is below that folder; otherwise settings, data and caches are in the system's
folders. No path is created before a file is written.

Modules of the window that do not import the engine import its atomic writers from here.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from engine.runtime.atomic_files import (  # noqa: F401 - see above
    change_atomic,
    is_private,
    make_content_private,
    make_file_private,
    make_folder,
    make_private,
    set_aside,
    write_atomic,
)

APPLICATION = "tokenloupe"
MAX_OF_A_NAME = 80


class ProfilePaths(NamedTuple):
    """The folders of a profile, and the files with a fixed location in them."""

    config: Path
    data: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        """The settings, as JSON."""
        return self.config / "settings.json"

    @property
    def prices_file(self) -> Path:
        """The user's own prices, layered over the built-in ones."""
        return self.config / "prices.yaml"

    @property
    def scenarios_file(self) -> Path:
        """Saved scenarios, as JSON."""
        return self.config / "scenarios.json"

    @property
    def calibration_file(self) -> Path:
        """Billed token counts of texts that were counted here, as JSON."""
        return self.config / "calibration.json"

    @property
    def sessions(self) -> Path:
        """Session folders, one per window that may be open at the same time."""
        return self.data / "sessions"

    @property
    def encodings(self) -> Path:
        """Imported and trained tokenizers."""
        return self.data / "encodings"

    @property
    def versions(self) -> Path:
        """Saved versions of the prompt."""
        return self.data / "versions"

    @property
    def lab(self) -> Path:
        """Training texts of the Lab."""
        return self.data / "lab"

    @property
    def checkpoints(self) -> Path:
        """Training checkpoints of the command line that could not be stored next to their output."""
        return self.data / "checkpoints"

    @property
    def counts_file(self) -> Path:
        """Token counts of files, keyed by content."""
        return self.cache / "counts.sqlite"

    @property
    def compiled(self) -> Path:
        """Compiled machine code and lookup tables."""
        return self.cache / "compiled"


def profile_paths(profile: Path | None = None) -> ProfilePaths:
    """Return the folders below ``profile``, or the system's folders if it is None."""
    if profile is not None:
        root = profile.expanduser().absolute()
        return ProfilePaths(config=root, data=root / "data", cache=root / "cache")
    if sys.platform == "win32":
        roaming = folder_of("APPDATA", Path.home() / "AppData" / "Roaming") / APPLICATION.capitalize()
        local = folder_of("LOCALAPPDATA", Path.home() / "AppData" / "Local") / APPLICATION.capitalize()
        return ProfilePaths(config=roaming, data=local / "data", cache=local / "cache")
    if sys.platform == "darwin":
        library = Path.home() / "Library"
        support = library / "Application Support" / APPLICATION.capitalize()
        return ProfilePaths(config=support, data=support / "data", cache=library / "Caches" / APPLICATION.capitalize())
    return ProfilePaths(
        config=folder_of("XDG_CONFIG_HOME", Path.home() / ".config") / APPLICATION,
        data=folder_of("XDG_DATA_HOME", Path.home() / ".local" / "share") / APPLICATION,
        cache=folder_of("XDG_CACHE_HOME", Path.home() / ".cache") / APPLICATION,
    )


def folder_of(variable: str, otherwise: Path) -> Path:
    """Return the folder named by an environment variable if it is absolute (as the XDG specification requires)."""
    named = os.environ.get(variable, "")
    return Path(named) if named and Path(named).is_absolute() else otherwise


def suggested_file(name: str, ending: str) -> str:
    """Return a safe file name for an object with an untrusted name: a single path component, not hidden, and never
    mistaken for a command-line option."""
    safe = "".join(one if one.isprintable() and one not in '/\\:*?"<>|' else "_" for one in name)
    return f"{safe.lstrip('.- ')[:MAX_OF_A_NAME] or APPLICATION}{ending}"


# --- documents --------------------------------------------------------------------------------------------------------

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


# --- privacy ----------------------------------------------------------------------------------------------------------


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
