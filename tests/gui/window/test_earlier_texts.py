"""Texts that are on the disk and not in the window: offered, shown, kept; and not offered twice."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.runtime.notify import Offer
from gui.state import storage
from gui.state.session import STATE_FILE, TEXT_FILE
from gui.state.session_slot import SessionSlot
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window, notices

pytestmark = pytest.mark.pages()

LEFT = "left by a second window"


@pytest.fixture
def orphan(tmp_path: Path) -> Path:
    """The session of a second window that was killed."""
    folder = tmp_path / "data" / "sessions" / "2"
    folder.mkdir(parents=True)
    (folder / TEXT_FILE).write_text(LEFT)
    (folder / STATE_FILE).write_text('{"closed": false}')
    return folder


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A disk on which nothing written in the background gets done before this event."""
    drop = threading.Event()
    write_atomic = storage.write_atomic

    def slow(*args: object, **options: object) -> int:
        if threading.current_thread() is not threading.main_thread():
            drop.wait()
        return write_atomic(*args, **options)

    monkeypatch.setattr(storage, "write_atomic", slow)
    yield drop
    drop.set()


def offer_of(bench: Application) -> Offer:
    offers = [offer for notice in bench.window.messages.notices for offer in notice.offers]
    return next(offer for offer in offers if offer.label == "Show that text")


def let_go_when_closing(bench: Application, disk: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    close = bench.keeper.close

    def let_go_and_close() -> str:
        disk.set()
        return close()

    monkeypatch.setattr(bench.keeper, "close", let_go_and_close)


def test_the_text_of_a_killed_window_is_offered_once(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, orphan: Path
):
    bench = open_window(tmp_path)
    assert "Another window closed unexpectedly" in bench.window.messages.notices[0].text
    offer_of(bench).act()
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == LEFT)
    close_window(qtbot, bench)
    bench = open_window(tmp_path)
    assert bench.panel.editor.toPlainText() == LEFT
    assert not bench.window.messages.notices, "offered once"


@pytest.mark.deep
def test_it_is_offered_once_on_a_slow_disk_too(
    qtbot: QtBot,
    open_window: OpenWindow,
    tmp_path: Path,
    orphan: Path,
    slow_disk: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
):
    bench = open_window(tmp_path)
    bench.keeper.save()
    offer_of(bench).act()
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == LEFT)
    let_go_when_closing(bench, slow_disk, monkeypatch)
    close_window(qtbot, bench)
    bench = open_window(tmp_path)
    assert bench.panel.editor.toPlainText() == LEFT
    assert not bench.window.messages.notices, "offered once"


@pytest.mark.deep
def test_it_is_offered_until_it_is_saved_elsewhere(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, orphan: Path, slow_disk: threading.Event
):
    bench = open_window(tmp_path)
    offer_of(bench).act()
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == LEFT)
    bench.keeper.save()
    assert list(bench.slot.orphans()) == [orphan], "a kill at this moment must not lose it"
    slow_disk.set()
    bench.keeper.save()
    qtbot.waitUntil(lambda: not list(bench.slot.orphans()))
    assert (tmp_path / "data" / "sessions" / "1" / TEXT_FILE).read_text() == LEFT


def second_session(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, text: str) -> Path:
    """What a second window leaves that was closed with a text."""
    first, second = open_window(tmp_path), open_window(tmp_path)
    folder = tmp_path / "data" / "sessions" / "2"
    assert second.slot.folder == folder
    if text:
        second.prompt.replace_all(text)
    close_window(qtbot, second)
    close_window(qtbot, first)
    return folder


@pytest.mark.deep
@pytest.mark.parametrize("wanted", [True, False], ids=["shown", "discarded"])
def test_the_unsaved_text_of_a_closed_second_window_is_offered_and_then_removed(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, wanted: bool
):
    folder = second_session(qtbot, open_window, tmp_path, LEFT)
    assert (folder / TEXT_FILE).read_text() == LEFT
    bench = open_window(tmp_path)
    assert "closed with unsaved text" in notices(bench)
    offers = {offer.label: offer for notice in bench.window.messages.notices for offer in notice.offers}
    if wanted:
        offers["Show that text"].act()
        qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == LEFT)
        bench.keeper.save()
    else:
        offers["Discard it"].act()
    qtbot.waitUntil(lambda: (folder / TEXT_FILE).read_text() == "" and not bench.keeper._held)
    close_window(qtbot, bench)
    bench = open_window(tmp_path)
    assert not [offer for notice in bench.window.messages.notices for offer in notice.offers]
    assert (bench.panel.editor.toPlainText() == LEFT) is wanted


@pytest.mark.deep
def test_a_closed_second_window_leaves_nothing_that_is_saved_elsewhere(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
):
    folder = second_session(qtbot, open_window, tmp_path, "")
    assert (folder / TEXT_FILE).read_text() == ""
    assert not json.loads((folder / STATE_FILE).read_text())["file"]


@pytest.mark.parametrize("overwritten", [False, True])
def test_a_closed_second_window_keeps_a_text_that_its_file_no_longer_holds(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, overwritten: bool
):
    document = tmp_path / "document.txt"
    first, second = open_window(tmp_path), open_window(tmp_path)
    second.prompt.replace_all(LEFT)
    second.files.save_to(document)
    qtbot.waitUntil(lambda: not second.prompt.modified)
    if overwritten:
        document.write_text("saved by another program")
    close_window(qtbot, second)
    close_window(qtbot, first)
    kept = (tmp_path / "data" / "sessions" / "2" / TEXT_FILE).read_text()
    assert kept == (LEFT if overwritten else "")


def test_a_session_that_another_window_took_is_left_alone(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, orphan: Path
):
    bench = open_window(tmp_path)
    other = SessionSlot(tmp_path / "data" / "sessions")
    assert other.folder == orphan
    offer_of(bench).act()
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == LEFT)
    close_window(qtbot, bench)
    assert json.loads((orphan / STATE_FILE).read_text())["closed"] is False
    other.release()


def test_starting_afresh_offers_the_last_text(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(tmp_path)
    bench.settings.set("restore_session", False)
    bench.panel.editor.setPlainText("of last time")
    close_window(qtbot, bench)
    bench = open_window(tmp_path)
    assert bench.panel.editor.toPlainText() == ""
    offer_of(bench).act()
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == "of last time")
    close_window(qtbot, bench)
    assert (tmp_path / "data" / "sessions" / "1" / TEXT_FILE).read_text() == "of last time"
