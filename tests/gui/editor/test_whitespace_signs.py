"""Spaces, tabs and spaces that do not break have a sign each where they stand, if that is wanted, and nothing else."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtGui import QColor, QImage

from gui.look.theme import Theme
from tests.gui.editor.fake_tokens import show
from tests.gui.editor.test_token_editor import ground

TEXTS = {
    "columns": "ab cd  ef",
    "measured": "漢字 ab  cd",
    "a tab": "ab\tcd e",
    "no break": "ab\u00a0cd e",
    "beyond the BMP": "😀 a 😀  b",
    "right to left": "abc שלום עולם def ghi",
}
SIGNED = " \t\u00a0"


def colour() -> QColor:
    return Theme("light").token_palette("standard").newline


def changed(editor) -> list[bool]:
    """Whether showing the signs changes anything where each unit of the text stands."""
    editor.set_show_whitespace(False)
    before = ground(editor)
    editor.set_show_whitespace(True)
    after = ground(editor)
    cursor = editor.textCursor()
    places = []
    for offset in range(editor.text_length + 1):
        cursor.setPosition(offset)
        places.append(editor.cursorRect(cursor))
    found = []
    for here, there in pairwise(places):
        left, right = sorted((here.left(), there.left()))
        found.append(differ(before, after, left + 1, right, here.top(), here.bottom()))
    return found


def differ(one: QImage, other: QImage, left: int, right: int, top: int, bottom: int) -> bool:
    places = ((x, y) for x in range(left, right) for y in range(top, bottom))
    return any(one.pixel(x, y) != other.pixel(x, y) for x, y in places)


@pytest.mark.parametrize("name", TEXTS)
def test_each_has_its_sign_and_nothing_else(editor, name: str) -> None:
    text = TEXTS[name]
    show(editor, text, [len(text.encode())])
    coded = text.encode("utf-16-le")
    units = [coded[at : at + 2].decode("utf-16-le", "replace") for at in range(0, len(coded), 2)]
    signed = changed(editor)
    if name == "right to left":  # where the direction changes, carets do not say where a space is
        assert sum(signed) >= 2
        return
    assert signed == [unit in SIGNED for unit in units]


def test_a_dot_is_in_the_middle_of_its_space(editor) -> None:
    show(editor, "ab cd", [5])
    editor.set_show_whitespace(True)
    cursor = editor.textCursor()
    cursor.setPosition(2)
    left = editor.cursorRect(cursor)
    cursor.setPosition(3)
    right = editor.cursorRect(cursor)
    image = ground(editor)
    middle = (left.left() + right.left()) / 2
    row = range(left.left() + 2, right.left())
    dots = [x for x in row if image.pixelColor(x, left.center().y()) == colour()]
    assert dots
    assert abs(sum(dots) / len(dots) + 0.5 - middle) <= 1.5


def test_only_what_is_seen_of_a_wide_line_is_looked_at(editor) -> None:
    editor.set_word_wrap(False)
    show(editor, "漢 字 " * 400, [4])
    editor.set_show_whitespace(True)
    bar = editor.horizontalScrollBar()
    for value in (0, bar.maximum() // 2, bar.maximum()):
        bar.setValue(value)
        image = ground(editor)
        row = editor.cursorRect(editor.textCursor()).center().y()
        for part in range(4):  # there are dots everywhere
            columns = range(part * image.width() // 5, (part + 1) * image.width() // 5)
            assert any(image.pixelColor(x, y) == colour() for x in columns for y in range(row - 3, row + 4)), value


def test_signs_move_along_with_the_text_above(editor) -> None:
    show(editor, "x\n漢字 a b\n", [3])
    editor.set_show_whitespace(True)
    editor.viewport().grab()
    editor.replace_range(0, 1, "longer")
    fresh = ground(editor)
    editor._painter._measured.clear()
    assert ground(editor) == fresh
