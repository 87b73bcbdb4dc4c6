"""The soak test for some seconds: it finds no fault, and leaves no thread. ``benchmarks.soak`` is the long one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from engine.kernels.cache_folder import VARIABLE, current_folder

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 12
GAP_MS = 60_000  # nothing is said about speed in a test


def test_pressing_everything_for_some_seconds() -> None:
    folder = current_folder()
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "QT_QPA_PLATFORM": "offscreen",
        VARIABLE: "" if folder is None else str(folder.parent),
    }
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.soak", "--minutes", str(SECONDS / 60), "--seed", "11"),
            *("--gap", str(GAP_MS), "--any-memory"),
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "threads left: none; faults: 0" in done.stdout
