"""The pages of a loaded library's machine code, and letting go of them.

The compiler behind numba is a library of 180 MB. Loading kernels that are compiled already runs through a third of it
once, and never again; those pages would count as memory of the process until its end.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from pathlib import Path

COMPILER = "libllvmlite.so"

_MAPS = Path("/proc/self/maps")


def release_code(library: str) -> bool:
    """Let go of the code pages of a library, by the name of its file. False where the system has no such thing.

    They are as they are in the file, so a page that is needed again is read again; Linux keeps it in its file cache.
    """
    if not (_MAPS.exists() and hasattr(mmap, "MADV_DONTNEED")):
        return False
    madvise = ctypes.CDLL(None, use_errno=True).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for start, end in _code_of(library):
        madvise(start, end - start, mmap.MADV_DONTNEED)
    return True


def _code_of(library: str) -> Iterator[tuple[int, int]]:
    """Where the system has mapped code of a library: only what can be run and cannot be written is as in the file."""
    for line in _MAPS.read_text().splitlines():
        place, allowed, *rest = line.split(maxsplit=5)
        if allowed == "r-xp" and len(rest) == 4 and rest[3].endswith("/" + library):
            start, end = (int(number, 16) for number in place.split("-"))
            yield start, end
