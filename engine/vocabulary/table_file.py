"""The tables of a vocabulary in a file, mapped into memory.

A mapped file costs no memory of its own: its pages belong to the system's file cache and are shared by all threads and
processes. A file that is there is not trusted. Before anybody uses it,

* its size, version and vocabulary are compared with what they have to be, and its directory is looked at,
* a checksum over all of it finds what was damaged or cut off, wherever that is,
* every number that kernels use as a place is looked at (``engine.kernels.table_check``): so even a file that somebody
  has made up, checksum included, cannot lead a kernel out of its memory.

The last two read all of the file, which takes some milliseconds. So they are noted in a second file beside it, with
what the system says of the file that was read: which one it is, its size, and when it was last written to or otherwise
changed. As long as the system says the same, it is the same file with the same content, and only the first is looked at
again. A file that is so new that a later change could bear the same time is not noted (as git does with its index).

What none of this can tell is whether somebody has put other tokens in, with a new checksum, or a note on a file that
nobody read: but who can write to that folder can put other machine code there, too. Nor can it keep others from
changing the file while it is in use; Tokenloupe itself replaces such files and never writes into one.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import time
import weakref
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels.cache_folder import keep, sources_digest
from engine.kernels.lookup import KEY_MASKS
from engine.kernels.scan_pieces import SCAN_SIZE
from engine.kernels.table_check import contents_are_sound
from engine.kernels.wide_characters import CROSSED_PAIRS
from engine.runtime.library_pages import release_range

_MAGIC = int.from_bytes(b"TLTABLES", "little")
_ROW = 16_384  # words summed up together: so many stay in the processor's caches for the second sum
_NEW_NS = 3_000_000_000  # file systems tell times apart by two seconds or less
NOTE_SUFFIX = ".read"
"""Ending of the file that says that a file of tables was read and found sound."""
MOST_TOKENS = layout.NO_TOKEN - 1
"""Numbers that tables have room for."""


_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def seal(tables: NDArray[np.uint8], fingerprint: bytes) -> None:
    """Write what every file begins with into the header of tables that are otherwise complete."""
    header = _header(tables)
    header[layout.MAGIC // 8] = _MAGIC
    header[layout.VERSION // 8] = _version()
    header[layout.SIZE // 8] = len(tables)
    header[layout.FINGERPRINT // 8 : layout.FINGERPRINT // 8 + 4] = np.frombuffer(fingerprint, dtype=np.int64)
    header[layout.CHECKSUM // 8] = _checksum(tables)


def save_tables(tables: NDArray[np.uint8], path: Path) -> bool:
    """Write tables to a file that appears when it is complete. Whether that was possible."""
    try:
        keep(path, tables.data)
    except OSError:
        return False
    return True


def map_tables(path: Path, fingerprint: bytes) -> NDArray[np.uint8] | None:
    """The tables in a file: uint8[n], read-only. None where there is no such file or it is not what it should be."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            _mapped.add(mapped)
    except (OSError, ValueError):  # missing, unreadable; empty
        return None
    tables = np.frombuffer(mapped, dtype=np.uint8)
    if len(tables) < layout.HEADER_SIZE or len(tables) % 64:
        return None
    if not is_for(tables, fingerprint) or not _directory_fits(tables):
        return None
    note = path.with_name(path.name + NOTE_SUFFIX)
    if _noted(note) != _note_on(status):
        if not has_its_checksum(tables) or not contents_are_sound(tables):
            return None
        if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _NEW_NS:
            with contextlib.suppress(OSError):  # then the next start reads all of it once more
                keep(note, _note_on(status))
    return tables


def release_pages() -> None:
    """Let go of the pages of all mapped tables, where the system can be told: they count as memory of this process as
    long as they are at hand. They stay in the file cache; one that is needed again is there at its first use."""
    if hasattr(mmap, "MADV_DONTNEED"):
        for mapped in list(_mapped):
            release_range(np.frombuffer(mapped, dtype=np.uint8).ctypes.data, len(mapped))


def _note_on(status: os.stat_result) -> bytes:
    """What is noted of a file that was read."""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}\n".encode()


def _noted(note: Path) -> bytes | None:
    try:
        return note.read_bytes()
    except OSError:
        return None


def is_for(tables: NDArray[np.uint8], fingerprint: bytes) -> bool:
    """Whether tables say that they are those of a vocabulary, made by this version, and all there."""
    header = _header(tables)
    stated = (header[layout.MAGIC // 8], header[layout.VERSION // 8], header[layout.SIZE // 8])
    return (
        stated == (_MAGIC, _version(), len(tables))
        and header[layout.FINGERPRINT // 8 : layout.FINGERPRINT // 8 + 4].tobytes() == fingerprint
    )


def has_its_checksum(tables: NDArray[np.uint8]) -> bool:
    """Whether tables are as they were when ``seal`` wrote their checksum."""
    return int(_header(tables)[layout.CHECKSUM // 8]) == _checksum(tables)


def _header(tables: NDArray[np.uint8]) -> NDArray[np.int64]:
    return tables[: layout.HEADER_SIZE].view(np.int64)


def _version() -> int:
    """A number that changes with the kernels: another layout must not be taken for this one."""
    return int(sources_digest()[:15], 16)


def _checksum(tables: NDArray[np.uint8]) -> int:
    """64 bits over all words behind the fixed part of the header: a digest of the sums of all rows and all columns of
    ``_ROW`` words, since a digest of the words themselves would take many times as long. Words that change places
    change sums, too."""
    words = tables[layout.TOKEN_COUNT :].view(np.int64)
    columns = np.zeros(_ROW, dtype=np.int64)
    rows = []
    for start in range(0, len(words), _ROW):
        row = words[start : start + _ROW]
        rows.append(np.add.reduce(row))
        columns[: len(row)] += row
    digest = hashlib.sha256(columns.tobytes() + np.array(rows).tobytes())
    return int.from_bytes(digest.digest()[:8], "little", signed=True)


def _directory_fits(tables: NDArray[np.uint8]) -> bool:
    """Whether the sections lie one behind the other in the file, each as large as the rest of the header says; and the
    one whose bytes are always the same."""
    header = _header(tables)
    first = layout.DIRECTORY // 8
    places = header[first : first + 2 * layout.TABLE_SECTIONS].reshape(-1, 2).tolist()
    end = layout.HEADER_SIZE
    for start, size in places:
        if start != end or not 0 <= size <= len(tables):
            return False
        end += -(-size // 64) * 64
    if end != len(tables):
        return False
    masks = places[layout.MASKS][0]
    sizes = [size for _, size in places]
    count, first_id, longest = header[[layout.TOKEN_COUNT // 8, layout.FIRST_ID // 8, layout.LONGEST // 8]].tolist()
    pairs = sizes[layout.CROSSINGS] - CROSSED_PAIRS
    return (
        0 < count <= MOST_TOKENS
        and 0 <= first_id <= MOST_TOKENS - count
        and 0 < longest <= sizes[layout.TOKEN_BYTES]
        and all(_is_shift(header[shift // 8], sizes[number], width) for shift, number, width in _FOUND_BY_HASH)
        and all(sizes[number] == size for number, size in _FIXED_SIZES)
        and sizes[layout.TOKEN_OFFSETS] == 4 * (count + 1)
        and (sizes[layout.PIECE_IDS], sizes[layout.PIECE_SCAN]) in ((0, 0), (4 * count, SCAN_SIZE))
        and pairs > 0
        and pairs & (pairs - 1) == 0
        and np.array_equal(tables[masks : masks + len(KEY_MASKS)], KEY_MASKS)
    )


_FOUND_BY_HASH = (
    (layout.LINE_SHIFT, layout.LINES, 64),
    (layout.LONG_SHIFT, layout.LONGS, 8),
    (layout.PAIR_SHIFT, layout.PAIRS, 64),
)
_FIXED_SIZES = ((layout.BYTE_TOKENS, 4 * 256), (layout.BIGRAMS, 4 * 65536), (layout.MASKS, len(KEY_MASKS)))


def _is_shift(shift: np.int64, size: int, width: int) -> bool:
    """Whether a 64-bit hash shifted by so much is a place of a section of so many bytes."""
    return 0 < int(shift) < 64 and size == width << (64 - int(shift))
