"""The tables of a vocabulary that kernels read: built once, kept in a file, mapped into memory afterwards.

Tables are one flat array; ``engine.kernels.layout`` says what is where. ``build_tables`` makes them; ``open_tables``
and ``shared_tables`` map them from their file if it is there. A mapped file costs no memory of its own: its pages
belong to the system's file cache and are shared by all threads and processes.

A file that is there is not trusted. Before anybody uses it, ``map_tables`` verifies it in three ways:

* its size, version and vocabulary are compared with what they have to be, and its directory is checked,
* a checksum over all of it finds what was damaged or cut off, wherever that is,
* every number that kernels use as a place is checked (``engine.kernels.build``): so even a file that somebody has
  made up, checksum included, cannot lead a kernel out of its memory.

The last two read all of the file, which takes some milliseconds. So their outcome is noted in a second file beside it,
with what the system says of the file that was read: which one it is, its size, and when it was last written to or
otherwise changed. As long as the system says the same, it is the same file with the same content, and only the first
check is repeated. A file that is so new that a later change could bear the same time is not noted (as git does with its
index).

None of this can tell whether somebody has put other tokens in, with a new checksum, or a note on a file that nobody
read: but who can write to that folder can put other machine code there, too. Nor can it keep others from changing the
file while it is in use; Tokenloupe itself replaces such files and never writes into one.
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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.kernels import layout
from engine.kernels.block_algebra import CROSSED_PAIRS
from engine.kernels.build import contents_are_sound, fill_tables
from engine.kernels.cache_folder import keep, sources_digest
from engine.kernels.lookup import KEY_MASKS
from engine.kernels.plain_scanners import SCAN_SIZE
from engine.kernels.state import lay_out, zeros
from engine.runtime.cancellation import interruptible
from engine.runtime.library_pages import release_range
from engine.split.scan_tables import CROSSINGS_SIZE, crossings_of
from engine.vocabulary.bundle import RankTable
from engine.vocabulary.piece_order import PieceOrder

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


_LONGEST = 1 << 16

Vocabulary = RankTable | PieceOrder
"""Tokens in the order of merging; of pieces also their ids."""


class UnsupportedVocabularyError(EngineError):
    """The kernels cannot encode with this vocabulary; another encoder has to. The text says why."""


def fingerprint_of(table: RankTable) -> bytes:
    """32 bytes that tell vocabularies apart."""
    digest = hashlib.sha256(f"{table.first_id} {len(table)} ".encode())
    digest.update(table.offsets.tobytes())
    digest.update(table.blob)
    return digest.digest()


def build_tables(vocabulary: Vocabulary, fingerprint: bytes) -> NDArray[np.uint8]:
    """The tables of a vocabulary: uint8[n], read-only. UnsupportedVocabularyError."""
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
    """The same as ``open_tables``, and the same array for all who use it at a time: encodings that differ in their
    special tokens only, such as o200k_base and o200k_harmony, have their tables in memory once."""
    tables = _open.get((folder, fingerprint))
    if tables is None:
        _open[folder, fingerprint] = tables = open_tables(folder, fingerprint, load)
    return tables


def open_tables(folder: Path | None, fingerprint: bytes, load: Callable[[], Vocabulary]) -> NDArray[np.uint8]:
    """The tables of a vocabulary: mapped from a file in ``folder`` if it is there, else built, and kept there if that
    is possible. ``load`` gives the vocabulary, if it is needed. UnsupportedVocabularyError."""
    path = None if folder is None else folder / f"{fingerprint.hex()[:32]}.tables"
    if path is not None and (tables := map_tables(path, fingerprint)) is not None:
        return tables
    tables = build_tables(load(), fingerprint)
    if path is not None and save_tables(tables, path):
        mapped = map_tables(path, fingerprint)
        return tables if mapped is None else mapped
    return tables


def crossings_in(tables: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What a scanner needs to cut pretokens further where no token crosses: uint8[n], read-only."""
    return _section(tables, layout.CROSSINGS)


def table_in(tables: NDArray[np.uint8]) -> RankTable:
    """The vocabulary that tables were made from: they have all of it."""
    offsets = _section(tables, layout.TOKEN_OFFSETS).view(np.uint32).astype(np.int64)
    offsets.flags.writeable = False
    first_id = int(tables[: layout.HEADER_SIZE].view(np.int64)[layout.FIRST_ID // 8])
    return RankTable(first_id, _section(tables, layout.TOKEN_BYTES).tobytes(), offsets)


def ids_in(tables: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """uint32[n], read-only: the ids of the numbers of pieces."""
    return _section(tables, layout.PIECE_IDS).view(np.uint32)


def scan_data_in(tables: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """uint8[n], read-only: what the scanner of pieces asks."""
    return _section(tables, layout.PIECE_SCAN)


def pairs_in(tables: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All pairs that merge, in no order: int64[n] three times, the numbers of the left token, of the right one, and of
    the one they become. The number of a token is its id less the first id."""
    slots = _section(tables, layout.PAIRS).view(np.int64)
    slots = slots[slots != -1]
    mask = layout.NUMBER_MASK
    return slots >> (2 * layout.NUMBER_BITS), (slots >> layout.NUMBER_BITS) & mask, slots & mask


def _section(tables: NDArray[np.uint8], number: int) -> NDArray[np.uint8]:
    entry = layout.DIRECTORY // 8 + 2 * number
    start, size = tables[: layout.HEADER_SIZE].view(np.int64)[entry : entry + 2].tolist()
    return tables[start : start + size]


def _bits_for(entries: float) -> int:
    """Exponent of the power of two that is at least so large, and two."""
    return max(1, int(np.ceil(np.log2(max(entries, 2)))))


def _sizes(table: RankTable, lengths: NDArray[np.int64]) -> tuple[dict[int, int], dict[int, int]]:
    """Sizes in bytes of all sections, and the shifts that belong to them."""
    short = int(((lengths > 0) & (lengths < 16)).sum())
    line_bits = _bits_for(short / 1.6)  # of three places a line, 1.6 at most are filled on average
    pair_bits = _bits_for(len(table) / 5.5)  # of eight places a line, five and a half at most
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
    """Refuse what the tables have no room for."""
    if len(table) > MOST_TOKENS or table.first_id + len(table) > MOST_TOKENS:
        raise UnsupportedVocabularyError(f"The vocabulary has more than {MOST_TOKENS:,} ids.")
    if len(table.blob) >= 1 << 31 or int(np.diff(table.offsets).max()) > _LONGEST:
        raise UnsupportedVocabularyError(f"The vocabulary has a token of more than {_LONGEST:,} bytes.")
    singles = table.offsets[:-1][np.diff(table.offsets) == 1]
    different = len(np.unique(np.frombuffer(table.blob, dtype=np.uint8)[singles]))
    if different < 256:
        raise UnsupportedVocabularyError(f"Only {different} of the 256 single bytes are tokens.")


# --- tokens by length -------------------------------------------------------------------------------------------------
#
# Two hundred thousand tokens take 10 MB as Python objects, and 30 MB as keys of dictionaries. Small, short-lived
# objects among long-lived ones also leave holes that the interpreter cannot give back.


class Alike(NamedTuple):
    """Tokens of one length. ``places``: int64[k], ascending, where they stand in the vocabulary. ``tokens``:
    void[k] of that length: their bytes, which are ordered as ``bytes`` are."""

    places: NDArray[np.int64]
    tokens: NDArray[np.void]


def tokens_by_length(
    blob: bytes, offsets: NDArray[np.int64], wanted: NDArray[np.bool_] | None = None
) -> dict[int, Alike]:
    """The tokens ``blob[offsets[i]:offsets[i + 1]]`` by their length in bytes, empty ones left out, and those that are
    not ``wanted`` (bool[n])."""
    values = np.frombuffer(blob, dtype=np.uint8)
    lengths = np.diff(offsets)
    if wanted is not None:
        lengths = np.where(wanted, lengths, 0)
    found: dict[int, Alike] = {}
    for length in interruptible(np.unique(lengths[lengths > 0]).tolist(), every=1):
        places = np.flatnonzero(lengths == length)
        content = values[offsets[places][:, np.newaxis] + np.arange(length)]
        found[length] = Alike(places, content.view(f"V{length}").reshape(-1))
    return found


def none_of(length: int) -> Alike:
    """No tokens of a length."""
    return Alike(np.empty(0, dtype=np.int64), np.empty(0, dtype=f"V{length}"))
