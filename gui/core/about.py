"""The versions a report of a fault needs. No Qt at import."""

from __future__ import annotations

import platform
import sys
import tomllib
from importlib import metadata
from pathlib import Path

PACKAGES = ("PySide6-Essentials", "numpy", "numba", "tiktoken", "regex", "pyqtgraph", "ruamel.yaml")


def version_lines() -> list[str]:
    """Our version, Python's, the system's and those of what we stand on; one a line."""
    lines = [
        f"Tokenloupe {our_version()}",
        f"Python {platform.python_version()} ({platform.python_implementation()})",
        f"{platform.platform()}, {platform.machine()}",
    ]
    return lines + [f"{package} {_version(package)}" for package in PACKAGES]


def our_version() -> str:
    """Our own version; that of the checkout where the program was not installed."""
    try:
        return metadata.version("tokenloupe")
    except metadata.PackageNotFoundError:
        return _version_of_checkout()


def is_built() -> bool:
    """Whether this is a program that ``packaging/build_app.py`` put together, to which nothing can be installed."""
    return bool(getattr(sys, "frozen", False))


def own_command() -> str:
    """How this program is called on a command line."""
    return "tokenloupe" if is_built() or Path(sys.argv[0]).stem == "tokenloupe" else "python main.py"


def _version_of_checkout() -> str:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    try:
        declared = tomllib.loads(project.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError):
        return "(unknown)"
    return str(declared.get("project", {}).get("version", "(unknown)"))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"
