"""Private mode keeps nothing of a text; what was kept before goes when somebody asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.paths import profile_paths
from gui.session import STATE_FILE, read_state
from gui.workbench import Workbench
from tests.gui.conftest import OpenWindow, close_window, notices

pytestmark = pytest.mark.pages()

WORDS = "zebra-quartz-words"


def holding(profile: Path) -> list[str]:
    """Files of the profile with the words in them."""
    return [path.name for path in profile.rglob("*") if path.is_file() and WORDS.encode() in path.read_bytes()]


def test_a_private_window_writes_nothing_of_its_text(qtbot: QtBot, tmp_path: Path):
    bench = Workbench(profile_paths(tmp_path), private=True)
    with qtbot.waitSignal(bench.started):
        bench.start_at_once()
    bench.panel.editor.setPlainText(WORDS)
    bench.keeper.save()
    assert "private mode" in notices(bench)
    close_window(qtbot, bench)
    assert holding(tmp_path) == []


def test_the_setting_makes_windows_private(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(tmp_path)
    bench.settings.set("private_mode", True)
    bench.panel.editor.setPlainText(WORDS)
    close_window(qtbot, bench)
    assert holding(tmp_path) == []
    assert open_window(tmp_path).slot.folder is None


def test_what_was_saved_before_private_mode_is_no_crash_at_the_next_start(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
):
    bench = open_window(tmp_path)
    folder = bench.slot.folder
    assert folder is not None
    bench.keeper.save()
    qtbot.waitUntil((folder / STATE_FILE).exists)
    assert not read_state(folder).closed
    bench.privacy.go_private()
    bench.panel.editor.setPlainText(WORDS)
    close_window(qtbot, bench)
    assert read_state(folder).closed
    assert holding(tmp_path) == []


def test_what_was_kept_is_removed_after_a_question(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(tmp_path)
    bench.panel.editor.setPlainText(WORDS)
    close_window(qtbot, bench)
    (tmp_path / "data" / "versions").mkdir()
    (tmp_path / "data" / "versions" / "one.txt").write_text(WORDS)
    assert len(holding(tmp_path)) == 2
    bench = open_window(tmp_path)
    bench.privacy.go_private()
    bench.privacy.ask_to_remove()
    box = bench.privacy._box
    assert box is not None
    box.button(box.StandardButton.Yes).click()
    assert holding(tmp_path) == []
    assert bench.panel.editor.toPlainText() == WORDS
