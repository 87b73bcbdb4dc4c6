"""Detection of a table's format, and tables of installed packages."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pricing.importers.genai_prices import is_genai_module, is_genai_prices, read_genai_module, read_genai_prices
from pricing.importers.litellm import is_litellm, read_litellm
from pricing.importers.llm_prices import is_llm_prices, read_llm_prices
from pricing.importers.model_prices import is_model_prices, read_model_prices
from pricing.importers.models_dev import is_models_dev, read_models_dev
from pricing.importers.reading import Imported, ImportFileError, read_json

_TABLES = (
    (is_genai_prices, read_genai_prices),
    (is_model_prices, read_model_prices),
    (is_llm_prices, read_llm_prices),
    (is_models_dev, read_models_dev),
    (is_litellm, read_litellm),
)


def read_import(text: str) -> Imported:
    """Detect and read the table in a file's text. Raises ImportFileError for an unknown or damaged table."""
    if is_genai_module(text):
        return read_genai_module(text)
    document = read_json(text)
    for is_it, read in _TABLES:
        if is_it(document):
            return read(document)
    raise ImportFileError(
        "this price table cannot be imported; supported are LiteLLM's map, llm-prices, models.dev, genai-prices and "
        "model-prices"
    )


_FILES = {
    "litellm": ("litellm", "model_prices_and_context_window_backup.json"),
    "genai-prices": ("genai_prices", "data.py"),
    "model-prices": ("model_prices", "snapshot.json"),
}
"""Module and file name of each distribution."""


@dataclass(frozen=True, slots=True)
class InstalledTable:
    """A table of an installed package."""

    package: str
    version: str
    path: Path


def installed_tables() -> tuple[InstalledTable, ...]:
    """Return the tables of packages installed beside the program."""
    found = []
    for package, (module, name) in _FILES.items():
        path = _folder_of(module)
        if path is not None and (path / name).is_file():
            found.append(InstalledTable(package, _version(package), path / name))
    return tuple(found)


def read_installed(table: InstalledTable) -> Imported:
    """Read an installed table. Raises ImportFileError if it is unreadable or no longer such a table."""
    try:
        return read_import(table.path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ImportFileError(f"{table.path} cannot be read: {error}") from error


def _folder_of(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return Path(folders[0]) if folders else None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
