"""What a screen reader says of the token at the caret."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from tests.gui.conftest import OpenWindow


def test_the_token_at_the_caret_is_told_once_the_caret_rests(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    editor = bench.panel.editor
    bench.window.activateWindow()
    editor.setFocus()
    editor.setPlainText("Hello world")
    qtbot.waitUntil(lambda: bench.prompt.counts is not None and not bench.prompt.stale)
    told: list[str] = []
    bench.panel.announcer.announced.connect(told.append)
    editor.select_range(0, 0)
    for _ in range(8):
        qtbot.keyClick(editor, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: bool(told) and told[-1].startswith("space world; token 2, id "))

    spoken = QAccessible.queryAccessibleInterface(editor)
    assert spoken.text(QAccessible.Text.Name) == "Prompt"
    assert spoken.text(QAccessible.Text.Description) == told[-1]
    assert told[-1].endswith("6 bytes")
