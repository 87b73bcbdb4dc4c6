"""Walks through folders, and surveys of their files. A walk opens no file except .gitignore.

Names are visited in sorted order, folder by folder, whatever their order on the disk; the files and folders of a folder
are sorted together. Links to folders are followed, unless they lead into or around a folder that is visited anyway: so
no loop traps the walk, and no folder is visited twice. Memory holds the folders on the path to the current one, not the
tree.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from engine.corpus.files import HEAD_BYTES, CorpusFileError, content_digest, encoding_of, read_samples
from engine.corpus.ignore_rules import GlobRules, IgnoreFile, ignore_file_in, ignore_files_above, ignoring
from engine.corpus.types import AS_BYTES, CorpusFile, CorpusRules, CorpusSurvey, SkippedFile

_VERSION_CONTROL = (".git", ".hg", ".svn")
_WINDOWS_HIDDEN = 2


class FoundFile(NamedTuple):
    """A regular file, not yet opened. ``file_bytes`` is its size; ``written_ns``, in nanoseconds, and ``inode`` show
    whether it has changed since last time.

    ``name`` is its full path. It is not a ``Path``, which takes half a kilobyte and longer to create than the file to
    find: of tens of thousands of files, few are ever needed as a ``Path``.
    """

    name: str
    file_bytes: int
    written_ns: int = 0
    inode: int = 0

    @property
    def path(self) -> Path:
        """The path of the file."""
        return Path(self.name)


@dataclass(frozen=True)
class _Folder:
    """A folder to visit. ``inner``: its path within the root and a slash, ``""`` for the root itself. ``included``:
    True if its entries belong to the corpus unless a glob decides otherwise."""

    path: Path
    inner: str
    ignore_files: tuple[IgnoreFile, ...]
    included: bool

    @cached_property
    def prefix(self) -> str:
        """The path of the folder with its separator, to which the name of an entry is appended."""
        return str(self.path / "x")[:-1]


class FolderWalk:
    """One walk over files and folders by some rules."""

    def __init__(self, rules: CorpusRules) -> None:
        """Compile the globs of the rules. Raises InvalidGlobError for a glob that cannot match anything."""
        self._rules = rules
        self._include = GlobRules(map(_tidied, rules.include), strict=True)
        self._exclude = GlobRules(map(_tidied, rules.exclude), strict=True)
        self._has_globs = bool(len(self._include) or len(self._exclude))
        self._open_folders: list[str] = []
        self._named_files: set[str] = set()
        self._visited: set[tuple[int, int]] = set()

    def found(self, paths: Iterable[Path]) -> Iterator[FoundFile | SkippedFile]:
        """Yield the named files and all files below the named folders. Those named explicitly may be hidden or ignored.

        Raises OSError if a path does not exist or may not be accessed.
        """
        folders: list[Path] = []
        files: dict[str, Path] = {}
        for path in sorted(set(paths)):
            if stat.S_ISDIR(path.stat().st_mode):
                folders.append(path)
            else:
                files.setdefault(os.path.realpath(path), path)
        self._open_folders = [os.path.realpath(folder) for folder in folders]
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
        """Yield depth first, with an explicit stack: folders may be nested deeper than Python calls."""
        if not self._is_first_visit(root):
            return
        outer = ignore_files_above(root) if self._rules.honour_gitignore else ()
        stack = [self._entered(_Folder(root, "", outer, included=not len(self._include)))]
        while stack:
            folder, entries = stack[-1]
            entry = next(entries, None)
            if entry is None:
                stack.pop()
                continue
            found = entry if isinstance(entry, SkippedFile) else self._judged(folder, entry)
            if isinstance(found, _Folder):
                stack.append(self._entered(found))
            elif found is not None:
                yield found

    def _entered(self, folder: _Folder) -> tuple[_Folder, Iterator[os.DirEntry[str] | SkippedFile]]:
        own = ignore_file_in(folder.path, len(folder.inner)) if self._rules.honour_gitignore else None
        if own is not None:
            folder = replace(folder, ignore_files=(*folder.ignore_files, own))
        return folder, _sorted_entries(folder.path)

    def _judged(self, folder: _Folder, entry: os.DirEntry[str]) -> FoundFile | SkippedFile | _Folder | None:
        """Return a file, a folder to visit, or the reason to skip the entry; None if it was visited before."""
        name = folder.prefix + entry.name
        try:
            is_folder = entry.is_dir()
            hidden = self._is_hidden(entry, is_folder)
        except OSError as error:
            return why_unreadable(Path(name), error)
        if hidden:
            return SkippedFile(Path(name), "hidden", "hidden")
        included = folder.included
        if folder.ignore_files or self._has_globs:
            inner = folder.inner + entry.name
            if found := ignoring(folder.ignore_files, inner, is_folder):
                return SkippedFile(Path(name), "ignored", f"ignored by {found.path}")
            if self._exclude.verdict(inner, is_folder=is_folder):
                return SkippedFile(Path(name), "excluded", "excluded by your globs")
            verdict = self._include.verdict(inner, is_folder=is_folder)
            included = included if verdict is None else verdict
        if is_folder:
            inner = folder.inner + entry.name + "/"
            return self._folder(_Folder(Path(name), inner, folder.ignore_files, included), entry.is_symlink())
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

    def _folder(self, folder: _Folder, is_link: bool) -> _Folder | SkippedFile:
        if is_link:
            real = os.path.realpath(folder.path)
            if any(_within(real, other) or _within(other, real) for other in self._open_folders):
                return SkippedFile(folder.path, "loop", "a link to a folder that is scanned anyway")
            self._open_folders.append(real)
        try:
            first = self._is_first_visit(folder.path)
        except OSError as error:
            return why_unreadable(folder.path, error)
        return folder if first else SkippedFile(folder.path, "loop", "a folder that is already scanned")

    def _is_first_visit(self, path: Path) -> bool:
        status = path.stat()
        identity = (status.st_dev, status.st_ino)
        if identity in self._visited:
            return False
        self._visited.add(identity)
        return True


def _file(name: str, included: bool) -> FoundFile | SkippedFile:
    if not included:
        return SkippedFile(Path(name), "excluded", "not included by your globs")
    try:
        status = os.stat(name)  # noqa: PTH116 - creating a Path for each takes longer than all else
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
    """Return the entry for a file or folder that cannot be accessed."""
    if error.errno == errno.ELOOP:
        return SkippedFile(path, "loop", "a circular link")
    if error.errno == errno.ENOENT and path.is_symlink():
        return SkippedFile(path, "unreadable", "a broken link")
    if error.errno == errno.ENOENT:
        return SkippedFile(path, "vanished", "deleted during the scan")
    return SkippedFile(path, "unreadable", f"cannot be read: {error.strerror or error}")


def _tidied(glob: str) -> str:
    """Return a glob as written on a command line in gitignore form: a leading ``./`` becomes ``/``."""
    return glob[1:] if glob.startswith("./") else glob


def _within(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder if path[:1] == folder[:1] else False


# --- surveys of folders -----------------------------------------------------------------------------------------------
#
# A survey lists the texts with their encodings, the skipped files with the reasons, and the duplicates.


MAX_LISTED = 10_000
"""Maximum number of skipped files that are listed; the others are only counted."""

Report = Callable[[int, int], None]
"""Called with the number of files and file bytes seen so far, including unusable ones. If it raises, the survey
ends."""


def survey(
    paths: Path | str | Iterable[Path | str], rules: CorpusRules | None = None, report: Report | None = None
) -> CorpusSurvey:
    """Survey one or more files and folders by the rules. Samples of each file are read, and all of each file whose size
    and samples equal those of another one, to find duplicates.

    ``report`` is called for every file, and often while large ones are compared. Raises OSError if a path does not
    exist, InvalidGlobError if a glob is invalid.
    """
    rules = rules or CorpusRules()
    looking = _Survey(report or _unreported, as_bytes=rules.as_bytes)
    roots = tuple(Path(path) for path in ([paths] if isinstance(paths, Path | str) else paths))
    for found in FolderWalk(rules).found(roots):
        looking.add(found)
    if rules.sample_bytes is not None:
        looking.keep_sample(rules.sample_bytes)
    return looking.result(roots)


def _unreported(files: int, file_bytes: int) -> None:
    pass


class _Survey:
    """Collects the result of a survey."""

    def __init__(self, report: Report, *, as_bytes: bool) -> None:
        self._report = report
        self._as_bytes = as_bytes
        self._seen = 0
        self._seen_bytes = 0
        self._texts: list[tuple[CorpusFile, bytes]] = []  # with a digest of their samples
        self._skipped: list[SkippedFile] = []
        self._skipped_counts: dict[str, int] = {}

    def add(self, found: FoundFile | SkippedFile) -> None:
        self._seen += 1
        if isinstance(found, SkippedFile):
            self._skip(found)
        elif found.file_bytes == 0:
            self._skip(SkippedFile(found.path, "empty", "empty"))
        else:
            self._seen_bytes += found.file_bytes
            self._look_into(found)
        self._tell()

    def keep_sample(self, file_bytes: int) -> None:
        kept = set(spread_sample([file.file_bytes for file, _ in self._texts], file_bytes))
        for index, (file, _) in enumerate(self._texts):
            if index not in kept:
                self._skip(SkippedFile(file.path, "sampled out", "not in the sample"))
        self._texts = [self._texts[index] for index in sorted(kept)]

    def result(self, roots: tuple[Path, ...]) -> CorpusSurvey:
        originals = self._originals()
        files = tuple(
            replace(file, duplicate_of=originals[file.path]) if file.path in originals else file
            for file, _ in self._texts
        )
        duplicates = [file.file_bytes for file in files if file.duplicate_of is not None]
        return CorpusSurvey(
            roots=roots,
            files=files,
            skipped=tuple(self._skipped),
            skipped_counts=self._skipped_counts,
            file_bytes=sum(file.file_bytes for file in files),
            duplicate_files=len(duplicates),
            duplicate_bytes=sum(duplicates),
        )

    def _tell(self) -> None:
        self._report(self._seen, self._seen_bytes)

    def _skip(self, skipped: SkippedFile) -> None:
        self._skipped_counts[skipped.reason] = self._skipped_counts.get(skipped.reason, 0) + 1
        if len(self._skipped) < MAX_LISTED:
            self._skipped.append(skipped)

    def _look_into(self, found: FoundFile) -> None:
        try:
            samples = read_samples(found.path, found.file_bytes)
        except CorpusFileError as error:
            self._skip(error.skipped)
            return
        if not samples[0]:
            self._skip(SkippedFile(found.path, "changed", "emptied during the scan"))
            return
        encoding = AS_BYTES if self._as_bytes else encoding_of(samples)
        if encoding is None:
            self._skip(SkippedFile(found.path, "binary", "binary: not text"))
            return
        digest = hashlib.blake2b(b"".join(samples), digest_size=16).digest()
        self._texts.append((CorpusFile(found.path, found.file_bytes, encoding), digest))

    def _originals(self) -> dict[Path, Path]:
        """Return the first file with the same content for each duplicate."""
        by_samples: dict[tuple[int, bytes], list[Path]] = {}
        for file, digest in self._texts:
            by_samples.setdefault((file.file_bytes, digest), []).append(file.path)
        originals: dict[Path, Path] = {}
        for (file_bytes, _), alike in by_samples.items():
            if len(alike) < 2:
                continue
            # Up to this size, the sample is the whole file.
            contents = [b""] * len(alike) if file_bytes <= HEAD_BYTES else list(map(self._digest, alike))
            first: dict[bytes, Path] = {}
            for path, content in zip(alike, contents, strict=True):
                if content is not None and first.setdefault(content, path) != path:
                    originals[path] = first[content]
        return originals

    def _digest(self, path: Path) -> bytes | None:
        try:
            return content_digest(path, self._tell)
        except CorpusFileError:
            return None  # the file changed after it was sampled; reading it later reports the reason


def spread_sample(sizes: list[int], most_bytes: int) -> list[int]:
    """Return the indices of items, evenly spread over all, whose sizes add up to at most ``most_bytes``; items that
    would exceed the limit are skipped. At least one, the smallest, if there are any."""
    taken: list[int] = []
    left = most_bytes
    for index in spread_order(len(sizes)):
        if sizes[index] <= left:
            taken.append(index)
            left -= sizes[index]
    return sorted(taken) or sorted(range(len(sizes)), key=sizes.__getitem__)[:1]


def spread_order(count: int) -> Iterator[int]:
    """Yield all indices below ``count``, each far from those before it: at 0, 1/2, 1/4, 3/4, 1/8 and so on of the
    range."""
    bits = max(1, (count - 1).bit_length())
    for number in range(1 << bits):
        index = int(format(number, f"0{bits}b")[::-1], 2)
        if index < count:
            yield index
