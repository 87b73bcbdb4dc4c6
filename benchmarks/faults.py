"""Kill the window, and fail its disk, at random moments; then check that nothing is lost.

    python -m benchmarks.faults --runs 500 --seed 1

Each run is a process with a window on a new profile (``fault_child``); in a quarter of the runs two windows share one.
Half of the windows are killed: at a random call to the disk, or after a while. For the others the disk fails for a
while (full, I/O errors, read-only, folder removed) and then works again. Half of them train. An interrupted training is
resumed afterwards, and must end with the merges of an uninterrupted one. Exits with 1 if anything was lost, partially
written or left over, and prints the run's seed; ``--runs 1 --seed SEED`` repeats that run.

``--in-place`` disables atomic writes, to show that the checks find the damage.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from benchmarks.fault_checks import Life, faults_of
from benchmarks.fault_child import run
from benchmarks.fault_training import load_trainer, write_texts

LOADED_ONCE = (
    *(
        "gui.app",
        "gui.runtime.jobs",
        "engine.encoding.encoding",
        "engine.library.formats.opening",
        "engine.library.formats.kept_tokenizer",
    ),
    *("tokenizers", "tiktoken", "pyqtgraph", "pricing"),
)
"""Modules to load once for all children; none of them starts a thread."""


def begin_life(profile: Path, texts: Path, seed: int, number: int) -> tuple[int, Path]:
    """Start a child. Return its process ID and its journal."""
    journal = profile.with_suffix(f".{number}.journal")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            run(profile, texts, seed, number, os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        finally:
            traceback.print_exc()
            os._exit(70)
    return child, journal


def lives_of(children: Sequence[tuple[int, Path]]) -> list[Life]:
    """Wait for children to end."""
    ends: dict[int, tuple[float, int]] = {}
    while len(ends) < len(children):
        child, status = os.wait()
        ends[child] = (time.monotonic(), os.waitstatus_to_exitcode(status))
    return [
        Life(tuple(json.loads(line) for line in journal.read_text().splitlines()), *ends[child])
        for child, journal in children
        if journal.exists()
    ]


def tried(folder: Path, texts: Path, seed: int) -> tuple[list[Life], list[str]]:
    """Run one seed. Return the lives of its children, and the faults found."""
    profile = folder / str(seed)
    profile.mkdir()
    windows = 2 if random.Random(-seed).random() < 0.25 else 1
    lives = lives_of([begin_life(profile, texts, seed, number) for number in range(windows)])
    try:
        faults = list(faults_of(profile, texts, lives))
    except Exception:  # noqa: BLE001 - any error that a damaged file causes is a finding
        faults = [traceback.format_exc()]
    faults += [f"the process ended with {life.status}" for life in lives if life.status not in (0, -9)]
    if not faults:
        shutil.rmtree(profile)
        for number in range(windows):
            profile.with_suffix(f".{number}.journal").unlink(missing_ok=True)
    return lives, faults


def break_the_writer() -> None:
    """Write files in place, without flushing."""
    from engine.runtime import atomic_files
    from engine.training import run as training_run

    @contextlib.contextmanager
    def in_place(path: Path, **_: Any) -> Iterator[IO[bytes]]:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            yield file

    for module in (atomic_files, training_run):
        module.replacement_of = in_place  # type: ignore[attr-defined]


def prepare(texts: Path) -> None:
    """Load what all children need."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    for module in LOADED_ONCE:
        importlib.import_module(module)
    write_texts(texts)
    load_trainer(texts)


def main() -> int:
    """Run all seeds. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next have the next numbers")
    parser.add_argument("--folder", type=Path, help="where profiles go; those with faults stay there")
    parser.add_argument("--in-place", action="store_true", help="break the writer of files, to see that it is noticed")
    parser.add_argument("--until-found", action="store_true", help="end with the first run that finds something")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="faults-")) if options.folder is None else options.folder
    folder.mkdir(parents=True, exist_ok=True)
    texts = Path(tempfile.mkdtemp(prefix="faults-texts-"))  # not shared: another harness may use the same ``folder``
    prepare(texts)
    if options.in_place:
        break_the_writer()
    done: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.runs):
        lives, faults = tried(folder, texts, seed)
        done["runs"] += 1
        done["runs with two windows"] += len(lives) > 1
        done["runs with a fault"] += bool(faults)
        for life in lives:
            done["killed" if life.status == -9 else "ended"] += 1
            done.update(line["what"] for line in life.lines)
        for fault in faults:
            print(f"seed {seed}: {fault}", flush=True)
        if faults and options.until_found:
            break
    print(", ".join(f"{number:,} {what}" for what, number in sorted(done.items())))
    return 1 if done["runs with a fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
