"""How fast encodings open, what memory they take, and what a keystroke costs in a long text.

    python benchmarks/engine_speed.py [TEXT_FILE]

Each encoding is opened in a fresh process. The text (10 MB of the file, repeated where it is shorter; of this
project's own source without one) is then edited in the middle, with and without counting in four more encodings.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import engine
from engine import EditedText, TextEdit

PROJECT = Path(__file__).resolve().parents[1]
TEXT_BYTES = 10_000_000
FIVE = ("o200k_base", "cl100k_base", "qwen", "deepseek", "tekken")

OPENING = """
import sys, time, numpy, psutil, tiktoken, engine.catalog
before = psutil.Process().memory_info().rss
started = time.perf_counter()
for name in sys.argv[1:]:
    engine.get_encoding(name).count("hello world")
seconds = time.perf_counter() - started
print(f"{' '.join(sys.argv[1:]):50} first count {seconds * 1000:4.0f} ms, "
      f"+{(psutil.Process().memory_info().rss - before) / 1e6:4.0f} MB")
"""


def percentiles(seconds: list[float]) -> str:
    """The middle, the 99th of a hundred, and the worst of some times."""
    p50, p99, worst = np.percentile(np.array(seconds) * 1000, [50, 99, 100])
    return f"p50 {p50:.3f}  p99 {p99:.3f}  max {worst:.3f} ms"


def timed_edits(edited: EditedText, positions: list[int], letters: str) -> list[float]:
    """Seconds that each edit took: a letter put in at each position."""
    times = []
    for number, position in enumerate(positions):
        edit = TextEdit(position, 0, letters[number % len(letters)])
        started = time.perf_counter()
        edited.apply([edit])
        times.append(time.perf_counter() - started)
    return times


def long_text(path: Path | None) -> str:
    """Ten megabytes to edit."""
    files = [path] if path else sorted((PROJECT / "engine").glob("*.py"))
    content = b"".join(file.read_bytes() for file in files)
    return (content * (TEXT_BYTES // len(content) + 1))[:TEXT_BYTES].decode("utf-8", "ignore")


def main() -> None:
    """Print the figures."""
    for names in (*((name,) for name in engine.list_encoding_names()), FIVE):
        subprocess.run([sys.executable, "-c", OPENING, *names], check=True, cwd=PROJECT)
    text = long_text(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    encodings = [engine.get_encoding(name) for name in FIVE]
    for encoding in encodings:
        encoding.count("")
    edited = EditedText(encodings[0])
    started = time.perf_counter()
    edited.reset(text)
    print(f"encode 10 MB anew: {time.perf_counter() - started:.2f} s, {edited.token_count:,} tokens")
    middle = edited.statistics.utf16_units // 2
    for watched in ([], encodings[1:]):
        edited.watch(watched)
        started = time.perf_counter()
        edited.catch_up(600)
        print(f"count in {len(watched)} more: {time.perf_counter() - started:.2f} s")
        typed = timed_edits(edited, [middle + i for i in range(500)], "the quick ")
        print(f"  a keystroke where the last one was: {percentiles(typed)}")
        rng = random.Random(1)
        jumps = timed_edits(edited, [rng.randrange(2 * middle) for _ in range(100)], "x")
        print(f"  a keystroke somewhere else:         {percentiles(jumps)}")


if __name__ == "__main__":
    main()
