"""Token IDs: arranged in rows, written in four forms, and read back."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QTabBar
from pytestqt.qtbot import QtBot

import engine
from benchmarks.editor_text import mixed_text
from gui.prompt.token_service import FORMS, PADDING_COLUMNS, IdRows, arranged, columns_of, measured, read_ids, written
from tests.gui.conftest import OpenWindow

TEXT = "You are a careful assistant.\n\nMark it with \u2318 or \u2654.\n" + "one more line, " * 20
IDS = np.array([3575, 553, 261], np.int32)


def rows_of(text: str, columns: int) -> tuple[list[int], IdRows]:
    encoding = engine.get_encoding("o200k_base")
    ids = encoding.encode_ordinary(text)
    bounds = np.cumsum([len(encoding.decode_single_token_bytes(token)) for token in ids])
    raw = text.encode()
    inside = [start < len(raw) and raw[start] & 0xC0 == 0x80 for start in [0, *bounds[:-1].tolist()]]
    return ids, arranged(measured(np.array(ids, np.int32), np.array(inside), encoding), columns)


@pytest.mark.parametrize("columns", [8, 40, 2000])
def test_rows_hold_all_tokens_and_end_at_newlines(columns: int):
    ids, rows = rows_of(TEXT, columns)
    assert rows.pills[0] == rows.rows[0] == 0
    assert rows.pills[-1] == len(ids)
    assert rows.rows[-1] == len(rows.pills) - 1
    for first, last in zip(rows.rows[:-1], rows.rows[1:], strict=True):
        assert last > first
        assert rows.widths[first:last].sum() <= columns or last - first == 1
    assert rows.lines[rows.lines > 0].tolist() == [1, 3, 4]
    if columns == 2000:
        assert len(rows.rows) - 1 == 3


def test_tokens_that_share_a_character_are_one_pill():
    ids, rows = rows_of("\u2318", 40)
    assert len(ids) == 2
    assert rows.pills.tolist() == [0, 2]
    assert rows.widths[0] == len(" ".join(map(str, ids))) + PADDING_COLUMNS
    assert columns_of("漢a") == 3


def test_no_tokens_have_no_rows():
    ids, rows = rows_of("", 40)
    assert ids == []
    assert rows.rows.tolist() == [0]


@pytest.mark.parametrize(
    ("form", "text"),
    [("json", "[3575,553,261]"), ("csv", "3575,553,261"), ("python", "[3575, 553, 261]"), ("plain", "3575 553 261")],
)
def test_ids_are_written_and_read_back(form: str, text: str):
    assert form in FORMS
    assert written(IDS, form) == text
    assert written(IDS[:0], form) in ("", "[]")
    found = read_ids(text, engine.get_encoding("o200k_base"))
    assert (found.text, found.count, found.bad, found.same_again) == ("You are a", 3, (), True)


def test_bad_ids_are_told_by_number_and_place():
    encoding = engine.get_encoding("o200k_base")
    found = read_ids("[3575, x, 553,\n99999999999999, -1]", encoding)
    assert found.text == "You are"
    assert [(bad.number, bad.offset, bad.text) for bad in found.bad] == [
        (2, 7, "x"),
        (4, 15, "99999999999999"),
        (5, 31, "-1"),
    ]
    assert read_ids("bad " * 9, encoding).bad_count == 9
    assert read_ids("2969", encoding).broken  # the first token of several that are one character
    assert read_ids("65066", encoding).text
    assert not read_ids("89, 78", encoding).same_again  # "z" and "o" are one token together


@pytest.mark.pages
def test_the_prompt_is_seen_and_copied_as_ids(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.panel.editor.setPlainText(TEXT)
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    expected = engine.get_encoding("o200k_base").encode_ordinary(TEXT)
    view, modes = bench.ids.view, bench.window.findChild(QTabBar, "idsMode")
    assert not view.isVisible()
    modes.setCurrentIndex(1)
    assert view.isVisible()
    assert not bench.panel.editor.isVisible()
    assert view.list.row_count > 0
    QApplication.clipboard().clear()
    bench.window.findChild(QPushButton, "copyIds").click()  # the second action
    qtbot.waitUntil(lambda: json.loads(QApplication.clipboard().text() or "0") == expected)
    view.forms.setCurrentIndex(FORMS.index("plain"))
    assert view.preview.text().startswith("3575 553 261")
    modes.setCurrentIndex(2)
    qtbot.waitUntil(lambda: view.list.row_count >= 4)
    painted = view.list.grab().toImage()
    assert painted.pixelColor(view.list.viewport().rect().center()).isValid()
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=pill_of(view, 1))
    assert bench.panel.editor.selected_text() == " are"
    qtbot.keyClick(view.list, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.chosen_ids().tolist() == expected[1:3]
    assert bench.panel.editor.selected_text() == " are a"
    qtbot.keyClick(view.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: QApplication.clipboard().text() == "553 261")
    bench.panel.picker.setCurrentText("cl100k_base")
    other = engine.get_encoding("cl100k_base").encode_ordinary(TEXT)
    qtbot.waitUntil(lambda: view.chosen_ids().tolist() == other)
    bench.pages.show_prompt()
    assert bench.panel.editor.isVisible()


def pill_of(view, index: int) -> QPoint:
    places = (QPoint(x, 20) for x in range(view.list.viewport().width()))
    return next(place for place in places if view.list.token_under(place) == index) + QPoint(8, 0)


@pytest.mark.pages
def test_pasted_ids_become_text(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    before = bench.panel.editor.toPlainText()
    bench.panel.tools.show_mode("ids")
    panel = bench.ids.to_text
    bench.window.findChild(QPushButton, "pasteIds").click()
    assert panel.isVisible()
    panel.ids.setPlainText("3575 553 999999")
    qtbot.waitUntil(lambda: "999999" in panel.message.text())
    assert "number 3" in panel.message.text()
    assert not panel.insert.isEnabled()
    panel.ids.setPlainText("3575 553")
    qtbot.waitUntil(lambda: panel.text.toPlainText() == "You are" and panel.insert.isEnabled())
    panel.insert.click()
    assert bench.panel.editor.toPlainText() == "You are" + before
    assert bench.panel.editor.isVisible()
    bench.panel.editor.undo()
    assert bench.panel.editor.toPlainText() == before
    panel.close_button.click()
    assert not panel.isVisible()


@pytest.mark.deep
@pytest.mark.pages
def test_ten_megabytes_are_looked_at_and_copied(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    text = mixed_text(10_000_000)
    bench.prompt.show_text(text)
    qtbot.waitUntil(lambda: not bench.prompt.stale and not bench.panel.editor.is_loading)
    bench.panel.tools.show_mode("both")
    view = bench.ids.view
    qtbot.waitUntil(lambda: view.list.row_count > 50_000)
    view.list.verticalScrollBar().setValue(view.list.verticalScrollBar().maximum())
    view.list.grab()
    view.copy.click()
    expected = written(view.chosen_ids(), "json")
    qtbot.waitUntil(lambda: len(QApplication.clipboard().text()) == len(expected))
