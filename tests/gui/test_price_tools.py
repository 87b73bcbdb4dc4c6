"""The menu Edit while the tab for prices is in front: undo, find, replace and lines are those of the price file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from gui.costs.prices_page import PricingPanel
from gui.prompt.finder import GoToDialog
from gui.window.application import Application
from tests.gui.conftest import OpenWindow
from tests.gui.pricing_windows import panel_of

pytestmark = pytest.mark.pages("pricingTab")

TEXT = "version: 1\nmodels:\n  acme/one:  # 😀 one\n    price: {input: 1}\n  acme/two:\n    price: {input: 2}\n"


@pytest.fixture
def bench(tmp_path: Path, open_window: OpenWindow) -> Application:
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "prices.yaml").write_text(TEXT, encoding="utf-8")
    return open_window(profile)


@pytest.fixture
def panel(qtbot: QtBot, bench: Application) -> PricingPanel:
    found = panel_of(qtbot, bench)
    qtbot.waitUntil(lambda: found.editor.text() == TEXT)
    return found


def pattern(panel: PricingPanel) -> QLineEdit:
    field = panel.findChild(QLineEdit, "pricingFindPattern")
    assert field is not None
    return field


def selected(panel: PricingPanel) -> tuple[int, str]:
    cursor = panel.editor.textCursor()
    return cursor.blockNumber() + 1, cursor.selectedText()


def test_undo_in_the_menu_is_that_of_the_text_in_front(qtbot: QtBot, bench: Application, panel: PricingPanel):
    act, prompt = bench.window.actions_by_name, bench.panel.editor
    before = prompt.toPlainText()
    assert not act["undo"].isEnabled()
    panel.editor.setFocus()
    QTest.keyClicks(panel.editor, "# ")
    assert act["undo"].isEnabled()
    panel.form.table.setFocus()
    act["undo"].trigger()
    assert panel.editor.text() == TEXT
    assert prompt.toPlainText() == before
    assert (act["undo"].isEnabled(), act["redo"].isEnabled()) == (False, True)
    act["redo"].trigger()
    assert panel.editor.text() == f"# {TEXT}"
    act["focus_prompt"].trigger()
    assert (act["undo"].isEnabled(), act["redo"].isEnabled()) == (False, False)
    qtbot.keyClicks(prompt, "x")
    act["focus_pricing"].trigger()
    panel.form.table.setFocus()
    act["undo"].trigger()
    assert panel.editor.text() == TEXT
    assert prompt.toPlainText().count("x") == before.count("x") + 1


def test_find_goes_through_the_price_file(qtbot: QtBot, bench: Application, panel: PricingPanel):
    act = bench.window.actions_by_name
    panel.editor.setFocus()
    act["find"].trigger()
    assert bench.pages.page("pricingTab").is_in_front()
    pattern(panel).setText("INPUT")
    QTest.keyClick(pattern(panel), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: selected(panel) == (4, "input"))
    act["find_next"].trigger()
    assert selected(panel) == (6, "input")
    act["find_next"].trigger()
    assert selected(panel) == (4, "input")
    act["find_previous"].trigger()
    assert selected(panel) == (6, "input")
    assert panel.find_bar.findChild(object, "pricingFindCount").text() == "2 of 2"
    pattern(panel).setText("one")
    qtbot.waitUntil(lambda: panel.find_bar.findChild(object, "pricingFindCount").text() == "2 matches")
    act["find_next"].trigger()
    act["find_next"].trigger()
    assert selected(panel) == (3, "one")
    pattern(panel).setText("nowhere")
    qtbot.waitUntil(lambda: panel.find_bar.findChild(object, "pricingFindCount").text() == "not found")
    QTest.keyClick(pattern(panel), Qt.Key.Key_Escape)
    assert panel.find_bar.isHidden()
    assert bench.window.focusWidget() is panel.editor


def test_replace_is_one_step_of_undo(qtbot: QtBot, bench: Application, panel: PricingPanel):
    bench.window.actions_by_name["replace"].trigger()
    pattern(panel).setText("input")
    field = panel.findChild(QLineEdit, "pricingFindReplacement")
    field.setText("output")
    QTest.keyClick(pattern(panel), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: selected(panel) == (4, "input"))
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.editor.text() == TEXT.replace("input: 1", "output: 1"))
    qtbot.waitUntil(lambda: selected(panel) == (6, "input"))
    panel.editor.undo()
    qtbot.mouseClick(panel.findChild(QPushButton, "pricingFindReplaceAll"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.editor.text() == TEXT.replace("input", "output"))
    panel.editor.undo()
    assert panel.editor.text() == TEXT


def test_go_to_line_is_about_the_price_file(qtbot: QtBot, bench: Application, panel: PricingPanel):
    bench.window.actions_by_name["go_to_line"].trigger()
    dialog = bench.window.findChild(GoToDialog)
    number = dialog.findChild(QSpinBox)
    assert number.maximum() == TEXT.count("\n") + 1
    number.setValue(5)
    dialog.accept()
    assert panel.editor.caret_line == 5
    assert bench.pages.page("pricingTab").is_in_front()


def test_names_are_completed_in_braces_on_the_same_line(qtbot: QtBot, bench: Application, panel: PricingPanel):
    bench.window.activateWindow()
    panel.editor.setFocus()
    panel.editor.setPlainText("version: 1\nmodels:\n  acme/one: {name: One, ")
    panel.editor.moveCursor(panel.editor.textCursor().MoveOperation.End)
    QTest.keyClicks(panel.editor, "pri")
    assert panel.editor.completion.shown
    QTest.keyClick(panel.editor.completion._completer.popup(), Qt.Key.Key_Tab)
    assert panel.editor.text().endswith("{name: One, price: ")
    QTest.keyClicks(panel.editor, "{out")
    QTest.keyClick(panel.editor.completion._completer.popup(), Qt.Key.Key_Tab)
    assert panel.editor.text().endswith("price: {output: ")
