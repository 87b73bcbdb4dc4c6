"""Versions for bug reports, the size of the caches, and the licences of all components of the program. No Qt at
import."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("PySide6-Essentials", "numpy", "numba", "tiktoken", "regex", "pyqtgraph", "ruamel.yaml")


def version_lines() -> list[str]:
    """Return the versions of Tokenloupe, Python, the system and the main packages, one per line."""
    lines = [f"Tokenloupe {our_version()}", f"Python {python_version()}", system_name()]
    return lines + [f"{package} {version}" for package, version in package_versions()]


def python_version() -> str:
    """Return the version and the implementation of Python."""
    return f"{platform.python_version()} ({platform.python_implementation()})"


def system_name() -> str:
    """Return the operating system, its version and the processor architecture."""
    return f"{platform.platform()}, {platform.machine()}"


def package_versions() -> list[tuple[str, str]]:
    """Return the main packages with their versions."""
    return [(package, _version(package)) for package in PACKAGES]


def folder_size(folder: Path, check: Callable[[], None]) -> int:
    """Return the total size of the files below a folder, in bytes; 0 if it does not exist. Files that cannot be read
    are skipped, links are not followed.

    ``check``: called for each folder; may raise.
    """
    total = 0
    for root, _folders, files in os.walk(folder):
        check()
        for name in files:
            try:
                total += Path(root, name).lstat().st_size
            except OSError:
                continue
    return total


def our_version() -> str:
    """Return the version of Tokenloupe; for a checkout that is not installed, the one in ``pyproject.toml``."""
    try:
        return metadata.version("tokenloupe")
    except metadata.PackageNotFoundError:
        return _version_of_checkout()


def is_built() -> bool:
    """Return True in a frozen program built by ``packaging/build_app.py``, in which no package can be installed."""
    return bool(getattr(sys, "frozen", False))


def own_command() -> str:
    """Return the command that starts this program from a shell."""
    return "tokenloupe" if is_built() or Path(sys.argv[0]).stem == "tokenloupe" else "python main.py"


def _version_of_checkout() -> str:
    import tomllib

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


# --- licences ---------------------------------------------------------------------------------------------------------
#
# The declared licences and the licence texts are read from the metadata of the installed packages, so they match the
# versions that run. PySide6 only names Qt's licence, the LGPL; its text is in ``gui/core/licence_texts``, with the GPL
# that it extends: Qt is used unchanged, as replaceable libraries. A built program (``packaging``) also contains Python
# and libraries of the build system; the list of these libraries is written by the build.


DISTRIBUTIONS = (
    "PySide6-Essentials",
    "shiboken6",
    "pyqtgraph",
    "colorama",
    "numpy",
    "numba",
    "llvmlite",
    "tiktoken",
    "regex",
    "ruamel.yaml",
    "click",
    "jinja2",
    "MarkupSafe",
    "tokenizers",
    "sentencepiece",
    "fontpkg-inter",
    "fontpkg-jetbrains-mono",
    "fontpkg",
)
"""Packages needed at run time, by their names on PyPI."""
EXTRAS = ("distributed", "dask", "ctok")
"""Optional packages. A built program has none of them."""
BUILDER = "pyinstaller"
"""The boot loader of a built program is part of it."""
LIBRARY_LIST = "SYSTEM-LIBRARIES.txt"
LIBRARY_TEXTS = "system-licences"
"""In a built program: the list of bundled system libraries, and the folder with their licence texts."""

_ROOT = Path(__file__).resolve().parents[2]
_DATA = _ROOT / "engine" / "data"
_VOCABULARIES = tuple(_DATA / name for name in ("NOTICE.md", "LICENSE-APACHE-2.0.txt", "LICENSE-UNICODE-3.0.txt"))
_OURS = _ROOT / "LICENSE"
_LICENCE_TEXTS = Path(__file__).parent / "licence_texts"
"""Verbatim copies: LGPL and GPL as published by the Free Software Foundation, Python's licence as in Python 3.11."""
_QT_NOTE = (
    "Used under the LGPL, version 3. Its text follows, then that of the GPL, which it extends.\n"
    "Qt contains third-party code such as ICU. Its licences are in Qt's sources and listed at\n"
    "https://doc.qt.io/qt-6/licenses-used-in-qt.html"
)
_WITHOUT_TEXT: dict[str, tuple[str, tuple[Path, ...]]] = {
    "PySide6-Essentials": (_QT_NOTE, (_LICENCE_TEXTS / "LGPL-3.0.txt", _LICENCE_TEXTS / "GPL-3.0.txt")),
    "shiboken6": ("Used under the LGPL, version 3: see PySide6-Essentials, of which it is a part.", ()),
    "tokenizers": ("", (_DATA / "LICENSE-APACHE-2.0.txt",)),
    "sentencepiece": ("", (_DATA / "LICENSE-APACHE-2.0.txt",)),
    "fontpkg": ("A dependency of the font packages, under the MIT licence. The program does not use it.", ()),
}
"""Packages that name their licence without its text: a note, and our copies of the text."""
_SHORT = 60
"""Maximum length of a licence name, in characters; a longer declaration is the licence text itself."""
_LICENCE_CLASSIFIER = "License :: OSI Approved :: "
_LICENCE_FILE = re.compile(r"(?i)(^|/)(licen[cs]es?|copying|notice)[^/]*$")


class Component(NamedTuple):
    """A component of the program. ``text`` is empty if its package has no licence text."""

    name: str
    version: str
    licence: str
    text: str


def components() -> Iterator[Component]:
    """Yield Tokenloupe, the vocabularies, Python, every installed package of the lists above, and in a built program
    the system libraries."""
    yield Component("Tokenloupe", our_version(), "MIT", _read(_OURS))
    yield Component(
        "Vocabularies", "", "MIT, Modified MIT, Apache-2.0, Unicode-3.0", "\n\n".join(map(_read, _VOCABULARIES))
    )
    yield Component("Python", platform.python_version(), "PSF-2.0", _python_text())
    for name in (*DISTRIBUTIONS, *EXTRAS, *([BUILDER] if is_built() else [])):
        try:
            installed = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        yield Component(name, installed.version, declared_licence(installed), _texts(installed) or _bundled_text(name))
    libraries = _read(_ROOT / LIBRARY_LIST)
    if libraries:
        where = f"The texts of their licences are in {_ROOT / LIBRARY_TEXTS}"
        yield Component("Libraries of the system", "", "each its own, see the list", f"{where}\n\n{libraries}")


def overview(before_each: Callable[[], object] | None = None) -> str:
    """Return one text: the list of components, then their licence texts.

    ``before_each`` is called after each component, before the files of the next package are read.
    """
    found = []
    for component in components():
        found.append(component)
        if before_each is not None:
            before_each()
    names = [" ".join(filter(None, (component.name, component.version))) for component in found]
    width = max(map(len, names))
    listed = [f"{name:<{width}}  {component.licence}" for name, component in zip(names, found, strict=True)]
    texts = [f"{'=' * 72}\n{component.name}\n\n{component.text.strip()}" for component in found if component.text]
    return "\n\n".join(["\n".join(listed), *texts])


def declared_licence(distribution: metadata.Distribution) -> str:
    """Return the declared licence of a package: its SPDX expression, its short name, or its classifiers."""
    declared = distribution.metadata
    expression, named = (
        str(declared[name] or "") if name in declared else "" for name in ("License-Expression", "License")
    )
    words = named.strip().partition("\n")[0]
    classifiers = [
        classifier.removeprefix(_LICENCE_CLASSIFIER)
        for classifier in declared.get_all("Classifier") or ()
        if classifier.startswith(_LICENCE_CLASSIFIER)
    ]
    return expression or (words if len(words) <= _SHORT else "") or ", ".join(classifiers) or "see its text"


def _texts(distribution: metadata.Distribution) -> str:
    """Return the licence files in a package's metadata, joined."""
    files = [file for file in distribution.files or () if ".dist-info" in str(file) and _LICENCE_FILE.search(str(file))]
    return "\n\n".join(filter(None, (_read(Path(str(file.locate()))).strip() for file in sorted(files))))


def _bundled_text(name: str) -> str:
    """Return our copy of the licence text for a package that has none."""
    words, files = _WITHOUT_TEXT.get(name, ("", ()))
    return "\n\n".join(filter(None, (words, *map(_read, files))))


def _python_text() -> str:
    """Return the licence of the running Python, or our copy."""
    import sysconfig

    standard = Path(sysconfig.get_path("stdlib"))
    brought = (_read(folder / "LICENSE.txt") for folder in (standard, standard.parent))
    return next(filter(None, brought), "") or _read(_LICENCE_TEXTS / "PSF-2.0.txt")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
