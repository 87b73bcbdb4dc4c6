"""Memory that the process can return while it is idle: rebuildable caches, and the machine code of loaded libraries.

*Caches.* An encoder that has counted ten megabytes has cached 200,000 words with their tokens, which halves the time
for the next text. A program that runs beside others should not hold that for a dozen encodings. Everything dropped here
is rebuilt in milliseconds when needed.

*Machine code.* The compiler behind numba is a library of 180 MB. Loading kernels that are already compiled touches a
third of it once and never again. Those pages would count as memory of the process until it ends.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol


class Cache(Protocol):
    """Holds a cache that it can rebuild."""

    def drop(self) -> None:
        """Drop the cache. May be called on any thread, while other threads use the cached data."""


_caches: weakref.WeakSet[Cache] = weakref.WeakSet()
_lock = threading.Lock()


def add(cache: Cache) -> None:
    """Register a cache with ``drop_all``. The registry holds a weak reference."""
    with _lock:
        _caches.add(cache)


def drop_all() -> None:
    """Drop all registered caches. Safe from any thread."""
    with _lock:
        registered = list(_caches)
    for cache in registered:
        cache.drop()


# --- code of libraries ------------------------------------------------------------------------------------------------

COMPILER = "libllvmlite.so"

_MAPS = Path("/proc/self/maps")
_address_ranges: dict[str, tuple[tuple[int, int], ...]] = {}


def release_code(library: str) -> bool:
    """Release the code pages of a library, given by its file name. Return False if the system does not support it.

    The pages equal the file, so a page that is needed again is read again. Linux keeps it in its page cache.
    """
    if not (_MAPS.exists() and hasattr(mmap, "MADV_DONTNEED")):
        return False
    ranges = _address_ranges.get(library) or tuple(_code_of(library))
    if ranges:  # the mapping never moves, and parsing all maps may take thousands of lines
        _address_ranges[library] = ranges
    for start, end in ranges:
        release_range(start, end - start)
    return True


def release_range(start: int, size: int) -> None:
    """Release unmodified file-backed pages by address. Requires ``mmap.MADV_DONTNEED``.

    Unlike ``mmap.mmap.madvise``, this releases the GIL.
    """
    _madvise()(start, size, mmap.MADV_DONTNEED)


@functools.cache
def _madvise() -> Callable[[int, int, int], int]:
    """Return ``madvise`` of the C library. Cached: each ``CDLL`` makes classes that only a full collection frees."""
    function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


def _code_of(library: str) -> Iterator[tuple[int, int]]:
    """Yield the mapped address ranges of a library's code. Only executable, read-only pages equal the file."""
    for line in _MAPS.read_text().splitlines():
        addresses, permissions, *rest = line.split(maxsplit=5)
        if permissions == "r-xp" and len(rest) == 4 and rest[3].endswith("/" + library):
            start, end = (int(number, 16) for number in addresses.split("-"))
            yield start, end
