"""The price tables that installed packages carry: found by name, read as text, nothing of them imported or run."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pricing.importers.detect import read_import
from pricing.importers.types import Imported, ImportFileError

_FILES = {
    "litellm": ("litellm", "model_prices_and_context_window_backup.json"),
    "genai-prices": ("genai_prices", "data.py"),
    "model-prices": ("model_prices", "snapshot.json"),
}
"""Module and file of each distribution."""


@dataclass(frozen=True, slots=True)
class InstalledTable:
    """A table of an installed package."""

    package: str
    version: str
    path: Path


def installed_tables() -> tuple[InstalledTable, ...]:
    """The tables of the packages that are installed beside the program, none where there are none."""
    found = []
    for package, (module, name) in _FILES.items():
        path = _folder_of(module)
        if path is not None and (path / name).is_file():
            found.append(InstalledTable(package, _version(package), path / name))
    return tuple(found)


def read_installed(table: InstalledTable) -> Imported:
    """Read one. Raises ImportFileError where it cannot be read, or is no longer such a table."""
    try:
        return read_import(table.path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ImportFileError(f"{table.path} cannot be read: {error}") from error


def _folder_of(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
