"""Workspaces and their pages: rail, page switcher, menu, keys, and the page of an older session."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.window import navigation, workspaces
from gui.window.application import Application
from gui.window.workspaces import WORKSPACES, all_pages
from tests.gui.conftest import OpenWindow, close_window

pytestmark = pytest.mark.pages()


def rail(bench: Application) -> dict[str, QToolButton]:
    """The entries of the rail by accessible name."""
    found = bench.window.findChild(QWidget, "workspaceRail")
    assert found is not None
    return {button.accessibleName(): button for button in found.findChildren(QToolButton)}


def switcher(bench: Application) -> QTabBar:
    found = bench.window.findChild(QTabBar, "pageSwitcher")
    assert found is not None
    return found


def offered(bench: Application) -> list[str]:
    bar = switcher(bench)
    return [bar.tabText(index) for index in range(bar.count())] if bar.isVisible() else []


def test_rail_and_switcher_lead_to_every_page(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    pages, bar = bench.window.pages, switcher(bench)
    assert list(rail(bench)) == ["Prompt", "Cost", "Files", "Tokenizers", "Lab", "Settings"]
    assert offered(bench) == ["Text", "Chat", "Compare", "Savings", "Versions"]
    bar.setCurrentIndex(1)
    assert pages.current_name == "requestTab"
    qtbot.mouseClick(rail(bench)["Tokenizers"], Qt.MouseButton.LeftButton)
    assert pages.current_name == "libraryTab"
    assert offered(bench) == ["Library", "Train", "Vocabulary", "Merges"]
    qtbot.mouseClick(rail(bench)["Files"], Qt.MouseButton.LeftButton)
    assert offered(bench) == [], "one page needs no switcher"
    qtbot.mouseClick(rail(bench)["Prompt"], Qt.MouseButton.LeftButton)
    assert pages.current_name == "requestTab", "as it was left"
    assert bar.tabText(bar.currentIndex()) == "Chat"
    pages.show_page("mergesTab")
    assert rail(bench)["Tokenizers"].isChecked()
    assert bar.tabText(bar.currentIndex()) == "Merges"
    assert bench.window.actions_by_name["workspace_4"].isChecked()


def test_keys_change_workspace_and_page(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    window, pages, act = bench.window, bench.window.pages, bench.window.actions_by_name
    window.activateWindow()
    for number, workspace in enumerate(WORKSPACES, 1):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        assert pages.current_name == workspace.pages[0].name
        assert pages.currentWidget().isAncestorOf(QApplication.focusWidget()), workspace.id
    assert act["next_page"].shortcut().toString() == "Ctrl+Tab"
    act["workspace_2"].trigger()
    walked = []
    for _ in range(3):
        act["next_page"].trigger()
        walked.append(pages.current_name)
    assert walked == ["conversationTab", "pricingTab", "modelsPage"]
    act["previous_page"].trigger()
    assert pages.current_name == "pricingTab"


def test_the_keyboard_goes_round_the_regions(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    window = bench.window
    window.activateWindow()
    bench.panel.editor.setFocus()

    def press(modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> str:
        qtbot.keyClick(window, Qt.Key.Key_F6, modifier)
        focus = QApplication.focusWidget()
        places = {"rail": window.rail, "header": window.header, "bar": window.view_bar}
        text, strip = bench.panel.regions
        places |= {"page": text, "cost": strip, "status": window.statusBar()}
        return next(name for name, place in places.items() if place.isAncestorOf(focus))

    assert [press() for _ in range(6)] == ["cost", "status", "rail", "header", "bar", "page"]
    assert QApplication.focusWidget() is bench.panel.editor, "where it was"
    assert press(Qt.KeyboardModifier.ShiftModifier) == "bar"


def test_no_widget_is_taken_for_the_child_of_a_stranger(qtbot: QtBot, open_window: OpenWindow):
    """What PySide takes for a child of a widget becomes invalid with it, whether Qt deletes it or not."""
    window = open_window(counted=False).window
    window.activateWindow()
    window.rail.setFocus()
    window.statusBar().setEnabled(False)  # a region without a control
    for _ in range(7):
        qtbot.keyClick(window, Qt.Key.Key_F6)
    assert QApplication.focusWidget() is not None
    widgets = [window, *window.findChildren(QWidget)]
    assert not [widget for widget in widgets if (parent := parent_of_wrapper(widget)) and parent not in above(widget)]


def parent_of_wrapper(widget: QWidget) -> int | None:
    """The id of the object that PySide holds for the parent of this one."""
    told = re.search(r"^parent\.+ <.* at (0x[0-9a-f]+)>$", Shiboken.dump(widget), re.MULTILINE)
    return int(told[1], 16) if told else None


def above(widget: QWidget) -> list[int]:
    parent = widget.parentWidget()
    return [id(parent), *above(parent)] if parent is not None else []


def test_a_narrow_window_has_a_rail_of_icons(qtbot: QtBot, open_window: OpenWindow):
    window = open_window(counted=False).window
    window.resize(1100, 700)
    wide = window.rail.width()
    window.resize(900, 600)
    assert window.rail.width() < wide


def test_the_tools_stand_below_a_switcher_that_fills_the_bar(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    window, bar, tools = bench.window, switcher(bench), bench.panel.tools

    def are_whole() -> bool:
        row = window.view_bar.rect()
        tabs = [bar.tabRect(index) for index in range(bar.count())]
        return (
            all(bar.rect().contains(tab) for tab in tabs)
            and row.contains(bar.parentWidget().geometry())
            and row.contains(tools.geometry())
            and tools.width() >= tools.minimumSizeHint().width()
            and not tools.geometry().intersects(bar.parentWidget().geometry())
        )

    def stand_below() -> bool:
        return tools.y() > bar.parentWidget().geometry().bottom()

    window.resize(1100, 600)
    qtbot.waitUntil(lambda: are_whole() and not stand_below())
    height = window.view_bar.height()
    for width in (700, 600):
        window.resize(width, 600)
        qtbot.waitUntil(lambda: are_whole() and stand_below())
    window.pages.show_page("conversationTab")
    qtbot.waitUntil(lambda: window.view_bar.height() == height)
    window.pages.show_page("promptTab")
    window.resize(1100, 600)
    qtbot.waitUntil(lambda: window.view_bar.height() == height and not stand_below())


def test_the_inspector_stands_beside_text_and_models(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile, counted=False)
    window = bench.window
    inspector = QWidget()
    window.resize(1100, 700)
    window.set_inspector(inspector)
    seen = {}
    for name in window.pages.names:
        window.pages.show_page(name)
        seen[name] = inspector.isVisible(), window.actions_by_name["inspector"].isEnabled()
    assert seen.pop("promptTab") == (True, True)
    assert seen.pop("modelsPage") == (False, True), "table and chart need the room"
    assert set(seen.values()) == {(False, False)}, "no other page has one"
    window.pages.show_page("modelsPage")
    window.resize(1400, 700)
    assert inspector.isVisible(), "there is room beside table and chart"
    window.resize(1100, 700)
    assert not inspector.isVisible()
    window.actions_by_name["inspector"].trigger()
    assert inspector.isVisible(), "wanted all the same"
    window.pages.show_page("promptTab")
    window.resize(940, 700)
    assert not inspector.isVisible(), "there is no room"
    window.resize(1100, 700)
    assert inspector.isVisible()
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert not inspector.isVisible()
    close_window(qtbot, bench)
    window = open_window(profile, counted=False).window
    assert not window.actions_by_name["inspector"].isChecked()
    window.pages.show_page("modelsPage")
    assert window.actions_by_name["inspector"].isChecked()


@pytest.mark.deep
def test_a_session_opens_on_its_page(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile, counted=False)
    folder = bench.slot.folder
    with qtbot.waitSignal(bench.window.destroyed):
        bench.window.close()
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps(state | {"tab": "conversationTab"}))
    assert open_window(profile, counted=False).window.pages.current_name == "conversationTab"


@pytest.mark.deep
def test_a_page_lives_in_the_registry_alone(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch):
    """A window without any page but the prompt opens, counts and prices."""
    gone = {page.action for page in all_pages()[1:]}
    alone = (WORKSPACES[0]._replace(pages=WORKSPACES[0].pages[:1]),)
    from gui.window import action_wiring, actions, main_window

    for module in (workspaces, navigation, actions, action_wiring):
        monkeypatch.setattr(module, "WORKSPACES", alone)
    table = {menu: tuple(spec for spec in specs if spec.name not in gone) for menu, specs in actions.ACTIONS.items()}
    for module in (actions, main_window):
        monkeypatch.setattr(module, "ACTIONS", table)
    bench = open_window()
    qtbot.waitUntil(lambda: bool(bench.costs.service.rows))
    assert bench.window.pages.names == ("promptTab",)
    assert list(rail(bench)) == ["Prompt", "Settings"]
