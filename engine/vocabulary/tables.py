"""Vocabulary tables for kernels: built once, saved to a file, and memory-mapped from then on.

Tables are one flat array; ``engine.kernels.layout`` defines its layout. ``build_tables`` builds them; ``open_tables``
and ``shared_tables`` map them from their file if it exists. A mapped file costs no memory of its own: its pages belong
to the system's file cache and are shared by all threads and processes.

An existing file is not trusted. Before its first use, ``map_tables`` verifies it in three ways:

* its size, version and vocabulary are compared with the expected values, and its directory is checked,
* a checksum of the whole file detects any damage or truncation,
* every number that kernels use as an offset is checked (``engine.kernels.build``): so even a forged file, checksum
  included, cannot make a kernel access memory out of bounds.

The last two read the whole file, which takes some milliseconds. So their success is noted in a second file beside it,
with the identity that the system reported for the file: its inode, size, and times of modification and status change.
While the system reports the same, it is the same file with the same content, and only the first check is repeated. A
file that is so new that a later change could have the same time is not noted (as git does with its index).

None of this detects other tokens with a new checksum, or a note on a file that was never verified: but anyone who can
write to that folder can put other machine code there, too. Nor does it prevent changes to the file while it is in use;
Tokenloupe itself replaces such files and never writes into one.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.kernels import layout
from engine.kernels.block_scanners import CROSSED_PAIRS
from engine.kernels.build import contents_are_sound, fill_tables
from engine.kernels.cache_folder import keep, sources_digest
from engine.kernels.layout import lay_out, zeros
from engine.kernels.lookup import KEY_MASKS
from engine.kernels.plain_scanners import SCAN_SIZE
from engine.kernels.primitives import NUMBER_BITS, NUMBER_MASK
from engine.runtime.caches import release_range
from engine.split.scanners import CROSSINGS_SIZE, crossings_of
from engine.vocabulary.bundle import RankTable
from engine.vocabulary.piece_order import PieceOrder

_MAGIC = int.from_bytes(b"TLTABLES", "little")
_ROW = 16_384  # words summed at a time: this many stay in the processor's caches for the second sum
_NEW_NS = 3_000_000_000  # file systems have a time resolution of two seconds or better
NOTE_SUFFIX = ".read"
"""Suffix of the file which records that a file of tables was read and is valid."""
MAX_TOKENS = layout.NO_TOKEN - 1
"""Maximum number of ids that tables can hold."""


_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def seal(tables: NDArray[np.uint8], fingerprint: bytes) -> None:
    """Write the fields common to all files into the header of tables that are otherwise complete."""
    header = _header(tables)
    header[layout.MAGIC // 8] = _MAGIC
    header[layout.VERSION // 8] = _version()
    header[layout.SIZE // 8] = len(tables)
    header[layout.FINGERPRINT // 8 : layout.FINGERPRINT // 8 + 4] = np.frombuffer(fingerprint, dtype=np.int64)
    header[layout.CHECKSUM // 8] = _checksum(tables)


def save_tables(tables: NDArray[np.uint8], path: Path) -> bool:
    """Write tables to a file atomically. Returns False if that fails."""
    try:
        keep(path, tables.data)
    except OSError:
        return False
    return True


def map_tables(path: Path, fingerprint: bytes) -> NDArray[np.uint8] | None:
    """Map the tables in a file: uint8[n], read-only. Returns None if the file does not exist or is not valid."""
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
            with contextlib.suppress(OSError):  # then the next start verifies the whole file again
                keep(note, _note_on(status))
    return tables


def release_pages(tables: NDArray[np.uint8] | None = None) -> None:
    """Release the pages of these mapped tables, or of all, if the system supports it: resident pages count as memory of
    this process. They stay in the file cache and are mapped again on next use. Tables that are not mapped are kept."""
    if hasattr(mmap, "MADV_DONTNEED"):
        for mapped in list(_mapped):
            address = np.frombuffer(mapped, dtype=np.uint8).ctypes.data
            if tables is None or tables.ctypes.data == address:
                release_range(address, len(mapped))


def _note_on(status: os.stat_result) -> bytes:
    """Return the note for a file that was verified."""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}\n".encode()


def _noted(note: Path) -> bytes | None:
    try:
        return note.read_bytes()
    except OSError:
        return None


def is_for(tables: NDArray[np.uint8], fingerprint: bytes) -> bool:
    """Return True if the header of tables states this vocabulary, this version and their actual size."""
    header = _header(tables)
    stated = (header[layout.MAGIC // 8], header[layout.VERSION // 8], header[layout.SIZE // 8])
    return (
        stated == (_MAGIC, _version(), len(tables))
        and header[layout.FINGERPRINT // 8 : layout.FINGERPRINT // 8 + 4].tobytes() == fingerprint
    )


def has_its_checksum(tables: NDArray[np.uint8]) -> bool:
    """Return True if tables still match the checksum that ``seal`` wrote."""
    return int(_header(tables)[layout.CHECKSUM // 8]) == _checksum(tables)


def _header(tables: NDArray[np.uint8]) -> NDArray[np.int64]:
    return tables[: layout.HEADER_SIZE].view(np.int64)


def _version() -> int:
    """Return a number that changes with the kernels, so that tables of another layout are rejected."""
    return int(sources_digest()[:15], 16)


def _checksum(tables: NDArray[np.uint8]) -> int:
    """Return 64 bits over all words after the fixed part of the header: a digest of the sums of all rows and all
    columns of ``_ROW`` words, since a digest of the words themselves would take many times as long. Swapping words
    changes sums, too."""
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
    """Return True if the sections are contiguous in the file, have the sizes implied by the header, and the section
    with constant bytes is correct."""
    header = _header(tables)
    first = layout.DIRECTORY // 8
    sections = header[first : first + 2 * layout.TABLE_SECTIONS].reshape(-1, 2).tolist()
    end = layout.HEADER_SIZE
    for start, size in sections:
        if start != end or not 0 <= size <= len(tables):
            return False
        end += -(-size // 64) * 64
    if end != len(tables):
        return False
    masks = sections[layout.MASKS][0]
    sizes = [size for _, size in sections]
    count, first_id, longest = header[[layout.TOKEN_COUNT // 8, layout.FIRST_ID // 8, layout.LONGEST // 8]].tolist()
    pairs = sizes[layout.CROSSINGS] - CROSSED_PAIRS
    return (
        0 < count <= MAX_TOKENS
        and 0 <= first_id <= MAX_TOKENS - count
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
    """Return True if a 64-bit hash shifted by ``shift`` is an index into a section of ``size`` bytes."""
    return 0 < int(shift) < 64 and size == width << (64 - int(shift))


_LONGEST = 1 << 16

Vocabulary = RankTable | PieceOrder
"""Tokens in merge order; for pieces also their ids."""


class UnsupportedVocabularyError(EngineError):
    """The kernels cannot encode with this vocabulary; another encoder is needed. The text gives the reason."""


def fingerprint_of(table: RankTable) -> bytes:
    """Return 32 bytes that identify a vocabulary."""
    digest = hashlib.sha256(f"{table.first_id} {len(table)} ".encode())
    digest.update(table.offsets.tobytes())
    digest.update(table.blob)
    return digest.digest()


def build_tables(vocabulary: Vocabulary, fingerprint: bytes) -> NDArray[np.uint8]:
    """Build the tables of a vocabulary: uint8[n], read-only. Raises UnsupportedVocabularyError."""
    table = vocabulary if isinstance(vocabulary, RankTable) else vocabulary.table
    _check(table)
    lengths = np.diff(table.offsets)
    sizes, shifts = _sizes(table, lengths)
    if isinstance(vocabulary, PieceOrder):
        sizes |= {layout.PIECE_IDS: vocabulary.ids.nbytes, layout.PIECE_SCAN: len(vocabulary.scan)}
    directory, size = lay_out(sizes, layout.TABLE_SECTIONS)
    tables = zeros(size)
    header = tables[: layout.HEADER_SIZE].view(np.int64)
    words = {
        layout.TOKEN_COUNT: len(table),
        layout.FIRST_ID: table.first_id,
        layout.LONGEST: int(lengths.max()),
        **shifts,
    }
    for word, value in words.items():
        header[word // 8] = value
    header[layout.DIRECTORY // 8 : layout.DIRECTORY // 8 + len(directory)] = directory
    _section(tables, layout.TOKEN_BYTES)[:] = np.frombuffer(table.blob, dtype=np.uint8)
    _section(tables, layout.TOKEN_OFFSETS).view(np.uint32)[:] = table.offsets
    _section(tables, layout.PAIRS)[:] = 0xFF
    _section(tables, layout.MASKS)[:] = KEY_MASKS
    unmerged = np.zeros(len(table), dtype=np.uint32)
    count = fill_tables(tables, unmerged)
    header[layout.UNREACHABLE // 8] = count
    if isinstance(vocabulary, PieceOrder):
        _section(tables, layout.PIECE_IDS).view(np.uint32)[:] = vocabulary.ids
        _section(tables, layout.PIECE_SCAN)[:] = vocabulary.scan
    _section(tables, layout.CROSSINGS)[:] = crossings_of(
        np.frombuffer(table.blob, dtype=np.uint8), table.offsets, unmerged[:count]
    )
    seal(tables, fingerprint)
    tables.flags.writeable = False
    return tables


_open: weakref.WeakValueDictionary[tuple[Path | None, bytes], NDArray[np.uint8]] = weakref.WeakValueDictionary()


def shared_tables(folder: Path | None, fingerprint: bytes, load: Callable[[], Vocabulary]) -> NDArray[np.uint8]:
    """Like ``open_tables``, but return the same array while it is in use: encodings that differ only in their special
    tokens, such as o200k_base and o200k_harmony, share their tables in memory."""
    tables = _open.get((folder, fingerprint))
    if tables is None:
        _open[folder, fingerprint] = tables = open_tables(folder, fingerprint, load)
    return tables


def open_tables(folder: Path | None, fingerprint: bytes, load: Callable[[], Vocabulary]) -> NDArray[np.uint8]:
    """Open the tables of a vocabulary: mapped from a file in ``folder`` if it exists, else built and, if possible,
    saved there. ``load`` returns the vocabulary, if it is needed. Raises UnsupportedVocabularyError."""
    path = None if folder is None else folder / f"{fingerprint.hex()[:32]}.tables"
    if path is not None and (tables := map_tables(path, fingerprint)) is not None:
        return tables
    tables = build_tables(load(), fingerprint)
    if path is not None and save_tables(tables, path):
        mapped = map_tables(path, fingerprint)
        return tables if mapped is None else mapped
    return tables


def crossings_in(tables: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return uint8[n], read-only: crossings with which a scanner splits pretokens further where no token crosses."""
    return _section(tables, layout.CROSSINGS)


def table_in(tables: NDArray[np.uint8]) -> RankTable:
    """Return the vocabulary that tables were built from. They contain all of it."""
    offsets = _section(tables, layout.TOKEN_OFFSETS).view(np.uint32).astype(np.int64)
    offsets.flags.writeable = False
    first_id = int(tables[: layout.HEADER_SIZE].view(np.int64)[layout.FIRST_ID // 8])
    return RankTable(first_id, _section(tables, layout.TOKEN_BYTES).tobytes(), offsets)


def spellings_in(tables: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return the bytes of all tokens, concatenated, and uint32[n + 1], the start of each in them: ``table_in`` without
    a copy. Both are read-only."""
    return _section(tables, layout.TOKEN_BYTES), _section(tables, layout.TOKEN_OFFSETS).view(np.uint32)


def ids_in(tables: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return uint32[n], read-only: the ids of the pieces, by number."""
    return _section(tables, layout.PIECE_IDS).view(np.uint32)


def scan_data_in(tables: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return uint8[n], read-only: the table that the scanner of pieces reads."""
    return _section(tables, layout.PIECE_SCAN)


def pairs_in(tables: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs that merge, unordered: int64[n] three times, the numbers of the left token, of the right token,
    and of their result. The number of a token is its id minus the first id."""
    slots = _section(tables, layout.PAIRS).view(np.int64)
    slots = slots[slots != -1]
    return slots >> (2 * NUMBER_BITS), (slots >> NUMBER_BITS) & NUMBER_MASK, slots & NUMBER_MASK


def _section(tables: NDArray[np.uint8], number: int) -> NDArray[np.uint8]:
    entry = layout.DIRECTORY // 8 + 2 * number
    start, size = tables[: layout.HEADER_SIZE].view(np.int64)[entry : entry + 2].tolist()
    return tables[start : start + size]


def _bits_for(entries: float) -> int:
    """Return the exponent of the smallest power of two that is at least ``entries`` and at least two."""
    return max(1, int(np.ceil(np.log2(max(entries, 2)))))


def _sizes(table: RankTable, lengths: NDArray[np.int64]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the sizes of all sections, in bytes, and the shifts that belong to them."""
    short = int(((lengths > 0) & (lengths < 16)).sum())
    line_bits = _bits_for(short / 1.6)  # at most 1.6 of the three slots of a line are filled on average
    pair_bits = _bits_for(len(table) / 5.5)  # at most 5.5 of the eight slots of a line
    long_bits = _bits_for(2 * int((lengths >= 16).sum()) + 2)
    sizes = {
        layout.LINES: 64 << line_bits,
        layout.LONGS: 8 << long_bits,
        layout.TOKEN_BYTES: len(table.blob),
        layout.TOKEN_OFFSETS: 4 * (len(table) + 1),
        layout.PAIRS: 64 << pair_bits,
        layout.BYTE_TOKENS: 4 * 256,
        layout.BIGRAMS: 4 * 65536,
        layout.CROSSINGS: CROSSINGS_SIZE,
        layout.MASKS: 16 * 16,
        layout.PIECE_IDS: 0,
        layout.PIECE_SCAN: 0,
    }
    shifts = {
        layout.LINE_SHIFT: 64 - line_bits,
        layout.LONG_SHIFT: 64 - long_bits,
        layout.PAIR_SHIFT: 64 - pair_bits,
    }
    return sizes, shifts


def _check(table: RankTable) -> None:
    """Raise UnsupportedVocabularyError if the tables cannot hold a vocabulary."""
    if len(table) > MAX_TOKENS or table.first_id + len(table) > MAX_TOKENS:
        raise UnsupportedVocabularyError(f"The vocabulary has more than {MAX_TOKENS:,} ids.")
    if len(table.blob) >= 1 << 31 or int(np.diff(table.offsets).max()) > _LONGEST:
        raise UnsupportedVocabularyError(f"The vocabulary has a token of more than {_LONGEST:,} bytes.")
    singles = table.offsets[:-1][np.diff(table.offsets) == 1]
    different = len(np.unique(np.frombuffer(table.blob, dtype=np.uint8)[singles]))
    if different < 256:
        raise UnsupportedVocabularyError(f"Only {different} of the 256 single bytes are tokens.")


# --- tokens by length -------------------------------------------------------------------------------------------------
#
# 200,000 tokens take 10 MB as Python objects, and 30 MB as dictionary keys. Small, short-lived objects among
# long-lived ones also leave holes that the interpreter cannot return to the system.
