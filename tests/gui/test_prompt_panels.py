"""The small parts around the prompt, each on its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QLocale, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from engine.types import TextStatistics, TokenInfo
from gui.editor.offsets import TokenSpan
from gui.look.fonts import as_points, scale
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import TYPE
from gui.look.theme import Theme
from gui.prompt import figures
from gui.prompt.counting_service import PromptCounts
from gui.prompt.figures import CountBar, TokenReadout
from gui.widgets.find_bar import FindBar, SearchOptions
from gui.widgets.forms import FlowLayout
from gui.widgets.tool_row import DESCRIPTION, EncodingPicker
from gui.window.header import ContextMeter

COUNTS = PromptCounts(
    revision=1,
    encoding="o200k_base",
    tokens=1234,
    statistics=TextStatistics(characters=5000, utf16_units=5002, utf8_bytes=5100, words=900, lines=1),
    special_occurrences=0,
    tokens_plain=1234,
    tokens_special=1234,
    special_as_tokens=False,
    counted_as_stored=False,
    by_encoding={},
    unavailable={},
)


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme("light", "normal")


def shown(widget: QWidget) -> dict[str, str]:
    return {label.objectName(): label.text() for label in widget.findChildren(QLabel) if not label.isHidden()}


def test_figures_are_written_for_the_reader(qtbot: QtBot, theme: Theme):
    bar = CountBar(theme)
    qtbot.addWidget(bar)
    bar.setLocale(QLocale("en_GB"))
    bar.set_counts(COUNTS)
    assert shown(bar) == {
        "tokenCount": "1,234 tokens",
        "characterCount": "5,000 characters",
        "byteCount": "5,100 bytes",
        "wordCount": "900 words",
        "lineCount": "1 line",
        "bytesPerToken": "4.13 bytes per token",
    }
    bar.set_selected_tokens(1)
    assert shown(bar)["selectionTokens"] == "1 token selected"
    bar.set_selected_tokens(-1)
    assert "selectionTokens" not in shown(bar)
    bar.setLocale(QLocale("de_DE"))
    bar.set_counts(replace(COUNTS, tokens=1_000_000))
    assert shown(bar)["tokenCount"] == "1.000.000 tokens"


def test_a_figure_with_as_many_digits_moves_nothing(qtbot: QtBot, theme: Theme):
    class Layouts(QObject):
        number = 0

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            self.number += event.type() == QEvent.Type.LayoutRequest
            return False

    bar, layouts = CountBar(theme), Layouts()
    qtbot.addWidget(bar)
    bar.installEventFilter(layouts)
    bar.set_counts(COUNTS)
    with qtbot.waitExposed(bar):
        bar.show()
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    layouts.number = 0
    for tokens, moved in ((1235, False), (123_456, True)):
        bar.set_counts(replace(COUNTS, tokens=tokens))
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        assert bool(layouts.number) == moved


@pytest.mark.parametrize("hidden", [False, True])
def test_figures_have_room_in_another_font(qtbot: QtBot, qapp: QApplication, theme: Theme, hidden: bool):
    theme.apply(qapp)
    bar = CountBar(theme)
    qtbot.addWidget(bar)
    bar.set_counts(COUNTS)
    with qtbot.waitExposed(bar):
        bar.show()
    bar.setHidden(hidden)
    theme.set_system_fonts(True)
    theme.set_mode("dark")
    bar.show()
    for label in bar.findChildren(QLabel):
        if not label.isHidden():
            plain = QLabel(label.text())
            plain.setFont(label.font())
            assert label.width() >= plain.fontMetrics().horizontalAdvance(label.text()) > 0
            assert label.font().pointSizeF() == pytest.approx(as_points(round(TYPE["caption"] * scale())))
    theme.set_system_fonts(False)
    theme.release()


def test_nothing_is_divided_by_no_tokens(qtbot: QtBot, theme: Theme):
    bar = CountBar(theme)
    qtbot.addWidget(bar)
    assert shown(bar) == {"tokenCount": "counting…"}
    bar.set_counts(replace(COUNTS, tokens=0, statistics=TextStatistics(0, 0, 0, 0, 0)))
    assert shown(bar)["tokenCount"] == "0 tokens"
    assert "bytesPerToken" not in shown(bar)


def test_old_figures_are_marked_for_eyes_and_ears_and_not_by_colour_alone(qtbot: QtBot, theme: Theme):
    bar = CountBar(theme)
    qtbot.addWidget(bar)
    bar.set_counts(COUNTS)
    bar.set_stale(True)
    assert not bar.dimmed, "a mark at once would only flicker"
    qtbot.waitUntil(lambda: bar.dimmed)
    label = bar.findChild(QLabel, "tokenCount")
    assert label is not None
    assert label.text().endswith("…")
    assert label.font().italic()
    assert "recounting" in label.accessibleName()
    bar.set_counts(replace(COUNTS, tokens=7))
    bar.set_stale(False)
    assert label.text() == "7 tokens"
    assert not label.font().italic()
    assert label.accessibleName() == "7 tokens"


def test_a_count_that_comes_in_time_is_never_marked(qtbot: QtBot, theme: Theme):
    bar = CountBar(theme)
    qtbot.addWidget(bar)
    bar.set_stale(True)
    bar.set_stale(False)
    assert not bar._dim_timer.isActive()


@pytest.mark.parametrize(
    ("tokens", "window", "words", "value"),
    [
        (100, 128_000, ("<0.1%", "of 128k context", "100 of 128,000 (GPT)"), 1),
        (1000, 128_000, ("0.8%", "of 128k context", "1,000 of 128,000 (GPT)"), 8),
        (1000, 131_072, ("0.8%", "of 131,072 context", "1,000 of 131,072 (GPT)"), 8),
        (128_000, 128_000, ("100.0%", "of 128k context", "128,000 of 128,000 (GPT)"), 1000),
        (130_000, 128_000, ("101.6%", "too long for 128k", "2,000 tokens too long for 128,000 (GPT)"), 1000),
        (None, 128_000, ("–", "of 128k context", "Context window: 128,000 (GPT)"), 0),
        (1000, None, ("–", "context", "Context window of GPT: unknown"), 0),
    ],
)
def test_the_meter_says_what_it_shows(
    qtbot: QtBot, theme: Theme, tokens: int | None, window: int | None, words: tuple[str, str, str], value: int
):
    meter = ContextMeter(theme)
    qtbot.addWidget(meter)
    meter.setLocale(QLocale("en_GB"))
    meter.set_model("GPT", window)
    meter.set_tokens(tokens)
    assert (meter.text, meter.caption, meter.bar.accessibleDescription()) == words
    assert meter.bar.value() == value
    assert meter.accessibleName() == f"{words[0]} {words[1]}"
    assert not meter.grab().isNull()


def test_the_meter_names_an_input_limit_below_the_context_window(qtbot: QtBot, theme: Theme):
    meter = ContextMeter(theme)
    qtbot.addWidget(meter)
    meter.setLocale(QLocale("en_GB"))
    meter.set_model("GPT", 272_000, is_input_limit=True)
    assert meter.bar.accessibleDescription() == "Input limit: 272,000 (GPT)"
    meter.set_tokens(2720)
    assert (meter.text, meter.caption) == ("1.0%", "of 272k input limit")
    assert meter.bar.accessibleDescription() == "2,720 of the input limit of 272,000 (GPT)"


def test_the_meter_shows_no_share_without_a_model(qtbot: QtBot, theme: Theme):
    meter = ContextMeter(theme)
    qtbot.addWidget(meter)
    assert meter.text == "–"
    assert meter.bar.isHidden()


def test_too_much_is_hatched_and_not_only_red(qtbot: QtBot, theme: Theme):
    meter = ContextMeter(theme)
    qtbot.addWidget(meter)

    def colours(tokens: int) -> int:
        meter.set_model("GPT", 100)
        meter.set_tokens(tokens)
        image = meter.bar.grab().toImage()
        inside = ((x, image.height() // 2) for x in range(2, image.width() - 2))
        return len({image.pixel(x, y) for x, y in inside})

    assert colours(100) == 1
    assert colours(200) > 1


def test_the_picker_lists_names_with_descriptions(qtbot: QtBot):
    picker = EncodingPicker()
    qtbot.addWidget(picker)
    picker.show_name("mine")
    with qtbot.assertNotEmitted(picker.chosen):
        picker.fill([("a", "the first"), ("b", "")])
    assert picker.currentText() == "mine", "what is in use stays in use, listed or not"
    assert [picker.itemText(row) for row in range(picker.count())] == ["a", "b", "mine"]
    assert picker.itemData(0, DESCRIPTION) == "the first"
    assert picker.itemData(0, Qt.ItemDataRole.AccessibleTextRole) == "a, the first"
    with qtbot.waitSignal(picker.chosen) as chosen:
        picker.setCurrentText("a")
    assert chosen.args == ["a"]
    assert picker.toolTip() == "the first"
    with qtbot.assertNotEmitted(picker.chosen):
        picker.show_name("b")
    picker.showPopup()
    assert not picker.view().grab().isNull()
    picker.hidePopup()


def test_the_find_bar_says_what_to_look_for(qtbot: QtBot, theme: Theme):
    host = QWidget()
    qtbot.addWidget(host)
    bar = FindBar(Icons(theme), host)
    host.show()
    bar.open_bar(replace=False, selected="two\nlines")
    assert bar.options == SearchOptions("")
    bar.open_bar(replace=True, selected="word")
    assert bar.options == SearchOptions("word")
    with qtbot.waitSignal(bar.next_wanted):
        qtbot.keyClick(bar.pattern, Qt.Key.Key_Return)
    with qtbot.waitSignal(bar.previous_wanted):
        qtbot.keyClick(bar.pattern, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    bar.replacement.setFocus()
    with qtbot.waitSignal(bar.replace_wanted):
        qtbot.keyClick(bar.replacement, Qt.Key.Key_Return)
    with qtbot.waitSignal(bar.replace_all_wanted):
        qtbot.mouseClick(bar.findChild(QPushButton, "findReplaceAll"), Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(bar.closed):
        qtbot.keyClick(bar.pattern, Qt.Key.Key_Escape)
    with qtbot.assertNotEmitted(bar.closed):
        bar.close_bar()


def test_a_token_in_one_line(qtbot: QtBot):
    readout = TokenReadout()
    qtbot.addWidget(readout)
    readout.setLocale(QLocale("en_GB"))
    info = TokenInfo(4037, b" token", 4037, "merge")
    readout.show_token(TokenSpan(1203, 4037, 10, 16, False), info)
    assert readout.text == "token 1,204  ·  id 4037  ·  “·token”  ·  20 74 6f 6b 65 6e  ·  6 bytes  ·  rank 4037"
    assert readout.accessibleName() == f"Token at the caret: {readout.text}"
    half = TokenInfo(9, b"\xf0", None, "special")
    readout.show_token(TokenSpan(0, 9, 0, 2, False, ((1, 10), (2, 11))), half)
    assert "special token" in readout.text
    assert r"“\xf0”" in readout.text
    assert readout.text.endswith("shares a character with token 2, 3")
    readout.show_token(TokenSpan(0, 9, 0, 2, False), None)
    assert readout.text == "token 1  ·  id 9"
    readout.show_token(None, None)
    assert readout.text == ""
    assert readout.accessibleName() == "Token at the caret: none"


def test_a_long_token_is_cut_and_never_markup(qtbot: QtBot):
    readout = TokenReadout()
    qtbot.addWidget(readout)
    readout.resize(200, readout.sizeHint().height())
    readout.show_token(TokenSpan(0, 1, 0, 6, False), TokenInfo(1, b"<b>" * 100, 1, "merge"))
    assert "<b>" in readout.text
    assert len(readout.text) < 2000
    assert not readout.grab().isNull()


def test_figures_of_an_older_text_are_shown_now_and_then(theme: Theme, qtbot: QtBot, monkeypatch):
    monkeypatch.setattr(figures, "STALE_EVERY_MS", 3_600_000)
    bar = CountBar(theme)
    qtbot.addWidget(bar)
    shown = bar.findChild(QLabel, "tokenCount")
    bar.set_stale(True)
    bar.set_counts(replace(COUNTS, tokens=5))
    assert shown.text() == "5 tokens", "better than none"
    bar.set_counts(replace(COUNTS, tokens=6))
    assert shown.text() == "5 tokens", "an hour is not over yet"
    bar.set_stale(False)
    bar.set_counts(replace(COUNTS, tokens=7))
    assert shown.text() == "7 tokens"
    bar.set_stale(True)
    monkeypatch.setattr(figures, "STALE_EVERY_MS", 0)

    def told_once_more() -> str:
        bar.set_counts(replace(COUNTS, tokens=9))
        return shown.text()

    qtbot.waitUntil(lambda: told_once_more() == "9 tokens")


def test_the_flow_begins_a_new_line_where_the_width_ends(qtbot: QtBot):
    host = QWidget()
    qtbot.addWidget(host)
    flow = FlowLayout(host, 10)
    flow.setContentsMargins(5, 5, 5, 5)
    boxes = [QWidget(host) for _ in range(3)]
    for box in boxes:
        box.setMinimumSize(100, 20)
        flow.addWidget(box)
    host.resize(240, 100)
    host.show()
    assert [box.pos() for box in boxes] == [QPoint(5, 5), QPoint(115, 5), QPoint(5, 30)]
    assert flow.heightForWidth(240) == 55
    assert flow.heightForWidth(1000) == 30
    boxes[2].setMinimumHeight(40)
    assert flow.heightForWidth(240) == 75, "what is known of the heights is known of these boxes only"
    boxes[2].setMinimumHeight(20)
    boxes[0].hide()
    flow.activate()
    assert [box.pos() for box in boxes[1:]] == [QPoint(5, 5), QPoint(115, 5)]
    host.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    flow.activate()
    assert boxes[1].geometry().right() == 234
    assert flow.takeAt(0) is not None
    assert flow.count() == 2
    assert flow.itemAt(7) is None
    assert flow.takeAt(7) is None


def test_whole_numbers_have_separators_even_without_a_locale():
    assert figure(QLocale.c(), 1_234_567) == "1,234,567"
    assert figure(QLocale("de_DE"), 1_234_567) == "1.234.567"
