"""Replay the merges of random words in every bundled encoding, and compare the tokens with tiktoken's.

    python -m benchmarks.merge_replay [--words 100000] [--encoding NAME]... [--seed TEXT]

Each word is treated as one pretoken. Exits with 1 on a difference.
"""

from __future__ import annotations

import argparse
import random
import time

import engine
from tests.engine.random_words import first_difference, random_words


def main() -> int:
    """Compare and report. Return 0 if everything is equal."""
    parser = argparse.ArgumentParser(description="Compare replayed merges with tiktoken's tokens.")
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--encoding", action="append", choices=engine.list_encoding_names())
    parser.add_argument("--seed", default="merges")
    options = parser.parse_args()
    failed = False
    for name in options.encoding or engine.list_encoding_names():
        encoding = engine.get_encoding(name)
        started = time.perf_counter()
        words = random_words(random.Random(f"{options.seed} {name}"), encoding, options.words)
        different = first_difference(encoding, words)
        seconds = time.perf_counter() - started
        verdict = "equal" if different is None else f"DIFFERENT: {different!r}"
        print(f"{name:14} {options.words:>9,} words {seconds:6.1f} s  {verdict}", flush=True)
        failed |= different is not None
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
