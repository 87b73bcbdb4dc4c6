"""The state that kernels work in: scratch space and caches, for one thread at a time."""

from __future__ import annotations

import contextlib
import mmap
import sys

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import uncompiled
from engine.kernels.lanes import LANE
from engine.kernels.queue import BLOCK_BYTES, second_level, space_for

WORD_LINES = 1 << 17
"""Lines of the cache of words: 8 MB, 262,144 words. Twice as many where words are many."""
SLOT_COUNT = 1 << 16
"""Slots of the cache of longer pieces: 2 MB."""
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


def new_state(token_count: int, *, large_pages: bool = False, many_words: bool = False) -> NDArray[np.uint8]:
    """A fresh state for a vocabulary of so many tokens. It is about 15 MB, or 23 MB for ``many_words``, of which only
    what is used becomes real: little by little, or with ``large_pages`` the cache of words in large steps."""
    bit_words = uncompiled(second_level)(token_count) // 8
    sizes = {
        layout.TOKEN_IDS: layout.BATCH * 4 + 64,
        layout.SLOTS: SLOT_COUNT * 32,
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
        layout.WORDS: (2 if many_words else 1) * WORD_LINES * 64,
    }
    directory, size = lay_out(sizes, layout.STATE_SECTIONS)
    state = zeros(size, int(directory[2 * layout.WORDS]) if large_pages else None)
    header = state[: layout.HEADER_SIZE].view(np.int64)
    header[layout.DIRECTORY // 8 : layout.DIRECTORY // 8 + len(directory)] = directory
    header[layout.SIZE // 8] = size
    return state
