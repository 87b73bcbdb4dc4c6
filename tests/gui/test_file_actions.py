"""Opening, saving and recent files, in a real window."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QListWidget, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from gui.editor import soft_text_edit, text_transfer
from gui.prompt import prompt
from gui.prompt.counting_service import LiveText
from gui.prompt.file_actions import EncodingChooser
from gui.runtime.notify import Notice
from gui.state import storage
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window, notices

pytestmark = pytest.mark.pages()


def open_file(qtbot: QtBot, bench: Application, path: Path) -> None:
    with qtbot.waitSignal(bench.files.shown):
        bench.files.open_path(path)


@pytest.mark.deep
def test_files_named_before_the_services_run_are_opened_then(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "a.txt").write_text("from the command line")
    from gui.app import create_window

    window = create_window(tmp_path / "p")
    bench = window.findChild(Application)
    assert bench is not None
    bench.files.open_path(tmp_path / "a.txt")
    window.show()
    qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == "from the command line")
    with qtbot.waitSignal(window.destroyed):
        window.close()


def test_what_was_typed_is_offered_back(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "a.txt").write_text("the file")
    bench = open_window()
    bench.prompt.replace_all("typed by hand")
    open_file(qtbot, bench, tmp_path / "a.txt")
    assert bench.panel.editor.toPlainText() == "the file"
    notice = next(notice for notice in bench.window.messages.notices if notice.key == "replaced")
    notice.offers[0].act()
    assert bench.panel.editor.toPlainText() == "typed by hand"
    assert bench.prompt.origin is None


def test_an_untouched_text_is_replaced_without_a_word(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "a.txt").write_text("the file")
    bench = open_window()
    open_file(qtbot, bench, tmp_path / "a.txt")
    assert notices(bench) == ""


def test_esc_while_a_file_is_loaded_brings_back_what_was_there(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    small, big = tmp_path / "small.txt", tmp_path / "big.txt"
    small.write_bytes(b"the file\r\nbefore it\r\n")
    big.write_text("a line of a big file\n" * 500)
    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_transfer, "FIRST_SLICE", 300)
    bench = open_window()
    editor, loads = bench.panel.editor, []
    editor.load_finished.connect(loads.append)

    def open_and_cancel() -> None:
        open_file(qtbot, bench, big)
        assert editor.is_loading
        qtbot.keyClick(editor, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: not editor.is_loading)

    open_file(qtbot, bench, small)
    editor.select_range(4, 8)
    open_and_cancel()
    assert editor.toPlainText() == "the file\nbefore it\n"
    assert bench.prompt.origin is not None
    assert bench.prompt.origin.path == small
    assert not bench.prompt.modified
    assert bench.prompt.stored_text == "the file\r\nbefore it\r\n", "counted with its line ends"
    assert editor.selected_text() == "file"
    assert "small.txt" in bench.window.windowTitle()
    assert "Cancelled opening big.txt. The previous text is restored." in notices(bench)

    bench.prompt.replace_all("typed by hand")
    open_and_cancel()
    assert editor.toPlainText() == "typed by hand"
    assert bench.prompt.modified
    assert bench.prompt.origin is None
    assert "Your unsaved text was kept" not in notices(bench)

    open_file(qtbot, bench, big)
    qtbot.waitUntil(lambda: not editor.is_loading)
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.toPlainText() == big.read_text()
    assert "Your unsaved text was kept" in notices(bench)
    with qtbot.waitSignal(bench.notifier.remarked, check_params_cb=lambda text: "Cancelled pasting" in text):
        editor.insertPlainText("pasted " * 500)
        qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.toPlainText() == big.read_text()
    assert not bench.prompt.modified


def test_a_refused_file_changes_nothing(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(b"\0\1\2")
    bench = open_window()
    text = bench.panel.editor.toPlainText()
    bench.files.open_path(tmp_path / "a.bin")
    qtbot.waitUntil(lambda: "binary file" in notices(bench))
    assert bench.panel.editor.toPlainText() == text
    (tmp_path / "a.txt").write_text("good")
    open_file(qtbot, bench, tmp_path / "a.txt")
    assert "binary file" not in notices(bench)


def test_an_unknown_encoding_is_asked_for_with_a_preview(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    path = tmp_path / "old.txt"
    path.write_bytes("Grüße".encode("cp1252"))
    bench = open_window()
    bench.files.open_path(path)
    qtbot.waitUntil(lambda: bench.window.findChild(EncodingChooser) is not None)
    chooser = bench.window.findChild(EncodingChooser)
    assert chooser is not None
    names = chooser.findChild(QListWidget)
    assert names is not None
    assert chooser._preview.toPlainText() == "Grüße"
    assert "Windows-1252" in names.currentItem().text()
    disabled = [row for row in range(names.count()) if not names.item(row).flags() & Qt.ItemFlag.ItemIsEnabled]
    assert disabled
    buttons = chooser.findChild(QDialogButtonBox)
    assert buttons is not None
    with qtbot.waitSignal(bench.files.shown):
        qtbot.mouseClick(buttons.button(QDialogButtonBox.StandardButton.Open), Qt.MouseButton.LeftButton)
    assert bench.panel.editor.toPlainText() == "Grüße"
    assert bench.prompt.origin is not None
    assert bench.prompt.origin.encoding == "cp1252"


def test_several_dropped_files(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    bench = open_window()
    with qtbot.waitSignal(bench.files.shown):
        bench.files.open_paths([tmp_path / "a", tmp_path / "b"])
    assert bench.panel.editor.toPlainText() == "a"
    assert "holds one file" in notices(bench)
    menu = QMenu()
    bench.files.fill_recent(menu)
    assert [Path(action.data()).name for action in menu.actions() if action.data()] == ["a", "b"]


def test_saving_writes_what_is_there(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    bench.prompt.replace_all("naïve 🚀\n")
    assert bench.prompt.modified
    bench.files.save_to(tmp_path / "out.txt")
    qtbot.waitUntil(lambda: not bench.prompt.modified)
    assert (tmp_path / "out.txt").read_bytes() == "naïve 🚀\n".encode()
    assert bench.prompt.origin is not None
    assert bench.prompt.origin.path == tmp_path / "out.txt"
    assert bench.settings.values.recent[0] == str(tmp_path / "out.txt")


def test_saving_keeps_the_line_ends_of_the_file(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    path = tmp_path / "windows.txt"
    path.write_bytes(b"one\r\ntwo\r\n")
    bench = open_window()
    open_file(qtbot, bench, path)
    bench.files.save_to(tmp_path / "copy.txt")
    qtbot.waitUntil((tmp_path / "copy.txt").exists)
    assert (tmp_path / "copy.txt").read_bytes() == b"one\r\ntwo\r\n"
    bench.panel.editor.replace_range(0, 3, "1")
    bench.files.save_to(path)
    qtbot.waitUntil(lambda: path.read_bytes() == b"1\r\ntwo\r\n")


def test_a_failed_save_keeps_the_text_and_can_be_tried_again(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bench = open_window()
    bench.prompt.replace_all("precious")

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(storage, "write_atomic", full)
        bench.files.save_to(tmp_path / "out.txt")
        qtbot.waitUntil(lambda: "Could not save out.txt" in notices(bench))  # the session may fail as well
    assert bench.prompt.modified
    notice = next(notice for notice in bench.window.messages.notices if notice.key == "save")
    notice.offers[0].act()
    qtbot.waitUntil(lambda: not bench.prompt.modified)
    assert (tmp_path / "out.txt").read_text() == "precious"
    assert not any(notice.key == "save" for notice in bench.window.messages.notices)


def test_closing_does_not_outrun_a_save(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(prompt, "DIRECT_READ_CHARACTERS", 0)
    bench = open_window()
    bench.prompt.replace_all("saved at the last moment")
    bench.files.save_to(tmp_path / "out.txt")
    close_window(qtbot, bench)
    assert (tmp_path / "out.txt").read_text() == "saved at the last moment"


@pytest.mark.deep
@pytest.mark.parametrize("direct", [0, 1_000_000], ids=["asked of the worker", "read at once"])
def test_closing_does_not_outrun_several_saves(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, direct: int
):
    monkeypatch.setattr(prompt, "DIRECT_READ_CHARACTERS", direct)
    bench = open_window()
    bench.prompt.replace_all("saved at the last moment")
    for name in "abc":
        bench.files.save_to(tmp_path / name)
    close_window(qtbot, bench)
    assert [(tmp_path / name).read_text() for name in "abc"] == ["saved at the last moment"] * 3


def test_a_save_that_fails_while_the_window_closes_keeps_it_open(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    (tmp_path / "blocked").write_text("a file where a folder is wanted")
    bench.prompt.replace_all("precious")
    bench.files.save_to(tmp_path / "blocked" / "out.txt")
    assert not bench.window.close()
    assert bench.window.isVisible()
    assert "Could not save out.txt" in notices(bench)
    close_window(qtbot, bench)


def test_what_was_typed_during_a_save_is_not_saved(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    bench.prompt.replace_all("one")
    bench.files.save_to(tmp_path / "a")
    bench.panel.editor.appendPlainText("two")
    bench.files.save_to(tmp_path / "b")
    bench.panel.editor.appendPlainText("three")
    assert bench.files.finish() == ""
    assert [(tmp_path / name).read_text() for name in "ab"] == ["one", "one\ntwo"]
    assert bench.prompt.modified
    assert bench.prompt.origin is None


def test_undo_back_to_the_saved_text_takes_the_star_from_the_title(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
):
    (tmp_path / "a.txt").write_text("the file")
    bench = open_window()
    open_file(qtbot, bench, tmp_path / "a.txt")
    assert not bench.window.isWindowModified()
    qtbot.keyClicks(bench.panel.editor, "x")
    assert bench.window.isWindowModified()
    bench.panel.editor.undo()
    assert bench.panel.editor.toPlainText() == "the file"
    assert not bench.window.isWindowModified()
    qtbot.keyClicks(bench.panel.editor, "y")
    bench.files.save_to(tmp_path / "a.txt")
    qtbot.waitUntil(lambda: not bench.window.isWindowModified())
    bench.panel.editor.undo()
    assert bench.window.isWindowModified()


def test_a_text_that_the_worker_lost_is_saved_all_the_same(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object) -> object:
        raise RuntimeError("no answer")

    monkeypatch.setattr(prompt, "DIRECT_READ_CHARACTERS", 0)
    bench = open_window()
    monkeypatch.setattr(LiveText, "_answer", broken)
    bench.prompt.replace_all("worth keeping")
    bench.files.save_to(tmp_path / "out.txt")
    qtbot.waitUntil((tmp_path / "out.txt").exists)
    assert (tmp_path / "out.txt").read_text() == "worth keeping"


def test_recent_files_are_listed_missing_ones_greyed(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    for name in ("a & b.txt", "gone.txt"):
        (tmp_path / name).write_text(name)
        open_file(qtbot, bench, tmp_path / name)
    (tmp_path / "gone.txt").unlink()
    menu = QMenu(bench.window)
    bench.files.fill_recent(menu)
    actions = menu.actions()
    assert [action.data() for action in actions[:2]] == [str(tmp_path / "gone.txt"), str(tmp_path / "a & b.txt")]
    assert [action.isEnabled() for action in actions[:2]] == [False, True]
    assert "missing" in actions[0].text()
    assert "a && b.txt" in actions[1].text()
    with qtbot.waitSignal(bench.files.shown):
        actions[1].trigger()
    next(action for action in actions if action.text() == "Remove missing files").trigger()
    assert bench.settings.values.recent == (str(tmp_path / "a & b.txt"),)
    bench.files.fill_recent(menu)
    next(action for action in menu.actions() if action.text() == "Clear the list").trigger()
    bench.files.fill_recent(menu)
    assert [action.isEnabled() for action in menu.actions()] == [False]


def test_a_recent_file_that_cannot_be_read_can_be_forgotten(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    path = tmp_path / "a.txt"
    path.write_text("x")
    open_file(qtbot, bench, path)
    path.unlink()
    bench.files.open_path(path)
    qtbot.waitUntil(lambda: "Could not read a.txt" in notices(bench))
    bench.window.messages.notices[0].offers[0].act()
    assert bench.settings.values.recent == ()
    assert notices(bench) == ""


def test_only_so_many_are_remembered(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(counted=False)
    bench.settings.set("recent_files", 3)
    for number in range(5):
        bench.files.remember(tmp_path / str(number))
    assert bench.settings.values.recent == tuple(str(tmp_path / str(number)) for number in (4, 3, 2))


def test_the_dialogs_open_and_save(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "a.txt").write_text("chosen")
    bench = open_window()
    bench.window.actions_by_name["open"].trigger()
    dialog = bench.window.findChild(QFileDialog, "openDialog")
    assert dialog is not None
    with qtbot.waitSignal(bench.files.shown):
        dialog.fileSelected.emit(str(tmp_path / "a.txt"))
    dialog.reject()
    assert bench.panel.editor.toPlainText() == "chosen"
    bench.window.actions_by_name["save_as"].trigger()
    dialog = bench.window.findChild(QFileDialog, "saveDialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "b.txt"))
    dialog.reject()
    qtbot.waitUntil((tmp_path / "b.txt").exists)
    assert (tmp_path / "b.txt").read_text() == "chosen"


def test_a_restored_text_that_is_in_no_file_is_offered_back(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "a.txt").write_text("the file")
    bench = open_window()
    bench.prompt.replace_all("an hour of work")
    close_window(qtbot, bench)
    bench = open_window()
    assert bench.panel.editor.toPlainText() == "an hour of work"
    open_file(qtbot, bench, tmp_path / "a.txt")
    notice = next(notice for notice in bench.window.messages.notices if notice.key == "replaced")
    notice.offers[0].act()
    assert bench.panel.editor.toPlainText() == "an hour of work"
    assert bench.prompt.modified, "it still is in no file"


def on_disk(bench: Application) -> Notice | None:
    return next((notice for notice in bench.window.messages.notices if notice.key == "changed on disk"), None)


def test_a_file_that_changes_on_disk_is_noticed(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("one")
    bench = open_window()
    open_file(qtbot, bench, path)
    bench.panel.editor.insertPlainText("typed ")
    path.write_text("two")
    qtbot.waitUntil(lambda: on_disk(bench) is not None)
    assert on_disk(bench).text == "a.txt changed on disk, and you have unsaved changes."
    assert [offer.label for offer in on_disk(bench).offers] == ["Reload", "Keep mine"]
    path.write_text("one")  # as it was
    qtbot.waitUntil(lambda: on_disk(bench) is None)

    replacement = tmp_path / "new"  # as editors write
    replacement.write_text("three")
    replacement.replace(path)
    qtbot.waitUntil(lambda: on_disk(bench) is not None)
    on_disk(bench).offers[1].act()
    assert bench.panel.editor.toPlainText() == "typed one"
    assert bench.prompt.modified
    assert on_disk(bench) is None

    path.write_text("four")
    qtbot.waitUntil(lambda: on_disk(bench) is not None)
    with qtbot.waitSignal(bench.files.shown):
        on_disk(bench).offers[0].act()
    assert bench.panel.editor.toPlainText() == "four"
    assert on_disk(bench) is None
    back = next(notice for notice in bench.window.messages.notices if notice.key == "replaced")
    back.offers[0].act()
    assert bench.panel.editor.toPlainText() == "typed one"
    assert bench.prompt.modified


@pytest.mark.deep
def test_saving_and_touching_a_file_is_no_change_of_it(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("one")
    bench = open_window()
    open_file(qtbot, bench, path)
    digested = bench.files._files.digested
    with qtbot.waitSignal(digested):
        os.utime(path, (1, 1))
    assert on_disk(bench) is None
    bench.panel.editor.insertPlainText("typed ")
    with qtbot.waitSignal(digested):
        bench.files.save_to(path)
    assert (path.read_text(), on_disk(bench)) == ("typed one", None)
    with qtbot.waitSignal(digested):
        path.unlink()
        (tmp_path / "other").write_text("")
    assert on_disk(bench) is None
    path.write_text("back")
    qtbot.waitUntil(lambda: on_disk(bench) is not None)
    assert on_disk(bench).text == "a.txt changed on disk."
    (tmp_path / "b.txt").write_text("b")
    open_file(qtbot, bench, tmp_path / "b.txt")
    assert on_disk(bench) is None


@pytest.mark.pages
def test_save_asks_for_a_name_only_where_there_is_none(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    act, editor = bench.window.actions_by_name, bench.panel.editor
    assert bench.prompt.name == "Untitled prompt"
    assert bench.window.windowTitle().startswith("Untitled prompt[*]")
    bench.prompt.replace_all("mine\n")
    assert bench.window.isWindowModified()
    act["save"].trigger()
    dialog = bench.window.findChild(QFileDialog, "saveDialog")
    dialog.fileSelected.emit(str(tmp_path / "b.txt"))
    dialog.reject()
    qtbot.waitUntil(lambda: bench.prompt.name == "b.txt" and not bench.prompt.modified)
    assert bench.window.windowTitle().startswith("b.txt[*]")
    editor.appendPlainText("more")
    assert bench.window.isWindowModified()
    act["save"].trigger()
    qtbot.waitUntil(lambda: not bench.prompt.modified)
    assert (tmp_path / "b.txt").read_text() == "mine\n\nmore"
    assert act["save"].shortcut().toString() == "Ctrl+S"
    assert act["save_as"].shortcut().toString() == "Ctrl+Shift+S"

    (tmp_path / "old.txt").write_bytes("Größe, naïve, café\r\n".encode("utf-16"))
    open_file(qtbot, bench, tmp_path / "old.txt")
    editor.appendPlainText("x")
    act["save"].trigger()
    qtbot.waitUntil(lambda: not bench.prompt.modified)
    assert (tmp_path / "old.txt").read_bytes() == "Größe, naïve, café\r\n\r\nx".encode()
    assert "as UTF-8" in notices(bench)


@pytest.mark.deep
@pytest.mark.pages
def test_quitting_asks_about_changes_of_a_file(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("the file")
    bench = open_window()
    open_file(qtbot, bench, path)
    bench.panel.editor.appendPlainText("and more")

    def question() -> QMessageBox:
        bench.window.actions_by_name["close"].trigger()
        box = bench.window.findChild(QMessageBox, "unsavedQuestion")
        assert "a.txt" in box.text()
        return box

    box = question()
    with qtbot.waitSignal(box.destroyed):
        box.button(QMessageBox.StandardButton.Cancel).click()
    assert bench.window.isVisible()
    (save,) = (button for button in question().buttons() if button.text() == "&Save")
    with qtbot.waitSignal(bench.window.destroyed):
        save.click()
    assert path.read_text() == "the file\nand more"
    bench = open_window()
    with qtbot.waitSignal(bench.window.destroyed):
        bench.window.actions_by_name["close"].trigger()  # nothing is unsaved: nothing is asked
