"""Files that are being written: what a killed process leaves goes, what another one writes stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.half_written import clear_half_written, replacement_of
from tests.patience import PATIENCE_SECONDS

WRITER = """
import sys
from pathlib import Path
from engine.half_written import replacement_of

with replacement_of(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
    file.write(b" and half")
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("is_killed", [True, False])
def test_only_what_nobody_writes_any_more_is_cleared_up(tmp_path, is_killed):
    path = tmp_path / "checkpoint"
    others = ["checkpoint.zip.part", "checkpoint.part", "other.12345678.part", "checkpoint.12345678.parts"]
    for name in others:
        (tmp_path / name).touch()
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        (written,) = set(names(tmp_path)) - set(others)
        assert (tmp_path / written).read_bytes() == b"half"
        clear_half_written(path)
        assert written in names(tmp_path)
        if is_killed:
            writer.kill()
            writer.wait(PATIENCE_SECONDS)
        else:
            writer.communicate("\n", PATIENCE_SECONDS)
    clear_half_written(path)
    assert names(tmp_path) == sorted(others + ["checkpoint"] * (not is_killed))
    assert is_killed or path.read_bytes() == b"half and half"


def test_what_this_process_writes_stays_as_well(tmp_path):
    path = tmp_path / "checkpoint"
    with replacement_of(path) as file:
        clear_half_written(path)
        file.write(b"whole")
    assert names(tmp_path) == ["checkpoint"]
    clear_half_written(tmp_path / "nowhere" / "checkpoint")


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "checkpoint"
    path.write_bytes(b"before")

    def fail() -> None:
        with replacement_of(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names(tmp_path) == ["checkpoint"]
    assert path.read_bytes() == b"before"
