"""Tokens in the editor: painted, looked up, kept while one types."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QMouseEvent, QPalette, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engine.types import TokenPatch
from gui.editor.offsets import TokenSpan
from gui.look.theme import Theme
from tests.gui.editor.fake_tokens import patch_of


def tokenise(editor, sizes: list[int]) -> None:
    editor.apply_patch(editor.revision, patch_of(editor.toPlainText(), sizes))


def colour_at(editor, offset: int) -> QColor:
    """The background of a character, read off the screen in its upper left corner."""
    cursor = editor.textCursor()
    cursor.setPosition(editor._soft.to_document(offset))
    place = editor.cursorRect(cursor).topLeft() + QPoint(3, 2)  # below the frame of the current token
    return ground(editor).pixelColor(place)


def ground(editor) -> QImage:
    """What is painted below the text, whichever font this machine has."""
    palette = editor.palette()
    without_text = QPalette(palette)
    without_text.setColor(QPalette.ColorRole.Text, QColor(0, 0, 0, 0))
    editor.setPalette(without_text)
    image = editor.viewport().grab().toImage()
    editor.setPalette(palette)
    return image


def fills() -> tuple[QColor, ...]:
    return Theme("light").token_palette("standard").fills


def test_nothing_is_known_before_the_first_patch(editor) -> None:
    editor.setPlainText("text")
    assert editor.token_count == 0
    assert editor.token_at(1) is None
    assert not editor.tokens_stale
    assert not editor.go_to_token(0)


def test_neighbours_are_painted_in_different_colours(editor) -> None:
    editor.setPlainText("aaa bbb ccc ddd")
    editor.select_range(15, 15)
    tokenise(editor, [4])
    QApplication.processEvents()
    seen = [colour_at(editor, offset) for offset in (0, 4, 8)]
    assert all(colour in fills() for colour in seen)
    assert seen[0] != seen[1] != seen[2]


def test_a_fill_tells_the_id_or_the_length(make_editor) -> None:
    """The same token has the same colour wherever it stands."""
    for palette in ("by_id", "by_length"):
        editor = make_editor("aaa bbb aaa bb", palette=palette)
        editor.select_range(14, 14)
        ends, ids = np.array([4, 8, 12, 14], np.int32), np.array([7, 8, 7, 9], np.int32)
        patch = TokenPatch(0, 14, 14, ids, ends, np.zeros(4, np.bool_))
        editor.apply_patch(editor.revision, patch)
        QApplication.processEvents()
        seen = {offset: colour_at(editor, offset) for offset in (0, 4, 8, 12)}
        assert all(colour in Theme("light").token_palette(palette).fills for colour in seen.values())
        assert len(Theme("light").token_palette(palette).fills) == 6
        assert seen[0] == seen[8]
        assert (seen[4] == seen[0]) == (palette == "by_length")
        assert seen[12] != seen[0]


def test_a_gap_with_round_corners_lies_between_two_fills(editor) -> None:
    editor.setPlainText("aaa bbb ccc")
    editor.select_range(11, 11)
    tokenise(editor, [4])
    QApplication.processEvents()
    image, base = ground(editor), Theme("light").colour("surface")
    cursor = editor.textCursor()
    cursor.setPosition(4)
    area = editor.cursorRect(cursor)
    row = [image.pixelColor(area.left() + dx, area.center().y()) for dx in range(-3, 5)]
    assert row.count(base) == 1, "one pixel"
    gap = area.left() - 3 + row.index(base)
    assert [image.pixelColor(gap + dx, area.top()) for dx in (-1, 0, 1)] == 3 * [base]
    assert image.pixelColor(gap + 2, area.top()) in fills()


def test_painting_leaves_the_document_alone(editor) -> None:
    editor.setPlainText("aaa bbb")
    tokenise(editor, [4])
    QApplication.processEvents()
    assert not editor.document().isUndoAvailable()
    assert not editor.document().isModified()
    assert editor.document().firstBlock().layout().formats() == []


def test_without_colours_only_bounds_are_painted(make_editor) -> None:
    editor = make_editor("aaa bbb ccc", palette="none")
    editor.select_range(11, 11)
    tokenise(editor, [4])
    QApplication.processEvents()
    assert colour_at(editor, 1) == Theme("light").token_palette("none").base
    image = ground(editor)
    cursor = editor.textCursor()
    cursor.setPosition(4)
    x = editor.cursorRect(cursor).left()
    y = editor.cursorRect(cursor).top() + 2
    bound = Theme("light").token_palette("none").boundary
    assert bound in [image.pixelColor(x + dx, y) for dx in (-1, 0, 1)]


def test_what_is_not_touched_keeps_its_colour(editor) -> None:
    text = "one two three four five six seven eight nine ten"
    editor.setPlainText(text)
    tokenise(editor, [4])
    spans = editor._tracker.spans
    before = spans.slice(0, len(spans)).colours.tolist()
    editor.select_range(20, 20)
    QTest.keyClicks(editor, "xy")
    new = patch_of(editor.text_between(20, 26), [3], start=20)
    editor.apply_patch(editor.revision, new)
    after = spans.slice(0, len(spans)).colours.tolist()
    assert after[:5] == before[:5]
    assert after[-6:] == before[-6:]
    assert all(a != b for a, b in itertools.pairwise(after))


def test_looking_tokens_up(editor) -> None:
    editor.setPlainText("ab😀cd")
    tokenise(editor, [2, 1, 3, 2])
    first = editor.token_at(0)
    assert (first.index, first.utf16_start, first.utf16_end, first.partners) == (0, 0, 2, ())
    emoji = editor.token_at(2)
    rest = editor.token(2)
    assert emoji.partners == ((2, rest.token_id),)
    assert rest == TokenSpan(2, rest.token_id, 4, 4, True, ((1, emoji.token_id),))
    assert editor.token_at(6).index == 3, "at the end the last one"
    assert editor.token(4) is None


def test_going_to_a_token_selects_it(editor) -> None:
    editor.setPlainText("ab😀cd")
    tokenise(editor, [2, 1, 3, 2])
    assert editor.go_to_token(3)
    assert editor.selected_range() == (4, 6)
    assert editor.go_to_token(2)
    assert editor.selected_range() == (2, 4), "the character that it is a part of"
    assert not editor.go_to_token(99)


def test_the_token_at_the_caret_is_told_once_a_turn(editor, qtbot) -> None:
    editor.setPlainText("aaa bbb ccc")
    heard: list[object] = []
    editor.caret_token_changed.connect(heard.append)
    with qtbot.waitSignal(editor.caret_token_changed):
        tokenise(editor, [4])
    with qtbot.waitSignal(editor.caret_token_changed):
        for _ in range(5):
            QTest.keyClick(editor, Qt.Key.Key_Right)
    assert [span.index for span in heard] == [0, 1]


def test_tokens_of_the_selection_are_counted(editor, qtbot) -> None:
    editor.setPlainText("aaa bbb ccc")
    tokenise(editor, [4])
    with qtbot.waitSignal(editor.selection_tokens_changed) as selected:
        editor.select_range(3, 6)
    assert selected.args == [2]
    with qtbot.waitSignal(editor.selection_tokens_changed) as selected:
        editor.select_range(3, 3)
    assert selected.args == [-1]


def test_an_edit_makes_tokens_stale_until_its_patch_comes(editor) -> None:
    editor.setPlainText("aaa bbb")
    tokenise(editor, [4])
    assert not editor.tokens_stale
    QTest.keyClicks(editor, "x")
    assert editor.tokens_stale
    tokenise(editor, [4])
    assert not editor.tokens_stale


def test_stale_tokens_are_dimmed_only_when_the_answer_takes_long(editor, qtbot) -> None:
    stale = Theme("light").token_palette("standard").stale
    editor.setPlainText("aaaa bbb")
    tokenise(editor, [4])
    editor.select_range(1, 1)
    QTest.keyClicks(editor, "x")
    assert colour_at(editor, 3) != stale
    qtbot.waitUntil(lambda: colour_at(editor, 3) == stale)
    tokenise(editor, [4])
    assert colour_at(editor, 3) in fills()


def test_a_late_patch_is_moved_over_what_was_typed_since(editor) -> None:
    editor.setPlainText("aaa bbb ccc")
    tokenise(editor, [4])
    editor.select_range(11, 11)
    QTest.keyClicks(editor, "d")
    late = patch_of(editor.text_between(8, 12), [2], start=8), editor.revision
    editor.select_range(0, 0)
    QTest.keyClicks(editor, "zz")
    editor.apply_patch(late[1], late[0])
    assert editor.tokens_stale
    assert editor.token_at(10).utf16_start == 10
    assert editor.token_at(12).utf16_start == 12
    assert editor.token_at(13).utf16_end == 14


@pytest.mark.parametrize("what", ["another text", "the future", "twice", "wrong length"])
def test_patches_that_cannot_be_placed_are_left_out(editor, what: str) -> None:
    editor.setPlainText("aaa bbb")
    tokenise(editor, [4])
    patch, revision = patch_of("aaa bbb", [1]), editor.revision
    if what == "another text":
        editor.setPlainText("ccc ddd")
        tokenise(editor, [4])
    elif what == "the future":
        revision += 1
    elif what == "twice":
        QTest.keyClicks(editor, "x")
        tokenise(editor, [4])
    else:
        patch = TokenPatch(0, 7, 9, patch.ids, patch.utf16_ends, patch.continues)
    before = editor.token_count
    editor.apply_patch(revision, patch)
    assert editor.token_count == before


def test_matches_are_framed_until_the_text_changes(editor) -> None:
    editor.setPlainText("find me, find me not")
    tokenise(editor, [50])
    editor.select_range(20, 20)
    editor.highlight_matches([0, 9], [4, 13])
    assert colour_at(editor, 1) != colour_at(editor, 6)
    assert colour_at(editor, 10) != colour_at(editor, 15)
    QTest.keyClicks(editor, "!")
    tokenise(editor, [50])
    assert colour_at(editor, 1) == colour_at(editor, 6)


def test_the_frame_of_a_match_leaves_underscores_their_row(editor) -> None:
    """They are in the last row of pixels of a line: a frame there would hide them."""
    editor.setPlainText("a_b a_b")
    tokenise(editor, [3])
    editor.highlight_matches([0], [3])
    QApplication.processEvents()
    place, image = editor.cursorRect(editor.textCursor()), ground(editor)
    rows = [image.pixelColor(place.left() + 5, y) for y in range(place.top(), place.top() + place.height())]
    assert rows[-1] == editor.palette().color(QPalette.ColorRole.Base)
    assert rows[-2] not in (rows[-1], rows[-3])


def test_matches_are_found_without_tokens_too(editor) -> None:
    editor.setPlainText("find me")
    editor.highlight_matches([0], [4])
    assert colour_at(editor, 1) != colour_at(editor, 6)
    editor.highlight_matches([], [])


def test_newlines_have_a_place_when_white_space_is_shown(editor) -> None:
    editor.setPlainText("ab\ncd")
    tokenise(editor, [2, 1, 2])
    editor.set_show_whitespace(True)
    cursor = editor.textCursor()
    cursor.setPosition(2)
    behind = editor.cursorRect(cursor).topLeft() + QPoint(4, 2)
    assert ground(editor).pixelColor(behind) in fills()


def hover(editor, place: QPointF) -> None:
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, editor.viewport().mapToGlobal(place), none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(editor.viewport(), event)


def test_hovering(editor) -> None:
    editor.setFont(QFont("DejaVu Sans Mono", 14))
    editor.setPlainText("ab中cd\nnext")
    tokenise(editor, [2, 1, 2, 3, 4])  # ab | e4 | b8 ad | c d newline | next
    editor.set_show_whitespace(True)
    heard: list[object] = []
    editor.token_hovered.connect(lambda span, _lay_out: heard.append(None if span is None else span.index))
    cursor = editor.textCursor()
    cursor.setPosition(2)
    left = editor.cursorRect(cursor)
    cursor.setPosition(3)
    right = editor.cursorRect(cursor)
    width = right.left() - left.left()
    y = left.center().y()
    hover(editor, QPointF(left.left() - 4, y))
    hover(editor, QPointF(left.left() + width * 0.25, y))
    hover(editor, QPointF(left.left() + width * 0.75, y))
    hover(editor, QPointF(right.left() + 4, y))
    cursor.setPosition(5)
    hover(editor, QPointF(editor.cursorRect(cursor).left() + 4, y))
    hover(editor, QPointF(editor.cursorRect(cursor).left() + 200, y))
    QApplication.sendEvent(editor, QEvent(QEvent.Type.Leave))
    assert heard == [0, 1, 2, 3, None], "the newline is part of token 3; leaving twice is said once"


def test_zoom(editor) -> None:
    heard: list[int] = []
    editor.zoom_changed.connect(heard.append)
    editor.setFont(QFont("DejaVu Sans Mono", 10))
    editor.zoom_by(3)
    assert editor.font().pointSize() == 13
    editor.setFont(QFont("DejaVu Sans Mono", 12))
    assert editor.font().pointSize() == 15
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(editor.viewport(), wheel)
    assert editor.font().pointSize() == 16
    editor.zoom_reset()
    assert editor.font().pointSize() == 12
    editor.zoom_by(-100)
    assert editor.font().pointSize() == 6
    assert heard == [3, 4, 0, -6]


def test_zoom_redraws_tokens_in_their_new_places(editor) -> None:
    editor.setFont(QFont("DejaVu Sans Mono", 10))
    editor.setPlainText("aaa bbb ccc ddd")
    tokenise(editor, [4])
    editor.zoom_by(6)
    QApplication.processEvents()
    assert colour_at(editor, 4) != colour_at(editor, 8)
    assert colour_at(editor, 8) in fills()


@pytest.mark.deep
def test_random_texts_and_tokens_are_painted_without_complaint(make_editor) -> None:
    rnd = np.random.default_rng(3)
    parts = [
        "word ",
        "中文",
        "😀",
        "👩\u200d👩\u200d👧",
        "שלום ",
        "مرحبا ",
        "e\u0301",
        "\t",
        "\n",
        "ไทย",
        "\u200b",
        "हिन्दी",
    ]
    editor = make_editor(soft_limit=64)
    editor.set_show_whitespace(True)
    for _ in range(25):
        text = "".join(rnd.choice(parts, 60))
        editor.setPlainText(text)
        tokenise(editor, rnd.integers(1, 7, 12).tolist())
        editor.set_word_wrap(bool(rnd.integers(2)))
        assert not editor.viewport().grab().isNull()
        spans = editor._tracker.spans
        assert all(editor.token(index).index == index for index in range(len(spans)))
