"""Code that was let go of runs as before."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from engine.runtime.caches import release_code

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux is told")


def resident_code(library: str) -> int:
    """Kilobytes of code pages that are in memory."""
    found, total = False, 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            found = words[1] == "r-xp" and words[-1].endswith("/" + library)
        elif found and words[0] == "Rss:":
            total += int(words[1])
    return total


def test_code_is_let_go_of_and_comes_back():
    library = Path(np.linalg._umath_linalg.__file__).name  # one that nothing else uses just now
    matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    before = np.linalg.inv(matrix)
    resident = resident_code(library)
    assert resident > 0
    assert release_code(library)
    assert resident_code(library) < resident
    assert np.array_equal(np.linalg.inv(matrix), before)
    resident = resident_code(library)
    assert release_code(library)  # as often as one likes
    assert resident_code(library) < resident
    assert np.array_equal(np.linalg.inv(matrix), before)


def test_a_library_that_is_not_there_is_none():
    assert release_code("libnothing.so")
