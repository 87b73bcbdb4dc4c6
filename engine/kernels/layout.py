"""Layout of the two flat arrays that kernels work on, and their allocation. Both start with a header of 64-bit words.

The *tables* (``engine.vocabulary.tables``) are made from a vocabulary once and never change: they can be memory-mapped
from a file and shared by threads and processes. The *state* (``new_state``) is scratch space and caches, used by one
thread at a time. Both have a directory at the same offset, so that ``section`` serves both.

Within kernels a token is identified by its number, its position in merge order. Token ids are numbers plus
``FIRST_ID``. Results, and tables that results are read from, hold ids.
"""

from __future__ import annotations

import contextlib
import mmap
import sys

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, uncompiled
from engine.kernels.primitives import LINE, NUMBER_MASK, Span, load64, part

# Words of the header, as byte offsets. The first eight are the same in every version.
MAGIC = 0
VERSION = 8
SIZE = 16
CHECKSUM = 24
FINGERPRINT = 32  # four words

TOKEN_COUNT = 64  # tables: number of numbers, including unused ones
FIRST_ID = 72  # tables: id of number 0
LONGEST = 80  # tables: length of the longest token, in bytes
LINE_SHIFT = 88  # tables: hash >> shift is a line of LINES
LONG_SHIFT = 96  # tables: hash >> shift is a slot of LONGS
PAIR_SHIFT = 104  # tables: hash >> shift is a line of PAIRS
UNREACHABLE = 112  # tables: number of tokens that no merge makes
EPOCH = 120  # state: number of times that the arena was dropped
ARENA_USED = 128  # state: bytes of the arena in use
WORD_COUNT = 136  # state: number of words put into the cache
WORD_LIMIT = 144  # state: maximum word count before the cache is doubled
WORD_ROOM = 152  # state: maximum size of the cache, in bytes
SLOT_COUNT = 160  # state: likewise for the cache of longer pretokens
SLOT_LIMIT = 168
SLOT_ROOM = 176
LATE = 184  # tables: number of tokens that are merged from tokens of higher numbers

DIRECTORY = 192  # then start and size of each section, in bytes
HEADER_SIZE = 512

# Sections of the tables.
LINES = 0  # tokens of 1 to 15 bytes: lines of three 16-byte keys, three 32-bit ids, a 32-bit fill mark
LONGS = 1  # tokens of 16 bytes and more: 64-bit slots: 32 bits of hash, then number + 1; 0 is empty
TOKEN_BYTES = 2  # the bytes of all tokens in the order of their numbers
TOKEN_OFFSETS = 3  # uint32[TOKEN_COUNT + 1] into TOKEN_BYTES
PAIRS = 4  # merges: lines of eight 64-bit slots: left, right, result, 20 bits each; all ones is empty
BYTE_TOKENS = 5  # uint32[256]: number of each single byte
BIGRAMS = 6  # uint32[65536]: number << 6 of two bytes' token (first byte << 8 | second), or NO_MERGE
CROSSINGS = 7  # for splitting pretokens at additional boundaries, see ``engine.split.scanners.crossings_of``
MASKS = 8  # sixteen rows of 16 bytes: the first n bytes all ones
PIECE_IDS = 9  # of pieces (``engine.vocabulary.piece_order``): uint32[TOKEN_COUNT], the id of each number; or empty
PIECE_SCAN = 10  # likewise: for ``scan_pieces``
TABLE_SECTIONS = 11

# Sections of the state.
TOKEN_IDS = 0  # the batch: uint32 ids of the entries that are tokens
SLOTS = 1  # cache of longer pretokens: 32-byte slots: hash, epoch << 32 | offset in the arena, bytes, tokens; it grows
ARENA = 2  # bytes and ids of cached pretokens
KEYS = 3  # the batch: 32 bytes per entry: key (16 bytes), hash, start
VALUES = 4  # the batch: 16 bytes per entry, see ``lookup``; only of those that are not tokens
MISSES = 5  # the batch: uint32 numbers of the entries that are not tokens
COLD = 6  # the batch: uint32 numbers of the entries that are not cached
LANES = 7  # pretokens being merged, see ``merging``
ACTIVE = 8  # uint32 numbers of the lanes that are not done
SCRATCH = 9  # ids of one pretoken
QUEUE_HEADS = 10  # bucket queue: uint32 per rank; all zero between uses
QUEUE_BITS = 11  # bucket queue: which ranks are waiting; all zero between uses
BLOCK = 12  # bucket queue: space for a block of a long pretoken
IDS = 13  # ids of a pretoken of up to LONGEST_CACHED bytes
WORD_MISSES = 14  # the batch: those of MISSES that are words
LONG_MISSES = 15  # the batch: those of MISSES that are longer
SPARE = 16  # for any use by the caller
WORDS = 17  # cache of words of up to 15 bytes: lines of two 16-byte keys and their 16-byte values; it grows
STATE_SECTIONS = 18

NO_MERGE = 0xFFFFFFC0
"""Smallest 32-bit number that is not a merge. A merge is number << 6 | position."""

NO_TOKEN = NUMBER_MASK
"""Number that no token has: there are at most 2**20 - 1."""

BATCH = 1024
"""Pretokens looked up together. With more, loops wait less often for their first cache lines, but their data must stay
in the processor's caches."""
KEY = 32
"""Size of an entry of KEYS, in bytes: key (16 bytes), hash, start. For a pretoken of at least ``LONG_PRETOKEN`` bytes,
the first word is 0, and the second has ``LONG_PRETOKEN`` in its highest byte and the length in the rest."""
LONG_PRETOKEN = 16
"""Minimum length of a pretoken without a key, in bytes."""
LANE_COUNT = 16
"""Pretokens merged together."""
LANE_BYTES = 64
"""Maximum length of a pretoken in a lane, in bytes."""
LANE = 704
"""Size of a lane, in bytes, see ``merging``."""
BLOCK_BYTES = 512
"""Size of a block of a long pretoken, in bytes, see ``merging``."""
SLOT = 32
"""Size of an entry of SLOTS, in bytes."""
LONGEST_CACHED = 512
"""Maximum length of a cached pretoken, in bytes. Longer ones are encoded each time."""
BATCH_BYTES = 64 * LONGEST_CACHED
"""Maximum total length of the pretokens in a batch, in bytes: a batch has fewer long ones."""


@inline_kernel
def second_level(count: int) -> int:
    """Return the byte offset in QUEUE_BITS of the bits that mark the non-zero words of the first level."""
    return ((count >> 6) + 1) << 3


@inline_kernel
def space_for(size: int) -> int:
    """Return the working space that ``merge_queued`` needs for a pretoken, in bytes."""
    return 48 * size + 256


@inline_kernel
def section(whole: Span, number: int) -> Span:
    """Return the span of one section of the tables or the state."""
    entry = DIRECTORY + 16 * number
    return part(whole, load64(whole, entry), load64(whole, entry + 8))


WORD_LINES = 1 << 10
"""Initial lines of the word cache: 64 KB."""
WORD_LINES_OF_LARGE = 1 << 13
"""Initial lines with large pages: 512 KB, which are cleared at once anyway."""
MAX_WORD_LINES = 1 << 17
"""Maximum lines: 8 MB, 262,144 words. Twice as many with large pages."""
WORDS_A_LINE = 0.375
"""Words per line from which the cache is doubled: a third word in a line is in the neighbouring one, which is
slower."""
FIRST_SLOTS = 1 << 8
"""Initial slots of the cache of longer pretokens: 8 KB."""
MAX_SLOTS = 1 << 16
"""Maximum slots: 2 MB."""
PRETOKENS_A_SLOT = 0.25
"""Pretokens per slot from which the cache is doubled."""
ARENA_BYTES = 1 << 22
LARGE_PAGE = 1 << 21


def lay_out(sizes: dict[int, int], sections: int) -> tuple[NDArray[np.int64], int]:
    """Return the directory of a flat array, int64[2 * sections] (start and size of each in bytes), and the array's
    size.

    Sections start at multiples of 64 bytes, in the order of their numbers.
    """
    directory = np.zeros(2 * sections, dtype=np.int64)
    end = HEADER_SIZE
    for number in range(sections):
        directory[2 * number : 2 * number + 2] = end, sizes[number]
        end += -(-sizes[number] // 64) * 64
    return directory, end


def zeros(size: int, large_from: int | None = None) -> NDArray[np.uint8]:
    """Return uint8[size], zero, aligned to a cache line. Pages are allocated on first write and freed with the array.
    Memory from numpy may have been used before and would be cleared all at once.

    ``large_from``: a multiple of 64, the byte offset from which to use 2 MB pages if the system supports them; the
    start of the array is chosen to fit. Allocating two thousand 4 KB pages one by one takes longer than encoding a
    megabyte; but a 2 MB page takes as long for a few bytes as for all.
    """
    if sys.platform == "win32":
        return np.frombuffer(mmap.mmap(-1, size), dtype=np.uint8)
    mapped = size if large_from is None else size + LARGE_PAGE
    pages = mmap.mmap(-1, mapped, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    array = np.frombuffer(pages, dtype=np.uint8)
    if large_from is None:
        return array
    start = -(array.ctypes.data + large_from) % LARGE_PAGE
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # a system built without large pages
            pages.madvise(mmap.MADV_HUGEPAGE, start + large_from, (size - large_from) // LARGE_PAGE * LARGE_PAGE)
    return array[start : start + size]


def new_state(token_count: int, *, large_pages: bool = False, spare: int = 0) -> NDArray[np.uint8]:
    """Return a new state for a vocabulary of ``token_count`` tokens. It is about 15 MB, or 23 MB with ``large_pages``.
    Only used pages are allocated: gradually, or with ``large_pages``, in large steps for the word cache.

    ``spare``: size in bytes of section SPARE, for any use by the caller. It shares the pages of the words.
    """
    bit_words = uncompiled(second_level)(token_count) // 8
    sizes = {
        TOKEN_IDS: BATCH * 4 + 2 * LINE,
        SLOTS: MAX_SLOTS * SLOT,
        ARENA: ARENA_BYTES,
        KEYS: BATCH * KEY,
        VALUES: BATCH * 16,
        MISSES: BATCH * 4 + 64,
        COLD: BATCH * 4 + 64,
        LANES: LANE_COUNT * LANE,
        ACTIVE: LANE_COUNT * 4,
        SCRATCH: 8 * BLOCK_BYTES,
        QUEUE_HEADS: token_count * 4,
        QUEUE_BITS: bit_words * 8 + ((bit_words >> 6) + 1) * 8,
        BLOCK: uncompiled(space_for)(BLOCK_BYTES),
        IDS: LONGEST_CACHED * 4 + 64,
        WORD_MISSES: BATCH * 4 + 64,
        LONG_MISSES: BATCH * 4 + 64,
        SPARE: spare,
        WORDS: (2 if large_pages else 1) * MAX_WORD_LINES * LINE,
    }
    directory, size = lay_out(sizes, STATE_SECTIONS)
    state = zeros(size, int(directory[2 * SPARE]) if large_pages else None)
    header = state[:HEADER_SIZE].view(np.int64)
    header[DIRECTORY // 8 : DIRECTORY // 8 + len(directory)] = directory
    header[SIZE // 8] = size
    lines = min(WORD_LINES_OF_LARGE if large_pages else WORD_LINES, MAX_WORD_LINES)
    header[WORD_LIMIT // 8] = int(lines * WORDS_A_LINE)
    header[WORD_ROOM // 8] = _shrink(header, WORDS, lines * LINE)
    slots = min(FIRST_SLOTS, MAX_SLOTS)
    header[SLOT_LIMIT // 8] = int(slots * PRETOKENS_A_SLOT)
    header[SLOT_ROOM // 8] = _shrink(header, SLOTS, slots * SLOT)
    return state


def _shrink(header: NDArray[np.int64], number: int, size: int) -> int:
    """Limit a section to its first ``size`` bytes. Return its full size."""
    entry = DIRECTORY // 8 + 2 * number + 1
    full_size = int(header[entry])
    header[entry] = size
    return full_size
