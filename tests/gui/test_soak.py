"""The soak test for some seconds: it finds no fault, and leaves no thread. ``benchmarks.soak`` is the long one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.soak import Findings
from benchmarks.soak_stops import places
from engine.kernels.cache_folder import VARIABLE, current_folder
from gui.runtime.watchdog import Stop

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 12
GAP_MS = 60_000  # nothing is said about speed in a test


@pytest.mark.deep
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
            *("--gap", str(GAP_MS), "--any-memory", "--brief"),
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "threads left: none; faults: 0" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("sound: faults 0; threads left 0; growth ")


def findings() -> Findings:
    return Findings(stops=[Stop(0.3, 0.05, 0.25)], marks=[500.0, 540.0])


def test_whatever_does_not_hold_fails_the_run() -> None:
    sound, line = findings().verdict(100, any_memory=False)
    assert sound
    assert Findings(marks=[300.0, 500.0, 510.0]).growth == pytest.approx(0.02)
    assert line == (
        "sound: faults 0; threads left 0; growth +8.0% (500 to 540 MB); own stops over 100 ms 0 (longest 50 ms); "
        "the machine's 1"
    )
    for what, value in (
        ("faults", ["RuntimeError"]),
        ("threads", ["tokenloupe_0"]),
        ("marks", [500.0, 551.0]),
        ("stops", [Stop(0.15, 0.1, 0.01)]),
    ):
        found = findings()
        setattr(found, what, value)
        sound, line = found.verdict(100, any_memory=False)
        assert not sound
        assert line.startswith("NOT SOUND: ")


SAID = f"""Stack (most recent call first):
  File "{ROOT}/gui/runtime/jobs.py", line 5 in earlier
Stack (most recent call first):
  File "/usr/lib/python3.11/json/decoder.py", line 9 in decode
  File "{ROOT}/gui/runtime/jobs.py", line 7 in later
the window did not answer for 250 ms
Stack (most recent call first):
  File "/usr/lib/python3.11/json/decoder.py", line 9 in decode
the window did not answer for 120 ms
"""


def test_stops_are_told_by_their_places() -> None:
    short, long = Stop(0.12, 0.1, 0), Stop(0.25, 0.1, 0)
    found = places([long, short], SAID)
    assert [(place.name, place.stops) for place in found] == [
        ("gui/runtime/jobs.py:7 later", (long,)),
        ("outside of our own code", (short,)),
    ]
    assert "earlier" in found[0].stacks
