"""The Lab of a real window: run, change, bring back, take elsewhere; by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QScrollArea, QTableView, QWidget
from pytestqt.qtbot import QtBot

from gui.lab.lab_card import LabCard
from gui.lab.lab_page import LabPanel
from gui.lab.lab_tables import BROKEN, DONE, HOLDS, NOT_RUN, WAITING
from gui.lab.lab_text import MOST_CHARACTERS
from gui.workbench import Workbench
from tests.gui.conftest import OpenWindow

pytestmark = pytest.mark.pages("labTab")


@pytest.fixture
def bench(open_window: OpenWindow) -> Workbench:
    bench = open_window(counted=False)
    bench.window.actions_by_name["focus_lab"].trigger()
    return bench


@pytest.fixture
def panel(bench: Workbench) -> LabPanel:
    assert bench.lab is not None
    return bench.lab.build()


def press(qtbot: QtBot, card: LabCard, name: str) -> None:
    button = card.findChild(QPushButton, name)
    assert button is not None, name
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def run(qtbot: QtBot, card: LabCard) -> None:
    press(qtbot, card, f"labRun-{card.card.key}")
    qtbot.waitUntil(lambda: card.standing not in (NOT_RUN, WAITING))


def test_every_name_of_the_contract_is_there_before_the_tab_is_seen(open_window: OpenWindow):
    bench = open_window(counted=False)
    for kind, name in ((QWidget, "labTab"), (QScrollArea, "labCards")):
        widget = bench.window.findChild(kind, name)
        assert widget is not None, name
        assert widget.accessibleName(), name


@pytest.mark.deep
def test_all_cards_run_with_one_button(qtbot: QtBot, panel: LabPanel):
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    assert not panel.run_all.isEnabled()
    qtbot.waitUntil(lambda: all(card.standing in (HOLDS, DONE) for card in panel.cards.values()))
    assert panel.run_all.isEnabled()
    assert f"✓ {len(panel.cards) - 1} as expected" in panel.summary.text()


def test_a_card_unfolds_runs_and_shows_what_was_found(qtbot: QtBot, panel: LabPanel):
    card = panel.cards["E11"]
    run(qtbot, card)
    assert card.standing == HOLDS
    assert card.fold.isChecked()
    assert card.outcome is not None
    claims, lines = card.outcome.tables
    assert claims.isVisible()
    assert lines.model().index(0, 3).data() == "str │ aw │ berry"


@pytest.mark.deep
def test_the_outcome_of_a_card_that_is_folded_up_is_there_when_it_is_unfolded(qtbot: QtBot, panel: LabPanel):
    card = panel.cards["E11"]
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: all(card.standing in (HOLDS, DONE) for card in panel.cards.values()))
    assert not card.fold.isChecked()
    assert not card.findChildren(QTableView), "not before somebody looks"
    card.unfold()
    assert card.outcome is not None
    claims, lines = card.outcome.tables
    assert claims.isVisible()
    card.fold.setChecked(False)
    card.unfold()
    assert card.outcome.tables == [claims, lines], "made once"


@pytest.mark.deep
def test_tables_made_when_a_card_is_unfolded_reach_to_the_edge(qtbot: QtBot, panel: LabPanel):
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: all(card.standing in (HOLDS, DONE) for card in panel.cards.values()))
    cards = [card for card in panel.cards.values() if not card.fold.isChecked()][:8]
    for card in cards:
        card.unfold()
    tables = [table for card in cards for table in card.outcome.tables]

    def gaps() -> list[int]:
        return [room for table in tables if (room := table.viewport().width() - table.horizontalHeader().length()) > 0]

    qtbot.waitUntil(lambda: not gaps())
    assert all(table.isVisible() for table in tables)


def test_a_changed_text_takes_the_outcome_away_and_comes_back(qtbot: QtBot, panel: LabPanel):
    card = panel.cards["E16"]
    run(qtbot, card)
    assert card.text is not None
    assert card.outcome is not None
    card.text.setFocus()
    qtbot.keyClicks(card.text, "My ")
    assert card.standing == NOT_RUN
    assert not card.outcome.isVisible()
    run(qtbot, card)
    assert card.standing == DONE  # no claims on a text of one's own
    qtbot.mouseClick(card.reset, Qt.MouseButton.LeftButton)
    assert card.inputs() == card.card.inputs
    run(qtbot, card)
    assert card.standing == HOLDS


def test_of_ten_pasted_megabytes_only_the_beginning_is_taken(panel: LabPanel):
    card = panel.cards["E9"]
    card.unfold()
    assert card.text is not None
    QGuiApplication.clipboard().setText("lorem ipsum dolor " * 600_000)
    card.text.selectAll()
    card.text.paste()
    assert len(card.inputs().text) == MOST_CHARACTERS
    assert card.standing == NOT_RUN


def test_an_outcome_of_inputs_that_are_no_more_is_not_shown(qtbot: QtBot, bench: Workbench, panel: LabPanel):
    card = panel.cards["E13"]
    card.unfold()
    assert bench.lab is not None
    assert card.text is not None
    with qtbot.waitSignal(bench.lab.service.finished):
        press(qtbot, card, "labRun-E13")
        card.text.setPlainText("other")
    assert card.standing == NOT_RUN


def test_what_cannot_be_run_says_why(qtbot: QtBot, panel: LabPanel):
    card = panel.cards["E1"]
    card.unfold()
    assert card.text is not None
    card.text.setPlainText("x" * 50_000)
    run(qtbot, card)
    assert card.standing == BROKEN
    assert card.outcome is not None
    assert "training tab" in card.outcome.remark.text()


def test_stopping_all_jobs_leaves_the_cards_as_they_were(qtbot: QtBot, bench: Workbench, panel: LabPanel):
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    bench.window.actions_by_name["cancel_jobs"].trigger()
    qtbot.waitUntil(lambda: all(card.standing != WAITING for card in panel.cards.values()))
    assert NOT_RUN in {card.standing for card in panel.cards.values()}
    assert panel.run_all.isEnabled()


def test_a_text_goes_to_the_editor_and_undo_brings_back_the_prompt(qtbot: QtBot, bench: Workbench, panel: LabPanel):
    before = bench.panel.editor.toPlainText()
    card = panel.cards["E17"]
    card.unfold()
    press(qtbot, card, "labTake-E17-editor")
    assert bench.window.pages.currentWidget() is bench.panel
    assert bench.panel.editor.toPlainText() == card.card.text
    assert bench.prompt.encoding == "cl100k_base"
    bench.panel.editor.undo()
    assert bench.panel.editor.toPlainText() == before


def test_a_text_goes_to_the_merges_with_its_encoding(qtbot: QtBot, bench: Workbench, panel: LabPanel):
    card = panel.cards["E12"]
    card.unfold()
    press(qtbot, card, "labTake-E12-merges")
    assert bench.window.pages.currentWidget() is bench.page("mergesTab")
    assert bench.merges is not None
    merges = bench.merges.build()
    assert merges.text.text() == "berry"
    assert merges.picker.currentText() == "cl100k_base"


def test_a_text_goes_to_training_as_a_file(qtbot: QtBot, bench: Workbench, panel: LabPanel):
    card = panel.cards["E10"]
    card.unfold()
    press(qtbot, card, "labTake-E10-trainer")
    qtbot.waitUntil(lambda: bench.window.pages.currentWidget() is bench.page("trainingTab"))
    assert bench.training is not None
    assert bench.training.panel is not None
    (path,) = bench.training.panel.folder.paths()
    assert path.read_text(encoding="utf-8") == card.card.text


def test_a_text_that_cannot_be_kept_is_told(qtbot: QtBot, bench: Workbench, panel: LabPanel):
    bench.paths.lab.parent.mkdir(parents=True, exist_ok=True)
    bench.paths.lab.write_text("in the way")
    card = panel.cards["E10"]
    card.unfold()
    with qtbot.waitSignal(bench.notifier.posted) as told:
        press(qtbot, card, "labTake-E10-trainer")
    assert "cannot be trained on" in told.args[0].text


def test_cards_are_found_by_what_they_say(qtbot: QtBot, panel: LabPanel):
    qtbot.keyClicks(panel.filter, "strawb")
    shown = [key for key, card in panel.cards.items() if card.isVisible()]
    assert shown == ["E11"]
    panel.filter.setText("no card says this")
    assert not any(card.isVisible() for card in panel.cards.values())
    panel.filter.clear()
    assert all(card.isVisible() for card in panel.cards.values())


def test_by_keyboard_alone(qtbot: QtBot, bench: Workbench, panel: LabPanel):
    card = panel.cards["splits"]
    card.fold.setFocus()
    qtbot.keyClick(card.fold, Qt.Key.Key_Space)
    assert card.text is not None
    assert card.text.isVisible()
    qtbot.keyClick(card.fold, Qt.Key.Key_Tab)
    assert bench.window.focusWidget() is card.run_button
    qtbot.keyClick(card.run_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: card.standing == HOLDS)


def test_every_control_has_a_name(panel: LabPanel):
    for card in panel.cards.values():
        card.unfold()
        for button in card.findChildren(QPushButton):
            assert button.accessibleName() or button.text()
        assert card.accessibleName()
