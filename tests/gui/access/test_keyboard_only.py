"""The three jobs by keyboard alone: keys are pressed, and nothing else touches the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

import engine
from gui.costs.columns import COLUMNS
from gui.window.application import Application
from tests.gui.access.hands import Hands
from tests.gui.conftest import OpenWindow
from tests.gui.tokenizers.training_windows import write_texts

TEXT = "Count these tokens, please."


@pytest.fixture
def bench(qtbot: QtBot, open_window: OpenWindow) -> Application:
    """A window that has just been started."""
    started = open_window()
    started.window.activateWindow()
    qtbot.waitUntil(lambda: QGuiApplication.focusWindow() is not None)
    return started


@pytest.fixture
def hands(qtbot: QtBot, bench: Application) -> Hands:
    assert bench.window.isActiveWindow()
    return Hands(qtbot, bench.window)


def counted(qtbot: QtBot, bench: Application, text: str, encoding: str) -> None:
    """Wait for the count of a text, which must be the engine's."""
    qtbot.waitUntil(
        lambda: (
            bench.panel.editor.toPlainText() == text
            and bench.prompt.counts is not None
            and not bench.prompt.stale
            and bench.prompt.counts.encoding == encoding
        )
    )
    assert bench.prompt.counts.tokens == engine.get_encoding(encoding).count(text)


@pytest.mark.deep
def test_what_a_prompt_costs(qtbot: QtBot, bench: Application, hands: Hands):
    assert hands.focus_name() == "promptEditor", "one can type at once"
    hands.press("Ctrl+A")
    hands.type(TEXT)
    counted(qtbot, bench, TEXT, "o200k_base")
    QGuiApplication.clipboard().setText(" Pasted.")
    hands.press("Ctrl+V")
    counted(qtbot, bench, TEXT + " Pasted.", "o200k_base")

    hands.press("Ctrl+E")
    hands.type("cl100k")
    hands.press("Return")
    counted(qtbot, bench, TEXT + " Pasted.", "cl100k_base")
    assert hands.focus_name() == "encodingPicker"

    hands.press("Ctrl+1", "Ctrl+Home", "Ctrl+Right")
    assert hands.focus_name() == "promptEditor"
    qtbot.waitUntil(lambda: bench.panel.readout.text.startswith("token 2"))
    assert "“·these”" in bench.panel.readout.text
    hands.press("Ctrl+I")
    card = bench.window.findChild(QWidget, "tokenCard")
    qtbot.waitUntil(card.isVisible)
    assert "·these" in card.text()
    hands.press("Escape")
    assert not card.isVisible()
    assert hands.focus_name() == "promptEditor", "the card gives the keyboard back"

    hands.press("Ctrl+2")
    assert hands.focus_name() == "costFilter"
    hands.type("gpt-5")
    table = bench.costs.panel.page.table
    qtbot.waitUntil(lambda: 1 < table.model().rowCount() < 20)
    hands.tab_to("modelsTable")
    hands.press("Right", "Right", "Right")
    column = table.currentIndex().column()
    hands.press_menu_key()
    assert QApplication.activePopupWidget() is not None
    hands.type("b")
    assert bench.costs.panel.model.arrangement.sort[0].column == COLUMNS[column].key
    hands.come_back()
    assert hands.focus_name() == "modelsTable"
    hands.press("Down", "Up", "Ctrl+B")
    pinned = bench.costs.panel.model.arrangement.baseline
    assert pinned
    hands.press("Ctrl+C")
    header, row = QGuiApplication.clipboard().text().rstrip("\n").split("\n")
    assert len(header.split("\t")) == len(row.split("\t"))
    assert pinned in row.split("\t")


@pytest.mark.deep
def test_a_vocabulary_is_trained(
    qtbot: QtBot, bench: Application, hands: Hands, tmp_path: Path, trainer_is_compiled: None
):
    folder, target = write_texts(tmp_path / "texts"), tmp_path / "mine.tiktoken"
    hands.press("Ctrl+4", "Ctrl+Tab")
    assert hands.focus_name() == "trainFolder"
    hands.type(str(folder))
    panel = bench.pages.training.panel
    qtbot.waitUntil(lambda: "text file" in panel.survey.headline.text())
    hands.tab_to("trainVocabSize")
    hands.press("Ctrl+A")
    hands.type("270")
    hands.press("Return")
    qtbot.waitUntil(panel.run_bar.start.isEnabled)
    hands.tab_to("trainStart")
    hands.press("Space")
    qtbot.waitUntil(lambda: bool(panel.result.names.currentText()) and panel.result.save.isVisible())
    assert hands.focus_name() != "trainingTab", "the keyboard is somewhere"
    hands.tab_to("trainSave")
    hands.press("Space")
    assert QApplication.activePopupWidget() is not None
    hands.press("Down", "Return")

    def asked() -> QFileDialog | None:
        return bench.window.findChild(QFileDialog, "trainSaveDialog")

    qtbot.waitUntil(lambda: asked() is not None and isinstance(QApplication.focusWidget(), QLineEdit))
    hands.press("Ctrl+A")
    hands.type(str(target))
    hands.press("Return")
    qtbot.waitUntil(lambda: panel.result.remark.text().startswith("✓ Saved as"))
    assert engine.load(target).n_vocab == 270
    hands.come_back()
    assert hands.focus_name() == "trainSave", "the dialog gives the keyboard back"


@pytest.mark.deep
def test_a_token_is_looked_up(qtbot: QtBot, bench: Application, hands: Hands):
    hands.press("Ctrl+4", "Ctrl+Tab", "Ctrl+Tab")
    assert hands.focus_name() == "vocabSearch"
    panel, flow = bench.pages.vocabulary.panel, bench.pages.vocabulary.browser
    qtbot.waitUntil(lambda: flow.vocabulary is not None and flow.vocabulary.name == "o200k_base")
    hands.press("Ctrl+G")
    assert hands.focus_name() == "vocabGoToId"
    hands.type("101830")
    hands.press("Return")
    qtbot.waitUntil(lambda: panel.detail.token_id == 101830)
    hands.tab_to("vocabSearch", "Shift+Tab")
    hands.type("strawberry")
    qtbot.waitUntil(lambda: panel.model.ids is not None and 0 < len(panel.model.ids) < 10)
    hands.press("Return")
    assert hands.focus_name() == "vocabTable"
    hands.press("Home")
    first = panel.table.current_id
    qtbot.waitUntil(lambda: panel.detail.token_id == first)
    hands.tab_to("vocabDetailPages")
    hands.press("Right")
    hands.tab_to("vocabSteps")
    steps = panel.detail.steps
    assert steps.model().rowCount() > 3
    hands.press("End")
    assert steps.currentIndex().row() == steps.model().rowCount() - 1
