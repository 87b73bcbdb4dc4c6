"""Large steps are undone and redone whole, bit by bit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from gui.editor.text_transfer import Piece, PieceWriter
from tests.gui.editor.large_steps import CTRL, END, START, TEXT, choose, paste, press
from tests.gui.editor.sessions import Mirror
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.usefixtures("small_parts")

WAYS: dict[str, tuple[Callable, str]] = {
    "delete": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Delete), ""),
    "backspace": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Backspace), ""),
    "delete a word": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Delete, CTRL), ""),
    "cut by keys": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_X, CTRL), ""),
    "cut": (lambda editor: editor.cut(), ""),
    "type": (lambda editor: QTest.keyClick(editor, "x"), "x"),
    "Tab": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Tab), "\t"),
    "a new line": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Return), "\n"),
    "insert": (lambda editor: editor.insertPlainText("new"), "new"),
    "paste": (lambda editor: paste(editor, "new"), "new"),
    "paste much": (lambda editor: paste(editor, "new line\n" * 400), "new line\n" * 400),
    "replace": (lambda editor: editor.replace_range(START, END, "other"), "other"),
    "cut in the menu": (lambda editor: choose(editor, "edit-cut"), ""),
    "delete in the menu": (lambda editor: choose(editor, "edit-delete"), ""),
}


@pytest.mark.deep
@pytest.mark.parametrize("way", mostly_deep(WAYS, 3))
def test_what_removes_much_is_one_step(editor, qtbot, feeding, way: str) -> None:
    act, inserted = WAYS[way]
    editor.setPlainText(TEXT)
    mirror = Mirror(editor)
    editor.select_range(START, END)
    before = len(TEXT.encode("utf-16-le")) // 2
    left = TEXT.encode("utf-16-le")
    after = (left[: 2 * START] + inserted.encode("utf-16-le") + left[2 * END :]).decode("utf-16-le")
    act(editor)
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == mirror.text == after
    for undo, redo in ((editor.undo, editor.redo), (press(editor, "Z"), press(editor, "Y"))):
        undo()
        assert editor.is_loading
        assert editor.isReadOnly()
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert editor.toPlainText() == mirror.text == TEXT
        assert editor.text_length == before
        assert not editor.document().isUndoAvailable()
        assert not editor.modified
        assert not editor.isReadOnly()
        redo()
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert editor.toPlainText() == mirror.text == after
        assert not editor.document().isRedoAvailable()


def test_cutting_copies(editor) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    chosen = editor.selected_text()
    QTest.keyClick(editor, Qt.Key.Key_X, CTRL)
    assert QGuiApplication.clipboard().text() == chosen


def test_nothing_but_a_soft_break_is_not_cut(make_editor) -> None:
    editor = make_editor()
    editor.setPlainText("x" * 20_000)
    position = editor._soft._breaks.at(0)
    cursor = editor.textCursor()
    cursor.setPosition(position)
    cursor.setPosition(position + 1, cursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    QGuiApplication.clipboard().setText("kept")
    for cut in (editor.cut, lambda: QTest.keyClick(editor, Qt.Key.Key_X, CTRL)):
        cut()
        assert QGuiApplication.clipboard().text() == "kept"
        assert editor._soft.is_break(position)
        assert not editor.document().isUndoAvailable()


def test_the_menu_undoes_all_of_it(editor, qtbot) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    editor.cut()
    editor.steps.finish()
    after = editor.toPlainText()
    choose(editor, "edit-undo")
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == TEXT
    choose(editor, "edit-redo")
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == after


@pytest.mark.deep
def test_many_pieces_are_one_step(editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    from gui.editor import text_transfer

    monkeypatch.setattr(text_transfer, "WRITE_SECONDS", 0.0005)
    editor.setPlainText("word " * 3000)
    writer = PieceWriter(editor)
    with qtbot.waitSignal(writer.finished):
        writer.write(editor.revision, [Piece(5 * at, 5 * at + 4, "thing") for at in range(3000)])
    assert editor.toPlainText() == "thing " * 3000
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == "word " * 3000
    assert not editor.document().isUndoAvailable()


def test_the_rest_can_be_done_at_once(editor) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    editor.cut()
    editor.undo()
    editor.steps.finish()
    assert editor.toPlainText() == TEXT
    assert not editor.is_loading
    assert not editor.isReadOnly()


def test_another_text_takes_over(editor, qtbot) -> None:
    mirror = Mirror(editor)
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    editor.cut()
    editor.undo()
    editor.setPlainText("short")
    assert not editor.is_loading
    assert not editor.isReadOnly()
    for letter in "abcdefghij":
        editor.replace_range(0, 0, letter)
    editor.undo()
    assert not editor.is_loading, "the steps of the text before mean nothing here"
    assert editor.toPlainText() == mirror.text == "ihgfedcbashort"


def test_a_step_that_was_undone_and_written_over_is_forgotten(editor, qtbot) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    editor.cut()
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    for letter in "abcdefghij" * 10:
        editor.replace_range(0, 0, letter)
    editor.undo()
    assert not editor.is_loading
    assert editor.toPlainText() == ("jihgfedcba" * 10)[1:] + TEXT


@pytest.mark.deep
def test_two_large_steps_are_undone_one_after_the_other(editor, qtbot) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, 2000)
    editor.cut()
    editor.steps.finish()
    between = editor.toPlainText()
    editor.select_range(START, 4000)
    editor.cut()
    editor.steps.finish()
    after = editor.toPlainText()
    for act, text in (
        (editor.undo, between),
        (editor.undo, TEXT),
        (editor.redo, between),
        (editor.redo, after),
        (editor.undo, between),
    ):
        act()
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert editor.toPlainText() == text


def test_small_removals_are_steps_of_qt(editor) -> None:
    editor.setPlainText("some words")
    editor.select_range(0, 4)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert editor.toPlainText() == " words"
    editor.undo()
    assert not editor.is_loading
    assert editor.toPlainText() == "some words"


def test_where_nothing_is_left_to_redo_it_ends(editor, qtbot) -> None:
    """A part of a large step was undone behind our back, and a key was then joined to what Qt had."""
    editor.setPlainText(TEXT)
    QTest.keyClick(editor, "a")
    editor.select_range(START, END)
    editor.cut()
    editor.steps.finish()
    editor.document().undo()
    editor.steps._large = [(0, 1 << 30)]
    editor.replace_range(0, 0, "b")
    editor.steps._large = [(0, 1 << 30)]
    before = editor.toPlainText()
    editor.redo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == before
    assert not editor.isReadOnly()
