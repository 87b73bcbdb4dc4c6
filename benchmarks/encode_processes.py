"""Measure the limit of the machine: two independent processes count the same text.

    python -m benchmarks.encode_processes ENCODING TEXT_FILE      # one of them; it counts once per line read

Two threads cannot be faster: two logical processors may share a core, and always share memory.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import engine
from benchmarks.encode_measures import PROJECT, open_own

ROUNDS = 5


def times_as_much(encoding: str, text_file: Path) -> float:
    """Return how much more two processes count in the same time than one; the best round of each counts."""
    command = [sys.executable, "-m", "benchmarks.encode_processes", encoding, str(text_file)]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT)
        for _ in range(2)
    ]
    try:
        for process in both:
            _answer(process)  # ready
        one = min(_seconds(both[:1]) for _ in range(ROUNDS))
        two = min(_seconds(both) for _ in range(ROUNDS))
    finally:
        for process in both:
            process.communicate()
    return 2 * one / two


def _seconds(processes: Sequence[subprocess.Popen[str]]) -> float:
    """Return the seconds until all processes have counted once."""
    started = time.perf_counter()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _answer(process)
    return time.perf_counter() - started


def _answer(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    if not process.stdout.readline():
        raise RuntimeError("a process that counts has ended")


def main() -> None:
    """Count once, and then once for every line read."""
    own = open_own(engine.get_encoding(sys.argv[1]))
    text = Path(sys.argv[2]).read_bytes().decode("utf-8", "ignore")
    own.native.warm_up()
    own.count(text)
    print(flush=True)
    for _ in sys.stdin:
        print(own.count(text), flush=True)


if __name__ == "__main__":
    main()
