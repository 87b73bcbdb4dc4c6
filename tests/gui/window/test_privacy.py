"""Private mode keeps nothing of a text; what was kept before goes when somebody asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.core.profile_files import profile_paths
from gui.state.session import STATE_FILE, read_state
from gui.window import session_keeper
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window, notices

pytestmark = pytest.mark.pages()

WORDS = "zebra-quartz-words"


def holding(profile: Path) -> list[str]:
    """Files of the profile with the words in them."""
    return [path.name for path in profile.rglob("*") if path.is_file() and WORDS.encode() in path.read_bytes()]


def test_a_private_window_writes_nothing_of_its_text(qtbot: QtBot, tmp_path: Path):
    bench = Application(profile_paths(tmp_path), private=True)
    with qtbot.waitSignal(bench.started):
        bench.start_at_once()
    bench.panel.editor.setPlainText(WORDS)
    bench.keeper.save()
    assert "private mode" in notices(bench)
    close_window(qtbot, bench)
    assert holding(tmp_path) == []


@pytest.mark.deep
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


KEY = "AKIA" + "ABCDEFGHIJKLMNOP"


@pytest.mark.parametrize("private", [False, True])
def test_a_key_in_a_text_is_pointed_out_before_the_session_saves_it(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private: bool
):
    monkeypatch.setattr(session_keeper, "ANSWER_MS", 3_600_000)
    bench = open_window(tmp_path)
    bench.panel.editor.setPlainText(f"{WORDS}\nkey: {KEY}")
    with qtbot.waitSignal(bench.keeper.keys_found):
        bench.keeper.save()
    bench.keeper.save()
    assert holding(tmp_path) == []
    if private:
        (notice,) = [notice for notice in bench.window.messages.notices if notice.key == "session-keys"]
        notice.offers[0].act()
    close_window(qtbot, bench)
    assert holding(tmp_path) == ([] if private else ["text.txt"])


@pytest.mark.deep
def test_a_key_in_a_text_is_pointed_out_once(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(session_keeper, "ANSWER_MS", 10)
    bench = open_window(tmp_path)
    bench.panel.editor.setPlainText(f"{WORDS}\nkey: {KEY}")
    with qtbot.waitSignal(bench.keeper.keys_found):
        bench.keeper.save()
    qtbot.waitUntil(lambda: holding(tmp_path) == ["text.txt"])
    assert "The text may contain API keys: AWS (line 2)." in notices(bench)
    (notice,) = [notice for notice in bench.window.messages.notices if notice.key == "session-keys"]
    bench.notifier.withdraw("session-keys")
    bench.panel.editor.insertPlainText("more")
    with qtbot.waitSignal(bench.keeper.saved):
        bench.keeper.save()
    assert "API keys" not in notices(bench)
    assert holding(tmp_path) == ["text.txt"]
    notice.offers[0].act()
    bench.panel.editor.insertPlainText("and more")
    close_window(qtbot, bench)
    assert holding(tmp_path) == []
    again = open_window(tmp_path)
    assert again.slot.folder is not None
    assert again.panel.editor.toPlainText() == ""
