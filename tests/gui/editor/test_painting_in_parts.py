"""A page that takes long to measure is painted in parts, and in the end looks as if it had been painted at once."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage

from gui.editor import token_painter
from gui.editor.token_editor import TokenEditor
from tests.gui.editor.fake_tokens import show

LINES = ("漢字 ab  cd", "ab\tcd e", "😀 a 😀  b", "abc שלום עולם def ghi", "नमस्ते दुनिया", "plain text of one width")


def picture(editor: TokenEditor) -> QImage:
    editor.setCursorWidth(0)  # it blinks
    return editor.viewport().grab().toImage()


def with_signs(editor: TokenEditor, lines: int) -> TokenEditor:
    editor.set_show_whitespace(True)
    show(editor, "\n".join(f"{LINES[number % len(LINES)]} {number}" for number in range(lines)), [4, 1, 3])
    return editor


def test_it_is_complete_in_the_end(make_editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", 1000.0)
    whole = with_signs(make_editor(), 30)
    picture(whole)
    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", -1.0)  # one thing is measured in a painting
    editor = with_signs(make_editor(), 30)
    assert picture(editor) != picture(whole)
    qtbot.waitUntil(lambda: picture(editor) == picture(whole))


def test_it_paints_itself_again(make_editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", -1.0)
    editor = with_signs(make_editor(), 30)
    left: list[bool] = []
    begin = token_painter.TokenPainter.begin

    def noted(painter: token_painter.TokenPainter) -> None:
        left.append(painter.is_behind)
        begin(painter)

    monkeypatch.setattr(token_painter.TokenPainter, "begin", noted)
    editor.viewport().update()
    qtbot.waitUntil(lambda: len(left) > 5 and not left[-1])
    assert True in left


def test_what_is_known_is_painted_at_once(make_editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", 1000.0)
    editor = with_signs(make_editor(), 30)
    before = picture(editor)
    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", -1.0)
    assert picture(editor) == before


def test_a_wide_line_is_complete_in_the_end(make_editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    def wide() -> TokenEditor:
        editor = make_editor()
        editor.set_word_wrap(False)
        editor.set_show_whitespace(True)
        show(editor, "漢字 שלום ab  " * 400, [4, 1, 3])
        return editor

    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", 1000.0)
    whole = wide()
    picture(whole)
    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", -1.0)
    editor = wide()
    qtbot.waitUntil(lambda: picture(editor) == picture(whole))
