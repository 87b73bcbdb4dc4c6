"""Compare our encoder with the oracles on millions of random strings.

    python -m benchmarks.differential [--minutes 10 | --strings 2000000] [--encoding NAME]... [--raw FOLDER]

The oracle is tiktoken's encoder, fed with the bundled ranks; with ``--raw``, the folder of the published vocabulary
files, it is the vendors' own: tiktoken, and tokenizers for DeepSeek. Strings mix all planes and scripts, whitespace of
every kind, contractions in every case, digits and marks of many scripts, unassigned characters, and long repetitions
(see ``tests/engine/differential.py`` for the comparison). ``--strings`` is per encoding; encodings that differ only in
special tokens share most of the work; ``llama3`` is that split with other ranks. The seed is printed: ``--seed``
repeats the same strings, ``--round`` those of one round. ``TOKENLOUPE_CHECKED=1`` verifies every memory access. Exits
with 1 on the first difference.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.kernels.cache_folder import is_checked
from tests.engine.differential import ALL_NAMES, Case, compare_round, open_cases, random_strings

ROUND = 2_000
"""Number of strings per round."""
PROGRESS = 250_000
"""Number of strings between progress lines."""

_cases: list[Case] = []


@dataclass(frozen=True, slots=True)
class Outcome:
    """Strings compared in a round, and the difference found, if any."""

    number: int
    texts: int
    utf8_bytes: int
    found: str


def prepare(names: list[str], raw: Path | None) -> None:
    """Open the encodings that this process compares."""
    _cases[:] = open_cases(names, raw)


def run_round(seed: int, number: int) -> Outcome:
    """Compare one round in all encodings."""
    strings = random_strings(seed, number, ROUND)
    size = sum(len(text.encode("utf-8")) for text in strings)
    for case in _cases:
        if found := compare_round(case, seed, number, strings):
            return Outcome(number, len(strings), size, str(found))
    return Outcome(number, len(strings), size, "")


def outcomes(pool: ProcessPoolExecutor, seed: int, rounds: Iterator[int], ahead: int) -> Iterator[Outcome]:
    """Yield the outcomes of rounds as they complete, with ``ahead`` rounds submitted at a time."""
    waiting: set[Future[Outcome]] = set()
    for number in rounds:
        waiting.add(pool.submit(run_round, seed, number))
        if len(waiting) >= ahead:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (one.result() for one in done)
    yield from (one.result() for one in waiting)


def rounds_until(until: float) -> Iterator[int]:
    """Yield numbers of rounds until a time of the monotonic clock."""
    number = 0
    while time.monotonic() < until:
        yield number
        number += 1


def chosen_rounds(options: argparse.Namespace) -> Iterator[int]:
    """Return the numbers of the requested rounds."""
    if options.round is not None:
        return iter([options.round])
    if options.strings is not None:
        return iter(range(-(-options.strings // ROUND)))
    return rounds_until(time.monotonic() + 60 * options.minutes)


def main() -> int:
    """Compare until the strings or the minutes are used up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--minutes", type=float, default=1.0)
    amount.add_argument("--strings", type=int, help="for each encoding, rounded up to whole rounds")
    amount.add_argument("--round", type=int, help="this one alone")
    parser.add_argument("--encoding", action="append", choices=ALL_NAMES)
    parser.add_argument("--raw", type=Path)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    names = options.encoding or list(ALL_NAMES)
    build = "the checked build" if is_checked() else "the ordinary build"
    print(f"seed {seed}, {build}, {'published' if options.raw else 'bundled'} ranks, {', '.join(names)}", flush=True)
    started = time.monotonic()
    texts = size = 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, context, prepare, (names, options.raw)) as pool:
        for one in outcomes(pool, seed, chosen_rounds(options), 2 * options.processes):
            if one.found:
                print(f"seed {seed}, round {one.number}: {one.found}")
                pool.shutdown(cancel_futures=True)
                return 1
            texts += one.texts
            size += one.utf8_bytes
            if texts % PROGRESS == 0:
                print(f"{texts:,} strings, {time.monotonic() - started:.0f} s", flush=True)
    seconds = time.monotonic() - started
    print(f"{texts:,} strings of {size / 1e6:.1f} MB in {len(names)} encodings, {seconds:.0f} s: no difference")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
