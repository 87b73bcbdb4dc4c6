"""Where the window keeps its things. No Qt, so that the command line can ask too.

With ``--profile DIR`` everything is below that folder; without it, where the system wants it: settings, data and caches
apart. Nothing is created here; whoever writes makes the folder (``engine.runtime.atomic_files`` does).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

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
