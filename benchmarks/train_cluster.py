"""Measure counting a corpus on a Dask cluster of local processes, against counting it in this process.

    python -m benchmarks.train_cluster [--megabytes 1000] [--workers 1 2 4] [--kill]

Trains on the three corpora, and then on a folder of any size generated from them, with the pattern cl100k_base and
32,000 entries; the merges must be equal everywhere. ``--kill``: one worker of each cluster is killed when a quarter is
counted. Times are of counting only, since merging always runs in this process. Needs the extra ``dask``.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.train_texts import corpus_files, write_folder
from engine import TrainingRun
from engine.training import cluster as parts

VOCAB_SIZE = 32_000
KILLED_AT = 0.25
ROOT = Path(__file__).resolve().parents[1]


class Trained(NamedTuple):
    """Seconds of counting, the hash of the counts, and the merges."""

    seconds: float
    hash: str
    merges: Any


def train(paths: list[Path], address: str = "", victim: int = 0) -> Trained:
    """Train to the end. ``victim``: ID of a process to kill while it counts, 0 for none."""
    run = TrainingRun(paths, VOCAB_SIZE, dask=address)
    begun = time.perf_counter()
    counted = 0.0
    while not run.done:
        progress = run.advance(0.1)
        if progress.stage == "counting" and victim and progress.fraction >= KILLED_AT:
            os.kill(victim, signal.SIGKILL)
            print("    one worker is killed")
            victim = 0
        if progress.stage != "counting" and not counted:
            counted = time.perf_counter() - begun
    return Trained(counted, run.hash, run.merge_table()[:, :2].tolist())


def compare(name: str, paths: list[Path], workers: list[int], kill: bool) -> bool:
    """Train on the same files locally and on clusters. Return True if all results are equal."""
    from distributed import LocalCluster

    size = sum(path.stat().st_size for path in paths)
    train(paths[:1])  # loads the kernels
    here = train(paths)
    print(f"{name}, {size / 1e6:,.0f} MB: here {here.seconds:.2f} s, {size / here.seconds / 1e6:,.0f} MB/s")
    same = True
    for count in workers:
        with LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster:
            train(paths[:1], cluster.scheduler_address)  # loads the kernels in every worker
            victim = next(iter(cluster.workers.values())).pid if kill and count > 1 else 0
            there = train(paths, cluster.scheduler_address, victim)
        equal = (there.hash, there.merges) == (here.hash, here.merges)
        same &= equal
        ratio = here.seconds / there.seconds
        verdict = "same merges" if equal else "OTHER MERGES"
        print(f"  {count} workers: {there.seconds:.2f} s, {ratio:.2f} times as fast as here; {verdict}")
    return same


def main() -> int:
    """Print the table. Return 1 if merges differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--part-megabytes", type=float, default=0, help="size of a part, instead of the usual one")
    options = parser.parse_args()
    if options.part_megabytes:
        parts.PART_BYTES = int(options.part_megabytes * 1e6)
    os.environ["PYTHONPATH"] = str(ROOT)  # for the workers
    warnings.simplefilter("ignore")  # of the libraries of the cluster
    same = compare("the corpora", corpus_files(), options.workers, options.kill)
    with tempfile.TemporaryDirectory() as folder:
        write_folder(Path(folder), options.megabytes)
        files = sorted(Path(folder).iterdir())
        same &= compare("a folder", files, options.workers, options.kill)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
