"""The .gitignore files that have a say in a folder, as gitignore(5) has it. Those of the user and of ``.git/info``
are not looked at: a corpus should not depend on who reads it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from engine.corpus.globs import GlobRules

_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one .gitignore. They see paths from its own folder on: ``prefix`` leads from there to the root of
    the walk, or ``cut`` is the length of what leads from the root to there."""

    path: Path
    rules: GlobRules
    prefix: str = ""
    cut: int = 0


def ignoring(ignore_files: tuple[IgnoreFile, ...], inner: str, is_folder: bool) -> IgnoreFile | None:
    """The .gitignore that ignores a path within the root, None where none does. ``ignore_files`` go from the outermost
    to the nearest, which decides if it has a rule for the path."""
    for file in reversed(ignore_files):
        verdict = file.rules.verdict(file.prefix + inner[file.cut :], is_folder=is_folder)
        if verdict is not None:
            return file if verdict else None
    return None


def ignore_file_in(folder: Path, cut: int) -> IgnoreFile | None:
    """The .gitignore of a folder, None where there is none that can be read."""
    path = folder / ".gitignore"
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as file:
            content = file.read(_LARGEST)
    except OSError:
        return None
    return IgnoreFile(path, GlobRules(content.decode("utf-8-sig", "surrogateescape").split("\n")), cut=cut)


def ignore_files_above(root: Path) -> tuple[IgnoreFile, ...]:
    """Those from further up that hold in a folder inside a git repository, the outermost first. None where they ignore
    the folder itself: it was named outright."""
    folder, prefix = Path(os.path.realpath(root)), ""
    found: list[IgnoreFile] = []
    while not (folder / ".git").exists():
        if folder.parent == folder:
            return ()
        prefix = f"{folder.name}/{prefix}"
        folder = folder.parent
        if (file := ignore_file_in(folder, 0)) is not None:
            found.append(IgnoreFile(file.path, file.rules, prefix))
    return () if any(map(_ignores_the_way, found)) else tuple(reversed(found))


def _ignores_the_way(file: IgnoreFile) -> bool:
    """Whether it ignores the root of the walk, or a folder between itself and that."""
    parts = file.prefix.split("/")[:-1]
    ways = ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return any(file.rules.verdict(way, is_folder=True) for way in ways)
