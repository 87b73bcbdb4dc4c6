"""What is copied is what was selected, however much it is."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gui.editor import soft_text_edit
from gui.editor.soft_breaks import TextMirror
from gui.editor.soft_text_edit import SoftTextEdit, mime_utf8

LINE = "\ufeffeine Zeile — «ключ», 試験 😀 \u202eabc\x00\n"


@pytest.mark.parametrize("most", [10, 1 << 30])
def test_it_is_the_same_as_text_and_in_utf8(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, most: int):
    monkeypatch.setattr(soft_text_edit, "_LARGE_UNITS", most)
    editor = SoftTextEdit()
    qtbot.addWidget(editor)
    text = "x" + LINE * 3_000  # so that soft breaks and parts of the mirror come into it
    editor.setPlainText(text)
    editor.selectAll()
    editor.copy()
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasText()
    assert data.text() == text
    assert bytes(mime_utf8(data)).decode() == text
    editor.clear()
    editor.paste()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == text


def test_much_that_is_cut_is_on_the_clipboard(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(soft_text_edit, "_LARGE_UNITS", 10)
    editor = SoftTextEdit()
    qtbot.addWidget(editor)
    editor.setPlainText(LINE * 3)
    editor.select_range(len(LINE) + 3, 2 * len(LINE) + 3)
    chosen = editor.selected_text()
    editor.cut()
    assert QGuiApplication.clipboard().text() == chosen


def test_a_pair_across_two_parts_is_one_character():
    mirror = TextMirror("a" + "😀" * 70_000)
    assert mirror.utf8_between(0, len(mirror)).decode() == "a" + "😀" * 70_000
    assert mirror.utf8_between(2, 4).decode() == "\ufffd\ufffd"
