"""Counts that were made once: by the content of files, and the content by what the disk says of a file.

A file of the same size, time of writing and inode as last time is taken to have the same content; any other is read,
and counted only where its content is new. One SQLite file, so that two windows may write to it, and whatever happens
leaves it whole. It keeps so many rows and drops the oldest: it is no archive.

The secret that digests of contents are made with (``engine.content_digest``) is kept beside them.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine import catalog
from engine.content_digest import SECRET_BYTES, new_secret
from engine.corpus_walk import FoundFile
from engine.training_types import SkippedFile

MOST_ROWS = 200_000
"""Files, and counts of contents, that are kept."""

VERSION = 2
"""Of the tables, and of the way in which files are counted: a file of an older one begins anew, one of a newer one is
left as it is."""

RECENT_NS = 2_000_000_000
"""A file written so shortly before it was read may be written again without another time of writing (the racy case of
git): its content is not taken for granted next time. FAT has times of two seconds."""

_BUSY_SECONDS = 5.0
_CONTENTS = "contents"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS files "
    "(path BLOB PRIMARY KEY, size INTEGER, written INTEGER, inode INTEGER, digest BLOB, reason TEXT, why TEXT)",
    "CREATE TABLE IF NOT EXISTS counts (digest BLOB, encoding TEXT, tokens INTEGER, PRIMARY KEY (digest, encoding))",
    "CREATE TABLE IF NOT EXISTS secrets (used_for TEXT PRIMARY KEY, secret BLOB)",
)

_SELECT_COUNTS = "SELECT digest, tokens FROM counts WHERE encoding = ? AND typeof(tokens) = 'integer'"
"""In a damaged file a number may be something else."""


class NewerCacheError(OSError):
    """The file is of a later version than this program writes."""


class Content(NamedTuple):
    """What a file held: the digest of a text, or why it is none."""

    digest: bytes
    reason: str = ""
    why: str = ""


_Row = tuple[int, int, int, bytes, str, str]
"""Size, time of writing and inode of a file, and its content. Plain tuples of numbers and the like are nothing that the
garbage collector would have to look at: there are as many as files, and nothing else runs while it does."""


@dataclass(slots=True)
class KnownCounts:
    """What is known before a scan, and what it adds. Several threads may ask and add at once.

    ``secret``: what digests of contents are to be made with. ``problem``: a sentence where the cache could not be used.
    """

    keys: tuple[str, ...]
    secret: bytes = field(default_factory=new_secret)
    files: dict[bytes, _Row] = field(default_factory=dict)
    counts: tuple[dict[bytes, int], ...] = ()
    new_files: dict[bytes, _Row] = field(default_factory=dict)
    new_counts: list[tuple[bytes, str, int]] = field(default_factory=list)
    problem: str = ""

    def content(self, file: FoundFile) -> Content | None:
        """What a file holds, if it is as it was."""
        row = self.files.get(os.fsencode(file.name))
        if row is None or row[:3] != (file.file_bytes, file.written_ns, file.inode):
            return None
        return Content(*row[3:])

    def tokens(self, digest: bytes) -> tuple[int, ...] | None:
        """The tokens of a content in each encoding, if all are known."""
        found = tuple(counts.get(digest) for counts in self.counts)
        known = tuple(tokens for tokens in found if tokens is not None)
        return known if len(known) == len(self.keys) else None

    def add_text(self, file: FoundFile, digest: bytes, tokens: Sequence[int]) -> None:
        """A file was read and counted."""
        for key, counts, number in zip(self.keys, self.counts, tokens, strict=True):
            counts[digest] = number
            if key:
                self.new_counts.append((digest, key, number))
        self._add(file, Content(digest))

    def add_skipped(self, file: FoundFile, skipped: SkippedFile) -> None:
        """A file was read and is no text."""
        self._add(file, Content(b"", skipped.reason, skipped.why))

    def _add(self, file: FoundFile, content: Content) -> None:
        if time.time_ns() - file.written_ns > RECENT_NS:
            self.new_files[os.fsencode(file.name)] = (file.file_bytes, file.written_ns, file.inode, *content)


def count_key(name: str) -> str:
    """What names an encoding in the cache: for one of the user's own also the state of its file. Empty for one that is
    in no file, whose counts are not kept."""
    entry = next((entry for entry in catalog.own().entries() if entry.name == name), None)
    if entry is None:
        return name
    if entry.path is None:
        return ""
    status = entry.path.stat()
    return f"{name}/{status.st_size}/{status.st_mtime_ns}"


class CountCache:
    """The cache in one file, which need not exist. Used by one thread at a time; other programs may have it open."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def known(self, keys: Sequence[str]) -> KnownCounts:
        """What is known, in the encodings with these keys. A damaged file is begun anew."""
        known = KnownCounts(tuple(keys), counts=tuple({} for _ in keys))
        try:
            try:
                self._read(known)
            except sqlite3.OperationalError:
                raise  # locked, or not to be opened: somebody else may have use for it
            except (sqlite3.DatabaseError, UnicodeError):
                known.files.clear()
                known.counts = tuple({} for _ in keys)
                known.secret = new_secret()
                self._file.unlink(missing_ok=True)
        except (sqlite3.Error, OSError) as error:
            known.problem = f"Counts are not kept: {error}."
        return known

    def keep(self, known: KnownCounts) -> None:
        """Keep what a scan has added. What went wrong is in ``known.problem``."""
        if not known.new_files and not known.new_counts:
            return
        try:
            with self._opened() as base, base:
                base.executemany("REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", _rows(known.new_files))
                base.executemany("REPLACE INTO counts VALUES (?, ?, ?)", known.new_counts)
                # Two first scans at once have two secrets. The digests of the later one are then never met again.
                base.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (_CONTENTS, known.secret))
                for table in ("files", "counts"):
                    base.execute(
                        f"DELETE FROM {table} WHERE rowid <= (SELECT max(rowid) FROM {table}) - ?",
                        (MOST_ROWS,),
                    )
        except (sqlite3.Error, OSError) as error:
            known.problem = f"Counts are not kept: {error}."

    def _read(self, known: KnownCounts) -> None:
        if not self._file.exists():
            return
        with self._opened() as base:
            for (secret,) in base.execute("SELECT secret FROM secrets WHERE used_for = ?", (_CONTENTS,)):
                if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
                    raise sqlite3.DatabaseError("the secret is none")
                known.secret = secret
            base.text_factory = lambda raw: raw.decode("utf-8", "replace")  # in a damaged file it may be none
            known.files.update((path, tuple(row)) for path, *row in base.execute("SELECT * FROM files"))
            for key, counts in zip(known.keys, known.counts, strict=True):
                counts.update(base.execute(_SELECT_COUNTS, (key,)))

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as base:
            with base:
                version = base.execute("PRAGMA user_version").fetchone()[0]
                if version > VERSION:
                    raise NewerCacheError(
                        f"a newer version of this program has written {self._file}, which is left as it is"
                    )
                if version != VERSION:
                    for table in ("files", "counts", "secrets"):
                        base.execute(f"DROP TABLE IF EXISTS {table}")
                    base.execute(f"PRAGMA user_version = {VERSION}")
                for table in _TABLES:
                    base.execute(table)
            yield base


def _rows(files: dict[bytes, _Row]) -> Iterable[tuple[object, ...]]:
    return ((path, *row) for path, row in files.items())
