"""Large steps are undone and redone whole, bit by bit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QInputMethodEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu

from gui.editor import large_removal, text_feed, undo_steps
from gui.editor.piece_writer import PieceWriter
from gui.editor.pieces import Piece
from tests.gui.editor.sessions import Mirror

CTRL = Qt.KeyboardModifier.ControlModifier
TEXT = "first line\n" + "some words 😀 and more of them\n" * 60 + "é" * 9000 + "\nlast"
START, END = 6, 5000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_removal, "MUCH_UNITS", 100)
    monkeypatch.setattr(large_removal, "FIRST_PART", 100)
    monkeypatch.setattr(large_removal, "_LARGEST", 100)
    monkeypatch.setattr(large_removal, "_SMALLEST", 100)
    monkeypatch.setattr(undo_steps, "_TURN_SECONDS", 0.0)


def paste(editor, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    editor.insertFromMimeData(data)


def choose(editor, name: str) -> None:
    editor.contextMenuEvent(QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), QPoint(5, 5)))
    menu = editor.findChildren(QMenu)[-1]
    action = menu.findChild(QAction, name)
    assert action.isEnabled()
    action.trigger()
    menu.close()


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


@pytest.fixture
def feeding(monkeypatch: pytest.MonkeyPatch) -> None:
    from gui.editor import soft_text_edit

    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_feed, "FIRST_SLICE", 300)
    monkeypatch.setattr(text_feed, "_LARGEST", 300)


@pytest.mark.parametrize("way", WAYS)
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


def press(editor, key: str) -> Callable[[], None]:
    return lambda: QTest.keyClick(editor, getattr(Qt.Key, f"Key_{key}"), CTRL)


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


def test_many_pieces_are_one_step(editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    from gui.editor import piece_writer

    monkeypatch.setattr(piece_writer, "SLICE_SECONDS", 0.0005)
    editor.setPlainText("word " * 3000)
    writer = PieceWriter(editor)
    with qtbot.waitSignal(writer.finished):
        writer.write(editor.revision, [Piece(5 * at, 5 * at + 4, "thing") for at in range(3000)])
    assert editor.toPlainText() == "thing " * 3000
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == "word " * 3000
    assert not editor.document().isUndoAvailable()


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


def test_a_part_begins_between_characters(editor, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MUCH_UNITS", "FIRST_PART", "_SMALLEST", "_LARGEST"):
        monkeypatch.setattr(large_removal, name, 3)
    editor.setPlainText("😀" * 40)
    mirror = Mirror(editor)
    editor.steps.begin()
    editor.replace_range(2, 78, "")
    editor.steps.end()
    assert mirror.emissions == 1, "told as one change"
    assert editor.toPlainText() == mirror.text == "😀😀"
    editor.undo()
    editor.steps.finish()
    assert editor.toPlainText() == mirror.text == "😀" * 40


def remove_much(editor) -> str:
    """Begin to remove nearly all of the text; what will be left."""
    text = TEXT.encode("utf-16-le")
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert editor.is_loading
    return (text[: 2 * START] + text[2 * END :]).decode("utf-16-le")


def replace_much(editor) -> str:
    """The same with an "o" in its place."""
    text = TEXT.encode("utf-16-le")
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    QTest.keyClick(editor, "o")
    assert editor.is_loading
    return (text[: 2 * START] + "o".encode("utf-16-le") + text[2 * END :]).decode("utf-16-le")


def test_much_is_removed_over_several_turns(editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undo_steps, "_TURN_SECONDS", 0)
    mirror = Mirror(editor)
    left = remove_much(editor)
    assert len(left) < len(editor.toPlainText()) < len(TEXT)
    assert mirror.text == editor.toPlainText(), "what is there is told"
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == mirror.text == left
    assert not editor.isReadOnly()
    assert not editor.textCursor().hasSelection()


def test_parts_that_are_removed_begin_between_characters(editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MUCH_UNITS", "FIRST_PART", "_SMALLEST", "_LARGEST"):
        monkeypatch.setattr(large_removal, name, 3)
    editor.setPlainText("😀" * 40)
    mirror = Mirror(editor)
    editor.select_range(2, 78)
    editor.cut()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == mirror.text == "😀😀"


MEANWHILE: dict[str, tuple[Callable, str]] = {
    "a letter": (lambda editor: QTest.keyClick(editor, "x"), "x"),
    "Return": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Return), "\n"),
    "Tab": (lambda editor: QTest.keyClick(editor, Qt.Key.Key_Tab), "\t"),
    "a paste": (lambda editor: paste(editor, "pasted"), "pasted"),
    "a small text": (lambda editor: editor.insertPlainText("new\ntext"), "new\ntext"),
}


@pytest.mark.parametrize("way", MEANWHILE)
@pytest.mark.parametrize("begun_by", ["Delete", "a key"])
def test_what_is_typed_while_much_goes_is_put_in_at_once(editor, qtbot, way: str, begun_by: str) -> None:
    act, typed = MEANWHILE[way]
    mirror = Mirror(editor)
    left = remove_much(editor) if begun_by == "Delete" else replace_much(editor)
    act(editor)
    assert editor.is_loading, "the rest still goes bit by bit"
    assert editor.toPlainText() == mirror.text
    act(editor)
    qtbot.waitUntil(lambda: not editor.is_loading)
    at = START + (begun_by != "Delete")
    assert editor.toPlainText() == mirror.text == left[:at] + 2 * typed + left[at:]
    assert editor.caret_offset() == at + 2 * len(typed)
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == mirror.text == TEXT
    assert not editor.document().isUndoAvailable()
    assert not editor.modified
    editor.redo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == mirror.text == left[:at] + 2 * typed + left[at:]


@pytest.mark.parametrize("way", MEANWHILE)
@pytest.mark.parametrize("where", ["inside", "at its end", "selected at its end", "across its start"])
def test_what_is_typed_into_what_goes_stays(editor, qtbot, way: str, where: str) -> None:
    act, typed = MEANWHILE[way]
    mirror = Mirror(editor)
    left = remove_much(editor)
    end = editor._soft.to_logical(editor.steps._removal.cursor.selectionEnd())
    places = {
        "inside": (START + 100, START + 100),
        "at its end": (end, end),
        "selected at its end": (end, end + 3),
        "across its start": (START - 2, START + 2),
    }
    editor.select_range(*places[where])
    act(editor)
    qtbot.waitUntil(lambda: not editor.is_loading)
    expected = {
        "inside": left[:START] + typed + left[START:],
        "at its end": left[:START] + typed + left[START:],
        "selected at its end": left[:START] + typed + left[START + 3 :],
        "across its start": left[: START - 2] + typed + left[START:],
    }
    assert editor.toPlainText() == mirror.text == expected[where]


def test_the_caret_moves_while_much_goes(editor, qtbot) -> None:
    mirror = Mirror(editor)
    left = replace_much(editor)
    QTest.keyClick(editor, "b")
    QTest.keyClick(editor, Qt.Key.Key_Left)
    QTest.keyClick(editor, "a")
    QTest.keyClick(editor, Qt.Key.Key_Home)
    QTest.keyClick(editor, "h")
    assert editor.is_loading
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == mirror.text == "h" + left[:START] + "oab" + left[START + 1 :]


def test_tab_stays_in_the_text_while_much_goes(editor, qtbot) -> None:
    other = QLineEdit(editor.window())
    other.show()
    editor.activateWindow()
    editor.setFocus()
    left = replace_much(editor)
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    QTest.keyClicks(editor, "cd")
    assert editor.is_loading
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == left[: START + 1] + "\tcd" + left[START + 1 :]
    assert not other.text()


def test_who_hears_of_what_is_put_in_knows_that_the_rest_goes(editor) -> None:
    editor.setPlainText(TEXT)
    seen: list[bool] = []
    editor.edited.connect(lambda _revision, _edits: seen.append(editor.is_loading))
    editor.select_range(START, END)
    QTest.keyClick(editor, "o")
    assert seen[:2] == [True, True], "the text that is put in, and the first part of the old one"


def test_the_caret_stays_where_something_else_goes(editor, qtbot) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(2, 4)
    assert editor.replace_range(START, END, "other")
    assert editor.is_loading
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.selected_range() == (2, 4)


def test_pieces_are_not_written_while_much_goes(editor) -> None:
    remove_much(editor)
    writer = PieceWriter(editor)
    assert not writer.can_write(editor.revision)
    editor.steps.finish()
    assert writer.can_write(editor.revision)


def test_what_cannot_be_put_in_leaves_nothing_behind(editor, monkeypatch: pytest.MonkeyPatch) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    with monkeypatch.context() as patched:
        patched.setattr(editor._soft, "insert", lambda *_arguments: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            editor.insertPlainText("new")
    assert not editor.is_loading
    QTest.keyClick(editor, "o")
    assert editor.is_loading
    editor.steps.finish()
    assert len(editor.toPlainText()) < len(TEXT)


def test_what_is_put_in_while_much_goes_counts_as_kept(editor) -> None:
    remove_much(editor)
    kept = editor.steps._inserted_units
    editor.insertPlainText("new")
    assert editor.steps._inserted_units == kept + 3


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


@pytest.mark.parametrize("move", MOVES)
def test_a_key_that_waits_is_for_where_the_caret_was(editor, move: str) -> None:
    left = remove_much(editor)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    MOVES[move](editor)
    assert not editor.is_loading
    assert editor.toPlainText() == left[: START - 1] + left[START:]


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


def test_much_goes_before_much_comes(editor, qtbot, feeding) -> None:
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    paste(editor, "new line\n" * 400)
    assert editor.is_loading
    qtbot.waitUntil(lambda: not editor.is_loading)
    text = TEXT.encode("utf-16-le")
    left = text[: 2 * START].decode("utf-16-le"), text[2 * END :].decode("utf-16-le")
    assert editor.toPlainText() == left[0] + "new line\n" * 400 + left[1]


def test_a_paste_that_is_stopped_while_much_goes_can_be_undone(editor, qtbot, feeding) -> None:
    mirror = Mirror(editor)
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    paste(editor, "new line\n" * 400)
    qtbot.waitUntil(lambda: editor.text_length < 8000)
    assert editor.is_loading
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.is_loading
    assert "new line" not in mirror.text
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == mirror.text == TEXT


def test_undoing_what_is_half_removed_brings_all_of_it_back(editor, qtbot) -> None:
    remove_much(editor)
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == TEXT
    assert not editor.document().isUndoAvailable()


def test_another_text_takes_over_from_what_is_half_removed(editor, qtbot) -> None:
    remove_much(editor)
    editor.setPlainText("another")
    assert not editor.isReadOnly()
    QTest.keyClick(editor, "x")
    assert editor.toPlainText() == "xanother"
    editor.undo()
    assert editor.toPlainText() == "another"


def test_a_text_that_may_not_be_edited_stays(editor) -> None:
    editor.setPlainText(TEXT)
    editor.setReadOnly(True)
    editor.select_range(START, END)
    for key in ("Delete", "Backspace", "Return", "A"):
        QTest.keyClick(editor, getattr(Qt.Key, f"Key_{key}"))
    QTest.keyClick(editor, Qt.Key.Key_X, CTRL)
    editor.cut()
    assert editor.toPlainText() == TEXT


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


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
@pytest.mark.parametrize(
    "modifiers",
    [Qt.KeyboardModifier.MetaModifier, CTRL | Qt.KeyboardModifier.ShiftModifier],
    ids=["Meta", "Ctrl+Shift"],
)
def test_a_key_removes_much_where_it_removes_little(editor, key, modifiers) -> None:
    for text in ("some words", TEXT):
        editor.setPlainText(text)
        editor.selectAll()
        QTest.keyClick(editor, key, modifiers)
        assert editor.toPlainText() == text


def test_the_caret_is_seen_after_much_was_removed(editor, qtbot) -> None:
    editor.setPlainText("line\n" * 20_000)
    editor.select_range(90_000, 30)
    bar = editor.verticalScrollBar()
    bar.setValue(bar.maximum())
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.viewport().rect().contains(editor.cursorRect().center())


def test_a_character_that_qt_does_not_type_removes_nothing(editor) -> None:
    editor.setPlainText(TEXT)
    editor.selectAll()
    QTest.sendKeyEvent(QTest.KeyAction.Press, editor, Qt.Key.Key_unknown, "\uffff", Qt.KeyboardModifier.NoModifier)
    assert editor.toPlainText() == TEXT
