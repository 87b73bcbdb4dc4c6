"""Files that are being written: what a killed process leaves goes, what another one writes stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.runtime import atomic_files
from engine.runtime.atomic_files import clear_half_written, only_here, replacement_of, replacing
from tests.patience import PATIENCE_SECONDS

WRITERS = {
    "a file": """
import sys
from pathlib import Path
from engine.runtime.atomic_files import replacement_of

with replacement_of(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
    file.write(b" and half")
""",
    "a folder": """
import sys
from pathlib import Path
from engine.runtime.atomic_files import replacing

path = Path(sys.argv[1])
with replacing(path) as folder:
    (folder / path.name).write_bytes(b"half and half")
    print("writing", flush=True)
    sys.stdin.readline()
""",
}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def started(code: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("is_killed", [True, False])
@pytest.mark.parametrize("what", list(WRITERS))
def test_only_what_nobody_writes_any_more_is_cleared_up(tmp_path, is_killed, what):
    path = tmp_path / "checkpoint"
    others = [".tokenloupe-lock", ".tokenloupe-12345678.part", f".tokenloupe-{'a' * 32}.parts", "checkpoint.part"]
    for name in others:
        (tmp_path / name).touch()
    writer = started(WRITERS[what], path)
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        written = set(names(tmp_path)) - set(others)
        assert len(written) == (2 if what == "a folder" else 1)
        clear_half_written(tmp_path)
        assert written <= set(names(tmp_path))
        if is_killed:
            writer.kill()
            writer.wait(PATIENCE_SECONDS)
            assert written <= set(names(tmp_path))
        else:
            writer.communicate("\n", PATIENCE_SECONDS)
    clear_half_written(tmp_path)
    assert names(tmp_path) == sorted(others + ["checkpoint"] * (not is_killed))
    assert is_killed or path.read_bytes() == b"half and half"


def test_the_next_write_to_a_folder_clears_up(tmp_path):
    for ending in (".part", ".files"):
        place = tmp_path / f".tokenloupe-{'0123456789abcdef' * 2}{ending}"
        place.mkdir() if ending == ".files" else place.touch()
    with replacement_of(tmp_path / "another") as file:
        file.write(b"whole")
    assert names(tmp_path) == ["another"]


def test_what_this_process_writes_stays_as_well(tmp_path):
    path = tmp_path / "checkpoint"
    with replacement_of(path) as file, replacing(tmp_path / "two") as folder:
        clear_half_written(tmp_path)
        file.write(b"whole")
        (folder / "two").write_bytes(b"whole")
    assert names(tmp_path) == ["checkpoint", "two"]
    clear_half_written(tmp_path / "nowhere")


LOCKER = """
import sys
from pathlib import Path
from engine.runtime.atomic_files import only_here

with only_here(Path(sys.argv[1])):
    print("inside", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("is_killed", [True, False])
def test_who_changes_files_is_waited_for_and_who_died_is_not(tmp_path, is_killed, monkeypatch):
    other = started(LOCKER, tmp_path / "profile")
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "inside\n"
        with monkeypatch.context() as impatient:
            impatient.setattr(atomic_files, "LOCK_SECONDS", 0.0)
            with pytest.raises(OSError, match="another window"), only_here(tmp_path / "profile"):
                pass
        if is_killed:
            other.kill()
        else:
            other.communicate("\n", PATIENCE_SECONDS)
        with only_here(tmp_path / "profile"):
            assert names(tmp_path / "profile") == [atomic_files.LOCK_NAME]


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
