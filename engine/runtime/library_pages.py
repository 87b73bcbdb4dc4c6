"""Release of memory pages that hold a loaded library's machine code.

The compiler behind numba is a library of 180 MB. Loading kernels that are already compiled touches a third of it once
and never again. Those pages would count as memory of the process until it ends.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from collections.abc import Callable, Iterator
from pathlib import Path

COMPILER = "libllvmlite.so"

_MAPS = Path("/proc/self/maps")
_places: dict[str, tuple[tuple[int, int], ...]] = {}


def release_code(library: str) -> bool:
    """Release the code pages of a library, given by its file name. Return False if the system does not support it.

    The pages equal the file, so a page that is needed again is read again. Linux keeps it in its page cache.
    """
    if not (_MAPS.exists() and hasattr(mmap, "MADV_DONTNEED")):
        return False
    places = _places.get(library) or tuple(_code_of(library))
    if places:  # the mapping never moves, and parsing all maps may take thousands of lines
        _places[library] = places
    for start, end in places:
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
        place, allowed, *rest = line.split(maxsplit=5)
        if allowed == "r-xp" and len(rest) == 4 and rest[3].endswith("/" + library):
            start, end = (int(number, 16) for number in place.split("-"))
            yield start, end
