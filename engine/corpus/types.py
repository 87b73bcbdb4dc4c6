"""Frozen results of surveying a corpus. They can be shared between threads; importing this module is cheap.

Units: ``byte`` is a UTF-8 byte of text, unless ``file_bytes`` is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CorpusRules:
    """Rules that select the files of a corpus from folders.

    ``include``, ``exclude``: globs for the path in the folder, as in a ``.gitignore``; no ``include`` means all.
    ``sample_bytes``: maximum total size of the files, which are taken evenly spread over all; None takes all.
    ``as_bytes``: take the bytes of every file unchanged, even if it is binary (``engine.text.offsets``).
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    honour_gitignore: bool = True
    hidden: bool = False
    sample_bytes: int | None = None
    as_bytes: bool = False


AS_BYTES = "bytes"
"""Encoding of a file that is read as raw bytes."""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of a corpus. ``encoding``: ``utf-8``, ``utf-8-sig``, ``utf-16-le``, ``utf-16-be``, ``utf-32-le``,
    ``utf-32-be``, ``cp1252`` (assumed if not valid UTF-8), or ``AS_BYTES``. ``duplicate_of``: an earlier file with the
    same content; the duplicate is still in the corpus."""

    path: Path
    file_bytes: int
    encoding: str
    duplicate_of: Path | None = None


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder that is not in a corpus. ``reason`` is one of ``hidden``, ``ignored``, ``excluded``, ``binary``,
    ``empty``, ``unreadable``, ``loop``, ``special``, ``vanished``, ``changed``, ``sampled out``, or ``not UTF-8``;
    ``why`` is a fragment for the user."""

    path: Path
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class CorpusSurvey:
    """Content of folders, before training. Files are in the order in which they are read: sorted by path.

    ``skipped`` lists at most the first 10,000 skipped files; ``skipped_counts`` is their number for each reason.
    """

    roots: tuple[Path, ...]
    files: tuple[CorpusFile, ...]
    skipped: tuple[SkippedFile, ...]
    skipped_counts: dict[str, int]
    file_bytes: int
    duplicate_files: int
    duplicate_bytes: int
