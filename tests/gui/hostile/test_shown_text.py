"""Text of others is shown as it is: not as HTML, and with nothing in it that hides or turns what stands beside it."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from gui.core.token_text import visible_line, visible_lines
from gui.runtime.notify import Notice, Notifier
from gui.widgets.labels import PlainLabel, as_written, plain_tip
from gui.widgets.table_model import Column, TableModel
from gui.window.application import Application
from tests.gui.conftest import OpenWindow

TAGS = "<b>x</b><img src=y>&lt;"
TURNED = "a\u202eb\u200bc\x07d\u2066e"
NAME = "<b>x<img src=y>&amp;\u202e\u200btxt"
"""A name that a file can have."""


def rendered(tip: str) -> str:
    """What Qt shows for a tool tip, which has no format of its own."""
    return QTextDocumentFragment.fromHtml(tip).toPlainText() if tip.startswith("<p") else tip


@pytest.mark.deep
@given(st.text())
def test_no_line_hides_or_turns_anything(text: str):
    shown = visible_line(text)
    left = {unicodedata.category(character) for character in shown}
    assert not left & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_stays_as_it_is(text: str):
    assert visible_line(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (TURNED, "a⟨RLO⟩b⟨ZWSP⟩c␇d⟨LRI⟩e"),
        ("12\u202f345\u00a0€", "12\u202f345\u00a0€"),  # spaces of figures can be seen
        ("ᅠㅤ", "⟨HJF⟩⟨HF⟩"),
        ("a\nb\tc", "a⏎b→c"),
        ("ключ 模型 مفتاح", "ключ 模型 مفتاح"),
    ],
)
def test_what_is_made_visible(text: str, shown: str):
    assert visible_line(text) == shown


def test_lines_stay_apart():
    assert visible_lines("one\ntwo\u200b") == "one\ntwo⟨ZWSP⟩"


@pytest.mark.parametrize("text", [TAGS, "a & b", "<p>x", "plain", "one\n  <i>two"])
def test_a_tool_tip_says_what_is_written(qapp: object, text: str):
    assert rendered(as_written(text)) == text
    assert rendered(plain_tip(text)) == text


def test_a_tool_tip_makes_visible(qapp: object):
    assert rendered(plain_tip(TURNED + "<b>")) == "a⟨RLO⟩b⟨ZWSP⟩c␇d⟨LRI⟩e<b>"


def test_a_label_takes_nothing_for_html(qtbot: QtBot):
    label = PlainLabel(TAGS)
    qtbot.addWidget(label)
    wide = label.sizeHint().width()
    label.setTextFormat(Qt.TextFormat.RichText)
    assert wide > label.sizeHint().width(), "all of the tags were measured, and none obeyed"


def test_messages_show_what_is_in_them():
    notifier, posted, remarked = Notifier(), [], []
    notifier.posted.connect(posted.append)
    notifier.remarked.connect(remarked.append)
    for post in (notifier.information, notifier.warning, notifier.error):
        post(NAME, f"first\n{NAME}")
    notifier.remark(NAME)
    shown = "<b>x<img src=y>&amp;⟨RLO⟩⟨ZWSP⟩txt"
    assert [notice.text for notice in posted] == 3 * [shown]
    assert all(isinstance(notice, Notice) and notice.details == f"first\n{shown}" for notice in posted)
    assert remarked == [shown]


def test_cells_and_their_tips_show_what_is_in_them(qapp: object):
    model = TableModel((Column("name", "Name", "", lambda row, _view: row, tip=lambda row, _view: row),))
    model.show((NAME,))
    index = model.index(0, 0, QModelIndex())
    assert index.data() == "<b>x<img src=y>&amp;⟨RLO⟩⟨ZWSP⟩txt"
    assert rendered(index.data(Qt.ItemDataRole.ToolTipRole)) == index.data()


@pytest.mark.deep
def test_the_name_of_a_file_is_a_name_everywhere(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    path = tmp_path / NAME
    path.write_text("some text <b>bold</b>")
    bench = open_window()
    with qtbot.waitSignal(bench.files.shown):
        bench.files.open_path(path)
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    shown = visible_line(NAME)
    assert bench.window.windowTitle().startswith(shown)
    menu = bench.window.menus["recent"]
    bench.files.fill_recent(menu)
    assert any(shown.replace("&", "&&") in action.text() for action in menu.actions())
    path.unlink()
    bench.files.open_path(path)
    qtbot.waitUntil(lambda: any(shown in notice.text for notice in bench.window.messages.notices))
    assert_nothing_is_html(bench)


@pytest.mark.deep
def test_tokens_that_look_like_tags_are_shown(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.panel.editor.setPlainText("<b>x</b> <img src=y> <|endoftext|> \u202eturned\u200b")
    qtbot.waitUntil(lambda: bench.prompt.counts is not None and not bench.prompt.stale)
    bench.panel.editor.select_range(1, 1)
    qtbot.waitUntil(lambda: "“<b”" in bench.panel.readout.text)
    bench.window.actions_by_name["show_card"].trigger()
    card = bench.window.findChild(QWidget, "tokenCard")
    assert "<b" in card.text()
    assert_nothing_is_html(bench)
    card.dismiss()


def assert_nothing_is_html(bench: Application) -> None:
    """No label of the window is one that Qt may take for HTML, and no tip is HTML that we did not escape."""
    for label in bench.window.findChildren(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText, label.objectName()
    for widget in bench.window.findChildren(QWidget):
        tip = widget.toolTip()
        assert "<b>" not in tip, widget.objectName()
        assert "<img" not in tip, widget.objectName()
