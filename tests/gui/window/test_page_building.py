"""A tab that somebody turns to is built over several turns of the event loop, and is what it would be at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop, QObject, Signal
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.core.profile_files import profile_paths
from gui.runtime.event_loop import in_next_turn
from gui.widgets.page_controller import PageBuilding
from gui.window.application import Application, EncodingList
from tests.gui.conftest import OpenWindow, close_window
from tests.thoroughness import mostly_deep

TABS = ("request", "training", "vocabulary", "advisor")
STEPS = 4
ENOUGH = 200
"""Turns in which anything has been built."""


class Window(QObject):
    closed = Signal()


class Turns:
    """The turns of the event loop, taken one by one."""

    def __init__(self) -> None:
        self.count = 0
        self._context = QObject()

    def take(self) -> None:
        self.count += 1
        loop = QEventLoop()
        in_next_turn(self._context, loop.quit)
        loop.exec()

    def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(ENOUGH):
            if condition():
                return
            self.take()
        pytest.fail("that never comes")


@pytest.fixture
def turns(qapp) -> Turns:
    return Turns()


@pytest.fixture
def window(qapp) -> Window:
    return Window()


@pytest.fixture
def taken() -> list[int]:
    """In which turn each step was taken."""
    return []


@pytest.fixture
def building(window: Window, turns: Turns, taken: list[int]) -> PageBuilding:
    def steps() -> Iterator[None]:
        for _ in range(STEPS):
            taken.append(turns.count)
            yield

    return PageBuilding(steps, window.closed, window)


def test_each_step_has_a_turn_of_its_own(turns: Turns, building: PageBuilding, taken: list[int]):
    acts: list[str] = []

    def act() -> None:
        acts.append("act")

    for _ in range(2):
        building.when_built(act)
    assert not taken, "nothing before the next turn"
    turns.until(lambda: bool(acts))
    assert len(taken) == len(set(taken)) == STEPS
    building.when_built(act)
    assert acts == ["act", "act"], "once for those who asked twice, and at once for who asks now"


def test_whoever_needs_it_now_gets_the_rest_at_once(turns: Turns, building: PageBuilding, taken: list[int]):
    acts: list[int] = []
    building.when_built(lambda: acts.append(len(taken)))
    turns.until(lambda: len(taken) == 1)
    building.finish()
    assert acts == [STEPS]
    building.finish()
    for _ in range(STEPS):
        turns.take()
    assert (acts, len(taken)) == ([STEPS], STEPS)


def test_nothing_more_is_built_for_a_window_that_has_gone(
    window: Window, turns: Turns, building: PageBuilding, taken: list[int]
):
    building.when_built(lambda: pytest.fail("it is not built"))
    turns.until(lambda: len(taken) == 1)
    window.closed.emit()
    for _ in range(STEPS):
        turns.take()
    assert len(taken) == 1


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Application]:
    """A window as the application opens it: its tabs are empty."""
    bench = Application(profile_paths(tmp_path / "lazy"))
    with qtbot.waitSignal(bench.started):
        bench.window.show()
    yield bench
    close_window(qtbot, bench)


def look_at(bench: Application, name: str) -> QWidget:
    page = f"{'savings' if name == 'advisor' else name}Tab"
    assert bench.window.pages.show_page(page)
    return bench.pages.page(page)


def parts(page: QWidget) -> list[tuple[str, str]]:
    return [(type(part).__name__, part.objectName()) for part in page.findChildren(QWidget)]


def focus_chain(page: QWidget) -> list[tuple[str, str]]:
    """Return the widgets of a page in Tab order, wherever in the window the walk begins. With ``nextInFocusChain``,
    PySide would take each widget for a child of the one before."""
    window = page.window()
    window.activateWindow()
    page.setFocus()
    around: list[QWidget] = []
    while page.focusNextChild() and not any(window.focusWidget() is widget for widget in around):
        around.append(window.focusWidget())
    inside = [page.isAncestorOf(widget) for widget in around]
    start = inside.index(False) if False in inside else 0
    return [(type(at).__name__, at.objectName()) for at in around[start:] + around[:start] if page.isAncestorOf(at)]


@pytest.mark.deep
@pytest.mark.parametrize("name", mostly_deep(TABS, 2))
def test_it_is_the_tab_that_is_built_at_once(
    qtbot: QtBot, bench: Application, turns: Turns, open_window: OpenWindow, name: str
):
    wiring = getattr(bench.pages, name)
    page = look_at(bench, name)
    assert wiring.panel is None
    assert not parts(page)
    turns.until(lambda: wiring.panel is not None and wiring.panel.isVisible())
    assert turns.count > STEPS
    other = look_at(open_window(counted=False), name)
    assert sorted(parts(page)) == sorted(parts(other))
    qtbot.waitUntil(lambda: focus_chain(page) == focus_chain(other))  # once both show what they count in the background


@pytest.mark.deep
@pytest.mark.parametrize("name", TABS)
def test_a_window_is_closed_in_the_middle(qtbot: QtBot, bench: Application, turns: Turns, name: str):
    look_at(bench, name)
    turns.take()
    turns.take()
    assert getattr(bench.pages, name).panel is None
    close_window(qtbot, bench)


def test_every_page_hears_of_encodings_that_are_listed_at_once(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Pages are made one in each turn, and the list may be there before the next one."""
    listed = (("o200k_base", ""), ("one", ""), ("two", ""))

    def answer(encodings: EncodingList) -> None:
        encodings.listed.emit(listed)
        encodings.own_listed.emit(("two",))

    monkeypatch.setattr(EncodingList, "refresh", answer)
    bench = Application(profile_paths(tmp_path))
    with qtbot.waitSignal(bench.started):
        bench.window.show()
    vocabulary, merges = bench.pages.vocabulary, bench.pages.merges
    assert vocabulary is not None
    assert merges is not None
    vocabulary.build()
    assert vocabulary.panel is not None
    for picker in (vocabulary.panel.filters.encoding, merges.build().picker):
        assert [picker.itemText(row) for row in range(picker.count())] == [name for name, _ in listed]
    close_window(qtbot, bench)
