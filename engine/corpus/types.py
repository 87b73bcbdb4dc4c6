"""Frozen results of looking through a corpus. Any thread may keep them; importing this costs nothing.

Units: ``byte`` counts UTF-8 bytes of text unless it says file bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CorpusRules:
    """Which files of a folder are a corpus.

    ``include``, ``exclude``: globs against the path in the folder, as in a ``.gitignore``; no ``include`` means all.
    ``sample_bytes``: take files, evenly spread over all of them, until they have so many file bytes; None takes all.
    ``as_bytes``: take every file as the bytes that it has, binary ones too (``engine.text.validity``).
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    honour_gitignore: bool = True
    hidden: bool = False
    sample_bytes: int | None = None
    as_bytes: bool = False


AS_BYTES = "bytes"
"""The encoding of a file that is taken as it is."""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of a corpus. ``encoding``: ``utf-8``, ``utf-8-sig``, ``utf-16-le``, ``utf-16-be``, ``utf-32-le``,
    ``utf-32-be``, ``cp1252`` (assumed: it is not valid UTF-8), or ``AS_BYTES``. ``duplicate_of``: an earlier file with
    the same content; it is still part of the corpus."""

    path: Path
    file_bytes: int
    encoding: str
    duplicate_of: Path | None = None


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder that is no part of a corpus. ``reason`` is one of ``hidden``, ``ignored``, ``excluded``,
    ``binary``, ``empty``, ``unreadable``, ``loop``, ``special``, ``vanished``, ``changed``, ``sampled out``, or
    ``not UTF-8``; ``why`` is a sentence for the user."""

    path: Path
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class CorpusSurvey:
    """What a folder holds, before anything is trained on it. In the order in which the files are read: sorted by path.

    ``skipped`` lists at most the first 10,000 of them; ``skipped_counts`` says how many there are for each reason.
    """

    roots: tuple[Path, ...]
    files: tuple[CorpusFile, ...]
    skipped: tuple[SkippedFile, ...]
    skipped_counts: dict[str, int]
    file_bytes: int
    duplicate_files: int
    duplicate_bytes: int
