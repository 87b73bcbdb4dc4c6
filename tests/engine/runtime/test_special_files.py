"""Devices, pipes and the process's own output are written into or refused, never replaced. Only nodes made here."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.runtime.atomic_files import change_atomic, replacement_of, replacing, write_atomic
from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such paths on Windows")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.md"
    os.mkfifo(path)
    return path


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A node of our own that takes everything, as the machine's own does."""
    path = tmp_path / "device.csv"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_bytes(b"")
    except OSError:
        pytest.skip("no device can be made here")
    return path


def test_a_pipe_is_written_into_and_stays_one(pipe: Path):
    kept = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # keeps what is written until it is read
    try:
        assert write_atomic(pipe, [b"one ", b"two"], keep_backup=True) == 7
        with replacement_of(pipe) as file:
            file.write(b" three")
        assert os.read(kept, 100) == b"one two three"
    finally:
        os.close(kept)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(pipe.parent) == ["pipe.md"]


def test_a_pipe_without_a_reader_is_refused_at_once(pipe: Path):
    with pytest.raises(OSError, match="no program reads from this pipe"):
        write_atomic(pipe, b"x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_into_and_stays_one(device: Path):
    link = device.with_name("link.csv")
    link.symlink_to(device)
    for path in (device, link):
        assert write_atomic(path, b"x") == 1
    assert stat.S_ISCHR(device.stat().st_mode)
    assert names(device.parent) == ["device.csv", "link.csv"]


def test_what_cannot_be_changed_is_refused_and_left(pipe: Path):
    with pytest.raises(OSError, match="not a regular file"):
        change_atomic(pipe, lambda _before: b"x")
    with pytest.raises(OSError, match="not a regular file"), replacing(pipe) as folder:
        (folder / pipe.name).write_bytes(b"x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(pipe.parent) == ["pipe.md"]


WRITER = """
import sys
from pathlib import Path
from engine.runtime.atomic_files import write_atomic
print("before", flush=True)
write_atomic(Path(sys.argv[1]), b"content\\n")
print("after")
"""


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="the system has no /dev/stdout")
def test_the_own_output_is_written_into_where_it_stands(tmp_path: Path):
    link = tmp_path / "link"
    link.symlink_to("/dev/stdout")
    command = [sys.executable, "-c", WRITER, str(link)]
    piped = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    assert piped.stdout == "before\ncontent\nafter\n"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run(command, stdout=out, check=True, timeout=PATIENCE_SECONDS)
    assert (tmp_path / "out").read_text() == "before\ncontent\nafter\n"
    assert names(tmp_path) == ["link", "out"]
