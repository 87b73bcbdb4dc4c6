"""The strip under the prompt: a part of the page Text that is folded, sized and remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget
from pytestqt.qtbot import QtBot

from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window

pytestmark = pytest.mark.pages()


def rows_in_sight(bench: Application) -> int:
    table = bench.costs.panel.table
    height = table.rowHeight(0)
    return table.viewport().height() // height if height else 0


def test_a_fresh_window_shows_prompt_and_costs(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.window.resize(1280, 800)
    qtbot.waitUntil(lambda: rows_in_sight(bench) >= 6)
    editor = bench.panel.editor
    assert editor.viewport().height() // editor.fontMetrics().lineSpacing() >= 12
    bench.window.resize(900, 600)
    qtbot.waitUntil(lambda: rows_in_sight(bench) >= 3)
    assert not bench.window.findChildren(QDockWidget)


def test_the_strip_folds_to_its_bar(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    panel, splitter = bench.costs.panel, bench.panel.splitter
    bench.window.resize(1100, 750)
    height = panel.height()
    qtbot.mouseClick(panel.fold, Qt.MouseButton.LeftButton)
    assert not panel.table.isVisible()
    assert not panel.foot.isVisible()
    assert panel.summary.isVisible()
    qtbot.waitUntil(lambda: panel.height() < 100 < height)
    assert panel.fold.accessibleName() == "Show the costs"
    qtbot.mouseClick(panel.fold, Qt.MouseButton.LeftButton)
    assert panel.table.isVisible()
    qtbot.waitUntil(lambda: panel.height() == height)
    splitter.moveSplitter(splitter.height() - 200, 1)
    chosen = panel.height()
    assert chosen < height
    bench.window.resize(1000, 700)
    assert panel.height() == chosen, "the prompt takes what there is more or less"
    panel.fold.click()
    close_window(qtbot, bench)
    bench = open_window(profile)
    bench.window.resize(1000, 700)
    panel = bench.costs.panel
    assert not panel.table.isVisible()
    panel.fold.click()
    qtbot.waitUntil(lambda: panel.height() == chosen)


def test_the_full_view_is_one_click_away(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = bench.costs.panel
    qtbot.mouseClick(panel.expand, Qt.MouseButton.LeftButton)
    assert bench.window.pages.current_name == "modelsPage"
    assert panel.page.table.isVisible()
    bench.window.pages.show_page("filesTab")
    bench.window.findChild(type(panel.names.actions()[0]), "costScenario").trigger()
    assert bench.window.pages.current_name == "modelsPage", "where the fields of the scenario can be seen"
    assert panel.popover.isVisible()


@pytest.mark.deep
@pytest.mark.parametrize("shown", [True, False])
def test_a_session_in_which_it_was_a_dock(qtbot: QtBot, open_window: OpenWindow, profile: Path, shown: bool):
    bench = open_window(profile, counted=False)
    file = bench.slot.folder / "state.json"
    close_window(qtbot, bench)
    state = json.loads(file.read_text())
    del state["strip"]
    docks = {"promptTab": shown, "trainingTab": True}
    file.write_text(json.dumps(state | {"docks": docks, "layout": "AAAA/wAAAAD9AAAAAg==", "tab": "trainingTab"}))
    bench = open_window(profile, counted=False)
    assert bench.window.messages.notices == []
    assert bench.window.pages.current_name == "trainingTab"
    assert bench.panel.splitter.folded is not shown
