"""Under which licences the program and all that it is made of are given away. No Qt at import.

What installed packages declare and which texts they bring is read from their metadata, so it is that of the versions
that run. Qt's own licence, which its package only names, is the LGPL: Qt is used unchanged, as libraries that can be
replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from gui.versions import our_version

DISTRIBUTIONS = (
    "PySide6-Essentials",
    "shiboken6",
    "pyqtgraph",
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
)
"""All that is needed at run time, by the names of the package index."""

_ROOT = Path(__file__).resolve().parents[1]
_VOCABULARIES = _ROOT / "engine" / "data" / "NOTICE.md"
_OURS = _ROOT / "LICENSE"
_SHORT = 60
"""Characters of a declaration in one line; a longer one is the text of the licence itself."""
_LICENCE_CLASSIFIER = "License :: OSI Approved :: "
_LICENCE_FILE = re.compile(r"(?i)(^|/)(licen[cs]es?|copying|notice)[^/]*$")


class Component(NamedTuple):
    """One thing that the program is made of. ``text`` is empty where its package brings none."""

    name: str
    version: str
    licence: str
    text: str


def components() -> Iterator[Component]:
    """Ourselves, the vocabularies, and every package that is installed of those that may be."""
    yield Component("Tokenloupe", our_version(), "MIT", _read(_OURS))
    yield Component("Vocabularies", "", "MIT, Apache-2.0, Unicode-3.0", _read(_VOCABULARIES))
    for name in DISTRIBUTIONS:
        try:
            installed = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        yield Component(name, installed.version, declared_licence(installed), _texts(installed))


def overview(before_each: Callable[[], object] | None = None) -> str:
    """All of it as one text: a list first, the texts of the licences behind it. ``before_each``: called before the
    files of another package are read."""
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
    """What a package says its licence is: as an SPDX expression, in a few words, or by its classifiers."""
    declared = distribution.metadata
    expression = declared.get("License-Expression") or ""
    words = (declared.get("License") or "").strip().partition("\n")[0]
    classifiers = [
        classifier.removeprefix(_LICENCE_CLASSIFIER)
        for classifier in declared.get_all("Classifier") or ()
        if classifier.startswith(_LICENCE_CLASSIFIER)
    ]
    return expression or (words if len(words) <= _SHORT else "") or ", ".join(classifiers) or "see its text"


def _texts(distribution: metadata.Distribution) -> str:
    """The licence files that lie with the metadata of a package, one behind the other."""
    files = [file for file in distribution.files or () if ".dist-info" in str(file) and _LICENCE_FILE.search(str(file))]
    return "\n\n".join(filter(None, (_read(Path(str(file.locate()))).strip() for file in sorted(files))))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
