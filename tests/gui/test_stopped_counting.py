"""Counting that was stopped needs the whole text again: a big one must not stop the window for that."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

import engine
from gui.prompt import prompt as prompt_module
from tests.gui.conftest import HeldEdits, OpenWindow

pytestmark = pytest.mark.pages()


def test_a_big_text_is_never_read_at_once(
    qtbot: QtBot, open_window: OpenWindow, held_edits: Callable[[], HeldEdits], monkeypatch: pytest.MonkeyPatch
):
    bench = open_window()
    editor = bench.panel.editor
    editor.setPlainText("one")
    qtbot.waitUntil(lambda: not bench.prompt.stale and bench.prompt.counts.complete)
    held = held_edits()
    monkeypatch.setattr(prompt_module, "DIRECT_READ_CHARACTERS", 0)
    monkeypatch.setattr(bench.prompt, "read_now", lambda: pytest.fail("the whole text in one go"))
    monkeypatch.setattr(editor, "toPlainText", lambda: pytest.fail("the whole text in one go"))
    editor.replace_range(0, 0, "two ")
    qtbot.waitUntil(held.begun.is_set)
    editor.replace_range(0, 0, "three ")
    (counting,) = (lane for lane in bench.runner.busy_lanes if lane.name == "Counting tokens")
    counting.cancel()
    held.may_end.set()
    qtbot.waitUntil(lambda: not counting.busy)
    with qtbot.waitSignal(bench.prompt.text_ready) as ready:
        bench.prompt.request_text()
    assert ready.args[1].text() == "three two one"
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    assert bench.prompt.counts.tokens == engine.get_encoding("o200k_base").count("three two one")
