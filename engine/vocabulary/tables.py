"""The tables of a vocabulary: built once, kept in a file, mapped from it afterwards (``engine.vocabulary.table_file``).

One flat array; ``engine.kernels.layout`` says what is where.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.kernels import layout
from engine.kernels.build import fill_tables
from engine.kernels.lookup import KEY_MASKS
from engine.kernels.state import lay_out, zeros
from engine.split.scan_tables import CROSSINGS_SIZE, crossings_of
from engine.vocabulary.bundle_format import RankTable
from engine.vocabulary.piece_order import PieceOrder
from engine.vocabulary.table_file import MOST_TOKENS, map_tables, save_tables, seal

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
