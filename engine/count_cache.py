"""Counts that were made once: by the content of files, and the content by what the disk says of a file.

A file of the same size, time of writing and inode as last time is taken to have the same content; any other is read,
and counted only where its content is new. One SQLite file, so that two windows may write to it, and whatever happens
leaves it whole. It keeps so many rows and drops the oldest: it is no archive. Nothing is looked up in it, all is read
before a scan. So its tables have no index, which takes longer to write than the rows do, and of two rows for the same
thing the later one holds.

The secret that digests of contents are made with (``engine.content_digest``) is kept beside them.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine import catalog
from engine.content_digest import SECRET_BYTES, new_secret
from engine.corpus_walk import FoundFile
from engine.training_types import SkippedFile

MOST_ROWS = 200_000
"""Files, and counts of contents, that are kept."""

VERSION = 3
"""Of the tables, and of the way in which files are counted: a file of an older one begins anew, one of a newer one is
left as it is."""

RECENT_NS = 2_000_000_000
"""A file written so shortly before it was read may be written again without another time of writing (the racy case of
git): its content is not taken for granted next time. FAT has times of two seconds."""

_BUSY_SECONDS = 5.0
_CONTENTS = "contents"
_COLUMNS = {
    "files": "path BLOB, size INTEGER, written INTEGER, inode INTEGER, digest BLOB, reason TEXT, why TEXT",
    "counts": "digest BLOB, encoding TEXT, tokens INTEGER",
    "secrets": "used_for TEXT PRIMARY KEY, secret BLOB",
}
_MOST_INODE = 2**63 - 1

_SELECT_COUNTS = "SELECT digest, tokens FROM counts WHERE encoding = ? AND typeof(tokens) = 'integer' ORDER BY rowid"
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

    ``secret``: what digests of contents are to be made with. ``gathered``: what was added first, in tables of SQLite in
    memory. ``problem``: a sentence where the cache could not be used.
    """

    keys: tuple[str, ...]
    secret: bytes = field(default_factory=new_secret)
    files: dict[bytes, _Row] = field(default_factory=dict)
    counts: tuple[dict[bytes, int], ...] = ()
    new_files: list[tuple[bytes, int, int, int, bytes, str, str]] = field(default_factory=list)
    new_counts: list[tuple[bytes, str, int]] = field(default_factory=list)
    gathered: sqlite3.Connection | None = None
    problem: str = ""

    def content(self, file: FoundFile) -> Content | None:
        """What a file holds, if it is as it was."""
        row = self.files.get(os.fsencode(file.name))
        if row is None or row[:3] != _state(file):
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
            self.new_files.append((os.fsencode(file.name), *_state(file), *content))

    def gather(self) -> None:
        """Put what was added into tables in memory, from where it is kept in a few milliseconds. For one thread at a
        time; others may add meanwhile."""
        if not self.new_files and not self.new_counts:
            return
        if self.gathered is None:
            self.gathered = sqlite3.connect(":memory:", timeout=_BUSY_SECONDS, check_same_thread=False)
            _make_tables(self.gathered, "main")
        with self.gathered as base:
            files, counts = self.new_files.copy(), self.new_counts.copy()
            base.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", files)
            base.executemany("INSERT INTO counts VALUES (?, ?, ?)", counts)
        del self.new_files[: len(files)], self.new_counts[: len(counts)]


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
        """Keep what a scan has added, which may have been ended before its time. What went wrong is in
        ``known.problem``."""
        known.gather()
        base, known.gathered = known.gathered, None
        if base is None:
            return
        with contextlib.closing(base):
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                base.execute("ATTACH ? AS kept", (os.fsencode(self._file),))
                with base:
                    base.execute("BEGIN IMMEDIATE")
                    self._prepare(base, "kept")
                    _copy(base, known.secret)
            except (sqlite3.Error, OSError) as error:
                known.problem = f"Counts are not kept: {error}."

    def _read(self, known: KnownCounts) -> None:
        if not self._file.exists():
            return
        with contextlib.closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as base:
            with base:
                self._prepare(base, "main")
            if base.execute("PRAGMA encoding").fetchone() != ("UTF-8",):
                raise sqlite3.DatabaseError("it is not as this program makes it")
            for (secret,) in base.execute("SELECT secret FROM secrets WHERE used_for = ?", (_CONTENTS,)):
                if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
                    raise sqlite3.DatabaseError("the secret is none")
                known.secret = secret
            base.text_factory = lambda raw: raw.decode("utf-8", "replace")  # in a damaged file it may be none
            rows = base.execute("SELECT * FROM files ORDER BY rowid")
            known.files.update((path, tuple(row)) for path, *row in rows)
            for key, counts in zip(known.keys, known.counts, strict=True):
                counts.update(base.execute(_SELECT_COUNTS, (key,)))

    def _prepare(self, base: sqlite3.Connection, schema: str) -> None:
        """Make the tables where there are none of this version."""
        version = base.execute(f"PRAGMA {schema}.user_version").fetchone()[0]
        if version > VERSION:
            raise NewerCacheError(f"a newer version of this program has written {self._file}, which is left as it is")
        if version != VERSION:
            for table in _COLUMNS:
                base.execute(f"DROP TABLE IF EXISTS {schema}.{table}")
            base.execute(f"PRAGMA {schema}.user_version = {VERSION}")
        _make_tables(base, schema)


def _make_tables(base: sqlite3.Connection, schema: str) -> None:
    for table, columns in _COLUMNS.items():
        base.execute(f"CREATE TABLE IF NOT EXISTS {schema}.{table} ({columns})")


def _copy(base: sqlite3.Connection, secret: bytes) -> None:
    """Add the rows in memory to those that are kept, and drop the oldest of them."""
    # Two first scans at once have two secrets. The digests of the later one are then never met again.
    base.execute("INSERT OR IGNORE INTO kept.secrets VALUES (?, ?)", (_CONTENTS, secret))
    for table in ("files", "counts"):
        base.execute(f"INSERT INTO kept.{table} SELECT * FROM main.{table}")
        base.execute(
            f"DELETE FROM kept.{table} WHERE rowid <= (SELECT max(rowid) FROM kept.{table}) - ?",
            (MOST_ROWS,),
        )


def _state(file: FoundFile) -> tuple[int, int, int]:
    """What is to be the same of a file that was not written to. SQLite has no numbers as large as some inodes are."""
    return file.file_bytes, file.written_ns, file.inode & _MOST_INODE
