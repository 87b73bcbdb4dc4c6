"""A text of many paragraphs keeps its old width until Qt can wrap it anew at once; a small one does not wait."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.editor.soft_text_edit import MANY_NEW, SoftTextEdit

MANY = "".join(f"line {number} that is long enough for a narrow view to wrap it\n" for number in range(MANY_NEW + 5))
NARROW, WIDE = 200, 900


def shown(qtbot: QtBot, text: str) -> SoftTextEdit:
    editor = SoftTextEdit()
    qtbot.addWidget(editor)
    editor.resize(WIDE, 400)
    editor.show()
    qtbot.waitExposed(editor)
    editor.setPlainText(text)
    return editor


def lines_of_first(editor: SoftTextEdit) -> int:
    editor.document().documentLayout().blockBoundingRect(editor.document().firstBlock())
    return editor.document().firstBlock().layout().lineCount()


def test_a_small_text_is_wrapped_at_once(qtbot: QtBot) -> None:
    editor = shown(qtbot, MANY[:1000])
    assert lines_of_first(editor) == 1
    editor.resize(NARROW, 400)
    assert lines_of_first(editor) > 1


def test_one_of_many_paragraphs_is_wrapped_when_all_have_a_layout(qtbot: QtBot) -> None:
    editor = shown(qtbot, MANY)
    editor.resize(NARROW, 400)
    assert lines_of_first(editor) == 1, "at the old width still"
    qtbot.waitUntil(lambda: lines_of_first(editor) > 1)
    editor.resize(WIDE, 400)
    assert lines_of_first(editor) == 1, "all have a layout now: at once"


def test_what_comes_in_meanwhile_gets_layouts_too(qtbot: QtBot) -> None:
    editor = shown(qtbot, MANY)
    editor.resize(NARROW, 400)
    editor.replace_range(0, 0, MANY)
    editor.resize(NARROW + 10, 400)
    qtbot.waitUntil(lambda: lines_of_first(editor) > 1)
    width = editor.viewport().width()
    assert editor.document().documentLayout().documentSize().width() <= width
    assert editor.toPlainText() == MANY + MANY


def test_another_text_in_its_place_is_wrapped_at_the_new_width(qtbot: QtBot) -> None:
    editor = shown(qtbot, MANY)
    editor.resize(NARROW, 400)
    editor.setPlainText(MANY[:60])
    qtbot.waitUntil(lambda: lines_of_first(editor) > 1)


def test_wrapping_is_turned_off_and_on_in_order(qtbot: QtBot) -> None:
    editor = shown(qtbot, MANY)
    editor.resize(NARROW, 400)
    for wrap in (False, True, False):
        editor.set_word_wrap(wrap)
    assert editor.lineWrapMode() == editor.LineWrapMode.WidgetWidth
    qtbot.waitUntil(lambda: not editor._rewrapping.waits)  # the three come one after the other
    assert editor.lineWrapMode() == editor.LineWrapMode.NoWrap
    assert lines_of_first(editor) == 1
    editor.set_word_wrap(True)
    assert lines_of_first(editor) > 1


def test_a_height_waits_no_longer_than_a_width(qtbot: QtBot) -> None:
    editor = shown(qtbot, MANY)
    before = editor.verticalScrollBar().pageStep()
    editor.resize(NARROW, 400)
    editor.resize(NARROW, 200)
    assert not editor.horizontalScrollBar().isVisible()
    qtbot.waitUntil(lambda: lines_of_first(editor) > 1)
    assert editor.verticalScrollBar().pageStep() < before
    editor.resize(NARROW, 400)
    assert editor.verticalScrollBar().pageStep() == before
