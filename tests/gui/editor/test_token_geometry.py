"""Where tokens are drawn: shared characters are divided, and what was measured before is not measured again."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QFont, QFontMetricsF, QInputMethodEvent
from PySide6.QtWidgets import QApplication

from gui.editor import token_geometry
from gui.editor.token_geometry import LineRuler, MeasuredLines, token_pieces
from gui.editor.token_painter import THIN, column_line
from gui.editor.visible_lines import visible_lines
from tests.gui.box_fonts import EM, box_font
from tests.gui.editor.fake_tokens import show


def pieces_of(editor):
    lines = visible_lines(editor, editor._soft, editor.viewport().rect())
    spans = editor._tracker.spans
    return lines, token_pieces(lines, spans.covering(lines[0].offset, lines[-1].end + 1))


def column_width(editor) -> float:
    return QFontMetricsF(editor.font()).horizontalAdvance("0" * 100) / 100


def as_rows(pieces) -> list[tuple]:
    rows = zip(pieces.tokens.tolist(), np.round(pieces.rects, 1).tolist(), pieces.begins.tolist(), strict=True)
    return sorted((token, *rect, begins) for token, rect, begins in rows)


def test_a_split_character_is_divided_evenly(make_editor) -> None:
    editor = make_editor()
    show(editor, "ab😀cd", [2, 1, 1, 2, 2])  # ab | f0 | 9f | 98 80 | cd
    lines, pieces = pieces_of(editor)
    shared = pieces.rects[pieces.shared]
    assert pieces.tokens[pieces.shared].tolist() == [1, 2, 3]
    left = lines[0].left + lines[0].line.cursorToX(2)[0]
    right = lines[0].left + lines[0].line.cursorToX(4)[0]
    assert shared[0, 0] == pytest.approx(left)
    assert shared[:, 2] == pytest.approx((right - left) / 3)
    whole = pieces.rects[~pieces.shared]
    assert whole[0, 0] + whole[0, 2] == pytest.approx(left)
    assert whole[1, 0] == pytest.approx(right)


def test_a_token_may_share_both_its_ends(make_editor) -> None:
    editor = make_editor()
    show(editor, "é-é", [1, 3, 1])  # c3 | a9 2d c3 | a9
    _, pieces = pieces_of(editor)
    order = np.argsort(pieces.rects[:, 0], kind="stable")
    assert pieces.tokens[order].tolist() == [0, 1, 1, 1, 2]
    assert pieces.shared[order].tolist() == [True, True, False, True, True]


def test_an_emoji_of_several_parts_is_divided_among_their_tokens(make_editor) -> None:
    editor = make_editor()
    show(editor, "👩\u200d👩\u200d👧.", [4, 3, 4, 3, 4, 1])
    _, pieces = pieces_of(editor)
    shared = pieces.rects[pieces.shared]
    assert len(shared) == 5
    assert np.ptp(shared[:, 2]) < 0.01
    assert (np.diff(shared[:, 0]) > 0).all()


def test_right_to_left_text_lies_where_its_characters_are(make_editor) -> None:
    editor = make_editor()
    show(editor, "abc שלום def", [4, 4, 4, 5])
    _, pieces = pieces_of(editor)
    x = {token: pieces.rects[pieces.tokens == token, 0].min() for token in set(pieces.tokens.tolist())}
    assert x[0] < x[2] < x[1] < x[3], "the first half of the Hebrew word is the right one"


SCRIPTS = (
    "word ",
    "שלום ",
    "مرحبا ",
    "لا",
    "12 ",
    "-",
    ". ",
    "é",
    "😀",
    "\u202b",
    "\u202c",
    "\u2067",
    "\u2069",
    "ש\u05b8",
)


@pytest.mark.deep
def test_measuring_again_gives_what_is_known(make_editor) -> None:
    """Whatever is typed in a bidirectional paragraph: lines known from before lie where they would be measured."""
    rnd = np.random.default_rng(7)
    editor = make_editor()
    for _ in range(6):
        text = "".join(rnd.choice(SCRIPTS, 300, p=_few_marks()))
        show(editor, text, [3, 5, 2, 7])
        known = MeasuredLines()
        for _ in range(12):
            lines, fresh = pieces_of(editor)
            spans = editor._tracker.spans
            view = spans.covering(lines[0].offset, lines[-1].end + 1)
            assert as_rows(token_pieces(lines, view, known)) == as_rows(fresh)
            # Where a line begins its neighbours change, and where the paragraph begins its direction.
            where = int(rnd.choice([0, int(rnd.choice([line.offset for line in lines])) - 1]))
            at = editor._clamp(where)
            end = editor._clamp(at + int(rnd.integers(3)))
            editor.replace_range(at, max(at, end), str(rnd.choice(SCRIPTS)))
            QApplication.processEvents()


def _few_marks() -> list[float]:
    weights = [0.5 if script in "\u202b\u202c\u2067\u2069" else 20.0 for script in SCRIPTS]
    return [weight / sum(weights) for weight in weights]


def test_a_key_has_few_lines_of_a_long_paragraph_measured(make_editor, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = make_editor()
    show(editor, "مرحبا بالعالم هذا نص طويل " * 60, [6])
    known = MeasuredLines()

    def measured() -> int:
        lines = visible_lines(editor, editor._soft, editor.viewport().rect())
        view = editor._tracker.spans.covering(lines[0].offset, lines[-1].end + 1)
        count = 0

        class Counted(token_geometry._Measured):
            def __init__(self, *arguments) -> None:
                nonlocal count
                count += 1
                super().__init__(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(token_geometry, "_Measured", Counted)
            token_pieces(lines, view, known)
        return count

    assert measured() > 10
    assert measured() == 0
    editor.replace_range(3, 3, "ب")
    QApplication.processEvents()
    assert 1 <= measured() <= 3


def test_a_character_without_width_can_be_seen(make_editor) -> None:
    editor = make_editor()
    show(editor, "a\u200bb", [1, 3, 1])
    _, pieces = pieces_of(editor)
    assert (pieces.rects[:, 2] > 0).all()
    assert pieces.shared.tolist().count(True) >= 1


def test_what_is_being_composed_shifts_what_follows(make_editor) -> None:
    editor = make_editor()
    show(editor, "abcdef", [3, 3])
    editor.select_range(3, 3)
    QApplication.sendEvent(editor, QInputMethodEvent("xyz", []))
    QApplication.processEvents()
    lines, pieces = pieces_of(editor)
    assert (lines[0].start, lines[0].length) == (0, 6)
    width = column_width(editor)
    second = pieces.rects[pieces.tokens == 1]
    assert second[-1, 0] + second[-1, 2] == pytest.approx(pieces.rects[0, 0] + 9 * width, abs=1)
    QApplication.sendEvent(editor, QInputMethodEvent("", []))


def test_only_lines_in_the_clip_are_looked_at(make_editor) -> None:
    editor = make_editor()
    show(editor, "line\n" * 200, [3])
    every = visible_lines(editor, editor._soft, editor.viewport().rect())
    some = visible_lines(editor, editor._soft, QRect(0, int(every[3].top), 100, int(every[3].height * 2)))
    assert [line.offset for line in some] == [line.offset for line in every[3:5]]
    low = visible_lines(editor, editor._soft, QRect(0, int(every[9].top), 100, 1))
    assert [line.offset for line in low] == [every[9].offset]
    editor.verticalScrollBar().setValue(100)
    assert visible_lines(editor, editor._soft, editor.viewport().rect())[0].offset == 500


BIDIRECTIONAL = tuple("abشهدשל\u0651١٢12 -(.%😀\t")


def test_carets_tell_what_glyphs_tell(make_editor) -> None:
    """Wherever they are asked instead, which is where all that is near runs from left to right."""
    rnd = np.random.default_rng(11)
    editor = make_editor()
    asked = 0
    for turn in range(24):
        weights = rnd.permutation([40.0, 20, 10, 5, 3] + [0.5] * (len(BIDIRECTIONAL) - 5))
        text = "".join(rnd.choice(BIDIRECTIONAL, 400, p=weights / weights.sum()))
        if turn % 2:
            text = "".join(word + text[at : at + 9] for at, word in enumerate(["ab ab (ab), "] * 40))
        if turn % 4 == 3:
            text = text[:200] + "\u202e" + text[200:]
        show(editor, text, [3])
        for line in visible_lines(editor, editor._soft, editor.viewport().rect()):
            ruler = LineRuler(line)
            if not ruler.is_bidirectional:
                continue  # there, glyphs are never asked
            for start in range(line.start, line.start + line.length, 3):
                stop = min(start + int(rnd.integers(1, 9)), line.start + line.length)
                if ruler.is_inside(start) or ruler.is_inside(stop):
                    continue
                spans, glyphs = ruler.spans(start, stop), ruler.spans_of_glyphs(start, stop)
                asked += not ruler._surroundings.run_both_ways(start, stop)
                units = text.encode("utf-16-le")[2 * start : 2 * stop].decode("utf-16-le")
                if "\t" in units or not line.text[stop : line.start + line.length].strip():
                    continue  # tabs have no glyphs, nor have spaces at the end of a line
                assert spans[0][0] == pytest.approx(glyphs[0][0], abs=1), (text, start, stop)
                assert spans[-1][1] == pytest.approx(glyphs[-1][1], abs=1), (text, start, stop)
    assert asked > 100


@pytest.mark.parametrize("text", ["words and אותיות, 12 and more ", "漢字 and <tags> "])
def test_of_a_wide_line_what_is_seen_is_measured(make_editor, text: str) -> None:
    editor = make_editor()
    editor.set_word_wrap(False)
    show(editor, text * 60, [3, 5, 2, 7])
    bar = editor.horizontalScrollBar()
    width = editor.viewport().width()
    for value in (0, bar.maximum() // 3, bar.maximum()):
        bar.setValue(value)
        lines, pieces = pieces_of(editor)
        seen = [row for row in as_rows(pieces) if row[1] + row[3] >= 0 and row[1] <= width]
        view = editor._tracker.spans.covering(lines[0].offset, lines[-1].end + 1)
        known = MeasuredLines()
        for _ in range(2):
            some = as_rows(token_pieces(lines, view, known, width))
            assert [row for row in some if row[1] + row[3] >= 0 and row[1] <= width] == seen
            assert len(some) < len(pieces.tokens) / 2


MIXED = ("a", "и ", "漢", "e\u0301", "😀", "  ", "שלום", "ש\u05b8ל", "مرحبا ", "م\u0651", "١٢", "34 ", "(", ".", "\n")
ODD = ("\t", "\u200b", "\u200f", "☺\ufe0f")
"""With characters that have no glyph."""


@pytest.mark.deep
def test_what_is_measured_together_is_where_it_would_be_by_itself(make_editor, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = np.random.default_rng(5)
    editor = make_editor()
    together = both_ways = 0
    for _ in range(60):
        parts = rnd.choice(MIXED, 80).tolist()
        if rnd.random() < 0.5:
            parts[int(rnd.integers(80))] = str(rnd.choice(ODD))
        show(editor, "".join(parts), [len(part.encode()) for part in parts])
        lines, pieces = pieces_of(editor)
        with monkeypatch.context() as patch:
            patch.setattr(token_geometry._Measured, "together", lambda *_arguments: None)
            _, slow = pieces_of(editor)
        assert_alike(pieces, slow, parts)
        view = editor._tracker.spans.covering(lines[0].offset, lines[-1].end + 1)
        for line in lines:
            measured = token_geometry._Measured(line)
            found = measured.together(view.starts - line.block_offset, view.ends - line.block_offset)
            together += found is not None
            both_ways += found is not None and LineRuler(line).is_bidirectional
    assert together - both_ways > 40
    assert both_ways > 100


def assert_alike(pieces, slow, parts: list[str]) -> None:
    """The same places to a pixel. But tabs and the spaces at the end of a line have no glyphs, nor, if it is asked for
    by itself, has the last character of a line in a paragraph from right to left."""
    rows, expected = as_rows(pieces), as_rows(slow)
    assert [(row[0], row[-1]) for row in rows] == [(row[0], row[-1]) for row in expected], parts
    for row, other in zip(rows, expected, strict=True):
        if parts[row[0]].strip(" \t") and other[3] > THIN:
            assert row[1:5] == pytest.approx(other[1:5], abs=1), (parts, row[0])


@pytest.mark.parametrize(
    "text", ["plain 漢字 text", "abc שלום עולם def ghi", "שלום abc", "a\u0301b שלום\u200b x", "one 😀 two"]
)
def test_edges_of_many_stretches_are_those_of_each(make_editor, text: str) -> None:
    editor = make_editor()
    show(editor, f"before\n{text}", [4])
    line = visible_lines(editor, editor._soft, editor.viewport().rect())[-1]
    starts = np.arange(line.offset, line.end, 2, dtype=np.int32)
    ends = np.minimum(starts + 2, line.end).astype(np.int32)
    ruler, each = LineRuler(line), []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        each += ruler.spans(start - line.block_offset, end - line.block_offset)
    edges = MeasuredLines().edges(line, starts, ends)
    assert len(edges) == len(each)
    assert np.sort(edges, 0) == pytest.approx(np.sort(np.array(each), 0), abs=1)


NARROW, WIDE = "0123 ()שלום", "漢字→"


@pytest.mark.parametrize(
    ("parts", "seen"),
    [
        (["漢字", "12", " ", "字", "(", "3) ", "שלום"], "漢字12 字(3) םולש"),
        (["שלום ", "漢", "12", " 3", "字字", "1"], "漢12 3字字1 םולש"),
        (["שלום", "→", " ", "של→ו", "ם"], "םו→לש →םולש"),
    ],
)
def test_glyphs_of_several_fonts_in_one_stretch(make_editor, parts: list[str], seen: str) -> None:
    """Of all fonts but the first Qt does not tell which characters their glyphs are for."""
    editor = make_editor()
    with box_font("Tokenloupe Narrow", NARROW, EM // 2), box_font("Tokenloupe Wide", WIDE, EM):
        show(editor, "".join(parts), [len(part.encode()) for part in parts])
        font = QFont(["Tokenloupe Narrow", "Tokenloupe Wide"])
        font.setPixelSize(20)
        editor.setFont(font)
        QApplication.processEvents()
        lines, pieces = pieces_of(editor)
        x, expected = lines[0].left + lines[0].line.naturalTextRect().left(), []
        for character in seen:
            width = 20.0 if character in WIDE else 10.0
            expected.append((character, round(x), round(x + width)))
            x += width
        found = [(round(left), round(left + width)) for left, _, width, _ in pieces.rects.tolist()]
        by_token = dict(zip(pieces.tokens.tolist(), found, strict=True))
        for token, part in enumerate(parts):
            left, right = by_token[token]
            under = "".join(character for character, start, end in expected if left <= start and end <= right)
            assert sorted(under) == sorted(part), (part, by_token, expected)
            assert right - left == sum(20 if character in WIDE else 10 for character in part)


def test_a_space_at_which_a_line_was_wrapped_moves_nothing(make_editor) -> None:
    """If it runs against its paragraph carets stand beside the text by its width; glyphs do not."""
    editor = make_editor()
    show(editor, "שלום " + "word " * 60, [5])
    lines = visible_lines(editor, editor._soft, editor.viewport().rect())
    assert len(lines) > 3
    for line in lines[:-1]:
        assert column_line(line, column_width(editor)) is None
        ruler = LineRuler(line)
        for start in range(line.start + 7, line.start + line.length - 8, 5):
            ((left, right),) = ruler.spans(start, start + 4)
            ((start_x, end_x),) = ruler.spans_of_glyphs(start, start + 4)
            assert (left, right) == pytest.approx((start_x, end_x), abs=1)


def test_the_last_word_of_a_paragraph_from_right_to_left(make_editor) -> None:
    """Where its line has no other letters, what follows the word still runs the other way."""
    editor = make_editor()
    text = "שלום " + "word " * 60
    show(editor, text, [5])
    lines = visible_lines(editor, editor._soft, editor.viewport().rect())
    ruler, start = LineRuler(lines[-1]), len(text) - 5
    ((left, right),) = ruler.spans(start, start + 4)
    assert right - left == pytest.approx(4 * column_width(editor), abs=1)
    for line in lines[:-1]:
        natural = line.left + line.line.naturalTextRect().right()
        ((left, right),) = LineRuler(line).spans(line.start + line.length - 1, line.start + line.length)
        assert left == pytest.approx(natural, abs=1) or right == pytest.approx(left, abs=1), "the space hangs over"
