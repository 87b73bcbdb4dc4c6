"""The page Text: its switches, and the margin beside the editor."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton
from pytestqt.qtbot import QtBot

from gui.editor.token_editor import TokenEditor
from gui.state.settings import describe
from tests.gui.conftest import OpenWindow
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages()


def numbers(editor: TokenEditor) -> list[int]:
    return [line.number for line in editor.numbered_lines(editor.viewport().rect())]


def test_the_switches_show_and_set_what_the_menu_does(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    act, values = bench.window.actions_by_name, lambda: bench.settings.values
    colours = bench.window.findChild(QComboBox, "tokenColourMode")
    option = describe("token_colours")
    assert [colours.itemData(row) for row in range(colours.count())] == [value for value, _title in option.choices]
    colours.setCurrentIndex(colours.findData("none"))
    assert values().token_colours == "none"
    assert act["colours_none"].isChecked()
    act["colours_standard"].trigger()
    assert colours.currentData() == "standard"
    for name, action, setting in (("showSpaces", "whitespace", "show_whitespace"), ("wrapLines", "wrap", "word_wrap")):
        button = bench.window.findChild(QPushButton, name)
        before = getattr(values(), setting)
        button.click()
        assert getattr(values(), setting) == act[action].isChecked() == button.isChecked() == (not before)
        act[action].trigger()
        assert button.isChecked() == before
    special = bench.window.findChild(QPushButton, "specialTokens")
    special.click()
    assert bench.prompt.special_as_tokens
    assert act["special_tokens"].isChecked()


@pytest.mark.parametrize("width", mostly_deep([1280, 900], 1))
def test_the_tools_stand_whole_beside_the_pages(qtbot: QtBot, open_window: OpenWindow, width: int):
    bench = open_window(counted=False)
    window, tools = bench.window, bench.panel.tools
    window.resize(width, 700)
    qtbot.waitUntil(lambda: window.width() == width)
    assert tools.parentWidget() is window.view_bar
    assert tools.tight == (width == 900)
    shown = [tools, *tools.tab_order]
    rects = [QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()) for widget in shown]
    switcher = window.view_bar.switcher
    assert all(switcher.mapTo(window, QPoint(switcher.width(), 0)).x() < rect.left() for rect in rects)
    assert all(rect.right() < width for rect in rects)
    for before, after in pairwise(rects[1:]):
        assert before.right() < after.left()
    for button in (tools.spaces, tools.wrap, tools.special):
        assert button.width() >= button.sizeHint().width()
        assert bool(button.text()) == (width == 1280)
        assert button.accessibleName()
    assert tools.modes.width() >= tools.modes.sizeHint().width()
    assert tools.colours.shown == "Colours: alternate"
    window.pages.show_page("labTab")
    assert not tools.isVisible()


def test_the_line_of_the_token_stands_in_for_the_inspector(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    window, readout = bench.window, bench.panel.readout
    window.resize(1280, 700)
    qtbot.waitUntil(lambda: not readout.isVisible())
    window.actions_by_name["inspector"].trigger()
    assert readout.isVisible()
    window.actions_by_name["inspector"].trigger()
    assert not readout.isVisible()
    window.resize(900, 600)
    qtbot.waitUntil(readout.isVisible)


def test_the_margin_numbers_logical_lines_and_counts_their_tokens(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    gutter, editor = bench.panel.gutter, bench.panel.editor
    editor.setPlainText("one two\n\n" + "three " * 60 + "\nfour")
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    assert numbers(editor) == [1, 2, 3, 4]
    lines = editor.numbered_lines(editor.viewport().rect())
    counted = [editor.tokens_ending(line.start, line.end) for line in lines]
    assert sum(counted) == bench.prompt.counts.tokens
    assert counted[2] >= 60
    assert lines[-1].end == editor.text_length
    assert gutter.isVisible()
    plain = gutter.sizeHint().width()
    act = bench.window.actions_by_name
    act["line_tokens"].trigger()
    assert gutter.sizeHint().width() > plain
    act["line_numbers"].trigger()
    assert not bench.settings.values.line_numbers
    act["line_tokens"].trigger()
    assert not gutter.isVisible()


@pytest.mark.parametrize("before", ["one\ntwo", "one\n" + "wrapped " * 40])
def test_the_number_of_a_line_pasted_at_the_end_is_painted(qtbot: QtBot, open_window: OpenWindow, before: str):
    bench = open_window()
    gutter, editor = bench.panel.gutter, bench.panel.editor
    editor.setPlainText(before)
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    painted: list[QRect] = []

    class Painted(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                painted.append(event.rect())
            return False

    watcher = Painted()
    gutter.installEventFilter(watcher)
    editor.moveCursor(QTextCursor.MoveOperation.End)
    QApplication.processEvents()
    painted.clear()
    editor.insertPlainText("x\ny")
    last = editor.numbered_lines(editor.viewport().rect())[-1]
    assert last.number == 3
    area = QRect(0, round(last.top), gutter.width(), round(last.height))
    qtbot.waitUntil(lambda: any(rect.contains(area) for rect in painted))
    gutter.removeEventFilter(watcher)


def test_the_text_fills_its_own_background(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    editor = bench.panel.editor
    editor.setPlainText("one two")
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    viewport = editor.viewport()
    assert viewport.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
    picture = viewport.grab().toImage()
    for corner in (viewport.rect().topRight(), viewport.rect().bottomLeft(), viewport.rect().bottomRight()):
        assert picture.pixelColor(corner) == editor.palette().base().color()


def test_the_margin_of_a_large_text_is_as_wide_from_its_start(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    gutter, editor = bench.panel.gutter, bench.panel.editor
    narrow = gutter.sizeHint().width()
    widths: list[int] = []
    editor.load_progress.connect(lambda: widths.append(gutter.sizeHint().width()))
    editor.load_text("a line of a text\n" * 20_000)
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert widths == sorted(widths), "it grows with the text"
    assert gutter.sizeHint().width() > narrow
    widths.clear()
    editor.load_text("a line of a text\n" * 200_000)
    qtbot.waitUntil(lambda: not editor.is_loading)
    wide = gutter.sizeHint().width()
    assert set(widths[1:]) == {wide}
    editor.load_text("short")
    assert gutter.sizeHint().width() == narrow < wide


def test_a_line_stored_in_pieces_has_one_number(qtbot: QtBot):
    editor = TokenEditor(soft_limit=100)
    qtbot.addWidget(editor)
    editor.resize(300, 4000)
    editor.setPlainText("a" * 950 + "\nsecond\n" + "b " * 300 + "\nlast")
    editor.show()
    assert editor.document().blockCount() > 8
    assert numbers(editor) == [1, 2, 3, 4]
    first, second, third, last = editor.numbered_lines(editor.viewport().rect())
    assert (first.start, first.end) == (0, 951)
    assert (second.start, second.end) == (951, 958)
    assert (third.start, third.end) == (958, 1559)
    assert (last.start, last.end) == (1559, 1563)
    editor.resize(300, 60)
    editor.verticalScrollBar().setValue(2)  # inside the first line
    assert 1 not in numbers(editor)
    editor.go_to_line(3)
    shown = {line.number: line for line in editor.numbered_lines(editor.viewport().rect())}
    assert shown[3].start == 958
    assert editor.numbered_lines(QRect(0, -100, 10, 1)) == []
