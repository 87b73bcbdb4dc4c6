"""What a screen reader is told of the prompt: its text, where the caret is, and the token there."""

from __future__ import annotations

import pytest
from PySide6 import QtGui
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from pytestqt.qtbot import QtBot

from gui.window.application import Application
from tests.gui.conftest import OpenWindow

TEXT = "Hello world, h\u00e9llo"


@pytest.fixture
def bench(qtbot: QtBot, open_window: OpenWindow) -> Application:
    """A window with the caret before the first word."""
    opened = open_window()
    opened.window.activateWindow()
    opened.panel.editor.setFocus()
    opened.panel.editor.setPlainText(TEXT)
    qtbot.waitUntil(lambda: opened.prompt.counts is not None and not opened.prompt.stale)
    opened.panel.editor.select_range(0, 0)
    return opened


@pytest.fixture
def told(bench: Application, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was announced to a screen reader that is there."""
    announced: list[str] = []

    class Listening:
        @staticmethod
        def isActive() -> bool:
            return True

        @staticmethod
        def updateAccessibility(event: QAccessibleAnnouncementEvent) -> None:
            assert event.object() is bench.panel.editor
            announced.append(event.message())

    monkeypatch.setattr(QtGui, "QAccessible", Listening)
    return announced


def spoken(bench: Application) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(bench.panel.editor)


@pytest.mark.deep
def test_the_text_and_the_caret_can_be_read(qtbot: QtBot, bench: Application):
    text = spoken(bench).textInterface()
    assert spoken(bench).role() is QAccessible.Role.EditableText
    assert spoken(bench).text(QAccessible.Text.Name) == "Prompt"
    assert text.characterCount() == len(TEXT)
    assert text.text(0, len(TEXT)) == TEXT
    assert text.cursorPosition() == 0
    for expected in (1, 2, 3):
        qtbot.keyClick(bench.panel.editor, Qt.Key.Key_Right)
        assert text.cursorPosition() == expected
    qtbot.keyClick(bench.panel.editor, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    assert text.selectionCount() == 1


def test_the_token_at_the_caret_is_told_once_the_caret_rests(qtbot: QtBot, bench: Application, told: list[str]):
    for _ in range(8):
        qtbot.keyClick(bench.panel.editor, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: bool(told) and told[-1].startswith("space world; token 2, id "))
    assert told[-1].endswith("6 bytes")
    assert len(told) <= 2, "not at every key"
    assert spoken(bench).text(QAccessible.Text.Description) == told[-1]


@pytest.mark.deep
def test_typing_is_not_talked_over(qtbot: QtBot, bench: Application, told: list[str]):
    """The description is that of the token at the caret all the time; it is announced when the caret is moved."""
    editor = bench.panel.editor
    for character in "so ":
        qtbot.keyClicks(editor, character)
        qtbot.waitUntil(lambda: not bench.prompt.stale and is_described(bench))
    assert told == []
    qtbot.keyClick(editor, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: bool(told))
    assert told[-1].startswith("so; token 1, id ")


def is_described(bench: Application) -> bool:
    """Whether the caret has rested, and the description is of the token at it."""
    announcer, position = bench.panel.announcer, bench.panel.editor.textCursor().position()
    return not announcer._rest.isActive() and announcer._caret[1] == position
