"""Counts that were made before: by the content of files, and the content by what the disk says of a file.

A file of the same size, time of writing and inode as last time is taken to have the same content; any other is read,
and counted only where its content is new. The cache is one SQLite file, so that two windows may write to it, and
whatever happens leaves it whole. Nothing is looked up in it: all of it is read before a scan. So a row holds many
files, or many counts, as they were added: a row for each takes seven times as long. Of two entries about the same thing
the later one holds. The cache keeps a limited number of entries and drops the oldest: it is no archive.

The secret that digests of contents are made with (``engine.text.digests``) is kept beside them.
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
from engine.runtime.private_folders import make_folder, private_opener
from engine.text.digests import DIGEST_BYTES, SECRET_BYTES, new_secret

MOST_KEPT = 200_000
"""Files, and counts of contents, that are kept. Of the oldest row that has some of them the others are kept, too."""

VERSION = 4
"""Version of the tables and of how files are counted. A file of an older version is started over, a newer one
is left as it is."""

RECENT_NS = 2_000_000_000
"""A file written so shortly before it was read may be written again without another time of writing (the racy case of
git): its content is not taken for granted next time. FAT has times of two seconds."""

_BUSY_SECONDS = 5.0
_CONTENTS = "contents"
_COLUMNS = {
    "files": "paths BLOB, states BLOB, digests BLOB, reason TEXT, why TEXT",
    "counts": "encoding TEXT, digests BLOB, tokens BLOB",
    "secrets": "used_for TEXT PRIMARY KEY, secret BLOB",
}
"""``paths``: with a NUL byte between them, which is in none. ``states``: three numbers for each, ``tokens``: one, as in
``_NUMBERS``. ``digests``: one behind the other; of files that are left out there are none, they have a ``reason`` and
``why``."""

_NUMBERS = "<i8"
_NUMBER_BYTES = 8
_NUMBER_BITS = 2**63 - 1

_SELECT_FILES = """SELECT paths, states, digests, reason, why FROM files WHERE typeof(paths) = 'blob'
    AND typeof(states) = 'blob' AND typeof(digests) = 'blob' AND typeof(reason) = 'text' AND typeof(why) = 'text'
    ORDER BY rowid"""
_SELECT_COUNTS = """SELECT digests, tokens FROM counts WHERE encoding = ? AND typeof(digests) = 'blob'
    AND typeof(tokens) = 'blob' ORDER BY rowid"""
"""In a damaged file there may be something else."""

_DROP_OLDEST = """DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM (
    SELECT rowid, sum(length({column})) OVER (ORDER BY rowid DESC) - length({column}) AS newer FROM {table})
    WHERE newer >= ?)"""
"""Rows before which there are at least so many bytes in newer ones."""


class NewerCacheError(OSError):
    """The file is of a later version than this program writes."""


class Content(NamedTuple):
    """What a file held: the digest of a text, or why it is none."""

    digest: bytes
    reason: str = ""
    why: str = ""


_File = tuple[int, int, int, bytes, str, str]
"""Size, time of writing and inode of a file, and its content. Plain tuples of numbers and the like are nothing that the
garbage collector would have to look at: there are as many as files, and nothing else runs while it does."""


@dataclass(slots=True)
class Additions:
    """What some files were found to be. ``begun_ns``: a time before the first of them was read, in nanoseconds.
    ``texts``: with the digest of each, and its tokens in each encoding. ``skipped``: with why it is no text."""

    begun_ns: int
    texts: list[tuple[FoundFile, bytes, tuple[int, ...]]] = field(default_factory=list)
    skipped: list[tuple[FoundFile, SkippedFile]] = field(default_factory=list)


@dataclass(slots=True)
class KnownCounts:
    """What is known before a scan, and what it adds. Several threads may ask and add at once.

    ``secret``: what digests of contents are to be made with. ``new_files``, ``new_counts``: rows of the tables.
    ``problem``: a sentence where the cache could not be used.
    """

    keys: tuple[str, ...]
    secret: bytes = field(default_factory=new_secret)
    files: dict[bytes, _File] = field(default_factory=dict)
    counts: tuple[dict[bytes, int], ...] = ()
    new_files: list[tuple[bytes, bytes, bytes, str, str]] = field(default_factory=list)
    new_counts: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    problem: str = ""

    def content(self, file: FoundFile) -> Content | None:
        """What a file holds, if it is as it was."""
        row = self.files.get(os.fsencode(file.name)) if self.files else None
        if row is None or row[:3] != _state(file):
            return None
        return Content(*row[3:])

    def tokens(self, digest: bytes) -> tuple[int, ...] | None:
        """The tokens of a content in each encoding, if all are known."""
        found = tuple([counts[digest] for counts in self.counts if digest in counts])
        return found if len(found) == len(self.counts) else None

    def add(self, new: Additions) -> None:
        """Files were read."""
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
    """What names an encoding in the cache: with what is done to texts first, and for one of the user's own the state of
    its file. Empty for one that is in no file, whose counts are not kept."""
    entry = next((entry for entry in catalog.own().entries() if entry.name == name), None)
    if entry is None:
        return f"{name}{NORMALIZED.get(name, '')}"
    if entry.path is None:
        return ""
    status = entry.path.stat()
    return f"{name}/{status.st_size}/{status.st_mtime_ns}"


class CountCache:
    """The cache in one file, which need not exist. Used by one thread at a time; other programs may have it open."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def known(self, keys: Sequence[str], cancel_check: Callable[[], None] = lambda: None) -> KnownCounts:
        """Return what is known in the encodings with these keys. A damaged file is started over. ``cancel_check`` is
        called between the rows, some hundred files each; what it raises ends this."""
        known = KnownCounts(tuple(keys), counts=tuple({} for _ in keys))
        try:
            try:
                self._read(known, cancel_check)
            except sqlite3.OperationalError:
                raise  # locked or not readable: another process may need it
            except (sqlite3.DatabaseError, ValueError):
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
        if not known.new_files and not known.new_counts:
            return
        try:
            make_folder(self._file.parent)
            with open(self._file, "ab", opener=private_opener):
                pass
            with contextlib.closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as base, base:
                base.execute("BEGIN IMMEDIATE")
                self._prepare(base)
                # Two first scans at once have two secrets. The digests of the later one are then never met again.
                base.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (_CONTENTS, known.secret))
                base.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?)", known.new_files)
                base.executemany("INSERT INTO counts VALUES (?, ?, ?)", known.new_counts)
                for table, column, numbers in (("files", "states", 3), ("counts", "tokens", 1)):
                    most_bytes = MOST_KEPT * numbers * _NUMBER_BYTES
                    base.execute(_DROP_OLDEST.format(table=table, column=column), (most_bytes,))
            known.new_files.clear()
            known.new_counts.clear()
        except (sqlite3.Error, OSError) as error:
            known.problem = f"Counts are not kept: {error}."

    def _read(self, known: KnownCounts, cancel_check: Callable[[], None]) -> None:
        if not self._file.exists():
            return
        with contextlib.closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as base:
            with base:
                self._prepare(base)
            if base.execute("PRAGMA encoding").fetchone() != ("UTF-8",):
                raise sqlite3.DatabaseError("it is not as this program makes it")
            for (secret,) in base.execute("SELECT secret FROM secrets WHERE used_for = ?", (_CONTENTS,)):
                if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
                    raise sqlite3.DatabaseError("the secret is none")
                known.secret = secret
            base.text_factory = lambda raw: raw.decode("utf-8", "replace")  # in a damaged file it may be none
            for row in base.execute(_SELECT_FILES):
                known.files.update(_files_in(*row))
                cancel_check()
            for key, counts in zip(known.keys, known.counts, strict=True):
                for digests, tokens in base.execute(_SELECT_COUNTS, (key,)):
                    counts.update(zip(_digests_in(digests), _unpacked(tokens), strict=True))
                    cancel_check()

    def _prepare(self, base: sqlite3.Connection) -> None:
        """Make the tables where there are none of this version."""
        version = base.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise NewerCacheError(f"a newer version of this program has written {self._file}, which is left as it is")
        if version != VERSION:
            for table in _COLUMNS:
                base.execute(f"DROP TABLE IF EXISTS {table}")
            base.execute(f"PRAGMA user_version = {VERSION}")
        for table, columns in _COLUMNS.items():
            base.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")


def _files_in(paths: bytes, states: bytes, digests: bytes, reason: str, why: str) -> Iterable[tuple[bytes, _File]]:
    """The files of a row. ValueError where it is damaged, at once or on the way."""
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
    """ValueError where they are damaged."""
    unpacked: list[int] = np.frombuffer(numbers, dtype=_NUMBERS).tolist()
    return unpacked


def _state(file: FoundFile) -> tuple[int, int, int]:
    """What is to be the same of a file that was not written to, in numbers that fit: inodes may be larger, and years
    before 1677."""
    return file.file_bytes, file.written_ns & _NUMBER_BITS, file.inode & _NUMBER_BITS
