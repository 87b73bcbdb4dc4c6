"""Actions on tokens of the prompt, and cutting it to a number of them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

import engine
from engine.encoding.encoding import cut
from gui.prompt.token_ids import MENU
from gui.window.application import Application
from tests.gui.conftest import OpenWindow

TEXT = "You are a careful assistant. 漢字\n" * 20


def shown(qtbot: QtBot, open_window: OpenWindow, text: str) -> Application:
    bench = open_window()
    bench.panel.editor.setPlainText(text)
    qtbot.waitUntil(lambda: not bench.prompt.stale and bench.prompt.counts.statistics.characters == len(text))
    return bench


@pytest.mark.pages("mergesTab", "vocabularyTab")
def test_tokens_can_be_copied_looked_up_and_explained(qtbot: QtBot, open_window: OpenWindow):
    bench = shown(qtbot, open_window, TEXT)
    editor, act = bench.panel.editor, bench.window.actions_by_name
    editor.select_range(10, 10)
    clipboard = QApplication.clipboard()
    qtbot.waitUntil(act["copy_token_id"].isEnabled)
    act["copy_token_id"].trigger()
    qtbot.waitUntil(lambda: clipboard.text() == "25120")
    editor.select_range(4, 9)
    act["copy_ids"].trigger()
    qtbot.waitUntil(lambda: clipboard.text() == "[553,261]")
    editor.select_range(0, 0)
    act["copy_ids"].trigger()
    qtbot.waitUntil(lambda: clipboard.text().count(",") == bench.prompt.counts.tokens - 1)
    editor.select_range(9, 9)
    act["show_in_vocabulary"].trigger()
    assert bench.pages.page("vocabularyTab").is_in_front()
    qtbot.waitUntil(lambda: bench.pages.vocabulary.build().vocabulary is not None)
    bench.pages.show_prompt()
    editor.select_range(0, 18)
    act["why_not_one_token"].trigger()
    assert bench.pages.page("mergesTab").is_in_front()
    qtbot.waitUntil(lambda: "You are a careful" in bench.pages.merges.panel.why.toPlainText().replace("·", " "))


@pytest.mark.pages
def test_the_menu_is_about_the_token_that_is_clicked(qtbot: QtBot, open_window: OpenWindow):
    bench = shown(qtbot, open_window, TEXT)
    editor = bench.panel.editor
    width = editor.fontMetrics().horizontalAdvance("0")
    left = editor.cursorRect().left()
    place = QPoint(left + round(16.9 * width), editor.cursorRect().center().y())  # the end of " careful"
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, editor.viewport().mapToGlobal(place))
    QApplication.sendEvent(editor.viewport(), event)
    (menu,) = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMenu) and widget.isVisible())
    assert editor.token_at(editor.caret_offset()).token_id == 25120
    titles = [action.objectName() for action in menu.actions()]
    assert [name for name in titles if name in MENU] == sorted(MENU, key=titles.index)
    assert set(MENU) <= set(titles)
    menu.close()
    editor.select_range(4, 20)
    QApplication.sendEvent(editor.viewport(), event)
    assert editor.selected_range() == (4, 20)
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QMenu):
            widget.close()


@pytest.mark.deep
@pytest.mark.pages
def test_the_prompt_is_cut_to_tokens(qtbot: QtBot, open_window: OpenWindow):
    bench = shown(qtbot, open_window, TEXT)
    encoding = engine.get_encoding("o200k_base")
    bar, editor = bench.cut.bar, bench.panel.editor
    assert not bar.isVisible()
    for row, kept in enumerate(("start", "end", "ends")):
        bench.window.actions_by_name["cut_to_tokens"].trigger()
        assert bar.isVisible()
        bar.keep.setCurrentIndex(row)
        bar.tokens.setValue(50)
        expected = cut(encoding, TEXT, 50, kept)
        before, after = encoding.count(TEXT), encoding.count(expected)
        qtbot.waitUntil(lambda words=f"{before} → {after} tokens": bar.outcome.text() == words)
        qtbot.keyClick(bar.tokens, Qt.Key.Key_Return)
        assert editor.toPlainText() == expected
        assert not bar.isVisible()
        editor.undo()
        assert editor.toPlainText() == TEXT
    bench.window.actions_by_name["cut_to_tokens"].trigger()
    bar.tokens.setValue(100_000)
    qtbot.waitUntil(lambda: "nothing to cut" in bar.outcome.text())
    assert not bar.cut.isEnabled()
    editor.appendPlainText("more")
    assert bar.outcome.text() == ""
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert not bar.isVisible()
