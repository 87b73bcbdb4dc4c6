"""Named versions of the prompt in a profile folder: for each, its text and a small metadata file.

The metadata file is written last and removed first, each atomically: without it, the version does not exist. A text
that a killed window left without metadata is removed when the next version is saved. Windows with the same profile
share the folder and reread it before showing it; only one at a time changes it. Versions written by a newer program are
neither shown nor changed.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.runtime.atomic_files import only_here, write_atomic
from gui.core.profile_files import is_newer
from gui.core.text_chunks import ChunkedText

VERSION = 1
_KEY = re.compile("[0-9a-f]{32}")

MAX_VERSIONS = 500
MAX_BYTES = 500_000_000
"""Maximum number of versions, and maximum size of all their texts, in bytes. None is dropped to make room."""
LONGEST_NAME = 200


class VersionError(Exception):
    """Raised if a version cannot be saved or read; the text is a fragment that gives the reason."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version. ``saved`` has a time zone; ``size`` is in bytes of UTF-8, ``sha256`` their digest.

    ``counts``: tokens by encoding, as far as counted, with the text of special tokens read as plain text.
    """

    key: str
    name: str
    saved: datetime
    size: int
    sha256: str
    encoding: str
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int | None:
        """Tokens in the encoding in use when the version was saved; None if not counted."""
        return self.counts.get(self.encoding)


@dataclass(frozen=True, slots=True)
class SavedVersions:
    """All versions, newest first, and sentences about unreadable files, which are left in place."""

    versions: tuple[Version, ...]
    problems: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Size of all texts, in bytes."""
        return sum(version.size for version in self.versions)


def saved_versions(folder: Path) -> SavedVersions:
    """Read the versions in the folder, which need not exist. Raises OSError."""
    versions, problems = [], []
    for path in sorted(folder.glob("*.json")):
        try:
            versions.append(_about(path))
        except (OSError, VersionError) as error:
            problems.append(f"{path}: {error.strerror or error}" if isinstance(error, OSError) else f"{path}: {error}")
    versions.sort(key=lambda version: version.saved, reverse=True)
    return SavedVersions(tuple(versions), tuple(problems))


def save(folder: Path, name: str, text: ChunkedText, encoding: str, counts: Mapping[str, int]) -> Version:
    """Save a version. Names need not be unique. Raises VersionError if a limit is reached, OSError if writing fails."""
    with only_here(folder):
        return _save(folder, name, text, encoding, counts)


def _save(folder: Path, name: str, text: ChunkedText, encoding: str, counts: Mapping[str, int]) -> Version:
    _remove_orphaned_texts(folder)
    there = saved_versions(folder)
    size = text.size()
    if len(there.versions) >= MAX_VERSIONS:
        raise VersionError(f"the limit is {MAX_VERSIONS} versions; delete one first")
    if there.size + size > MAX_BYTES:
        raise VersionError(f"the limit for all versions is {MAX_BYTES // 1000000} MB; delete one first")
    key = uuid.uuid4().hex
    version = Version(key, _clean(name), datetime.now().astimezone(), size, text.sha256(), encoding, dict(counts))
    write_atomic(_text_file(folder, key), text)
    _write_about(folder, version)
    return version


def rename(folder: Path, version: Version, name: str) -> Version:
    """Rename a version. Raises VersionError if it was deleted, and OSError."""
    with only_here(folder):
        if not _about_file(folder, version.key).exists():
            raise VersionError("the version was deleted in another window")
        renamed = replace(version, name=_clean(name))
        _write_about(folder, renamed)
        return renamed


def delete(folder: Path, version: Version) -> None:
    """Delete a version; a no-op if it is gone. Raises OSError."""
    with only_here(folder):  # else a concurrent rename would write its metadata again
        _about_file(folder, version.key).unlink(missing_ok=True)
        _text_file(folder, version.key).unlink(missing_ok=True)


def text_of(folder: Path, version: Version) -> ChunkedText:
    """Return the text of a version as saved. Raises OSError; VersionError if the file was changed."""
    content = _text_file(folder, version.key).read_bytes()
    text = ChunkedText((content,))
    if text.sha256() != version.sha256:
        raise VersionError("its file changed on disk, so it is no longer the saved text")
    return text


def _clean(name: str) -> str:
    """Return the name on one line, of bounded length, never empty."""
    return " ".join(name.split())[:LONGEST_NAME] or "…"


def _remove_orphaned_texts(folder: Path) -> None:
    """Remove texts without metadata, left by a killed process. The folder must be locked."""
    for path in folder.glob("*.txt"):
        if _KEY.fullmatch(path.stem) and not _about_file(folder, path.stem).exists():
            path.unlink(missing_ok=True)


def _about_file(folder: Path, key: str) -> Path:
    return folder / f"{key}.json"


def _text_file(folder: Path, key: str) -> Path:
    return folder / f"{key}.txt"


def _write_about(folder: Path, version: Version) -> None:
    about: dict[str, Any] = asdict(version)
    about |= {"saved": version.saved.isoformat(), "version": VERSION}
    write_atomic(_about_file(folder, version.key), json.dumps(about, indent=1).encode())


def _about(path: Path) -> Version:
    """Read the metadata file of a version. Raises OSError, and VersionError if it is not a valid one."""
    content = path.read_bytes()
    try:
        about = json.loads(content)
        if is_newer(about, VERSION):
            raise VersionError("it was saved by a newer version of Tokenloupe and was not changed")
        if about["key"] != path.stem or not isinstance(about["size"], int):
            raise ValueError("of another one")
        counts = {str(name): int(tokens) for name, tokens in about["counts"].items()}
        saved = datetime.fromisoformat(about["saved"])
        if saved.tzinfo is None:
            raise ValueError("a time without a zone")
        words = {name: str(about[name]) for name in ("key", "name", "sha256", "encoding")}
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise VersionError("the file is damaged or not a prompt version; it was not changed") from error
    return Version(**words, saved=saved, size=about["size"], counts=counts)
