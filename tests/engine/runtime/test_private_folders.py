"""What is made in a folder that only its owner may enter is for its owner only; elsewhere the umask decides."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime.atomic_files import (
    LOCK_NAME,
    change_atomic,
    make_content_private,
    make_private,
    replacement_of,
    replacing,
    write_atomic,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    make_private(folder)
    return folder


def test_files_and_folders_below_a_private_one_are_private(private: Path):
    target = private / "sessions" / "1" / "text.txt"
    write_atomic(target, b"secret")
    change_atomic(target, lambda before: (before or b"") + b"!", keep_backup=True)
    with replacing(private / "one") as folder:
        (folder / "one").write_bytes(b"x")
        assert mode(folder) == 0o700
    assert [mode(path) for path in (private, target.parent.parent, target.parent)] == [0o700] * 3
    assert [mode(target.parent / name) for name in ("text.txt", "text.txt.bak", LOCK_NAME)] == [0o600] * 3


def test_what_is_half_written_is_private(private: Path):
    with replacement_of(private / "text.txt") as file:
        file.write(b"half")
        assert [mode(path) for path in private.iterdir()] == [0o600]


def test_elsewhere_the_umask_decides(tmp_path: Path):
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    write_atomic(shared / "new" / "report.md", b"for all")
    assert mode(shared / "new") == 0o755
    assert mode(shared / "new" / "report.md") == 0o644


def test_what_is_there_already_is_made_private(tmp_path: Path):
    outside = tmp_path / "outside.txt"
    outside.write_text("not ours")
    folder = tmp_path / "data"
    (folder / "versions").mkdir(parents=True)
    (folder / "versions" / "one.json").write_text("{}")
    (folder / "link").symlink_to(outside)
    make_private(folder)
    make_content_private(folder)
    assert mode(folder) == mode(folder / "versions") == 0o700
    assert mode(folder / "versions" / "one.json") == 0o600
    assert mode(outside) == 0o644
