"""The state that kernels work in: scratch space and caches, for one thread at a time."""

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
from engine.kernels.vectors import LINE

WORD_LINES = 1 << 10
"""Lines of the cache of words at first: 64 KB."""
WORD_LINES_OF_LARGE = 1 << 13
"""Lines at first where pages are large: 512 KB, which are cleared anyhow."""
MOST_WORD_LINES = 1 << 17
"""Lines at most: 8 MB, 262,144 words. Twice as many where pages are large."""
WORDS_A_LINE = 0.375
"""With more words, the cache is doubled: a third in a line stands in the one beside, which takes longer to look up."""
SLOT_COUNT = 1 << 8
"""Slots of the cache of longer pieces at first: 8 KB."""
MOST_SLOTS = 1 << 16
"""Slots at most: 2 MB."""
PIECES_A_SLOT = 0.25
"""With more pieces, the cache is doubled."""
ARENA_BYTES = 1 << 22
LARGE_PAGE = 1 << 21


def lay_out(sizes: dict[int, int], sections: int) -> tuple[NDArray[np.int64], int]:
    """The directory of a flat array, int64[2 * sections] (start and size in bytes of each), and the array's size.

    Sections start at multiples of 64 bytes, in the order of their numbers.
    """
    directory = np.zeros(2 * sections, dtype=np.int64)
    end = layout.HEADER_SIZE
    for number in range(sections):
        directory[2 * number : 2 * number + 2] = end, sizes[number]
        end += -(-sizes[number] // 64) * 64
    return directory, end


def zeros(size: int, large_from: int | None = None) -> NDArray[np.uint8]:
    """uint8[size], zero, starting at a cache line. Pages become real when they are first written to, and are given back
    with the array; memory from numpy may have been used before, and is then cleared all at once.

    ``large_from``: a multiple of 64, from which on they are to become real 2 MB at a time where the system can, so that
    the array starts wherever that makes it. Two thousand of 4 KB, one by one, take longer than encoding a megabyte; but
    one of 2 MB takes as long for a few bytes as for all.
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
        with contextlib.suppress(OSError):  # a system built without them
            pages.madvise(mmap.MADV_HUGEPAGE, start + large_from, (size - large_from) // LARGE_PAGE * LARGE_PAGE)
    return array[start : start + size]


def new_state(token_count: int, *, large_pages: bool = False, spare: int = 0) -> NDArray[np.uint8]:
    """A fresh state for a vocabulary of so many tokens. It is about 15 MB, or 23 MB with ``large_pages``, of which only
    what is used becomes real: little by little, or with ``large_pages`` the cache of words in large steps.

    ``spare``: bytes for whatever the caller wants, in the section of that name, which shares the pages of the words.
    """
    bit_words = uncompiled(second_level)(token_count) // 8
    sizes = {
        layout.TOKEN_IDS: layout.BATCH * 4 + 2 * LINE,
        layout.SLOTS: MOST_SLOTS * SLOT,
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
        layout.WORDS: (2 if large_pages else 1) * MOST_WORD_LINES * LINE,
    }
    directory, size = lay_out(sizes, layout.STATE_SECTIONS)
    state = zeros(size, int(directory[2 * layout.SPARE]) if large_pages else None)
    header = state[: layout.HEADER_SIZE].view(np.int64)
    header[layout.DIRECTORY // 8 : layout.DIRECTORY // 8 + len(directory)] = directory
    header[layout.SIZE // 8] = size
    lines = min(WORD_LINES_OF_LARGE if large_pages else WORD_LINES, MOST_WORD_LINES)
    _begin_small(header, layout.WORDS, lines * LINE, int(lines * WORDS_A_LINE))
    slots = min(SLOT_COUNT, MOST_SLOTS)
    _begin_small(header, layout.SLOTS, slots * SLOT, int(slots * PIECES_A_SLOT))
    return state


def _begin_small(header: NDArray[np.int64], number: int, size: int, limit: int) -> None:
    """Have a cache take only the first bytes of its section until it holds more than ``limit``."""
    entry = layout.DIRECTORY // 8 + 2 * number + 1
    limit_word, room_word = _GROWTH[number]
    header[limit_word // 8] = limit
    header[room_word // 8] = header[entry]
    header[entry] = size


_GROWTH = {
    layout.WORDS: (layout.WORD_LIMIT, layout.WORD_ROOM),
    layout.SLOTS: (layout.SLOT_LIMIT, layout.SLOT_ROOM),
}
