"""What a window remembers: after a normal end, after a kill, with a full disk, with a damaged folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.state import storage
from gui.state.session import STATE_FILE, TEXT_FILE
from gui.state.session_slot import SessionSlot
from gui.window import session_keeper
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window, notices
from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.pages()


def folder(profile: Path) -> Path:
    return profile / "data" / "sessions" / "1"


def test_everything_is_as_it_was_after_a_normal_end(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(tmp_path)
    editor = bench.panel.editor
    editor.setPlainText("\n".join(f"line {n} é🚀" for n in range(300)))
    editor.select_range(900, 905)
    editor.zoom_by(3)
    bench.panel.picker.setCurrentText("cl100k_base")
    bench.prompt.set_special_as_tokens(True)
    assert bench.costs is not None
    bench.costs.panel.filter.setText("gpt")
    bench.costs.panel.fold.click()
    scroll = editor.verticalScrollBar().value()
    text, selected = editor.toPlainText(), editor.selected_range()
    close_window(qtbot, bench)

    bench = open_window(tmp_path)
    editor = bench.panel.editor
    assert editor.toPlainText() == text
    assert editor.selected_range() == selected
    assert editor.verticalScrollBar().value() == scroll > 0
    assert editor.zoom == 3
    assert bench.prompt.encoding == bench.panel.picker.currentText() == "cl100k_base"
    assert bench.prompt.special_as_tokens
    assert bench.costs is not None
    assert bench.costs.panel.filter.text() == "gpt"
    assert bench.panel.splitter.folded
    assert not bench.costs.panel.table.isVisible()
    assert bench.costs.panel.tools.isVisible()
    assert notices(bench) == ""
    assert not bench.prompt.modified


@pytest.mark.deep
def test_a_text_as_stored_stays_so(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    file = tmp_path / "windows.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    bench = open_window(tmp_path / "p")
    with qtbot.waitSignal(bench.files.shown):
        bench.files.open_path(file)
    close_window(qtbot, bench)
    bench = open_window(tmp_path / "p")
    assert bench.prompt.counts.counted_as_stored
    assert bench.prompt.stored_text == "one\r\ntwo\r\n"
    assert bench.prompt.origin is not None
    assert bench.prompt.origin.path == file
    assert bench.prompt.origin.crlf


def test_saved_soon_after_a_change_without_being_asked(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(tmp_path)
    bench.settings.set("autosave_seconds", 1)
    qtbot.keyClicks(bench.panel.editor, "typed ")
    qtbot.waitUntil((folder(tmp_path) / TEXT_FILE).exists)
    qtbot.waitUntil(lambda: (folder(tmp_path) / TEXT_FILE).read_text().startswith("typed "))
    state = json.loads((folder(tmp_path) / STATE_FILE).read_text())
    assert state["closed"] is False


KILLED = """
import os, signal, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
app = QApplication(["test"])
from gui.app import create_window
from gui.window.application import Application
window = create_window(Path(sys.argv[1]))
bench = window.findChild(Application)
bench.settings.set("autosave_seconds", 1)
text = "before the kill " * int(sys.argv[2])
def write():
    bench.panel.editor.load_text(text)
    bench.keeper.saved.connect(look)
    bench.keeper.save()
def look():
    path = Path(sys.argv[1], "data", "sessions", "1", "text.txt")
    if path.exists() and path.stat().st_size == len(text):
        bench.panel.editor.insertPlainText("never saved")
        os.kill(os.getpid(), signal.SIGKILL)
    bench.keeper.save()
bench.started.connect(write)
window.show()
app.exec()
"""


@pytest.mark.deep
@pytest.mark.parametrize("repeats", [3, 100_000], ids=["short", "1.6 MB"])
def test_a_kill_costs_seconds_not_the_text(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, repeats: int):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(repeats)], check=False, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == -signal.SIGKILL
    bench = open_window(tmp_path, counted=False)
    text = "before the kill " * repeats
    qtbot.waitUntil(lambda: bench.panel.editor.text_length == len(text))
    assert bench.panel.editor.toPlainText() == text
    assert "closed unexpectedly" in notices(bench)
    qtbot.waitUntil(lambda: bench.prompt.counts is not None and not bench.prompt.stale)


@pytest.fixture
def big_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """One that was kept, and comes after the first picture."""
    monkeypatch.setattr(session_keeper, "FIRST_VIEW_BYTES", 1000)
    text = "a rather long line of text\n" * 100
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / TEXT_FILE).write_text(text)
    return text


def test_a_big_text_comes_after_the_first_picture(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(session_keeper, "FIRST_VIEW_BYTES", 1000)
    bench = open_window(tmp_path)
    text = "a rather long line of text\n" * 100
    bench.panel.editor.setPlainText(text)
    bench.panel.editor.select_range(2000, 2000)
    close_window(qtbot, bench)
    bench = open_window(tmp_path, counted=False)
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == text)
    assert bench.panel.editor.caret_offset() == 2000
    close_window(qtbot, bench)
    assert (folder(tmp_path) / TEXT_FILE).read_text() == text


@pytest.mark.deep
def test_closing_before_a_big_text_is_shown_keeps_it(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, big_text: str
):
    from gui.app import create_window

    window = create_window(tmp_path)
    with qtbot.waitSignal(window.destroyed):
        window.close()
    assert (folder(tmp_path) / TEXT_FILE).read_text() == big_text
    bench = open_window(tmp_path, counted=False)
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == big_text)


@pytest.mark.deep
def test_what_is_typed_before_a_big_text_arrives_is_not_lost_and_neither_is_that_text(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, big_text: str
):
    from gui.app import create_window

    window = create_window(tmp_path)
    bench = window.findChild(Application)
    assert bench is not None
    bench.panel.editor.insertPlainText("typed at once")
    bench.start_services()
    qtbot.waitUntil(lambda: "was saved as" in notices(bench))
    assert bench.panel.editor.toPlainText() == "typed at once"
    assert (folder(tmp_path) / "text.txt.damaged").exists() is False
    [kept] = [path for path in folder(tmp_path).iterdir() if path.name.startswith("text.txt.")]
    assert kept.read_text() == big_text
    close_window(qtbot, bench)
    assert (folder(tmp_path) / TEXT_FILE).read_text() == "typed at once"


def test_a_big_text_that_cannot_be_read_is_kept_aside(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, big_text: str
):
    def no_room(_path: Path) -> str:
        raise MemoryError

    monkeypatch.setattr(session_keeper, "read_text", no_room)
    bench = open_window(tmp_path, counted=False)
    qtbot.waitUntil(lambda: "MemoryError" in notices(bench))
    bench.panel.editor.insertPlainText("something else")
    close_window(qtbot, bench)
    assert (folder(tmp_path) / f"{TEXT_FILE}.earlier").read_text() == big_text


def test_a_full_disk_is_told_and_tried_again(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bench = open_window(tmp_path)
    bench.settings.set("autosave_seconds", 1)

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(storage, "write_atomic", full)
        bench.panel.editor.setPlainText("not to be lost")
        bench.keeper.save()
        qtbot.waitUntil(lambda: "Could not save the session" in notices(bench))
        # Nor does the window close over it.
        assert not bench.window.close()
        assert bench.window.isVisible()
        assert "stays open" in notices(bench)
    offer = next(notice for notice in bench.window.messages.notices if notice.key == "session").offers[0]
    with qtbot.waitSignal(bench.keeper.saved):
        offer.act()
    assert "Could not save the session" not in notices(bench)
    assert (folder(tmp_path) / TEXT_FILE).read_text() == "not to be lost"


def test_a_damaged_session_is_kept_aside_and_the_start_goes_on(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / STATE_FILE).write_text("{broken")
    (folder(tmp_path) / TEXT_FILE).write_bytes(b"\xff\xfe broken")
    bench = open_window(tmp_path)
    assert "state.json.damaged" in notices(bench)
    assert "text.txt.damaged" in notices(bench)
    assert (folder(tmp_path) / "text.txt.damaged").read_bytes() == b"\xff\xfe broken"


def test_a_profile_that_cannot_be_written_is_told(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "data").write_text("a file where a folder is wanted")
    bench = open_window(tmp_path)
    assert "This window cannot save its session" in notices(bench)
    bench.panel.editor.setPlainText("text")
    bench.keeper.save()


def test_slots_are_given_out_once(qtbot: QtBot, tmp_path: Path):
    first, second = SessionSlot(tmp_path), SessionSlot(tmp_path)
    assert (first.number, second.number) == (1, 2)
    first.release()
    third = SessionSlot(tmp_path)
    assert third.number == 1
    for slot in (second, third):
        slot.release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process id that is surely dead")
def test_the_lock_of_a_dead_process_does_not_hold(qtbot: QtBot, tmp_path: Path):
    code = f"""
import os
from pathlib import Path
from gui.state.session_slot import SessionSlot
slot = SessionSlot(Path({str(tmp_path)!r}))
assert slot.number == 1
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    slot = SessionSlot(tmp_path)
    assert slot.number == 1
    slot.release()


def test_a_session_of_a_newer_version_is_told_and_left_as_it_is(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    folder(tmp_path).mkdir(parents=True)
    state = json.dumps({"version": 2, "closed": False})
    (folder(tmp_path) / STATE_FILE).write_text(state)
    (folder(tmp_path) / TEXT_FILE).write_text("of the newer one")
    bench = open_window(tmp_path)
    assert bench.slot.number == 2
    assert "newer version" in notices(bench)
    assert "already open" not in notices(bench)
    bench.panel.editor.setPlainText("of this one")
    close_window(qtbot, bench)
    assert (folder(tmp_path) / STATE_FILE).read_text() == state
    assert (folder(tmp_path) / TEXT_FILE).read_text() == "of the newer one"
    assert (folder(tmp_path).with_name("2") / TEXT_FILE).read_text() == "of this one"
