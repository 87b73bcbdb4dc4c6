"""Where the window keeps its files, and which of them hold prompts. No Qt: the command line uses it, too.

With ``--profile DIR`` everything is below that folder; without it, where the system wants it: settings, data and caches
apart. Nothing is created here; whoever writes makes the folder (``engine.runtime.atomic_files`` does).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from engine.runtime.private_folders import (
    is_private,
    make_content_private,
    make_file_private,
    make_folder,
    make_private,
)

APPLICATION = "tokenloupe"
MOST_OF_A_NAME = 80


class ProfilePaths(NamedTuple):
    """The folders of one profile, and the files with a fixed place in them."""

    config: Path
    data: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        """The settings, as JSON."""
        return self.config / "settings.json"

    @property
    def prices_file(self) -> Path:
        """The user's own prices, layered over the bundled ones."""
        return self.config / "prices.yaml"

    @property
    def scenarios_file(self) -> Path:
        """Scenarios that the user saved under names, as JSON."""
        return self.config / "scenarios.json"

    @property
    def calibration_file(self) -> Path:
        """What providers billed for texts that were counted here, as JSON."""
        return self.config / "calibration.json"

    @property
    def sessions(self) -> Path:
        """One folder for each window that may be open at the same time."""
        return self.data / "sessions"

    @property
    def encodings(self) -> Path:
        """Vocabularies that the user imported or trained."""
        return self.data / "encodings"

    @property
    def versions(self) -> Path:
        """Versions of the prompt that the user named."""
        return self.data / "versions"

    @property
    def lab(self) -> Path:
        """Texts that the Lab trains on."""
        return self.data / "lab"

    @property
    def checkpoints(self) -> Path:
        """Training runs of the command line that could not be kept beside what they were to be saved in."""
        return self.data / "checkpoints"

    @property
    def counts_file(self) -> Path:
        """Counts of files, by their content."""
        return self.cache / "counts.sqlite"

    @property
    def compiled(self) -> Path:
        """Machine code and lookup tables that are made once and kept."""
        return self.cache / "compiled"


def profile_paths(profile: Path | None = None) -> ProfilePaths:
    """The folders below ``profile``, or the system's own where there is none."""
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
    """The folder an environment variable names, if it names an absolute one (the XDG rules ask for that)."""
    named = os.environ.get(variable, "")
    return Path(named) if named and Path(named).is_absolute() else otherwise


def suggested_file(name: str, ending: str) -> str:
    """A name for a file that is offered for something called ``name``, whoever called it so: a single part of a path,
    not hidden, and nothing that a command would take for an option."""
    kept = "".join(one if one.isprintable() and one not in '/\\:*?"<>|' else "_" for one in name)
    return f"{kept.lstrip('.- ')[:MOST_OF_A_NAME] or APPLICATION}{ending}"


# --- Files that hold prompts ------------------------------------------------------------------------------------------


__all__ = ["make_file_private", "make_folder", "make_profile_private", "remove_saved_texts"]


def make_profile_private(paths: ProfilePaths) -> None:
    """Make the folders of a profile 0700 and what is in them 0600; on Windows, nothing.

    A folder that holds other things, such as ``--profile .``, stays as it is; of it only our files and
    folders are made private. A profile whose folders are private already is not looked through again.
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
    """True if nothing but a profile is in the folder of the settings, or the folder does not exist."""
    names = tuple(file.name for file in _our_files(paths))
    folders = {folder.name for folder in (paths.data, paths.cache) if folder.parent == paths.config}
    try:
        found = [path.name for path in paths.config.iterdir()]
    except OSError:
        return not paths.config.exists()
    return all(name.startswith((*names, ".tokenloupe-")) or name in folders for name in found)


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
