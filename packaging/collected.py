"""Third-party content of a build, for ``tokenloupe.spec``: packages of its modules, and system libraries.

A system library comes neither with a Python package nor with Python itself: PyInstaller takes it from the computer it
runs on. dpkg (Debian, Ubuntu) knows the system package it belongs to; elsewhere the list says that this is unknown.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

DOCUMENTS = Path("/usr/share/doc")
COMMON = Path("/usr/share/common-licenses")
_COMMON_NAME = re.compile(rf"{COMMON}/([A-Za-z0-9.+-]*[A-Za-z0-9+])")
_NEVER = re.compile(r"^(lib)?readline\b")
"""GNU Readline is licensed under the GPL only, this program under MIT."""

_GENERATED = ("_pyi_", "_sysconfigdata_")
"""Prefixes of modules that PyInstaller and the build of Python generate."""


class SystemLibrary(NamedTuple):
    """A shared system library. ``package``, ``version``, ``summary``: of its package, empty if unknown."""

    name: str
    package: str = ""
    version: str = ""
    summary: str = ""


def strangers(modules: Iterable[str], ours: Iterable[str], named: Iterable[str]) -> set[str]:
    """Return the PyPI packages that ``modules`` (dotted names) belong to and that are not in ``named``.

    ``ours``: Tokenloupe's own packages and modules. A module that belongs to no package is returned by its own name.
    """
    known = {_plain(name) for name in named}
    owners = metadata.packages_distributions()
    tops = {module.partition(".")[0] for module in modules} - set(ours) - sys.stdlib_module_names
    found = {name for top in tops if not top.startswith(_GENERATED) for name in owners.get(top, [top])}
    return {name for name in found if _plain(name) not in known}


def refused(files: Iterable[str]) -> list[str]:
    """Return the files of a build that must not be distributed with it."""
    return sorted(name for name in files if _NEVER.match(Path(name).name))


def system_libraries(binaries: Iterable[tuple[str, str]]) -> list[SystemLibrary]:
    """Return the system libraries among the binaries of a build. ``binaries``: name in the build, and source path."""
    homes = [sysconfig.get_path(key) for key in ("purelib", "platlib", "stdlib", "platstdlib")]
    taken = {
        Path(name).name: Path(source)
        for name, source in binaries
        if not any(Path(source).is_relative_to(home) for home in homes) and not _is_python(Path(source))
    }
    return [_described(name, source) for name, source in sorted(taken.items())]


def listing(libraries: Iterable[SystemLibrary]) -> str:
    """Format two short lines for each library: its file and its package with version, and the summary."""
    return "".join(
        f"{one.name} ({one.package.partition(':')[0]} {one.version})\n    {one.summary}\n"
        if one.package
        else f"{one.name}\n    of a package that is not known\n"
        for one in libraries
    )


def write_texts(
    libraries: Iterable[SystemLibrary], folder: Path, documents: Path = DOCUMENTS, common: Path = COMMON
) -> None:
    """Write the licence texts of the packages into ``folder``, and the common licences that these only refer to."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for package in {one.package for one in libraries if one.package}:
        text = (documents / package.partition(":")[0] / "copyright").read_text(encoding="utf-8", errors="replace")
        (folder / f"{package.partition(':')[0]}.txt").write_text(text, encoding="utf-8")
        for name in set(_COMMON_NAME.findall(text)):
            if (common / name).is_file():
                shutil.copyfile(common / name, folder / f"{name}.txt")


def _plain(name: str) -> str:
    """Normalize the name of a package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_python(source: Path) -> bool:
    return re.match(r"(lib)?python3", source.name) is not None


def _described(name: str, source: Path) -> SystemLibrary:
    package = _package_of(source)
    if not package:
        return SystemLibrary(name)
    fields = _ask("--show", "--showformat=${Version}\n${binary:Summary}", package).split("\n")
    return SystemLibrary(name, package, *fields)


def _package_of(source: Path) -> str:
    """Return the package of a library. ``/lib`` may link to ``/usr/lib``; dpkg knows the path that was installed."""
    bare = Path("/", *source.parts[2:]) if source.parts[1:2] == ("usr",) else source
    for path in (source, bare, Path("/usr", *bare.parts[1:])):
        found = _ask("--search", str(path)).partition(": ")[0]
        if found:
            return found.partition(",")[0]
    return ""


def _ask(*arguments: str) -> str:
    """Return the output of dpkg-query; empty if it finds nothing or is not installed."""
    program = shutil.which("dpkg-query")
    if program is None:
        return ""
    answer = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return answer.stdout if answer.returncode == 0 else ""
