"""Keys and commands that come in the middle of a large step wait for its end, in their order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QMouseEvent
from PySide6.QtTest import QTest

from tests.gui.editor.large_steps import END, START, TEXT, choose, paste, press, remove_much
from tests.gui.editor.sessions import Mirror

pytestmark = pytest.mark.usefixtures("small_parts")


def test_nobody_edits_meanwhile(editor, qtbot) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    editor.cut()
    editor.steps.finish()
    editor.undo()
    assert editor.is_loading
    assert not editor.replace_range(0, 1, "no")
    editor.insertPlainText("no")
    paste(editor, "no")
    editor.undo()
    editor.redo()
    press(editor, "Y")()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == TEXT


KEYS: dict[str, tuple[Callable, str]] = {
    "a letter": (lambda editor: QTest.keyClick(editor, "n"), "n"),
    "Return": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Return), "\n"),
    "Tab": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Tab), "\t"),
    "Paste": (lambda editor: press(editor, "V")(), "pasted"),
    "Delete": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Delete), ""),
}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_is_pressed_meanwhile_is_not_lost(editor, qtbot, key: str) -> None:
    act, typed = KEYS[key]
    QGuiApplication.clipboard().setText("pasted")
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    editor.cut()
    QGuiApplication.clipboard().setText("pasted")
    mirror = Mirror(editor)
    editor.steps.finish()
    editor.undo()
    assert editor.is_loading
    act(editor)
    assert editor.is_loading, "it waits"
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert not editor.isReadOnly()
    assert editor.toPlainText() == mirror.text
    assert len(mirror.text) == len(TEXT) + (len(typed) or -1)
    assert typed in editor.toPlainText()
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == TEXT


def test_an_input_method_waits_for_what_goes(editor) -> None:
    left = remove_much(editor)
    event = QInputMethodEvent()
    event.setCommitString("ü")
    QGuiApplication.sendEvent(editor, event)
    assert editor.toPlainText() == left[:START] + "ü" + left[START:]


def test_what_is_typed_over_waits_for_what_goes(editor, qtbot) -> None:
    left = remove_much(editor)
    editor.setOverwriteMode(True)
    QTest.keyClick(editor, "u")
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == left[:START] + "u" + left[START + 1 :]


def test_other_keys_wait_for_what_goes(editor, qtbot) -> None:
    left = remove_much(editor)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    QTest.keyClick(editor, "x")
    assert editor.is_loading
    assert "x" not in editor.toPlainText(), "what comes behind a key that waits is done behind it"
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == left[: START - 1] + "x" + left[START:]
    editor.undo()
    assert editor.toPlainText() == left[: START - 1] + left[START:]


def test_who_puts_something_in_does_not_wait(editor) -> None:
    left = remove_much(editor)
    assert editor.replace_range(0, 0, "x")
    assert not editor.is_loading
    assert editor.toPlainText() == "x" + left


def test_keys_that_wait_are_done_by_who_cannot(editor) -> None:
    left = remove_much(editor)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    editor.undo()
    QTest.keyClick(editor, "x")
    editor.steps.finish()
    assert not editor.is_loading
    assert editor.toPlainText() == left[:START] + "x" + left[START:], "removed, undone, typed"


MOVES: dict[str, Callable] = {
    "find next": lambda editor: editor.select_range(0, 3),
    "go to a line": lambda editor: editor.go_to_line(1),
    "the mouse": lambda editor: QGuiApplication.sendEvent(
        editor.viewport(),
        QMouseEvent(
            QMouseEvent.Type.MouseButtonPress,
            QPointF(1, 1),
            editor.viewport().mapToGlobal(QPointF(1, 1)),
            Qt.MouseButton.LeftButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        ),
    ),
}


MOVED = {"find next": (0, 3)}
"""What is selected behind it, where that is not nothing at the start."""


@pytest.mark.parametrize("move", MOVES)
def test_a_key_that_waits_is_for_where_the_caret_was(editor, qtbot, move: str) -> None:
    left = remove_much(editor)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    MOVES[move](editor)
    assert editor.is_loading
    assert editor.caret_offset() == START, "it goes there behind the key"
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == left[: START - 1] + left[START:]
    assert editor.selected_range() == MOVED.get(move, (0, 0))


def test_nothing_is_selected_before_a_key_that_waits(editor, qtbot) -> None:
    left = remove_much(editor)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    choose(editor, "select-all")
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == left[: START - 1] + left[START:]
    assert editor.selected_range() == (0, len(left.encode("utf-16-le")) // 2 - 1)


@pytest.mark.parametrize("before", ["", "a key"])
def test_what_is_pasted_waits_for_what_goes(editor, qtbot, before: str) -> None:
    left = remove_much(editor)
    editor.select_range(0, START + 10)  # with some of what goes
    if before:
        QTest.keyClick(editor, Qt.Key.Key_Backspace)
    paste(editor, "pasted")
    paste(editor, "\n")
    assert editor.is_loading
    assert "pasted" not in editor.toPlainText()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == "pasted\n" + left[START:]


@pytest.mark.parametrize("name", ["edit-cut", "edit-delete"])
def test_what_the_menu_removes_waits_for_what_goes(editor, qtbot, name: str) -> None:
    left = remove_much(editor)
    editor.select_range(0, START + 10)
    choose(editor, name)
    assert editor.is_loading
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == left[START:]


def test_steps_are_taken_back_and_done_again_in_their_order(editor, qtbot) -> None:
    left = remove_much(editor)
    editor.undo()
    editor.redo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == left
    assert not editor.document().isRedoAvailable()


def test_what_waits_goes_on_behind_what_fails(editor, qtbot) -> None:
    left = remove_much(editor)
    editor.steps.when_done(lambda: 1 / 0)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    QTest.keyClick(editor, "y")
    with pytest.raises(ZeroDivisionError):
        editor.steps.finish()
    qtbot.waitUntil(lambda: not editor.steps.has_waiting)
    assert editor.toPlainText() == left[: START - 1] + "y" + left[START:]


def test_an_input_method_waits_for_a_step_that_is_undone(editor) -> None:
    remove_much(editor)
    editor.steps.finish()
    editor.undo()
    event = QInputMethodEvent()
    event.setCommitString("ü")
    QGuiApplication.sendEvent(editor, event)
    assert not editor.is_loading
    assert editor.toPlainText().replace("ü", "", 1) == TEXT


def test_keys_for_another_text_are_forgotten(editor) -> None:
    remove_much(editor)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    QTest.keyClick(editor, "x")
    editor.setPlainText("another")
    assert editor.toPlainText() == "another"
    QTest.keyClick(editor, "y")
    assert editor.toPlainText() == "yanother"
