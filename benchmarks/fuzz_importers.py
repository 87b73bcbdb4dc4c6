"""Damaged tokenizer files, by the thousand: ``python -m benchmarks.fuzz_importers [--files N] [--seed N]``.

Each importer is given so many damaged versions of a good file, in a process of its own. Any other outcome than an
encoding or a sentence ends it. What is told: how many were refused, the longest time that one took (processor time of
this process and its children), and the most memory that this process ever had.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

from tests.engine.formats.damage import damaged
from tests.engine.formats.test_hostile_files import IMPORTERS

MOST_SECONDS = 2.0
MOST_BYTES = 500 << 20


def processor_seconds() -> float:
    """Used by this process and its children that have ended."""
    return float(sum(psutil.Process().cpu_times()[:4]))


def fuzz(importer: str, files: int, seed: int) -> tuple[int, float, int]:
    """How many files were refused, the longest seconds, and the growth of this process's memory in bytes."""
    from engine.errors import FormatError
    from engine.formats.opening import open_tokenizer

    name, make = IMPORTERS[importer]
    refused, longest, most = 0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        good = make(Path(folder))
        at_rest = psutil.Process().memory_info().rss
        for content in damaged(good, files, seed):
            path.write_bytes(content)
            before = processor_seconds()
            try:
                open_tokenizer(path, pattern="gpt2", checked=True).encoding.count("the cat and the dog")
            except FormatError:
                refused += 1
            longest = max(longest, processor_seconds() - before)
            most = max(most, psutil.Process().memory_info().rss - at_rest)
    return refused, longest, most


def main() -> int:
    """Returns 1 where a limit was passed, or an importer ended otherwise than it should."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--importer", choices=IMPORTERS, help="this one, in this process")
    wanted = parser.parse_args()
    if wanted.importer is None:
        # One process each: a crash is seen as one, and memory is that of this importer.
        command = [sys.executable, "-m", "benchmarks.fuzz_importers"]
        numbers = ["--files", str(wanted.files), "--seed", str(wanted.seed)]
        print(f"{'importer':<26} {'files':>6} {'refused':>8} {'longest s':>10} {'most MB':>8}", flush=True)
        ends = [subprocess.run([*command, *numbers, "--importer", one], check=False).returncode for one in IMPORTERS]
        return int(any(ends))
    refused, longest, most = fuzz(wanted.importer, wanted.files, wanted.seed)
    print(f"{wanted.importer:<26} {wanted.files:>6} {refused:>8} {longest:>10.2f} {most / 1e6:>8.0f}", flush=True)
    return 0 if longest < MOST_SECONDS and most < MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
