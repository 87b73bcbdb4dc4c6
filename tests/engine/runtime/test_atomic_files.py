from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime import atomic_files
from engine.runtime.atomic_files import change_atomic, replacing, set_aside, write_atomic
from tests.patience import PATIENCE_SECONDS


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writes_pieces_and_makes_folders(tmp_path: Path):
    target = tmp_path / "a" / "b" / "file"
    assert write_atomic(target, [b"one ", b"two"]) == 7
    assert target.read_bytes() == b"one two"
    assert names(target.parent) == ["file"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def pieces() -> Iterator[bytes]:
        yield b"new"
        raise MemoryError

    with pytest.raises(MemoryError):
        write_atomic(target, pieces())
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_failing_rename_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(target, b"new")
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_keeps_the_mode_and_one_backup(tmp_path: Path):
    target = tmp_path / "file"
    for content in (b"1", b"2", b"3"):
        write_atomic(target, content, keep_backup=True)
        target.chmod(0o640)
    assert target.read_bytes() == b"3"
    assert target.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "file.bak").read_bytes() == b"2"
    assert names(tmp_path) == ["file", "file.bak"]


def test_a_backup_is_a_copy_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise OSError(1, "not here")

    monkeypatch.setattr(os, "link", refuse)
    target = tmp_path / "file"
    write_atomic(target, b"1", keep_backup=True)
    write_atomic(target, b"2", keep_backup=True)
    assert (tmp_path / "file.bak").read_bytes() == b"1"


def test_a_symbolic_link_stays_one(tmp_path: Path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # the tests may run as root, who may write anywhere
    with pytest.raises(PermissionError, match="read-only"):
        write_atomic(target, b"new")
    assert target.read_bytes() == b"old"


def test_a_folder_that_cannot_be_flushed_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = os.open

    def odd(path: object, flags: int, *rest: int) -> int:
        if Path(str(path)) == tmp_path:
            raise OSError(13, "network folder")
        return real(path, flags, *rest)

    monkeypatch.setattr(atomic_files.os, "open", odd)
    write_atomic(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_set_aside_never_overwrites(tmp_path: Path):
    kept = []
    for number in range(3):
        path = tmp_path / "file"
        path.write_text(str(number))
        kept.append(set_aside(path))
    assert [path.name for path in kept] == ["file.damaged", "file.damaged-2", "file.damaged-3"]
    assert [path.read_text() for path in kept] == ["0", "1", "2"]


def test_a_change_sees_what_is_there_and_writes_nothing_where_nothing_changes(tmp_path: Path):
    target = tmp_path / "profile" / "file"
    seen: list[bytes | None] = []

    def one_more(before: bytes | None) -> bytes:
        seen.append(before)
        return (before or b"") + b"x"

    assert change_atomic(target, one_more) == b"x"
    assert change_atomic(target, one_more, keep_backup=True) == b"xx"
    assert seen == [None, b"x"]
    assert target.with_name("file.bak").read_bytes() == b"x"
    change_atomic(target, lambda _: b"xx", keep_backup=True)
    assert target.with_name("file.bak").read_bytes() == b"x", "what changes nothing is no reason for a backup"


def test_changes_of_several_processes_are_all_there(tmp_path: Path):
    code = """
import sys
from pathlib import Path
from engine.runtime.atomic_files import change_atomic

for _ in range(50):
    change_atomic(Path(sys.argv[1]), lambda before: (before or b"") + sys.argv[2].encode())
"""
    target = tmp_path / "file"
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(target), name], cwd=Path(__file__).parents[3])
        for name in "abc"
    ]
    for process in processes:
        assert process.wait(PATIENCE_SECONDS) == 0
    assert sorted(target.read_bytes()) == sorted(b"abc" * 50)


def test_several_files_take_their_places_or_none_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target, beside = tmp_path / "ranks", tmp_path / "ranks.json"

    def write(content: bytes) -> None:
        with replacing(target) as folder:
            (folder / target.name).write_bytes(content)
            (folder / beside.name).write_bytes(content)

    write(b"old")
    write(b"new")
    assert (target.read_bytes(), beside.read_bytes()) == (b"new", b"new")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(b"newer")
    assert (target.read_bytes(), beside.read_bytes()) == (b"new", b"new")
    assert names(tmp_path) == ["ranks", "ranks.json"]


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("before", [{}, {"ranks": b"old", "ranks.json": b"old"}, {"ranks": b"old"}])
def test_what_was_replaced_is_put_back_where_the_next_one_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: dict[str, bytes], links: bool
):
    def refuse(*_: object) -> None:
        raise OSError(1, "not here")

    def replace(source: Path, place: Path) -> None:
        if place.name == "ranks":
            raise OSError(28, "No space left on device")
        really(source, place)
        seen.append(place.name)

    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    seen: list[str] = []
    really = Path.replace
    monkeypatch.setattr(Path, "replace", replace)
    if not links:
        monkeypatch.setattr(os, "link", refuse)

    def write() -> None:
        with replacing(tmp_path / "ranks") as folder:
            for name in ("ranks", "ranks.json"):
                (folder / name).write_bytes(b"new")

    with pytest.raises(OSError, match="No space left"):
        write()
    assert seen[0] == "ranks.json"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_name_of_greatest_length_can_be_written(tmp_path: Path):
    target = tmp_path / ("x" * 255)
    write_atomic(target, b"content")
    assert target.read_bytes() == b"content"
