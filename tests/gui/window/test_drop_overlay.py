"""While files are dragged over the window it says what dropping them will do."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragLeaveEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.window.application import Application
from tests.gui.conftest import OpenWindow
from tests.gui.dropping import entering

pytestmark = pytest.mark.pages()


def drag(bench: Application, *paths: Path) -> str:
    """Drag files over the window and away again; what is said meanwhile."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    handle, middle = bench.window.windowHandle(), QPoint(300, 300)
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(handle, entering(middle, Qt.DropAction.CopyAction, data, buttons, keys))
    cover = bench.drops.cover
    said = f"{cover.title}: {cover.names}" if cover is not None and cover.isVisible() else ""
    if said:
        assert not cover.grab().isNull()
        assert cover.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    QApplication.sendEvent(handle, QDragLeaveEvent())
    assert cover is None or not cover.isVisible()
    return said


def test_it_says_what_will_happen(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(counted=False)
    text, tokenizer = tmp_path / "notes.md", tmp_path / "tokenizer.json"
    text.write_text("words")
    tokenizer.write_text("minbpe v1\n")
    assert drag(bench, text) == "Drop to open as the prompt: notes.md"
    assert drag(bench, text, text).startswith("Drop to open the first as the prompt")
    assert drag(bench, tokenizer) == "Drop to import this tokenizer: tokenizer.json"
    assert drag(bench, tmp_path) == f"Drop to count this folder: {tmp_path.name}"
    bench.window.pages.show_page("trainingTab")
    assert drag(bench, tmp_path).startswith("Drop to train on these texts")
    bench.window.pages.show_page("requestTab")
    assert drag(bench, text).startswith("Drop to open as a request")
    bench.window.pages.show_page("pricingTab")
    assert drag(bench, text).startswith("Drop to compare your prices")
    assert drag(bench) == "", "no file of this computer"
