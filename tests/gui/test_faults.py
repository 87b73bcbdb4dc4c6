"""A dozen windows that die, or whose disk fails: nothing is lost. ``benchmarks.faults`` does it by the hundred."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.fault_disk import ERRORS, FaultyDisk
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


def harness(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.faults", *options, "--folder", str(folder)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )


def test_what_pathlib_writes_fails_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("open", "replace", "link", "mkdir", "unlink", "rename", "fsync", "fdopen"):
        monkeypatch.setattr(os, name, getattr(os, name))  # what is wrapped now is put back afterwards
    monkeypatch.setattr(io, "open", io.open)
    disk = FaultyDisk(tmp_path, random.Random(1), 0)
    disk.install()
    (tmp_path / "text").write_text("schön\n", "utf-8")
    assert (tmp_path / "text").read_bytes() == "schön\n".encode()
    fates = iter([False, False, True])  # it is opened, and half of it is written
    monkeypatch.setattr(disk, "call", lambda: next(fates))
    with pytest.raises(OSError, match=f"Errno ({'|'.join(map(str, ERRORS))})"):
        (tmp_path / "bytes").write_bytes(b"new and whole")
    assert (tmp_path / "bytes").read_bytes() == b"new an"
    monkeypatch.setattr(disk, "call", lambda: True)
    with pytest.raises(OSError, match="text"):
        (tmp_path / "text").write_text("other")
    assert (tmp_path / "text").read_bytes() == "schön\n".encode()


@pytest.mark.deep
def test_nothing_is_lost_and_nothing_left_lying(tmp_path: Path):
    done = harness(tmp_path, "--runs", "12", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    for what in (" killed", " failed", " training checkpoint done", "runs with two windows"):
        assert what in done.stdout
    assert " 0 runs with two windows" not in done.stdout


@pytest.mark.deep
def test_a_writer_that_is_broken_is_found(tmp_path: Path):
    """Files written where they are: of eight runs, about one leaves half of one."""
    done = harness(tmp_path, "--in-place", "--until-found", "--runs", "150", "--seed", "1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert " 1 runs with a fault" in done.stdout
