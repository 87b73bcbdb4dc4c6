"""The status bar: caret, selection, how the text is stored, zoom, private mode."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.labels import StatusLine
from tests.gui.conftest import OpenWindow

pytestmark = pytest.mark.pages()


def test_caret_selection_zoom_and_storage(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bar, editor = bench.window.statusBar(), bench.panel.editor
    position, selection = (bar.findChild(StatusLine, name) for name in ("statusPosition", "statusSelection"))
    bench.window.resize(1280, 800)
    QApplication.sendPostedEvents()
    assert selection.x() > position.geometry().right(), "side by side"
    editor.setPlainText("one\n🚀 two three")
    editor.select_range(7, 7)
    qtbot.waitUntil(lambda: position.text() == "Ln 2, Col 3")
    assert selection.text() == "Nothing selected"
    assert position.accessibleName() == "Ln 2, Col 3"
    editor.select_range(4, 10)
    qtbot.waitUntil(lambda: selection.text().startswith("5 characters selected, "))
    qtbot.waitUntil(lambda: selection.text().endswith("tokens"))  # when counted
    assert [bar.findChild(QLabel, name).text() for name in ("statusOrigin", "statusLineEnds")] == ["UTF-8", "LF"]
    zoom = bar.findChild(QToolButton, "statusZoom")
    assert zoom.text() == "100%"
    bench.window.actions_by_name["zoom_in"].trigger()
    assert zoom.text() != "100%"
    qtbot.mouseClick(zoom, Qt.MouseButton.LeftButton)
    assert zoom.text() == "100%"
    private = bar.findChild(QLabel, "statusPrivate")
    assert not private.isVisible()
    bench.privacy.go_private()
    assert private.isVisible()


def test_a_caret_in_a_long_line_broken_for_display(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    position = bench.window.statusBar().findChild(StatusLine, "statusPosition")
    bench.panel.editor.setPlainText("ab\n" + "word " * 10_000)
    qtbot.waitUntil(lambda: not bench.panel.editor.is_loading)
    bench.panel.editor.select_range(3 + 40_000, 3 + 40_000)
    qtbot.waitUntil(lambda: position.text() == "Ln 2, Col 40,001")


def test_facts_of_the_editor_are_hidden_with_it(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bar = bench.window.statusBar()
    facts = [
        bar.findChild(QWidget, name) for name in ("statusPosition", "statusOrigin", "statusZoom", "statusSelection")
    ]
    assert all(fact.isVisible() for fact in facts)
    bench.window.pages.show_page("pricingTab")
    assert not any(fact.isVisible() for fact in facts), "the price file has a caret of its own"
    bench.window.pages.show_page("promptTab")
    assert all(fact.isVisible() for fact in facts)
