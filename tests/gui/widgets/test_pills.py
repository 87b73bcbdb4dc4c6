"""Tokens as pills: both parts of a pair are seen, and nothing is drawn for no text."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.widgets.delegates import LEFT, RIGHT, WHOLE, Pill, PillPainter, ShapedTexts, pair_pills, part_colours


def grounds(pills: tuple[Pill, ...], width: int = 160) -> dict[str, int]:
    """Paint pills; return the number of pixels with the background of each part."""
    theme = Theme("light")
    image = QImage(width, 24, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        PillPainter(theme, ShapedTexts(fixed_font())).paint(painter, image.rect(), pills)
    row = [image.pixelColor(x, y) for x in range(width) for y in range(24)]
    return {part: row.count(colour) for part, colour in part_colours(theme).items()}


@pytest.mark.parametrize(("left", "right"), [("*" * 60, "*" * 60), ("*" * 60, "a"), ("a", "*" * 60), ("a", "b")])
def test_both_parts_of_a_pair_are_seen(qapp, left: str, right: str):
    seen = grounds(pair_pills(left, right))
    assert seen[LEFT] > 0
    assert seen[RIGHT] > 0
    if len(left) == len(right):
        assert abs(seen[LEFT] - seen[RIGHT]) < 0.3 * seen[LEFT], "neither takes the space of the other"


def test_a_short_part_is_whole_beside_a_long_one(qapp):
    texts = ShapedTexts(fixed_font())
    painter = PillPainter(Theme("light"), texts)
    widest, free = painter._fit(160, pair_pills("*" * 60, "ab"))
    assert widest > texts.line("ab", 1000)[1]
    assert free == 0
    widest, free = painter._fit(2000, pair_pills("*" * 60, "ab"))
    assert widest > texts.line("*" * 60, 2000)[1]
    assert free > 0


def test_no_text_is_no_pill(qapp):
    assert grounds((Pill("", WHOLE),))[WHOLE] == 0
    assert grounds((Pill("a", WHOLE),))[WHOLE] > 0
