"""A profile is for its owner only, also one that an older version made."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.core.profile_files import make_profile_private, profile_paths
from tests.gui.conftest import OpenWindow, close_window

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    return [str(path) for path in (folder, *folder.rglob("*")) if stat.S_IMODE(path.stat().st_mode) & 0o077]


@pytest.mark.deep
def test_a_window_leaves_nothing_that_others_can_read(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    profile = tmp_path / "made" / "profile"
    old = profile / "data" / "sessions" / "1"
    old.mkdir(parents=True)
    (old / "text.txt").write_text("from an older version")
    bench = open_window(profile)
    assert open_to_others(profile) == []
    bench.panel.editor.setPlainText("a prompt")
    bench.settings.set("word_wrap", False)
    close_window(qtbot, bench)
    assert (profile / "settings.json").exists()
    assert (old / "text.txt").read_text() == "a prompt"
    assert open_to_others(profile) == []


def test_a_folder_with_other_things_in_it_stays_as_it_is(tmp_path: Path):
    folder = tmp_path / "project"
    folder.mkdir(mode=0o755)
    for name in ("notes.md", "settings.json"):
        (folder / name).write_text("{}")
    make_profile_private(profile_paths(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / "notes.md").stat().st_mode) == 0o644
    assert open_to_others(folder / "data") == []
    assert stat.S_IMODE((folder / "settings.json").stat().st_mode) == 0o600
