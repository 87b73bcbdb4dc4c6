"""Whether the text differs from the one that was shown or saved: also after undo, big texts and a full undo stack."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.editor import soft_text_edit, text_transfer, undo_steps
from gui.editor.soft_breaks import SOFT_LIMIT


@pytest.fixture
def told(editor) -> list[bool]:
    told: list[bool] = []
    editor.modified_changed.connect(told.append)
    return told


def test_undo_leads_back_to_the_text_that_was_shown(editor, told: list[bool]) -> None:
    editor.setPlainText("as it was")
    QTest.keyClicks(editor, "more ")
    assert editor.modified
    editor.undo()
    assert not editor.modified
    editor.redo()
    assert editor.modified
    assert told == [True, False, True]


def test_undo_leads_back_to_the_text_that_was_saved(editor, told: list[bool]) -> None:
    editor.setPlainText("as it was")
    QTest.keyClicks(editor, "ab")
    editor.set_modified(False)
    QTest.keyClicks(editor, "cd")
    editor.undo()
    assert editor.toPlainText() == "abas it was"
    assert not editor.modified
    editor.undo()
    assert editor.modified, "before it was saved"
    editor.redo()
    assert not editor.modified
    assert told == [True, False, True, False, True, False]


def test_a_line_of_many_pieces_comes_back_too(editor) -> None:
    editor.setPlainText("x" * (3 * SOFT_LIMIT))
    editor.select_range(SOFT_LIMIT, SOFT_LIMIT)
    QTest.keyClicks(editor, "ab")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    assert editor.modified
    while editor.document().isUndoAvailable():
        assert editor.modified
        editor.undo()
    assert not editor.modified


def test_a_text_that_is_saved_nowhere_stays_modified(editor) -> None:
    editor.setPlainText("of a session")
    editor.set_modified(True)
    QTest.keyClicks(editor, "x")
    editor.undo()
    assert editor.modified


@pytest.mark.parametrize("modified", [False, True])
def test_loading_by_slices_is_no_change(editor, qtbot, monkeypatch, told: list[bool], modified: bool) -> None:
    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_transfer, "FIRST_SLICE", 1000)
    with qtbot.waitSignal(editor.load_finished):
        editor.load_text("word " * 20_000)
        assert editor.is_loading
        editor.set_modified(modified)
    assert editor.modified == modified
    QTest.keyClicks(editor, "x")
    assert editor.modified
    editor.undo()
    assert editor.modified == modified
    assert told == ([True] if modified else [True, False])


def test_a_paste_that_is_taken_back_leaves_the_saved_text(editor, qtbot, monkeypatch, told: list[bool]) -> None:
    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_transfer, "FIRST_SLICE", 1000)
    editor.setPlainText("saved")
    with qtbot.waitSignal(editor.load_progress):
        editor.insertPlainText("word " * 20_000)
    assert editor.modified
    with qtbot.waitSignal(editor.paste_cancelled):
        QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.modified
    assert told == [True, False]


def test_when_steps_are_forgotten_no_undo_claims_to_be_the_saved_text(editor, monkeypatch) -> None:
    monkeypatch.setattr(undo_steps, "UNDO_BYTES", 20)
    editor.setPlainText("saved ")
    editor.replace_range(6, 6, "eight...")
    editor.replace_range(0, 0, "eight more")
    assert editor.modified
    while editor.document().isUndoAvailable():
        editor.undo()
    assert editor.toPlainText() == "saved eight..."
    assert editor.modified
