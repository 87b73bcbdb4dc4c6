"""Cache of token counts by file content, and of content digests by file state (size, modification time, inode).

A file with the same size, modification time and inode as last time is assumed to have the same content. Any other file
is read, but counted only if its content is new. The cache is one SQLite file, so two windows may write to it at once
and a crash leaves it intact. No lookups are done in the file: all of it is read before a scan. A row therefore holds
many files, or many counts, in the order in which they were added; a row for each would take seven times as long. If two
entries conflict, the later one wins. The cache is bounded and drops its oldest entries: it is not an archive.

The secret that keys the content digests (``engine.text.digests``) is stored beside them.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.corpus.types import SkippedFile
from engine.corpus.walk import FoundFile
from engine.library import catalog
from engine.library.bundled_encodings import ENTRIES
from engine.runtime.atomic_files import make_folder, private_opener
from engine.text.digests import DIGEST_BYTES, SECRET_BYTES, new_secret

MAX_KEPT = 200_000
"""Maximum number of files, and of counts, in the cache. The oldest row that is partly within the limit is kept
whole."""

VERSION = 4
"""Version of the tables and of the counting rules. A file of an older version is cleared; a file of a newer version is
left unchanged."""

RECENT_NS = 2_000_000_000
"""Age below which a file is not trusted, in nanoseconds. A file written this shortly before it was read may be written
again without a new modification time (git's "racy" case), so its content is not assumed next time. FAT stores times in
steps of two seconds."""

_BUSY_SECONDS = 5.0
_CONTENTS = "contents"
_COLUMNS = {
    "files": "paths BLOB, states BLOB, digests BLOB, reason TEXT, why TEXT",
    "counts": "encoding TEXT, digests BLOB, tokens BLOB",
    "secrets": "used_for TEXT PRIMARY KEY, secret BLOB",
}
"""``paths``: separated by NUL bytes, which no path contains. ``states``: three numbers for each file, ``tokens``: one
for each content, stored as ``_NUMBERS``. ``digests``: concatenated. Rows of skipped files have no digests but a
``reason`` and ``why``."""

_NUMBERS = "<i8"
_NUMBER_BYTES = 8
_NUMBER_BITS = 2**63 - 1

_SELECT_FILES = """SELECT paths, states, digests, reason, why FROM files WHERE typeof(paths) = 'blob'
    AND typeof(states) = 'blob' AND typeof(digests) = 'blob' AND typeof(reason) = 'text' AND typeof(why) = 'text'
    ORDER BY rowid"""
_SELECT_COUNTS = """SELECT digests, tokens FROM counts WHERE encoding = ? AND typeof(digests) = 'blob'
    AND typeof(tokens) = 'blob' ORDER BY rowid"""
"""A damaged file may hold values of other types."""

_DROP_OLDEST = """DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM (
    SELECT rowid, sum(length({column})) OVER (ORDER BY rowid DESC) - length({column}) AS newer FROM {table})
    WHERE newer >= ?)"""
"""Delete each row for which newer rows already hold at least this many bytes."""


class NewerCacheError(OSError):
    """The cache file was written by a newer version of this program."""


class Content(NamedTuple):
    """Content of a file: the digest of its text, or the reason why it is not text."""

    digest: bytes
    reason: str = ""
    why: str = ""


_File = tuple[int, int, int, bytes, str, str]
"""Size, modification time and inode of a file, and its content. Plain tuples of numbers, strings and bytes are not
tracked by the garbage collector. There are as many as files, and no other thread runs during a collection."""


@dataclass(slots=True)
class Additions:
    """Results for some files. ``begun_ns``: a time before the first of them was read, in nanoseconds. ``texts``: each
    with its digest and its token count in each encoding. ``skipped``: each with the reason why it is not text."""

    begun_ns: int
    texts: list[tuple[FoundFile, bytes, tuple[int, ...]]] = field(default_factory=list)
    skipped: list[tuple[FoundFile, SkippedFile]] = field(default_factory=list)


@dataclass(slots=True)
class KnownCounts:
    """Counts known before a scan, and those that the scan adds. Thread-safe: several threads may query and add at once.

    ``secret``: key of the content digests. ``new_files``, ``new_counts``: rows for the tables. ``problem``: a sentence
    if the cache could not be used, else "".
    """

    keys: tuple[str, ...]
    secret: bytes = field(default_factory=new_secret)
    files: dict[bytes, _File] = field(default_factory=dict)
    counts: tuple[dict[bytes, int], ...] = ()
    new_files: list[tuple[bytes, bytes, bytes, str, str]] = field(default_factory=list)
    new_counts: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    problem: str = ""

    def content(self, file: FoundFile) -> Content | None:
        """Return the content of a file, None if the file is unknown or has changed."""
        row = self.files.get(os.fsencode(file.name)) if self.files else None
        if row is None or row[:3] != _state(file):
            return None
        return Content(*row[3:])

    def tokens(self, digest: bytes) -> tuple[int, ...] | None:
        """Return the token counts of a content, one for each encoding; None unless all are known."""
        found = tuple([counts[digest] for counts in self.counts if digest in counts])
        return found if len(found) == len(self.counts) else None

    def add(self, new: Additions) -> None:
        """Add the results for files that were read."""
        latest = new.begun_ns - RECENT_NS
        if new.texts:
            _, digests, tokens = zip(*new.texts, strict=True)
            for key, counts, numbers in zip(self.keys, self.counts, zip(*tokens, strict=True), strict=True):
                counts.update(zip(digests, numbers, strict=True))
                if key:
                    self.new_counts.append((key, b"".join(digests), _packed(numbers)))
        old = [(file, digest) for file, digest, _ in new.texts if file.written_ns < latest]
        self._add([file for file, _ in old], b"".join([digest for _, digest in old]))
        left_out: dict[tuple[str, str], list[FoundFile]] = {}
        for file, skipped in new.skipped:
            if file.written_ns < latest:
                left_out.setdefault((skipped.reason, skipped.why), []).append(file)
        for (reason, why), alike in left_out.items():
            self._add(alike, b"", reason, why)

    def _add(self, files: Sequence[FoundFile], digests: bytes, reason: str = "", why: str = "") -> None:
        if not files:
            return
        paths = b"\0".join([os.fsencode(file.name) for file in files])
        states = _packed([number for file in files for number in _state(file)])
        self.new_files.append((paths, states, digests, reason, why))


NORMALIZED = {
    entry.name: f"/{entry.vendor_normalization}" for entry in ENTRIES if entry.vendor_normalization is not None
}


def count_key(name: str) -> str:
    """Return the cache key of an encoding: its name with its normalization, and for a user encoding the state of its
    file. Empty for a user encoding without a file, whose counts are not cached."""
    entry = next((entry for entry in catalog.own().entries() if entry.name == name), None)
    if entry is None:
        return f"{name}{NORMALIZED.get(name, '')}"
    if entry.path is None:
        return ""
    status = entry.path.stat()
    return f"{name}/{status.st_size}/{status.st_mtime_ns}"


class CountCache:
    """The cache in one file, which need not exist. Not thread-safe; other processes may have the file open."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def known(self, keys: Sequence[str], cancel_check: Callable[[], None] = lambda: None) -> KnownCounts:
        """Return the known counts for the encodings with these keys. A damaged file is cleared. ``cancel_check`` is
        called after each row of some hundred files; if it raises, reading ends."""
        known = KnownCounts(tuple(keys), counts=tuple({} for _ in keys))
        try:
            try:
                self._read(known, cancel_check)
            except sqlite3.OperationalError:
                raise  # locked or unreadable: another process may be using it
            except (sqlite3.DatabaseError, ValueError):
                known.files.clear()
                known.counts = tuple({} for _ in keys)
                known.secret = new_secret()
                self._file.unlink(missing_ok=True)
        except (sqlite3.Error, OSError) as error:
            known.problem = f"Counts cannot be cached: {error}."
        return known

    def keep(self, known: KnownCounts) -> None:
        """Save what a scan has added, even if the scan was cancelled. Errors are reported in ``known.problem``."""
        if not known.new_files and not known.new_counts:
            return
        try:
            make_folder(self._file.parent)
            with open(self._file, "ab", opener=private_opener):
                pass
            with contextlib.closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as base, base:
                base.execute("BEGIN IMMEDIATE")
                self._prepare(base)
                # Two concurrent first scans have two secrets. The digests of the later one then never match again.
                base.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (_CONTENTS, known.secret))
                base.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?)", known.new_files)
                base.executemany("INSERT INTO counts VALUES (?, ?, ?)", known.new_counts)
                for table, column, numbers in (("files", "states", 3), ("counts", "tokens", 1)):
                    most_bytes = MAX_KEPT * numbers * _NUMBER_BYTES
                    base.execute(_DROP_OLDEST.format(table=table, column=column), (most_bytes,))
            known.new_files.clear()
            known.new_counts.clear()
        except (sqlite3.Error, OSError) as error:
            known.problem = f"Counts cannot be cached: {error}."

    def _read(self, known: KnownCounts, cancel_check: Callable[[], None]) -> None:
        if not self._file.exists():
            return
        with contextlib.closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as base:
            with base:
                self._prepare(base)
            if base.execute("PRAGMA encoding").fetchone() != ("UTF-8",):
                raise sqlite3.DatabaseError("the database encoding is not UTF-8")
            for (secret,) in base.execute("SELECT secret FROM secrets WHERE used_for = ?", (_CONTENTS,)):
                if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
                    raise sqlite3.DatabaseError("the secret is invalid")
                known.secret = secret
            base.text_factory = lambda raw: raw.decode("utf-8", "replace")  # a damaged file may hold invalid UTF-8
            for row in base.execute(_SELECT_FILES):
                known.files.update(_files_in(*row))
                cancel_check()
            for key, counts in zip(known.keys, known.counts, strict=True):
                for digests, tokens in base.execute(_SELECT_COUNTS, (key,)):
                    counts.update(zip(_digests_in(digests), _unpacked(tokens), strict=True))
                    cancel_check()

    def _prepare(self, base: sqlite3.Connection) -> None:
        """Create the tables of this version if they are missing. Raises NewerCacheError if the file is of a newer
        version."""
        version = base.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise NewerCacheError(f"{self._file} was written by a newer version of this program and is left unchanged")
        if version != VERSION:
            for table in _COLUMNS:
                base.execute(f"DROP TABLE IF EXISTS {table}")
            base.execute(f"PRAGMA user_version = {VERSION}")
        for table, columns in _COLUMNS.items():
            base.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")


def _files_in(paths: bytes, states: bytes, digests: bytes, reason: str, why: str) -> Iterable[tuple[bytes, _File]]:
    """Return the files of a row. Raises ValueError if the row is damaged, at once or during iteration."""
    names, numbers = paths.split(b"\0"), _unpacked(states)
    contents = [b""] * len(names) if reason else _digests_in(digests)
    reasons, whys = [reason] * len(names), [why] * len(names)
    files = zip(numbers[::3], numbers[1::3], numbers[2::3], contents, reasons, whys, strict=True)
    return zip(names, files, strict=True)


def _digests_in(digests: bytes) -> list[bytes]:
    return [digests[start : start + DIGEST_BYTES] for start in range(0, len(digests), DIGEST_BYTES)]


def _packed(numbers: Sequence[int]) -> bytes:
    return np.array(numbers, dtype=_NUMBERS).tobytes()


def _unpacked(numbers: bytes) -> list[int]:
    """Return the numbers. Raises ValueError if their bytes are damaged."""
    unpacked: list[int] = np.frombuffer(numbers, dtype=_NUMBERS).tolist()
    return unpacked


def _state(file: FoundFile) -> tuple[int, int, int]:
    """Return the numbers that are equal if a file was not written to, reduced to 63 bits: inodes and times before 1677
    may need more."""
    return file.file_bytes, file.written_ns & _NUMBER_BITS, file.inode & _NUMBER_BITS
