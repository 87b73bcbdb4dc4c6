"""Find and replace in a real window."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel
from pytestqt.qtbot import QtBot

from gui.editor import text_transfer
from gui.prompt import prompt as prompt_module
from gui.runtime.jobs import Ticket
from gui.window.application import Application
from tests.gui.conftest import OpenWindow

pytestmark = pytest.mark.pages()


def count(bench: Application) -> str:
    label = bench.window.findChild(QLabel, "findCount")
    assert label is not None
    return label.text()


def switch(bench: Application, name: str) -> QCheckBox:
    box = bench.window.findChild(QCheckBox, name)
    assert box is not None
    return box


@pytest.fixture
def bench(open_window: OpenWindow, qtbot: QtBot) -> Application:
    bench = open_window()
    bench.panel.editor.setPlainText("one 🚀 two One\nthree one")
    return bench


def search(qtbot: QtBot, bench: Application, pattern: str, words: str) -> None:
    bench.finder.open(replace=True)
    bench.panel.find_bar.pattern.setText(pattern)
    qtbot.waitUntil(lambda: count(bench) == words)


def selected(bench: Application) -> tuple[int, int]:
    return bench.panel.editor.selected_range()


def test_going_round_the_matches(qtbot: QtBot, bench: Application):
    search(qtbot, bench, "one", "3 matches")
    field = bench.panel.find_bar.pattern
    seen = []
    for _ in range(4):
        qtbot.keyClick(field, Qt.Key.Key_Return)
        seen.append((selected(bench), count(bench)))
    assert seen == [((0, 3), "1 of 3"), ((11, 14), "2 of 3"), ((21, 24), "3 of 3"), ((0, 3), "1 of 3")]
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert selected(bench) == (21, 24)


def test_switches_narrow_the_search(qtbot: QtBot, bench: Application):
    search(qtbot, bench, "one", "3 matches")
    switch(bench, "findCase").setChecked(True)
    qtbot.waitUntil(lambda: count(bench) == "2 matches")
    switch(bench, "findRegex").setChecked(True)
    bench.panel.find_bar.pattern.setText("t.o|t.ree")
    qtbot.waitUntil(lambda: count(bench) == "2 matches" and bench.finder.matches is not None)
    switch(bench, "findWords").setChecked(True)
    bench.panel.find_bar.pattern.setText("wo")
    qtbot.waitUntil(lambda: count(bench) == "not found")
    bench.panel.find_bar.pattern.setText("(")
    qtbot.waitUntil(lambda: "not valid" in count(bench))


def test_replacing_all_is_one_step_to_undo(qtbot: QtBot, bench: Application):
    editor = bench.panel.editor
    before = editor.toPlainText()
    search(qtbot, bench, "one", "3 matches")
    bench.panel.find_bar.replacement.setText("1")
    bench.panel.find_bar.replace_all_wanted.emit()
    qtbot.waitUntil(lambda: editor.toPlainText() == "1 🚀 two 1\nthree 1")
    qtbot.waitUntil(lambda: count(bench) == "not found")
    editor.undo()
    assert editor.toPlainText() == before


@pytest.mark.deep
def test_many_pieces_are_one_step_to_undo(qtbot: QtBot, bench: Application, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_transfer, "MAX_BETWEEN", 3)
    monkeypatch.setattr(text_transfer, "monotonic", iter(range(10_000)).__next__)
    monkeypatch.setattr(text_transfer, "WRITE_SECONDS", 1.5)
    editor = bench.panel.editor
    editor.setPlainText("one 🚀 long one\n" * 40)
    before = editor.toPlainText()
    search(qtbot, bench, "one", "80 matches")
    bench.panel.find_bar.replacement.setText("1")
    with qtbot.waitSignal(editor.edited):
        bench.panel.find_bar.replace_all_wanted.emit()
    assert editor.isReadOnly(), "the first piece is in, the others are on their way"
    bench.window.actions_by_name["undo"].trigger()
    qtbot.waitUntil(lambda: not editor.isReadOnly())
    assert editor.toPlainText() == "1 🚀 long 1\n" * 40
    editor.undo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == before
    editor.redo()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == "1 🚀 long 1\n" * 40
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    assert bench.panel.editor.token_count == bench.prompt.counts.tokens


def test_another_text_ends_a_replacement(qtbot: QtBot, bench: Application, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_transfer, "MAX_BETWEEN", 3)
    monkeypatch.setattr(text_transfer, "monotonic", iter(range(10_000)).__next__)
    monkeypatch.setattr(text_transfer, "WRITE_SECONDS", 1.5)
    editor = bench.panel.editor
    editor.setPlainText("one 🚀 long one\n" * 40)
    search(qtbot, bench, "one", "80 matches")
    with qtbot.waitSignal(editor.edited):
        bench.panel.find_bar.replace_all_wanted.emit()
    assert editor.isReadOnly(), "the first piece is in, the others are on their way"
    editor.setPlainText("another one")
    qtbot.waitUntil(lambda: not editor.isReadOnly())
    assert editor.toPlainText() == "another one"


def test_replacing_one_goes_on_to_the_next(qtbot: QtBot, bench: Application):
    editor = bench.panel.editor
    switch(bench, "findRegex").setChecked(True)
    search(qtbot, bench, "(o)ne", "3 matches")
    bench.panel.find_bar.replacement.setText(r"\1-ne")
    bench.panel.find_bar.replace_wanted.emit()
    assert selected(bench) == (0, 3)
    bench.panel.find_bar.replace_wanted.emit()
    qtbot.waitUntil(lambda: editor.toPlainText().startswith("o-ne 🚀 two One"))
    qtbot.waitUntil(lambda: selected(bench) == (12, 15))


def test_matches_follow_the_text(qtbot: QtBot, bench: Application):
    search(qtbot, bench, "one", "3 matches")
    bench.panel.editor.replace_range(0, 0, "one ")
    qtbot.waitUntil(lambda: count(bench) == "4 matches")


def test_a_big_text_is_asked_of_the_worker(qtbot: QtBot, bench: Application, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prompt_module, "DIRECT_READ_CHARACTERS", 0)
    monkeypatch.setattr(bench.prompt, "read_now", lambda: pytest.fail("a big text is never read on the GUI thread"))
    search(qtbot, bench, "one", "3 matches")


def test_the_selection_is_what_is_looked_for_and_escape_returns(qtbot: QtBot, bench: Application):
    bench.panel.editor.select_range(7, 10)
    bench.window.actions_by_name["find"].trigger()
    bar = bench.panel.find_bar
    assert bar.pattern.text() == "two"
    assert not bar.replacement.isVisible()
    bench.window.actions_by_name["replace"].trigger()
    assert bar.replacement.isVisible()
    qtbot.waitUntil(lambda: count(bench) == "1 of 1")
    qtbot.keyClick(bar.pattern, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert bench.panel.editor.hasFocus()


def test_a_search_that_is_stopped_says_so(qtbot: QtBot, bench: Application, monkeypatch: pytest.MonkeyPatch):
    begun = threading.Event()

    def endless(_request: object, ticket: Ticket) -> None:
        begun.set()
        while True:
            ticket.progress(0.5)

    monkeypatch.setattr(bench.finder._service._lane, "_work", endless)
    search(qtbot, bench, "one", "searching…")
    qtbot.waitUntil(begun.is_set)
    bench.window.actions_by_name["cancel_jobs"].trigger()
    qtbot.waitUntil(lambda: count(bench) == "stopped")
    monkeypatch.undo()
    bench.finder.find_next()
    qtbot.waitUntil(lambda: count(bench) == "1 of 3")


def test_find_next_without_the_bar_opens_it(qtbot: QtBot, bench: Application):
    bench.window.actions_by_name["find_next"].trigger()
    assert bench.panel.find_bar.isVisible()


def test_the_number_of_matches_stands_apart_from_the_options(qtbot: QtBot, bench: Application):
    search(qtbot, bench, "one", "3 matches")
    boxes = [switch(bench, name) for name in ("findCase", "findWords", "findRegex")]
    row = [*boxes, bench.window.findChild(QLabel, "findCount")]
    for before, after in pairwise(row):
        assert after.x() - before.geometry().right() > 5
