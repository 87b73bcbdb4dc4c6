"""Much is removed bit by bit, and something else can take its place; what is typed meanwhile goes in at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from gui.editor import text_transfer, undo_steps
from gui.editor.text_transfer import PieceWriter
from tests.gui.editor.large_steps import CTRL, END, START, TEXT, paste, remove_much, replace_much
from tests.gui.editor.sessions import Mirror
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.usefixtures("small_parts")


def test_a_part_begins_between_characters(editor, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MUCH_UNITS", "FIRST_PART", "_SMALLEST_PART", "_LARGEST_PART"):
        monkeypatch.setattr(text_transfer, name, 3)
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
    for name in ("MUCH_UNITS", "FIRST_PART", "_SMALLEST_PART", "_LARGEST_PART"):
        monkeypatch.setattr(text_transfer, name, 3)
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


@pytest.mark.deep
@pytest.mark.parametrize("way", mostly_deep(MEANWHILE, 1))
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


@pytest.mark.parametrize("way", mostly_deep(MEANWHILE, 2))
@pytest.mark.parametrize("where", mostly_deep(["inside", "at its end", "selected at its end", "across its start"], 2))
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


def test_a_paste_that_is_stopped_while_much_goes_brings_it_back(editor, qtbot, feeding) -> None:
    mirror = Mirror(editor)
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    paste(editor, "new line\n" * 400)
    qtbot.waitUntil(lambda: editor.text_length < 8000)
    assert editor.is_loading
    with qtbot.waitSignal(editor.paste_cancelled):
        QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.toPlainText() == mirror.text == TEXT
    assert editor.selected_range() == (START, END)
    assert not editor.document().isUndoAvailable()


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


@pytest.mark.deep
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
