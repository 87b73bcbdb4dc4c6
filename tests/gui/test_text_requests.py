"""Who asks for the text while a big one is on its way gets it without the GUI thread reading what is not in yet."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gui.core.text_chunks import chunked
from gui.editor import soft_text_edit, text_transfer, undo_steps
from gui.editor.token_editor import TokenEditor
from gui.prompt.prompt import Origin, Prompt
from tests.gui.conftest import HeldEdits, OpenWindow

pytestmark = pytest.mark.pages()

TEXT = "a line of text 😀\n" * 300


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_transfer, "FIRST_SLICE", 500)
    monkeypatch.setattr(text_transfer, "_SMALLEST", 300)
    monkeypatch.setattr(text_transfer, "_LARGEST", 700)


def ask(qtbot: QtBot, prompt: Prompt, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    with monkeypatch.context() as patched:
        patched.setattr(Prompt, "read_now", lambda _prompt: pytest.fail("the whole text in one go"))
        patched.setattr(TokenEditor, "toPlainText", lambda _editor: pytest.fail("the whole text in one go"))
        with qtbot.waitSignal(prompt.text_ready) as ready:
            assert prompt.editor.is_loading
            prompt.request_text()
        qtbot.waitUntil(lambda: not prompt.editor.is_loading)
    revision, text = ready.args
    return revision, text.text()


def test_the_worker_has_it(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch):
    prompt = open_window().prompt
    qtbot.waitUntil(lambda: prompt.counts is not None)
    prompt.show_text(TEXT)
    assert ask(qtbot, prompt, monkeypatch) == (prompt.editor.revision, TEXT)


def test_before_there_is_a_worker_it_is_read_once_it_is_in(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
    editor = TokenEditor()
    qtbot.addWidget(editor)
    prompt = Prompt(editor, editor)
    prompt.show_text(TEXT)
    assert ask(qtbot, prompt, monkeypatch) == (editor.revision, TEXT)


def test_where_counting_was_stopped_it_is_read_once_it_is_in(
    qtbot: QtBot, open_window: OpenWindow, held_edits: Callable[[], HeldEdits], monkeypatch: pytest.MonkeyPatch
):
    bench = open_window()
    prompt = bench.prompt
    prompt.editor.setPlainText("one")
    qtbot.waitUntil(lambda: not prompt.stale and prompt.counts is not None and prompt.counts.complete)
    held = held_edits()
    prompt.editor.replace_range(0, 0, "two ")
    qtbot.waitUntil(held.begun.is_set)
    prompt.show_text(TEXT)
    (counting,) = (lane for lane in bench.runner.busy_lanes if lane.name == "Counting tokens")
    counting.cancel()
    held.may_end.set()
    assert ask(qtbot, prompt, monkeypatch) == (prompt.editor.revision, TEXT)
    qtbot.waitUntil(lambda: not prompt.stale)


def half_undone(qtbot: QtBot, prompt: Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the text was removed, and has begun to come back."""
    for name in ("MUCH_UNITS", "FIRST_PART", "_SMALLEST_PART", "_LARGEST_PART"):
        monkeypatch.setattr(text_transfer, name, 100)
    monkeypatch.setattr(undo_steps, "_TURN_SECONDS", 0.0)
    prompt.show_text(TEXT)
    qtbot.waitUntil(lambda: not prompt.editor.is_loading)
    qtbot.waitUntil(lambda: not prompt.stale and prompt.counts is not None and prompt.counts.complete)
    prompt.replace_all("")
    prompt.editor.steps.finish()
    assert prompt.editor.text_length == 0
    prompt.editor.undo()
    assert 0 < prompt.editor.text_length < len(TEXT)


@pytest.mark.deep
def test_half_of_a_step_is_given_to_nobody(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch):
    prompt = open_window().prompt
    half_undone(qtbot, prompt, monkeypatch)
    assert ask(qtbot, prompt, monkeypatch) == (prompt.editor.revision, TEXT)


@pytest.mark.deep
def test_who_cannot_wait_has_the_rest_done_at_once(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
):
    prompt = open_window().prompt
    half_undone(qtbot, prompt, monkeypatch)
    assert prompt.read_now().text() == TEXT
    assert not prompt.editor.is_loading


@pytest.mark.deep
def test_who_hears_of_the_first_part_does_not_take_it_for_all(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
):
    prompt = open_window().prompt
    half_undone(qtbot, prompt, monkeypatch)
    prompt.editor.steps.finish()
    prompt.replace_all("")
    prompt.editor.steps.finish()
    given: list[str] = []
    prompt.text_ready.connect(lambda _revision, text: given.append(text.text()))
    prompt.changed.connect(prompt.request_text)
    prompt.editor.undo()
    qtbot.waitUntil(lambda: bool(given))
    assert given[0] == TEXT


@pytest.mark.deep
def test_an_answer_that_comes_in_the_middle_of_a_step_waits_for_its_end(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
):
    prompt = open_window().prompt
    half_undone(qtbot, prompt, monkeypatch)
    given: list[str] = []
    prompt.text_ready.connect(lambda _revision, text: given.append(text.text()))
    prompt.request_text()
    prompt._on_text_ready(prompt.editor.revision, chunked([prompt.editor.toPlainText()]))  # asked for before the undo
    qtbot.waitUntil(lambda: bool(given))
    assert given == [TEXT]


@pytest.mark.deep
def test_another_text_comes_after_the_whole_step(qtbot: QtBot, open_window: OpenWindow, monkeypatch):
    prompt = open_window().prompt
    half_undone(qtbot, prompt, monkeypatch)
    assert prompt.replace_all("another")
    qtbot.waitUntil(lambda: not prompt.editor.is_loading)
    assert prompt.editor.toPlainText() == "another"
    prompt.editor.undo()
    qtbot.waitUntil(lambda: not prompt.editor.is_loading)
    assert prompt.editor.toPlainText() == TEXT


def test_a_text_on_its_way_is_not_replaced_and_keeps_its_file(qtbot: QtBot, open_window: OpenWindow, tmp_path):
    prompt = open_window().prompt
    origin = Origin(tmp_path / "text.txt", "utf-8", False)
    prompt.show_text(TEXT, origin)
    assert prompt.editor.is_loading
    assert not prompt.replace_all("another")
    assert prompt.origin == origin
    qtbot.waitUntil(lambda: not prompt.editor.is_loading)
    assert prompt.editor.toPlainText() == TEXT


@pytest.mark.deep
@pytest.mark.parametrize(("name", "expected"), [("paste", "pasted"), ("cut", "")])
def test_what_the_menu_edits_waits_for_the_end_of_a_step(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, name: str, expected: str
):
    """Keys for cutting and pasting are those of the menu while the editor takes no others."""
    bench = open_window()
    half_undone(qtbot, bench.prompt, monkeypatch)
    QGuiApplication.clipboard().setText("pasted")
    editor = bench.prompt.editor
    editor.setFocus()
    next(action for action in bench.window.every_action() if action.objectName() == name).trigger()
    assert editor.is_loading
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert not editor.isReadOnly()
    assert editor.toPlainText().replace(expected, "", 1) == TEXT
    assert expected in editor.toPlainText()


def test_what_the_menu_selects_comes_behind_what_it_pastes(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
):
    bench = open_window()
    half_undone(qtbot, bench.prompt, monkeypatch)
    QGuiApplication.clipboard().setText("pasted")
    editor = bench.prompt.editor
    editor.setFocus()
    for name in ("paste", "select_all"):
        next(action for action in bench.window.every_action() if action.objectName() == name).trigger()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText().replace("pasted", "", 1) == TEXT
    assert editor.selected_text() == editor.toPlainText()


def test_what_the_menu_undoes_is_in_before(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    editor = bench.prompt.editor
    editor.setPlainText("before")
    editor.setFocus()
    QGuiApplication.clipboard().setText(TEXT)
    actions = {action.objectName(): action for action in bench.window.every_action()}
    actions["paste"].trigger()
    qtbot.waitUntil(actions["undo"].isEnabled)
    assert editor.is_loading
    actions["undo"].trigger()
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert editor.toPlainText() == "before"
    assert editor.document().isRedoAvailable()
