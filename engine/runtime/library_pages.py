"""The pages of a loaded library's machine code, and letting go of them.

The compiler behind numba is a library of 180 MB. Loading kernels that are compiled already runs through a third of it
once, and never again; those pages would count as memory of the process until its end.
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
    """Let go of the code pages of a library, by the name of its file. False where the system has no such thing.

    They are as they are in the file, so a page that is needed again is read again; Linux keeps it in its file cache.
    """
    if not (_MAPS.exists() and hasattr(mmap, "MADV_DONTNEED")):
        return False
    places = _places.get(library) or tuple(_code_of(library))
    if places:  # it stays there until the end; the list of all that is mapped may have thousands of lines
        _places[library] = places
    for start, end in places:
        release_range(start, end - start)
    return True


def release_range(start: int, size: int) -> None:
    """Let go of pages that are as they are in a file, by their address. Only where there is ``mmap.MADV_DONTNEED``.

    Unlike the method of a ``mmap.mmap`` this releases the interpreter.
    """
    _madvise()(start, size, mmap.MADV_DONTNEED)


@functools.cache
def _madvise() -> Callable[[int, int, int], int]:
    """That of the C library. Once: each ``CDLL`` makes classes that only a full collection frees."""
    function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


def _code_of(library: str) -> Iterator[tuple[int, int]]:
    """Where the system has mapped code of a library: only what can be run and cannot be written is as in the file."""
    for line in _MAPS.read_text().splitlines():
        place, allowed, *rest = line.split(maxsplit=5)
        if allowed == "r-xp" and len(rest) == 4 and rest[3].endswith("/" + library):
            start, end = (int(number, 16) for number in place.split("-"))
            yield start, end
