"""Lines of columns are drawn as rows of pixels: that gives the picture that measuring and rectangles give."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from gui.editor.token_painter import PaintOptions, TokenPainter, column_line
from gui.editor.visible_lines import visible_lines
from gui.look.theme import Theme
from tests.gui.editor.fake_tokens import show
from tests.gui.editor.test_repainting import pixels
from tests.thoroughness import mostly_deep

PLAIN = "plain text, with words that wrap at the edge of the window. " * 6 + "\n\n  indented = {'a': 1}\nend"
SCALES = [(scale, palette) for scale in (1, 2) for palette in ("standard", "colour_safe", "none")]
SCALES += [(1.25, "standard"), (1.5, "standard"), (1.75, "colour_safe"), (1, "by_id"), (2, "by_length")]
MIXED = "é and ascii\nמה here\n\tindented\n中文 mixed\nemoji 😀 plain\nzero\u200bwidth\n" + PLAIN


def picture(editor, palette: str, scale: float, options: PaintOptions, *, measured: bool) -> np.ndarray:
    """The tokens of all that the editor shows, drawn without its text."""
    colours = Theme("light").token_palette(palette)
    painter = TokenPainter(colours)
    painter.set_font_metrics(QFontMetricsF(editor.font()))
    if measured:
        painter._column_width = 0
    area = editor.viewport().rect()
    image = QImage((area.size().toSizeF() * scale).toSize(), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(colours.base)
    with QPainter(image) as canvas:
        painter.paint(canvas, visible_lines(editor, editor._soft, area), editor._tracker.spans, options)
    return pixels(image)


def assert_same(editor, palette: str, options: PaintOptions, scale: float = 1) -> None:
    rows = picture(editor, palette, scale, options, measured=False)
    assert len(np.unique(rows)) > 1
    different = rows != picture(editor, palette, scale, options, measured=True)
    assert not different.any(), np.argwhere(different)[:5].tolist()


@pytest.mark.deep
@pytest.mark.parametrize(("scale", "palette"), mostly_deep(SCALES, 3))
@pytest.mark.parametrize("limit", [40, 4096])
@pytest.mark.parametrize("text", mostly_deep([PLAIN, MIXED], 2))
def test_rows_give_what_rectangles_give(make_editor, text: str, limit: int, scale: float, palette: str) -> None:
    editor = make_editor(soft_limit=limit)
    for sizes in ([5, 1, 3, 7], [1], [40, 2]):
        show(editor, text, sizes)
        for options in (PaintOptions(), PaintOptions(caret=30), PaintOptions(show_newlines=True, caret=7)):
            assert_same(editor, palette, options, scale)


def test_text_that_waits_for_its_tokens_looks_the_same(make_editor) -> None:
    editor = make_editor()
    show(editor, PLAIN, [5, 1, 3, 7])
    editor.replace_range(20, 24, "x" * 100)
    editor.replace_range(300, 300, "y")
    assert_same(editor, "standard", PaintOptions(caret=2))
    assert_same(editor, "standard", PaintOptions(caret=2, dim_stale=True))


def test_what_has_no_token_gets_no_frame(make_editor) -> None:
    editor = make_editor()
    show(editor, PLAIN, [5, 1, 3, 7])
    editor.replace_range(20, 20, "x" * 100)
    spans, lines = editor._tracker.spans, visible_lines(editor, editor._soft, editor.viewport().rect())
    inside = next(place for place in range(21, 120) if spans.index_at(place) < 0)
    painter = TokenPainter(Theme("light").token_palette())
    painter.set_font_metrics(QFontMetricsF(editor.font()))
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    for dimmed in (False, True):
        with QPainter(image) as canvas:
            assert painter.paint(canvas, lines, spans, PaintOptions(caret=inside, dim_stale=dimmed)) is None


def test_letters_too_small_for_columns_of_pixels_are_measured(make_editor) -> None:
    editor = make_editor()
    show(editor, PLAIN, [5, 1, 3, 7])
    font = editor.font()
    font.setPointSizeF(1)
    editor.setFont(font)
    assert_same(editor, "standard", PaintOptions(caret=30))


def test_a_window_scrolled_sideways_looks_the_same(make_editor) -> None:
    editor = make_editor()
    editor.set_word_wrap(False)
    show(editor, "a long line that goes on and on, " * 30, [5, 1, 3, 7])
    for place in (0, 3, 333):
        editor.horizontalScrollBar().setValue(place)
        assert_same(editor, "none", PaintOptions(caret=50))


def test_most_lines_are_lines_of_columns(make_editor) -> None:
    editor = make_editor()
    show(editor, MIXED, [3])
    painter = TokenPainter(Theme("light").token_palette())
    painter.set_font_metrics(QFontMetricsF(editor.font()))
    lines = visible_lines(editor, editor._soft, editor.viewport().rect())
    of_columns = [line for line in lines if column_line(line, painter._column_width) is not None]
    text = "".join(line.text for line in of_columns)
    assert len(of_columns) >= 8
    assert not set("\t中😀\u200bמ") & set(text)
