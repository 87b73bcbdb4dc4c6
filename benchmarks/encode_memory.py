"""Open an encoding and stream 200 MB through it, in a process started by ``benchmarks.encode``.

    python -m benchmarks.encode_memory ENCODING TEXT_FILE...

Private memory is what the process would release if it ended, without unmodified pages of files, which can be read again
(the tables are such a file), and without free memory that the C library caches for the next texts, which on Linux is
trimmed before each measurement. It is measured after the kernels are loaded and another encoding is opened; then with
this encoding opened; then after the texts, which are freed one by one.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

import engine
from benchmarks.encode_measures import open_own

STREAMED = 200_000_000
PIECE = 1_000_000


def private_megabytes() -> float:
    """Return the private memory of this process, in MB; includes file pages if the system does not distinguish them."""
    if sys.platform == "linux":
        give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
        if give_back is not None:
            give_back(0)
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024 / 1e6
    return float(psutil.Process().memory_full_info().uss) / 1e6


def pieces(paths: list[Path]) -> Iterator[str]:
    """Yield texts of 1 MB, endlessly repeating the files."""
    for path in itertools.cycle(paths):
        with path.open("rb") as file:
            while content := file.read(PIECE):
                yield content.decode("utf-8", "ignore")


def main() -> None:
    """Print the figures as JSON."""
    name, paths = sys.argv[1], list(map(Path, sys.argv[2:]))
    other = open_own(engine.get_encoding("r50k_base"))
    other.native.warm_up()
    other.count("a text in several chunks, " * 20_000)
    encoding = engine.get_encoding(name)
    open_own(encoding)  # builds the tables if they do not exist
    times = []
    before = private_megabytes()
    for _ in range(5):
        started = time.perf_counter()
        own = open_own(encoding)
        times.append(time.perf_counter() - started)
    own.count("one text")
    opened = private_megabytes()
    for text in itertools.islice(pieces(paths), STREAMED // PIECE):
        own.count(text)
    del text
    streamed = private_megabytes()
    figures = {"milliseconds": statistics.median(times) * 1e3, "opened": opened - before, "streamed": streamed - opened}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
