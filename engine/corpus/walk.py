"""Walk through folders: every file in the order of its path, or why it is left out. Opens no file but .gitignore.

The order is that of the sorted names, folder by folder, whatever order the disk has them in; a folder's files and
folders are sorted together. Links to folders are followed, unless they lead into or around what is looked through
anyway: so no loop catches the walk, and no folder is met twice. Memory holds the folders on the way to the current one,
not the tree.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from engine.corpus.ignore_rules import GlobRules, IgnoreFile, ignore_file_in, ignore_files_above, ignoring
from engine.corpus.types import CorpusRules, SkippedFile

_VERSION_CONTROL = (".git", ".hg", ".svn")
_WINDOWS_HIDDEN = 2


class FoundFile(NamedTuple):
    """A regular file, not yet opened; ``file_bytes`` is its size. ``written_ns``, in nanoseconds, and ``inode`` tell
    whether it is the same file as another time.

    ``name`` is its whole path. Of tens of thousands that are found few are ever asked for as a ``Path``, which takes
    longer to make than to find, and half a kilobyte.
    """

    name: str
    file_bytes: int
    written_ns: int = 0
    inode: int = 0

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.name)


@dataclass(frozen=True)
class _Place:
    """A folder to look into. ``inner``: its path within the root and a slash, ``""`` for the root itself.
    ``included``: whether what is in it belongs to the corpus unless a glob says otherwise."""

    path: Path
    inner: str
    ignore_files: tuple[IgnoreFile, ...]
    included: bool

    @cached_property
    def prefix(self) -> str:
        """What stands before the name of something in it to make a path."""
        return str(self.path / "x")[:-1]


class FolderWalk:
    """One walk over files and folders by some rules."""

    def __init__(self, rules: CorpusRules) -> None:
        """InvalidGlobError for a glob of the rules that cannot match anything."""
        self._rules = rules
        self._include = GlobRules(map(_tidied, rules.include), strict=True)
        self._exclude = GlobRules(map(_tidied, rules.exclude), strict=True)
        self._has_globs = bool(len(self._include) or len(self._exclude))
        self._open_places: list[str] = []
        self._named_files: set[str] = set()
        self._visited: set[tuple[int, int]] = set()

    def found(self, paths: Iterable[Path]) -> Iterator[FoundFile | SkippedFile]:
        """What the paths name and what is below them. What is named outright may be hidden or ignored.

        OSError where a path leads nowhere or may not be looked at.
        """
        folders: list[Path] = []
        files: dict[str, Path] = {}
        for path in sorted(set(paths)):
            if stat.S_ISDIR(path.stat().st_mode):
                folders.append(path)
            else:
                files.setdefault(os.path.realpath(path), path)
        self._open_places = [os.path.realpath(folder) for folder in folders]
        self._named_files = set(files)
        for path in sorted((*folders, *files.values())):
            if path in folders:
                yield from self._below(path)
            else:
                yield _file(str(path), self._takes(path.name))

    def _takes(self, name: str) -> bool:
        if self._exclude.verdict(name, is_folder=False):
            return False
        return not len(self._include) or bool(self._include.verdict(name, is_folder=False))

    def _below(self, root: Path) -> Iterator[FoundFile | SkippedFile]:
        """Depth first, with a stack of its own: folders may be nested deeper than Python calls."""
        if not self._is_first_visit(root):
            return
        outer = ignore_files_above(root) if self._rules.honour_gitignore else ()
        stack = [self._entered(_Place(root, "", outer, included=not len(self._include)))]
        while stack:
            place, entries = stack[-1]
            entry = next(entries, None)
            if entry is None:
                stack.pop()
                continue
            found = entry if isinstance(entry, SkippedFile) else self._judged(place, entry)
            if isinstance(found, _Place):
                stack.append(self._entered(found))
            elif found is not None:
                yield found

    def _entered(self, place: _Place) -> tuple[_Place, Iterator[os.DirEntry[str] | SkippedFile]]:
        own = ignore_file_in(place.path, len(place.inner)) if self._rules.honour_gitignore else None
        if own is not None:
            place = replace(place, ignore_files=(*place.ignore_files, own))
        return place, _sorted_entries(place.path)

    def _judged(self, place: _Place, entry: os.DirEntry[str]) -> FoundFile | SkippedFile | _Place | None:
        """A file, a folder to look into, or why it is left out; None for what was met before."""
        name = place.prefix + entry.name
        try:
            is_folder = entry.is_dir()
            hidden = self._is_hidden(entry, is_folder)
        except OSError as error:
            return why_unreadable(Path(name), error)
        if hidden:
            return SkippedFile(Path(name), "hidden", "hidden")
        included = place.included
        if place.ignore_files or self._has_globs:
            inner = place.inner + entry.name
            if found := ignoring(place.ignore_files, inner, is_folder):
                return SkippedFile(Path(name), "ignored", f"ignored by {found.path}")
            if self._exclude.verdict(inner, is_folder=is_folder):
                return SkippedFile(Path(name), "excluded", "left out by your globs")
            verdict = self._include.verdict(inner, is_folder=is_folder)
            included = included if verdict is None else verdict
        if is_folder:
            inner = place.inner + entry.name + "/"
            return self._folder(_Place(Path(name), inner, place.ignore_files, included), entry.is_symlink())
        if self._named_files and os.path.realpath(name) in self._named_files:
            return None
        return _file(name, included)

    def _is_hidden(self, entry: os.DirEntry[str], is_folder: bool) -> bool:
        if is_folder and entry.name in _VERSION_CONTROL:
            return True
        if self._rules.hidden:
            return False
        if entry.name.startswith("."):
            return True
        attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0) if os.name == "nt" else 0
        return bool(attributes & _WINDOWS_HIDDEN)

    def _folder(self, place: _Place, is_link: bool) -> _Place | SkippedFile:
        if is_link:
            real = os.path.realpath(place.path)
            if any(_within(real, other) or _within(other, real) for other in self._open_places):
                return SkippedFile(place.path, "loop", "a link to a folder that is looked through anyway")
            self._open_places.append(real)
        try:
            first = self._is_first_visit(place.path)
        except OSError as error:
            return why_unreadable(place.path, error)
        return place if first else SkippedFile(place.path, "loop", "a folder that was looked through already")

    def _is_first_visit(self, path: Path) -> bool:
        status = path.stat()
        identity = (status.st_dev, status.st_ino)
        if identity in self._visited:
            return False
        self._visited.add(identity)
        return True


def _file(name: str, included: bool) -> FoundFile | SkippedFile:
    if not included:
        return SkippedFile(Path(name), "excluded", "not among what your globs include")
    try:
        status = os.stat(name)  # noqa: PTH116 - a Path of each takes longer than all else
    except OSError as error:
        return why_unreadable(Path(name), error)
    if not stat.S_ISREG(status.st_mode):
        return SkippedFile(Path(name), "special", "a device, pipe or socket")
    return FoundFile(name, status.st_size, status.st_mtime_ns, status.st_ino)


def _sorted_entries(folder: Path) -> Iterator[os.DirEntry[str] | SkippedFile]:
    try:
        with os.scandir(folder) as entries:
            return iter(sorted(entries, key=lambda entry: entry.name))
    except OSError as error:
        return iter([why_unreadable(folder, error)])


def why_unreadable(path: Path, error: OSError) -> SkippedFile:
    """What to say of a file or folder that the system does not let us look at."""
    if error.errno == errno.ELOOP:
        return SkippedFile(path, "loop", "a link that leads back to itself")
    if error.errno == errno.ENOENT and path.is_symlink():
        return SkippedFile(path, "unreadable", "a link that leads nowhere")
    if error.errno == errno.ENOENT:
        return SkippedFile(path, "vanished", "it vanished while the folder was looked through")
    return SkippedFile(path, "unreadable", f"cannot be read: {error.strerror or error}")


def _tidied(glob: str) -> str:
    """A glob as a person at a command line writes it: a leading ``./`` means what a leading ``/`` does."""
    return glob[1:] if glob.startswith("./") else glob


def _within(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder if path[:1] == folder[:1] else False
