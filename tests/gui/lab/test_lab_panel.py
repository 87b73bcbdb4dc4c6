"""The Lab of a real window: run, change, bring back, take elsewhere; by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QScrollArea, QTableView, QWidget
from pytestqt.qtbot import QtBot

from gui.lab.experiments.card import BROKEN, DONE, FAILS, HOLDS, NOT_RUN, WAITING
from gui.lab.lab_page import KEY, MAX_CHARACTERS, LabCard, LabPage
from gui.window.application import Application
from tests.gui.conftest import OpenWindow

pytestmark = pytest.mark.pages("labTab")


@pytest.fixture
def bench(open_window: OpenWindow) -> Application:
    bench = open_window(counted=False)
    bench.window.actions_by_name["focus_lab"].trigger()
    return bench


@pytest.fixture
def panel(bench: Application) -> LabPage:
    assert bench.pages.lab is not None
    return bench.pages.lab.build()


def opened(panel: LabPage, key: str) -> LabCard:
    """Open an experiment."""
    panel.show_card(key)
    return panel.cards[key]


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
def test_all_cards_run_with_one_button(qtbot: QtBot, panel: LabPage):
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    assert not panel.run_all.isEnabled()
    qtbot.waitUntil(lambda: all(card.standing in (HOLDS, DONE) for card in panel.cards.values()))
    assert panel.run_all.isEnabled()
    assert panel.summary.text() == f"{len(panel.cards)} of {len(panel.cards)} run"
    assert [key for key, card in panel.cards.items() if card.standing == DONE] == ["speed"], "it claims nothing"


def test_an_experiment_runs_and_shows_what_was_found(qtbot: QtBot, panel: LabPage):
    card = opened(panel, "E11")
    run(qtbot, card)
    assert card.standing == HOLDS
    assert card.outcome is not None
    claims, lines = card.outcome.tables
    assert claims.isVisible()
    assert lines.model().index(0, 3).data() == "str │ aw │ berry"


@pytest.mark.deep
def test_the_outcome_of_an_experiment_that_is_not_open_is_there_when_it_is(qtbot: QtBot, panel: LabPage):
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: all(card.standing in (HOLDS, DONE) for card in panel.cards.values()))
    card = panel.cards["E11"]
    assert not card.findChildren(QTableView), "not before it is seen"
    opened(panel, "E11")
    assert card.outcome is not None
    claims, lines = card.outcome.tables
    assert claims.isVisible()
    opened(panel, "E12")
    assert not card.isVisible()
    opened(panel, "E11")
    assert card.outcome.tables == [claims, lines], "made once"


@pytest.mark.deep
def test_tables_reach_to_the_edge(qtbot: QtBot, panel: LabPage):
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: all(card.standing in (HOLDS, DONE) for card in panel.cards.values()))
    for key in list(panel.cards)[:8]:
        card = opened(panel, key)
        assert card.outcome is not None
        tables = card.outcome.tables

        def gaps(tables=tables) -> list[int]:
            rooms = [table.viewport().width() - table.horizontalHeader().length() for table in tables]
            return [room for room in rooms if room > 0]

        qtbot.waitUntil(lambda gaps=gaps: not gaps())
        assert all(table.isVisible() for table in tables)


@pytest.mark.deep
def test_a_changed_text_takes_the_outcome_away_and_comes_back(qtbot: QtBot, panel: LabPage):
    card = opened(panel, "E16")
    run(qtbot, card)
    assert card.text is not None
    assert card.outcome is not None
    card.text.setFocus()
    qtbot.keyClicks(card.text, "My ")
    assert card.standing == NOT_RUN
    assert not card.outcome.isVisible()
    run(qtbot, card)
    assert card.standing == DONE  # no claims on a text of one's own
    qtbot.mouseClick(card.reset_button, Qt.MouseButton.LeftButton)
    assert card.inputs() == card.card.inputs
    run(qtbot, card)
    assert card.standing == HOLDS


def test_of_ten_pasted_megabytes_only_the_beginning_is_taken(panel: LabPage):
    card = opened(panel, "E9")
    assert card.text is not None
    QGuiApplication.clipboard().setText("lorem ipsum dolor " * 600_000)
    card.text.selectAll()
    card.text.paste()
    assert len(card.inputs().text) == MAX_CHARACTERS
    assert card.standing == NOT_RUN


def test_an_outcome_of_inputs_that_are_no_more_is_not_shown(qtbot: QtBot, bench: Application, panel: LabPage):
    card = opened(panel, "E13")
    assert bench.pages.lab is not None
    assert card.text is not None
    with qtbot.waitSignal(bench.pages.lab.lane.finished):
        press(qtbot, card, "labRun-E13")
        card.text.setPlainText("other")
    assert card.standing == NOT_RUN


@pytest.mark.deep
def test_what_cannot_be_run_says_why(qtbot: QtBot, panel: LabPage):
    card = opened(panel, "E1")
    assert card.text is not None
    card.text.setPlainText("x" * 50_000)
    run(qtbot, card)
    assert card.standing == BROKEN
    assert card.outcome is not None
    assert "Train page" in card.outcome.remark.text()


def test_stopping_all_jobs_leaves_the_cards_as_they_were(qtbot: QtBot, bench: Application, panel: LabPage):
    qtbot.mouseClick(panel.run_all, Qt.MouseButton.LeftButton)
    bench.window.actions_by_name["cancel_jobs"].trigger()
    qtbot.waitUntil(lambda: all(card.standing != WAITING for card in panel.cards.values()))
    assert NOT_RUN in {card.standing for card in panel.cards.values()}
    assert panel.run_all.isEnabled()


def test_a_text_goes_to_the_editor_and_undo_brings_back_the_prompt(qtbot: QtBot, bench: Application, panel: LabPage):
    before = bench.panel.editor.toPlainText()
    card = opened(panel, "E17")
    press(qtbot, card, "labTake-E17-editor")
    assert bench.window.pages.currentWidget() is bench.panel
    assert bench.panel.editor.toPlainText() == card.card.text
    assert bench.prompt.encoding == "cl100k_base"
    bench.panel.editor.undo()
    assert bench.panel.editor.toPlainText() == before


def test_a_text_goes_to_the_merges_with_its_encoding(qtbot: QtBot, bench: Application, panel: LabPage):
    card = opened(panel, "E12")
    press(qtbot, card, "labTake-E12-merges")
    assert bench.window.pages.currentWidget() is bench.pages.page("mergesTab")
    assert bench.pages.merges is not None
    merges = bench.pages.merges.build()
    assert merges.text.text() == "berry"
    assert merges.picker.currentText() == "cl100k_base"


@pytest.mark.deep
def test_a_text_goes_to_training_as_a_file(qtbot: QtBot, bench: Application, panel: LabPage):
    card = opened(panel, "E10")
    press(qtbot, card, "labTake-E10-trainer")
    qtbot.waitUntil(lambda: bench.window.pages.currentWidget() is bench.pages.page("trainingTab"))
    assert bench.pages.training is not None
    assert bench.pages.training.panel is not None
    (path,) = bench.pages.training.panel.folder.paths()
    assert path.read_text(encoding="utf-8") == card.card.text


def test_a_text_that_cannot_be_kept_is_told(qtbot: QtBot, bench: Application, panel: LabPage):
    bench.paths.lab.parent.mkdir(parents=True, exist_ok=True)
    bench.paths.lab.write_text("in the way")
    card = opened(panel, "E10")
    with qtbot.waitSignal(bench.notifier.posted) as told:
        press(qtbot, card, "labTake-E10-trainer")
    assert "cannot be used for training" in told.args[0].text


def test_experiments_are_found_by_what_they_say_and_by_how_they_stand(qtbot: QtBot, panel: LabPage):
    def shown() -> list[str]:
        items = [panel.list.item(row) for row in range(panel.list.count())]
        return [item.data(KEY) for item in items if not item.isHidden() and item.data(KEY)]

    qtbot.keyClicks(panel.filter, "strawb")
    assert shown() == ["E11"]
    run(qtbot, opened(panel, "E11"))
    panel.only_new.click()
    assert not shown()
    panel.filter.clear()
    assert len(shown()) == len(panel.cards) - 1
    panel.only_new.click()
    panel.only_failed.click()
    assert not shown(), "it holds"
    panel.cards["E12"].set_status(FAILS)
    assert shown() == ["E12"], "the list follows"
    panel.cards["E12"].set_status(NOT_RUN)
    panel.only_failed.click()
    panel.filter.setText("no experiment says this")
    assert not shown()
    panel.filter.clear()
    assert shown() == list(panel.cards)
    panel.reset_all.click()
    assert panel.cards["E11"].standing == NOT_RUN
    assert panel.summary.text().startswith("0 of ")


def test_the_arrows_lead_through_the_experiments_found(panel: LabPage):
    keys = list(panel.cards)
    found = ["E12", keys[-1]]
    panel.show_card(keys[0])
    for key in found:
        panel.cards[key].set_status(FAILS)
    panel.only_failed.click()
    assert (panel.previous.isEnabled(), panel.next.isEnabled()) == (False, True)
    walked = []
    while panel.next.isEnabled():
        panel.next.click()
        walked.append(panel.shown)
    assert walked == found
    panel.previous.click()
    assert panel.shown == "E12"
    assert not panel.previous.isEnabled()
    panel.only_failed.click()
    assert panel.previous.isEnabled(), "all are listed again"


def test_by_keyboard_alone(qtbot: QtBot, bench: Application, panel: LabPage):
    panel.list.setFocus()
    first = panel.shown
    qtbot.keyClick(panel.list, Qt.Key.Key_Down)
    assert panel.shown == list(panel.cards)[1] != first
    panel.previous.click()
    assert panel.shown == first
    card = panel.cards[first]
    assert card.isVisible()
    card.run_button.setFocus()
    qtbot.keyClick(card.run_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: card.standing == HOLDS)


def test_every_control_has_a_name(panel: LabPage):
    for key in panel.cards:
        card = opened(panel, key)
        for button in card.findChildren(QPushButton):
            assert button.accessibleName() or button.text()
        assert card.accessibleName()
