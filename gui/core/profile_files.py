"""Privacy and removal of profile files that hold prompts. No Qt."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from engine.runtime.atomic_files import (
    is_private,
    make_content_private,
    make_file_private,
    make_folder,
    make_private,
)
from gui.core.paths import ProfilePaths

__all__ = ["make_file_private", "make_folder", "make_profile_private", "remove_saved_texts"]


def make_profile_private(paths: ProfilePaths) -> None:
    """Set the folders of a profile to 0700 and their contents to 0600; a no-op on Windows.

    A folder that also holds other files, such as ``--profile .``, stays unchanged; only our files and folders in it are
    made private. A profile whose folders are already private is not traversed again.
    """
    ours = _our_files(paths)
    if _holds_only_ours(paths):
        make_private(paths.config)
    for file in ours:
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
