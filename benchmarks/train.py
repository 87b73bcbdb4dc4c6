"""Measure training: our trainer beside Hugging Face's ``tokenizers`` and rustbpe, in one run.

    python -m benchmarks.train [--vocab-size 32000] [--rounds 1] [--markdown] [--only peers]
    python -m benchmarks.train --verify

Same text, same split (cl100k), same vocabulary size; from the file to the merges, including counting. Each trainer runs
in its own process, twice, and the second run is timed; the trainers take turns, and the figures are medians. One thread
is compared in CPU seconds, two in wall-clock seconds. *Memory* is the peak above the memory of the process before it
read the text. ``--verify`` compares all merges with each peer's, in the peer's order of ties. Missing peers are listed.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.train_peers import OURS, TRAINERS, TWINS, installed_peers, same_merges, train_ours
from benchmarks.train_texts import corpus_files, write_folder
from engine import TrainingRun

PROJECT = Path(__file__).resolve().parents[1]
LIMITS = {
    "tokenizers": {"english": (17, 25), "python": (35, 50), "multilingual": (40, 60)},
    "rustbpe": {"english": (7, 10), "python": (16, 20), "multilingual": (15, 20)},
}
"""Speed-up over a peer on one thread: limit and aim."""
MEMORY_LIMITS = {"english": 0.35, "python": 0.3, "multilingual": 0.3}
"""Maximum memory in relation to that of ``tokenizers``."""
SLICE_SECONDS = 0.03
LARGE_MEGABYTES, LARGE_VOCABULARY = 200, 100_000
PARTS = ("peers", "counting", "slices", "large")


@dataclass(frozen=True)
class Figures:
    """Result of one run: seconds, CPU seconds, and peak memory in MB."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def memory_kb(name: str) -> int:
    """Return a figure of this process's memory in KB: VmRSS (current) or VmHWM (peak)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def run_here(trainer: str, path: Path, vocab_size: int, threads: int) -> Figures:
    """Run twice in this process: measure the memory of the first run, and the time of the second.

    In the second run everything is loaded and memory is allocated. Memory is only known on Linux, and 0 elsewhere.
    """
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.txt")
        small.write_text("She sells sea shells on the sea shore. " * 100, encoding="utf-8")
        train(trainer, small, 300, threads)
    marks = Path("/proc/self/clear_refs")
    if marks.exists():
        marks.write_text("5", encoding="ascii")  # reset the peak to the current memory
    before = memory_kb("VmRSS") if marks.exists() else 0
    train(trainer, path, vocab_size, threads)
    megabytes = (memory_kb("VmHWM") - before) / 1024 if marks.exists() else 0.0
    started, cpu_started = time.perf_counter(), time.process_time()
    train(trainer, path, vocab_size, threads)
    return Figures(time.perf_counter() - started, time.process_time() - cpu_started, megabytes)


def train(trainer: str, path: Path, vocab_size: int, threads: int) -> None:
    """Train. Peers take the number of threads from the environment."""
    if trainer == OURS:
        train_ours(path, vocab_size, threads)
    else:
        TRAINERS[trainer](path, vocab_size)


def run_apart(trainer: str, path: Path, vocab_size: int, threads: int) -> Figures:
    """Measure one run in its own process."""
    environment = os.environ | {
        "RAYON_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
    }
    command = [sys.executable, "-m", "benchmarks.train", "--run", trainer, str(path), str(vocab_size), str(threads)]
    done = subprocess.run(command, cwd=PROJECT, env=environment, check=True, capture_output=True, text=True)
    return Figures(**json.loads(done.stdout))


def median_figures(runs: list[Figures]) -> Figures:
    """Return the medians of several runs."""
    columns = [[run.seconds, run.cpu_seconds, run.megabytes] for run in runs]
    return Figures(*(statistics.median(column) for column in zip(*columns, strict=True)))


def measured(path: Path, vocab_size: int, threads: int, rounds: int) -> dict[str, Figures]:
    """Measure all trainers on a file, taking turns."""
    names = [OURS, *installed_peers()]
    runs: dict[str, list[Figures]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            runs[name].append(run_apart(name, path, vocab_size, threads))
    return {name: median_figures(found) for name, found in runs.items()}


def print_peers(vocab_size: int, rounds: int, *, with_limits: bool) -> None:
    """Print the table of whole runs."""
    print(f"\n| corpus, {vocab_size:,} entries | trainer | one thread | two threads | memory |\n|---|---|--:|--:|--:|")
    for path in corpus_files():
        size = path.stat().st_size / 1e6
        one, two = (measured(path, vocab_size, threads, rounds) for threads in (1, 2))
        ours = one[OURS]
        for name in one:
            words = [f"{one[name].cpu_seconds:.3f} s", f"{two[name].seconds:.3f} s", f"{one[name].megabytes:.0f} MB"]
            if name != OURS:
                times = one[name].cpu_seconds / ours.cpu_seconds
                words[0] += f" (**{times:.1f}** times ours{limit_words(name, path.stem, with_limits)})"
                words[1] += f" ({two[name].seconds / two[OURS].seconds:.1f})"
                share = ours.megabytes / one[name].megabytes if one[name].megabytes else 0.0
                words[2] += f" (ours {share:.2f}"
                words[2] += f"; limit {MEMORY_LIMITS[path.stem]})" if with_limits and name == "tokenizers" else ")"
            print(f"| {path.stem}, {size:.0f} MB | {name} | " + " | ".join(words) + " |", flush=True)


def limit_words(name: str, corpus: str, with_limits: bool) -> str:
    """Return limit and aim as text; empty without limits."""
    return "; limit {}, aim {}".format(*LIMITS[name][corpus]) if with_limits else ""


def median_seconds(works: list[Callable[[], None]], rounds: int) -> list[float]:
    """Return the median seconds of each task; tasks take turns, and the first turn is not timed."""
    taken: list[list[float]] = [[] for _ in works]
    for turn in range(2 * rounds + 2):
        for work, found in zip(works, taken, strict=True):
            started = time.perf_counter()
            work()
            if turn:
                found.append(time.perf_counter() - started)
    return [statistics.median(found) for found in taken]


def count_all(path: Path, threads: int) -> None:
    """Count the pretokens of a file without merging."""
    run = TrainingRun(path, 256, threads=threads)
    while not run.done:
        run.advance(100.0)


def print_counting(rounds: int) -> None:
    """Print the speed-up of counting with two threads."""
    for path in corpus_files():
        one, two = median_seconds([functools.partial(count_all, path, threads) for threads in (1, 2)], rounds)
        megabytes = path.stat().st_size / 1e6
        print(
            f"\nCounting {path.stem}: {megabytes / one:.0f} MB/s on one thread, {megabytes / two:.0f} on two: "
            f"{one / two:.2f} times",
            flush=True,
        )


def train_in_slices(path: Path, vocab_size: int, seconds: float) -> None:
    """Train in slices of ``seconds``, and read the progress and the new merges after each."""
    run, seen = TrainingRun(path, vocab_size, threads=1), 0
    while not run.done:
        run.advance(seconds)
        seen += len(run.merge_table(seen))


def print_slices(vocab_size: int, rounds: int) -> None:
    """Print the cost of training in slices."""
    for path in corpus_files():
        works = [functools.partial(train_in_slices, path, vocab_size, seconds) for seconds in (1e6, SLICE_SECONDS)]
        whole, sliced = median_seconds(works, 3 * rounds)
        cost = 100 * (sliced / whole - 1)
        print(f"\nSlices of {SLICE_SECONDS * 1e3:.0f} ms, {path.stem}: {cost:+.1f} %", flush=True)


def print_large() -> None:
    """Train 100,000 entries on a folder of 200 MB, and print time and memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_folder(folder, LARGE_MEGABYTES)
        for threads in (1, 2):
            figures = run_apart(OURS, folder, LARGE_VOCABULARY, threads)
            print(
                f"\n{LARGE_MEGABYTES} MB in {len(list(folder.iterdir()))} files, {LARGE_VOCABULARY:,} entries, "
                f"{threads} thread{'s' * (threads > 1)}: {figures.seconds:.2f} s, {figures.megabytes:.0f} MB",
                flush=True,
            )


def verify(vocab_size: int) -> int:
    """Compare all merges with those of the peers. Return the number of differences."""
    failed = 0
    for path in corpus_files():
        for name in installed_peers():
            ours, theirs = TWINS[name](path, vocab_size)(), TRAINERS[name](path, vocab_size)()
            same = same_merges(ours, theirs)
            failed += not same
            words = "the same" if same else "NOT the same"
            print(f"{path.stem}: {len(theirs):,} merges of {name}, {words} as ours", flush=True)
    return failed


def main() -> int:
    """Print the selected tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--markdown", action="store_true", help="a section for docs/performance.md, without limits")
    parser.add_argument("--verify", action="store_true", help="compare merges, and time nothing")
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        trainer, path, vocab_size, threads = options.run
        print(json.dumps(vars(run_here(trainer, Path(path), int(vocab_size), int(threads)))))
        return 0
    print("## Training\n" if options.markdown else __doc__.splitlines()[0])
    print(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    missing = [name for name in TWINS if name not in installed_peers()]
    if missing:
        print(f"not installed, and left out: {', '.join(missing)}")
    if options.verify:
        return 1 if verify(options.vocab_size) else 0
    parts = options.only or PARTS
    if "peers" in parts:
        print_peers(options.vocab_size, options.rounds, with_limits=not options.markdown)
    if "counting" in parts:
        print_counting(options.rounds)
    if "slices" in parts:
        print_slices(options.vocab_size, options.rounds)
    if "large" in parts:
        print_large()
    return 0


if __name__ == "__main__":
    sys.exit(main())
