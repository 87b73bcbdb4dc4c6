"""The cards of the first start: shown once, each dismissed by itself, remembered in the settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from gui.prompt import prompt_panel as first_steps
from gui.state.session import SAMPLE
from tests.gui.conftest import OpenWindow, close_window

pytestmark = pytest.mark.pages()


@pytest.fixture(autouse=True)
def cards_are_new(cards_are_dismissed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_dismissed(settings):
        return tuple(card for card in first_steps.CARDS if card.key not in settings.values.dismissed_cards)

    monkeypatch.setattr(first_steps, "open_cards", not_dismissed)


@pytest.mark.deep
def test_cards_lead_on_and_stay_away(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    bench.window.resize(1280, 900)
    steps = bench.first_steps
    assert bench.panel.editor.toPlainText() == SAMPLE, "below the sample"
    assert [key for key, card in steps.cards.items() if card.isVisible()] == ["paste", "train", "vocabulary"]
    close = steps.findChild(QToolButton, "firstStepClose_vocabulary")
    assert close.accessibleName() == "Dismiss: Explore a vocabulary"
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert not steps.cards["vocabulary"].isVisible()
    assert steps.isVisible()
    QApplication.clipboard().setText("my own prompt")
    qtbot.mouseClick(steps.findChild(QPushButton, "firstStepGo_paste"), Qt.MouseButton.LeftButton)
    assert bench.panel.editor.toPlainText() == "my own prompt"
    bench.window.actions_by_name["undo"].trigger()
    assert bench.panel.editor.toPlainText() == SAMPLE
    qtbot.mouseClick(steps.findChild(QPushButton, "firstStepGo_train"), Qt.MouseButton.LeftButton)
    assert bench.window.pages.current_name == "trainingTab"
    bench.pages.go_to("promptTab")
    assert not steps.isVisible()
    close_window(qtbot, bench)
    kept = json.loads((profile / "settings.json").read_text())["dismissed_cards"]
    assert sorted(kept) == ["paste", "train", "vocabulary"]
    assert open_window(profile).first_steps is None


def test_all_cards_go_at_once_and_leave_the_prompt_its_room(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    steps = bench.first_steps
    bench.window.resize(900, 600)
    qtbot.waitUntil(lambda: not steps.isVisible())
    bench.window.resize(1280, 900)
    qtbot.waitUntil(steps.isVisible)
    qtbot.mouseClick(steps.close_all, Qt.MouseButton.LeftButton)
    assert not steps.isVisible()
    assert len(bench.settings.values.dismissed_cards) == len(first_steps.CARDS)


def test_an_empty_editor_says_how_to_begin(qtbot: QtBot, open_window: OpenWindow):
    editor = open_window().panel.editor
    editor.setPlainText("")
    qtbot.waitUntil(lambda: not editor.is_loading)
    assert "Paste or type a prompt" in editor.placeholderText()
    empty = editor.viewport().grab().toImage()
    editor.setPlaceholderText("")
    assert editor.viewport().grab().toImage() != empty, "it is drawn"
