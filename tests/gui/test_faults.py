"""A dozen windows that die, or whose disk fails: nothing is lost. ``benchmarks.faults`` does it by the hundred."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_nothing_is_lost_and_nothing_left_lying(tmp_path: Path):
    command = [sys.executable, "-m", "benchmarks.faults", "--runs", "12", "--seed", "1", "--folder", str(tmp_path)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " killed" in done.stdout
    assert " failed" in done.stdout
