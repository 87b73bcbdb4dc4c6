"""The merge inspector in the window: stepping, playing, keyboard only, from the prompt, and odd texts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

import engine
from engine.encoding.encoding import Encoding
from engine.library import catalog
from gui.tokenizers.merges.panel import FIRST_TEXT, MAX_CHARACTERS, MergesPanel
from gui.tokenizers.merges.service import LONGEST
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages("mergesTab")


def settled(qtbot: QtBot, panel: MergesPanel) -> None:
    """Wait until what is shown answers what is asked."""
    qtbot.waitUntil(lambda: panel._reply is not None and question_of(panel) == panel.question())


def question_of(panel: MergesPanel) -> tuple:
    request = panel._reply.request
    pretoken = panel._reply.pretoken if request.pretoken == LONGEST else request.pretoken
    return request.encoding, request.text, pretoken, request.done, request.span


@pytest.fixture
def bench(open_window: OpenWindow) -> Application:
    return open_window(counted=False)


@pytest.fixture
def panel(qtbot: QtBot, bench: Application) -> MergesPanel:
    bench.window.actions_by_name["focus_merges"].trigger()
    settled(qtbot, bench.pages.merges.panel)
    return bench.pages.merges.panel


def show(qtbot: QtBot, panel: MergesPanel, text: str, encoding: str = "cl100k_base") -> None:
    panel.picker.setCurrentText(encoding)
    panel.text.setText(text)
    settled(qtbot, panel)


def parts(panel: MergesPanel) -> str:
    return panel.sequence.text()


@pytest.mark.deep
def test_a_text_opens_at_its_longest_pretoken(qtbot, bench):
    bench.window.pages.setCurrentWidget(bench.pages.page("mergesTab"))
    panel = bench.pages.merges.panel
    show(qtbot, panel, "How many r are in strawberry", "gpt2")
    assert parts(panel) == "·strawberry"
    panel.player.back.click()
    settled(qtbot, panel)
    assert parts(panel).replace("  ", "") == "·strawberry", "a step is one of the same pretoken"
    assert parts(panel) != "·strawberry"


def test_tokens_in_the_letters_of_gpt2(qtbot, bench, panel):
    show(qtbot, panel, "in strawberry", "gpt2")
    assert panel.steps.index(panel.steps.rowCount() - 1, 2).data() == "·strawberry"
    plain = panel.tree.view.grab().toImage()
    panel.letters.click()
    assert parts(panel) == "Ġstrawberry"
    assert panel.steps.index(panel.steps.rowCount() - 1, 2).data() == "Ġstrawberry"
    assert panel.tree.view.grab().toImage() != plain
    assert panel.state()["letters"] is True
    panel.letters.click()
    assert parts(panel) == "·strawberry"


@pytest.mark.deep
def test_the_encoding_is_chosen_once_for_both_pages(qtbot, bench, panel):
    panel.picker.setCurrentText("gpt2")
    vocabulary = bench.pages.vocabulary
    vocabulary.focus()
    assert vocabulary.panel.tools.isVisible()
    qtbot.waitUntil(lambda: vocabulary.browser.vocabulary is not None)
    assert vocabulary.browser.vocabulary.name == "gpt2"
    vocabulary.panel.filters.encoding.setCurrentText("r50k_base")
    assert panel.picker.currentText() == "r50k_base"
    vocabulary.panel.tools.use.click()
    assert bench.prompt.encoding == "r50k_base"
    assert bench.window.pages.current_name == "promptTab"


def test_the_page_begins_with_a_word(qtbot, bench):
    assert bench.window.findChild(QWidget, "mergesTab") is bench.pages.page("mergesTab")
    bench.window.pages.setCurrentWidget(bench.pages.page("mergesTab"))
    panel = bench.pages.merges.panel
    settled(qtbot, panel)
    assert panel.text.text() == FIRST_TEXT
    assert parts(panel) == "·strawberry"


def test_names_are_those_that_others_rely_on(panel):
    window = panel.window()
    assert isinstance(window.findChild(QWidget, "mergeText"), QLineEdit)
    assert isinstance(window.findChild(QWidget, "mergeStep"), QSpinBox)
    assert window.findChild(QWidget, "mergeTree") is panel.tree.view
    for control in panel.findChildren(QWidget):
        named = control.objectName() and not control.objectName().startswith("qt_")
        if named and control.isVisible() and control.focusPolicy() & Qt.FocusPolicy.TabFocus:
            assert control.accessibleName(), control.objectName()


def test_a_word_step_by_step_and_back(qtbot, panel):
    show(qtbot, panel, "berry")
    assert parts(panel) == "berry"
    panel.player.start.click()
    settled(qtbot, panel)
    seen = [parts(panel)]
    while panel.player.forward.isEnabled():
        panel.player.forward.click()
        settled(qtbot, panel)
        seen.append(parts(panel))
    assert seen == ["b  e  r  r  y", "b  er  r  y", "b  err  y", "b  erry", "berry"]
    back = [parts(panel)]
    while panel.player.back.isEnabled():
        panel.player.back.click()
        settled(qtbot, panel)
        back.append(parts(panel))
    assert back == seen[::-1]


def test_the_pairs_that_compete(qtbot, panel):
    show(qtbot, panel, "berry")
    panel.player.step.setValue(1)
    settled(qtbot, panel)
    rows = [[panel.pairs.shown(row, column) for column in range(4)] for row in range(panel.pairs.rowCount())]
    assert rows[0] == ["▶", "er + r", "618", "618"]
    assert sorted(row[1] for row in rows) == ["b + er", "er + r", "r + y"]
    assert [int(row[3]) for row in rows] == sorted(int(row[3]) for row in rows)
    assert panel.pairs_label.text() == "Competing pairs for merge 2"
    assert panel.pairs.index(0, 0).data(Qt.ItemDataRole.FontRole).bold()
    assert panel.pairs.index(1, 0).data(Qt.ItemDataRole.FontRole) is None
    panel.player.end.click()
    settled(qtbot, panel)
    assert panel.pairs_label.text() == "Done: no remaining pair makes a token"
    assert panel.pairs.rowCount() == 0
    assert panel.pairs_view.isHidden(), "an empty table would take the space of the merges"
    panel.player.back.click()
    settled(qtbot, panel)
    assert not panel.pairs_view.isHidden()


@pytest.mark.deep
def test_playing_goes_to_the_end_and_stops(qtbot, panel):
    show(qtbot, panel, "strawberry")
    panel.player.speed.setCurrentIndex(2)
    panel.player.play.click()
    assert panel.player.playing
    assert panel.player.step.value() == 0
    qtbot.waitUntil(lambda: not panel.player.playing)
    settled(qtbot, panel)
    assert panel.player.step.value() == 7
    assert parts(panel) == "str  aw  berry"
    panel.player.play.click()
    panel.player.play.click()
    assert not panel.player.playing
    panel.player.play.click()
    show(qtbot, panel, "other")
    assert not panel.player.playing, "another text is not played"


@pytest.mark.deep
def test_a_row_of_the_merges_is_jumped_to(qtbot, panel):
    show(qtbot, panel, "strawberry")
    panel.steps_view.setFocus()
    qtbot.keyClick(panel.steps_view, Qt.Key.Key_Up)
    settled(qtbot, panel)
    assert panel.player.step.value() == 6
    assert panel.steps_view.currentIndex().row() == 5
    assert [panel.steps.shown(5, column) for column in range(4)] == ["6", "err + y", "erry", "5515"]


def test_the_row_at_hand_stays_in_sight(qtbot, bench, panel):
    show(qtbot, panel, "antidisestablishmentarianism" * 3)
    for height in (600, 900, 500):
        bench.window.resize(900, height)
        view = panel.steps_view
        qtbot.waitUntil(lambda height=height: bench.window.height() == height)
        assert view.viewport().rect().contains(view.visualRect(view.currentIndex()).center())


@pytest.mark.deep
def test_keyboard_only(qtbot, bench, panel):
    window = bench.window
    window.activateWindow()
    window.pages.setCurrentWidget(bench.panel)
    bench.panel.editor.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    for _ in range(3):  # the page of that workspace that was shown last may be any of the four
        if window.pages.current_name != "mergesTab":
            qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(panel.text.hasFocus)
    qtbot.keyClicks(panel.text, "berry")
    settled(qtbot, panel)
    reached = []
    while (focus := QApplication.focusWidget()) is not panel.why:
        reached.append(focus.objectName())
        assert len(reached) < 30
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    named = [name for name in reached if name]
    assert named[:5] == ["mergeText", "mergeLetters", "mergePretokens", "mergeStart", "mergeBack"]
    assert named[5:] == [
        "mergePlay",
        "mergeStep",
        "mergeSpeed",
        "mergeSequence",
        "mergeSteps",
        "mergeShapes",
        "mergeTree",
    ]
    panel.player.step.setFocus()
    qtbot.keyClick(panel.player.step, Qt.Key.Key_Down)
    settled(qtbot, panel)
    assert parts(panel) == "ber  ry"


@pytest.mark.deep
def test_pretokens_are_chosen_with_the_caret(qtbot, panel):
    show(qtbot, panel, "strawberry 12345")
    assert panel.tree.caption.text() == "Pretoken 1 of 4: 3 tokens"
    panel.strip.setFocus()
    panel.strip.select_range(12, 12)
    qtbot.waitUntil(lambda: panel._pretoken == 2)
    settled(qtbot, panel)
    assert parts(panel) == "123"
    assert "made by merge" in panel.why.toPlainText()


def test_a_part_is_asked_about_by_selecting_it(qtbot, panel):
    show(qtbot, panel, "strawberry")
    panel.strip.select_range(2, 5)
    settled(qtbot, panel)
    assert panel.why.toPlainText().startswith("“raw”: not one token here, although the vocabulary has it")
    panel.text.setText("x")
    settled(qtbot, panel)
    assert panel.why.toPlainText().startswith("“x”: one token")


def test_the_selection_of_the_prompt(qtbot, bench):
    bench.prompt.replace_all("I like strawberry pie")
    bench.prompt.set_encoding("cl100k_base")
    bench.panel.editor.select_range(7, 17)
    bench.window.actions_by_name["show_merges"].trigger()
    panel = bench.pages.merges.panel
    settled(qtbot, panel)
    assert bench.window.pages.currentWidget() is bench.pages.page("mergesTab")
    assert (panel.text.text(), panel.picker.currentText(), parts(panel)) == (
        "strawberry",
        "cl100k_base",
        "str  aw  berry",
    )
    assert "Taken from the prompt" in panel.remark.text()
    qtbot.keyClicks(panel.text, "x")
    settled(qtbot, panel)
    assert panel.remark.text() == ""


@pytest.mark.deep
@pytest.mark.parametrize(
    ("text", "caret", "word"),
    mostly_deep([("a big\tdog", 3, " big"), ("🚀x y", 2, "🚀x"), ("one", 3, "one"), ("a\nb", 2, "b")], 1),
)
def test_without_a_selection_it_is_the_word_at_the_caret(qtbot, bench, text, caret, word):
    bench.prompt.replace_all(text)
    bench.panel.editor.select_range(caret, caret)
    bench.window.actions_by_name["show_merges"].trigger()
    assert bench.pages.merges.panel.text.text() == word
    settled(qtbot, bench.pages.merges.panel)


def test_for_the_word_at_the_caret_nobody_measures_what_is_still_to_come(qtbot, bench, monkeypatch):
    bench.prompt.replace_all("a big dog")
    monkeypatch.setattr(type(bench.panel.editor), "text_length", property(lambda _editor: pytest.fail("all of it")))
    bench.panel.editor.select_range(3, 3)
    bench.window.actions_by_name["show_merges"].trigger()
    assert bench.pages.merges.panel.text.text() == " big"
    settled(qtbot, bench.pages.merges.panel)


def test_an_empty_prompt_has_nothing_to_show(qtbot, bench):
    bench.prompt.replace_all("")
    bench.window.actions_by_name["show_merges"].trigger()
    settled(qtbot, bench.pages.merges.panel)
    assert bench.pages.merges.panel.text.text() == FIRST_TEXT


@pytest.mark.deep
def test_the_menu_of_the_prompt(qtbot, bench):
    editor = bench.panel.editor
    place = QPoint(5, 5)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, editor.viewport().mapToGlobal(place))
    QApplication.sendEvent(editor.viewport(), event)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert bench.window.actions_by_name["show_merges"] in menu.actions()
    assert len(menu.actions()) > 5
    with qtbot.waitSignal(menu.destroyed):
        menu.close()


@pytest.mark.deep
def test_from_the_card_of_a_token(qtbot, open_window):
    bench = open_window()
    bench.prompt.replace_all("xylitol!")
    qtbot.waitUntil(lambda: not bench.prompt.stale and bench.panel.editor.token_at(2) is not None)
    bench.panel.editor.select_range(2, 2)
    bench.inspector.pin_at_caret()
    button = bench.inspector._card.findChild(QPushButton, "tokenCardMerges")
    assert button.isVisible()
    start, end = bench.inspector._card.contents.utf16_start, bench.inspector._card.contents.utf16_end
    button.click()
    assert not bench.inspector._card.isVisible()
    assert bench.pages.merges.panel.text.text() == "xylitol!"[start:end]
    settled(qtbot, bench.pages.merges.panel)


@pytest.mark.deep
@pytest.mark.parametrize("text", mostly_deep(["", "👩‍🚀", "\0", "<|endoftext|>", "ﬁ\u0301", "  \t", "<b>x</b>"], 2))
def test_odd_texts(qtbot, panel, text):
    show(qtbot, panel, text)
    assert panel._reply.text.cut.text == text
    ids = engine.get_encoding("cl100k_base").encode_ordinary(text)
    assert panel.strip.toPlainText() == text
    assert (panel.why.toPlainText() == "") == (not text)
    if len(panel._reply.text.cut) == 1:
        assert list(panel._reply.trace.ids) == ids
    if not text:
        assert panel.tree.view.accessibleDescription() == "Type a word above to see how it is merged."
        assert not panel.player.play.isEnabled()
    if text.startswith("<|"):
        assert "special token 100257" in panel.why.toPlainText()


def test_a_lone_surrogate_is_the_replacement_character(qtbot, bench, panel):
    bench.pages.merges.show_text("\ud83d", "cl100k_base")
    settled(qtbot, panel)
    assert panel.text.text() == "\ufffd"
    assert r"\xef" in panel.tree.view.text()


def test_a_hundred_kilobytes_are_pasted(qtbot, panel):
    QGuiApplication.clipboard().setText("some words and more\n" * 5_000)
    panel.text.clear()
    panel.text.paste()
    settled(qtbot, panel)
    assert len(panel.text.text()) == MAX_CHARACTERS
    assert panel.remark.text() == "Only the first 20,000 characters are analysed."
    assert panel.tree.caption.text().startswith("Pretoken 2 of 5,000")


@pytest.mark.deep
def test_one_long_pretoken(qtbot, bench, panel):
    bench.pages.merges.show_text("a" * 100_000, "cl100k_base")
    settled(qtbot, panel)
    assert "Only the first 20,000 characters" in panel.remark.text()
    assert len(panel.tree.view.forest.nodes) <= 3_000
    assert "⋮" in panel.tree.caption.text()
    panel.player.step.setValue(9_000)
    settled(qtbot, panel)
    assert panel.sequence_label.text() == "11,000 parts:"
    assert panel.pairs.rowCount() == 300
    assert "the first of 10,999" in panel.pairs_label.text()


def test_a_token_of_the_tree_is_opened(qtbot, bench, panel):
    show(qtbot, panel, "berry")
    with qtbot.waitSignal(bench.pages.merges.token_opened) as opened:
        qtbot.keyClick(panel.tree.view, Qt.Key.Key_Return)
    assert opened.args == ["cl100k_base", 15717]


@pytest.mark.deep
def test_a_token_of_the_tree_is_shown_in_the_vocabulary(qtbot, bench, panel):
    def opened(search: str = "") -> bytes:
        page = bench.pages.vocabulary.build()._panel
        if search:
            page.filters.search.setText(search)
            qtbot.waitUntil(lambda: page.model.rowCount() < 1000)
        bench.pages.merges.focus()
        qtbot.keyClick(panel.tree.view, Qt.Key.Key_Return)
        token_id = panel.tree.view.forest.nodes[panel.tree.view.current].token_id
        assert bench.window.pages.currentWidget() is bench.pages.page("vocabularyTab")
        name = panel.picker.currentText()
        qtbot.waitUntil(
            lambda: page.detail.token_id == token_id and bench.pages.vocabulary.browser.vocabulary.name == name
        )
        assert page.table.current_id == token_id
        return engine.get_encoding(name).decode_single_token_bytes(token_id)

    show(qtbot, panel, "berry")
    assert opened() == b"berry"
    qtbot.keyClick(panel.tree.view, Qt.Key.Key_Down)
    assert opened(search="solidgold") == b"b"
    show(qtbot, panel, "strawberry", "r50k_base")
    first = panel.tree.view.forest.nodes[0].token_bytes
    assert opened(search="solidgold") == first


@pytest.mark.deep
def test_encodings_of_ones_own_and_such_as_are_gone(qtbot, open_window):
    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256, b"xyz": 257}
    own = Encoding("mine", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={})
    catalog.register(own)
    try:
        bench = open_window(counted=False)
        bench.pages.merges.show_text("xyz", "mine")
        panel = bench.pages.merges.panel
        settled(qtbot, panel)
        assert panel.pairs_label.text() == "A whole token, looked up without merges"
        assert not panel.player.play.isEnabled()
        bench.pages.merges.show_text("abab", "mine")
        settled(qtbot, panel)
        assert parts(panel) == "ab  ab"
    finally:
        catalog.forget_encoding("mine")
    bench.pages.merges.show_text("ab", "not-there")
    qtbot.waitUntil(lambda: "not-there" in panel.remark.text())


@pytest.mark.deep
def test_the_session_keeps_text_and_encoding(qtbot, open_window, bench, panel):
    show(qtbot, panel, "xylitol", "p50k_base")
    panel.player.speed.setCurrentIndex(0)
    close_window(qtbot, bench)
    again = open_window(counted=False)
    settled(qtbot, again.pages.merges.panel)
    assert again.window.pages.currentWidget() is again.pages.page("mergesTab")
    panel = again.pages.merges.panel
    assert (panel.text.text(), panel.picker.currentText(), panel.player.speed.currentIndex()) == (
        "xylitol",
        "p50k_base",
        0,
    )


def test_states_that_make_no_sense_are_left(qtbot, panel):
    panel.restore_state({"text": 7, "encoding": None, "speed": 99, "sizes": ["x"]}, "r50k_base")
    settled(qtbot, panel)
    assert (panel.text.text(), panel.picker.currentText()) == (FIRST_TEXT, "r50k_base")


@pytest.mark.deep
def test_token_colours_follow_the_settings(qtbot, bench, panel):
    show(qtbot, panel, "one two three")
    before = panel.strip.grab().toImage()
    bench.settings.set("token_colours", "none")
    assert panel.strip.grab().toImage() != before
