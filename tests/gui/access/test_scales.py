"""The walk through the window on screens that show everything larger, each in a program of its own: Qt takes the scale
when it starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[3]
WALK = Path(__file__).with_name("test_walk.py")
SCREEN = {"name": "large", "x": 0, "y": 0, "width": 3200, "height": 2400, "logicalDpi": 96, "dpr": 1.0}
"""The screen that Qt makes up is too small for the smallest window at one and a half times its size."""


@pytest.mark.deep
@pytest.mark.parametrize("scale", ["1.5", "2"])
def test_nothing_is_cut_off_or_out_of_reach(tmp_path: Path, scale: str) -> None:
    screens = tmp_path / "screens.json"
    screens.write_text(json.dumps({"screens": [SCREEN]}), "utf-8")
    platform = {"QT_QPA_PLATFORM": f"offscreen:configfile={screens}", "QT_SCALE_FACTOR": scale}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            str(WALK),
            "-k",
            "small_window or key_of_a_label",
        ],
        cwd=ROOT,
        env=os.environ | platform,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout
