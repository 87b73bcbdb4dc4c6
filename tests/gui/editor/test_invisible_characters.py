"""Characters that nobody sees are marked where they stand."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from gui.editor.token_painter import FLAG, MAX_ON_A_LINE, invisible_positions
from gui.editor.visible_lines import visible_lines
from tests.gui.editor.fake_tokens import show


def lines_of(editor):
    return visible_lines(editor, editor._soft, editor.viewport().rect())


def places_of(editor) -> list[int]:
    return [line.block_offset + place for line in lines_of(editor) for place in invisible_positions(line)]


def are_alike(one: QColor, other: QColor) -> bool:
    """Apart from what a letter beside it adds."""
    return all(abs(a - b) < 16 for a, b in zip(one.getRgb(), other.getRgb(), strict=True))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("plain text\twith a tab\nand a second line", []),
        ("ab\u202ecd\u202c", [2, 5]),  # turns text around, and ends that
        ("a\u200bb\u2060c\ufeffd\u00ade", [1, 3, 5, 7]),
        ("\x00a\x1b[31m\x7f\x9b", [0, 2, 7, 8]),
        ("first\nse\u2067cond", [8]),
        ("😀\u200bx", [2]),  # the emoji takes two units
        ("x\U000e0041\U000e007f", [1, 3]),  # tags
        ("👩\u200d👧 ❤\ufe0f می\u200cخواهم", []),  # joiners and selectors belong to what is seen
    ],
)
def test_where_they_stand(make_editor, text: str, places: list[int]) -> None:
    editor = make_editor()
    show(editor, text, [3])
    assert places_of(editor) == places


def test_there_is_an_end_to_what_is_marked_on_a_line(make_editor) -> None:
    editor = make_editor()
    show(editor, "a" + "\u200b" * 3000, [3])
    assert len(places_of(editor)) == MAX_ON_A_LINE * len([line for line in lines_of(editor) if line.length])


@pytest.mark.parametrize("palette", ["standard", "none"])
def test_a_mark_is_a_pole_with_a_flag(make_editor, palette: str) -> None:
    editor = make_editor(palette=palette)
    show(editor, "ab\u202ecd", [7])
    colour = editor._painter._palette.newline
    picture = editor.viewport().grab().toImage()
    line = lines_of(editor)[0]
    x = round(line.left + line.line.cursorToX(2)[0])
    top, middle = int(line.top) + 1, int(line.top + line.height / 2)
    for place in ((x, top), (x, middle), (x + int(FLAG) - 1, top)):
        assert are_alike(picture.pixelColor(*place), colour)
    show(editor, "abcd", [7])
    assert not are_alike(editor.viewport().grab().toImage().pixelColor(x, top), colour)
