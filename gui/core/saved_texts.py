"""Removes what a profile keeps of texts. No Qt."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from gui.core.paths import ProfilePaths


def remove_saved_texts(paths: ProfilePaths, sessions: Iterable[Path]) -> list[str]:
    """Remove all that is in these folders of sessions, the versions of prompts and the texts of the Lab.

    Returns a line for each thing that could not be removed.
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
