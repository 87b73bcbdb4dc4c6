"""Keys and commands that come while a big paste is on its way in wait for its end, in their order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from gui.editor.token_editor import TokenEditor
from tests.gui.editor.large_steps import paste, press
from tests.gui.editor.sessions import Mirror

BIG = "a line of text 😀\n" * 300

pytestmark = pytest.mark.usefixtures("feeding", "small_parts")


def begin(editor: TokenEditor) -> Mirror:
    editor.setPlainText("before after")
    editor.select_range(7, 7)
    mirror = Mirror(editor)
    paste(editor, BIG)
    assert editor.is_loading
    return mirror


def until_in(editor: TokenEditor, qtbot) -> None:
    qtbot.waitUntil(lambda: not editor.is_loading)


KEYS: dict[str, tuple[Callable, str]] = {
    "letters": (lambda editor: QTest.keyClicks(editor, "no"), f"before {BIG}noafter"),
    "Return": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Return), f"before {BIG}\nafter"),
    "Backspace": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Backspace), f"before {BIG[:-1]}after"),
    "Paste": (lambda editor: press(editor, "V")(), f"before {BIG}pastedafter"),
}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_not_lost(editor, qtbot, key: str) -> None:
    act, wanted = KEYS[key]
    QGuiApplication.clipboard().setText("pasted")
    mirror = begin(editor)
    act(editor)
    assert editor.is_loading, "it waits"
    until_in(editor, qtbot)
    assert editor.toPlainText() == wanted == mirror.text
    assert not editor.isReadOnly()


def test_it_is_a_step_of_its_own(editor, qtbot) -> None:
    mirror = begin(editor)
    QTest.keyClick(editor, "x")
    until_in(editor, qtbot)
    editor.undo()
    assert editor.toPlainText() == f"before {BIG}after"
    editor.undo()
    until_in(editor, qtbot)
    assert editor.toPlainText() == "before after" == mirror.text


def test_what_is_undone_is_in_before(editor, qtbot) -> None:
    mirror = begin(editor)
    editor.undo()
    until_in(editor, qtbot)
    assert editor.toPlainText() == "before after" == mirror.text
    editor.redo()
    until_in(editor, qtbot)
    assert editor.toPlainText() == f"before {BIG}after" == mirror.text


def test_keys_are_done_behind_a_paste_that_is_taken_back(editor, qtbot) -> None:
    mirror = begin(editor)
    QTest.keyClick(editor, "x")
    with qtbot.waitSignal(editor.load_progress):
        pass
    assert "a line of text" in editor.toPlainText()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    until_in(editor, qtbot)
    assert editor.toPlainText() == "before xafter" == mirror.text


def test_two_big_pastes_come_one_behind_the_other(editor, qtbot) -> None:
    QGuiApplication.clipboard().setText("😀 second\n" * 300)
    mirror = begin(editor)
    press(editor, "V")()
    QTest.keyClick(editor, "x")
    until_in(editor, qtbot)
    assert editor.toPlainText() == f"before {BIG}" + "😀 second\n" * 300 + "xafter" == mirror.text


def test_keys_for_a_text_that_another_took_over_are_forgotten(editor) -> None:
    begin(editor)
    QTest.keyClick(editor, "x")
    editor.setPlainText("another")
    assert editor.toPlainText() == "another"
    QTest.keyClick(editor, "y")
    assert editor.toPlainText() == "yanother"


def test_keys_wait_for_a_text_that_is_loaded(editor, qtbot) -> None:
    mirror = Mirror(editor)
    editor.load_text(BIG)
    QTest.keyClick(editor, "x")
    assert editor.is_loading
    until_in(editor, qtbot)
    assert sorted(editor.toPlainText()) == sorted(BIG + "x")
    assert editor.toPlainText() == mirror.text
    editor.undo()
    assert editor.toPlainText() == BIG


def test_who_opens_another_text_when_one_is_in_has_keys_wait_for_that(editor, qtbot) -> None:
    on_the_way: list[str] = []

    def open_another() -> None:
        editor.load_finished.disconnect(open_another)
        editor.load_text(BIG)
        QTest.keyClick(editor, "x")
        on_the_way.append(editor.toPlainText())

    begin(editor)
    editor.load_finished.connect(open_another)
    qtbot.waitUntil(lambda: bool(on_the_way))
    assert "x" not in on_the_way[0].replace("text", "")
    until_in(editor, qtbot)
    assert "x" in editor.toPlainText().replace("text", "")
