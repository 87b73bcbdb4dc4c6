"""Working state of kernels: scratch space and caches, for one thread at a time."""

from __future__ import annotations

import contextlib
import mmap
import sys

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import uncompiled
from engine.kernels.lookup import SLOT
from engine.kernels.merging import BLOCK_BYTES, LANE, second_level, space_for
from engine.kernels.primitives import LINE

WORD_LINES = 1 << 10
"""Initial lines of the word cache: 64 KB."""
WORD_LINES_OF_LARGE = 1 << 13
"""Initial lines with large pages: 512 KB, which are cleared at once anyway."""
MAX_WORD_LINES = 1 << 17
"""Maximum lines: 8 MB, 262,144 words. Twice as many with large pages."""
WORDS_A_LINE = 0.375
"""Words per line from which the cache is doubled: a third word in a line is in the neighbouring one, which is
slower."""
SLOT_COUNT = 1 << 8
"""Initial slots of the cache of longer pretokens: 8 KB."""
MAX_SLOTS = 1 << 16
"""Maximum slots: 2 MB."""
PIECES_A_SLOT = 0.25
"""Pretokens per slot from which the cache is doubled."""
ARENA_BYTES = 1 << 22
LARGE_PAGE = 1 << 21


def lay_out(sizes: dict[int, int], sections: int) -> tuple[NDArray[np.int64], int]:
    """Return the directory of a flat array, int64[2 * sections] (start and size of each in bytes), and the array's
    size.

    Sections start at multiples of 64 bytes, in the order of their numbers.
    """
    directory = np.zeros(2 * sections, dtype=np.int64)
    end = layout.HEADER_SIZE
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
    room = size if large_from is None else size + LARGE_PAGE
    pages = mmap.mmap(-1, room, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
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
        layout.TOKEN_IDS: layout.BATCH * 4 + 2 * LINE,
        layout.SLOTS: MAX_SLOTS * SLOT,
        layout.ARENA: ARENA_BYTES,
        layout.KEYS: layout.BATCH * layout.KEY,
        layout.VALUES: layout.BATCH * 16,
        layout.MISSES: layout.BATCH * 4 + 64,
        layout.COLD: layout.BATCH * 4 + 64,
        layout.LANES: layout.LANE_COUNT * LANE,
        layout.ACTIVE: layout.LANE_COUNT * 4,
        layout.SCRATCH: 8 * BLOCK_BYTES,
        layout.QUEUE_HEADS: token_count * 4,
        layout.QUEUE_BITS: bit_words * 8 + ((bit_words >> 6) + 1) * 8,
        layout.BLOCK: uncompiled(space_for)(BLOCK_BYTES),
        layout.IDS: layout.LONGEST_CACHED * 4 + 64,
        layout.WORD_MISSES: layout.BATCH * 4 + 64,
        layout.LONG_MISSES: layout.BATCH * 4 + 64,
        layout.SPARE: spare,
        layout.WORDS: (2 if large_pages else 1) * MAX_WORD_LINES * LINE,
    }
    directory, size = lay_out(sizes, layout.STATE_SECTIONS)
    state = zeros(size, int(directory[2 * layout.SPARE]) if large_pages else None)
    header = state[: layout.HEADER_SIZE].view(np.int64)
    header[layout.DIRECTORY // 8 : layout.DIRECTORY // 8 + len(directory)] = directory
    header[layout.SIZE // 8] = size
    lines = min(WORD_LINES_OF_LARGE if large_pages else WORD_LINES, MAX_WORD_LINES)
    _begin_small(header, layout.WORDS, lines * LINE, int(lines * WORDS_A_LINE))
    slots = min(SLOT_COUNT, MAX_SLOTS)
    _begin_small(header, layout.SLOTS, slots * SLOT, int(slots * PIECES_A_SLOT))
    return state


def _begin_small(header: NDArray[np.int64], number: int, size: int, limit: int) -> None:
    """Limit a cache to the first bytes of its section until it holds more than ``limit`` entries."""
    entry = layout.DIRECTORY // 8 + 2 * number + 1
    limit_word, room_word = _GROWTH[number]
    header[limit_word // 8] = limit
    header[room_word // 8] = header[entry]
    header[entry] = size


_GROWTH = {
    layout.WORDS: (layout.WORD_LIMIT, layout.WORD_ROOM),
    layout.SLOTS: (layout.SLOT_LIMIT, layout.SLOT_ROOM),
}
