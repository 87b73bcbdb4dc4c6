"""Kill the window, and fail its disk, at moments of chance; then look whether anything is lost.

    python -m benchmarks.faults --runs 500 --seed 1

Each run is a process with a window of its own on a new profile (``fault_child``). Half of them are killed: at a call to
the disk that chance chose, or after a while. For the others the disk fails for a while (full, broken, read-only, folder
gone) and then works again. Exits with 1 where anything was lost, half written or left lying, and names the run's seed;
``--runs 1 --seed SEED`` is then that run again.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from benchmarks.fault_checks import Life, faults_of
from benchmarks.fault_child import run

LOADED_ONCE = ("gui.app", "gui.jobs", "engine.encoding", "engine.formats.saving", "tiktoken", "pyqtgraph", "pricing")
"""For all children; none of it starts a thread."""


def one_life(profile: Path, seed: int) -> Life:
    """Run a child to its end."""
    journal = profile.with_suffix(".journal")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            run(profile, seed, os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        finally:
            traceback.print_exc()
            os._exit(70)
    _, status = os.waitpid(child, 0)
    ended = time.monotonic()
    lines = tuple(json.loads(line) for line in journal.read_text().splitlines())
    return Life(lines, ended, os.waitstatus_to_exitcode(status))


def tried(folder: Path, seed: int) -> tuple[Life, list[str]]:
    """One run: the life of a child, and what is wrong after it."""
    profile = folder / str(seed)
    profile.mkdir()
    life = one_life(profile, seed)
    try:
        faults = list(faults_of(profile, life))
    except Exception:  # noqa: BLE001 - whatever a damaged file brings about is what is looked for
        faults = [traceback.format_exc()]
    if life.status not in (0, -9):
        faults.append(f"the process ended with {life.status}")
    if not faults:
        shutil.rmtree(profile)
        profile.with_suffix(".journal").unlink()
    return life, faults


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next have the next numbers")
    parser.add_argument("--folder", type=Path, help="where profiles go; those with faults stay there")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    for module in LOADED_ONCE:
        importlib.import_module(module)

    folder = Path(tempfile.mkdtemp(prefix="faults-")) if options.folder is None else options.folder
    folder.mkdir(parents=True, exist_ok=True)
    done: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.runs):
        life, faults = tried(folder, seed)
        done["killed" if life.status == -9 else "ended"] += 1
        done["runs with a fault"] += bool(faults)
        done.update(line["what"] for line in life.lines)
        for fault in faults:
            print(f"seed {seed}: {fault}", flush=True)
    print(", ".join(f"{number:,} {what}" for what, number in sorted(done.items())))
    return 1 if done["runs with a fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
