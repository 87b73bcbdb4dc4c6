"""Locations of profile files. No Qt, so that the command line can use them.

With ``--profile DIR``, everything is below that folder; otherwise settings, data and caches are in the system's
folders. Nothing is created here; folders are created when a file is written (``engine.runtime.atomic_files``).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

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
    kept = "".join(one if one.isprintable() and one not in '/\\:*?"<>|' else "_" for one in name)
    return f"{kept.lstrip('.- ')[:MAX_OF_A_NAME] or APPLICATION}{ending}"
