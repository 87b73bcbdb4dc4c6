"""Modules are loaded on the GUI thread, a piece in each turn of the event loop."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QLocale, QObject, QTimer
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from engine.training.types import TrainingCurve
from gui.costs.models_page import CostChart
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.runtime import loading as loading_module
from gui.runtime.loading import PLOTS, Loading, LoadingAhead, is_loaded, load, modules_of_the_window
from gui.tokenizers.vocabulary.side_pages import LengthsPage
from gui.widgets.training_curve import TrainingCurveView
from tests.patience import PATIENCE_MS

ROOT = Path(__file__).resolve().parents[3]
WHEN_LOADED = Loading.when_loaded
"""Taken before the fixture of the windows has it wait for nothing."""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Names of two modules that are not loaded yet; each says on which thread it was loaded, and when."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ("first_module_of_a_tab", "second_module_of_a_tab")
    for name in names:
        (tmp_path / f"{name}.py").write_text("import threading\nTHREAD = threading.current_thread()\n")
    yield names
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def owner(qapp):
    owner = QObject()
    yield owner
    owner.deleteLater()


def test_what_is_loaded_is_not_waited_for(owner: QObject):
    done = []
    WHEN_LOADED(Loading(owner), ("sys", "gui.runtime.jobs"), lambda: done.append(1))
    assert done


def test_what_is_missing_is_loaded_first_on_the_gui_thread(qtbot: QtBot, owner: QObject, modules: tuple[str, ...]):
    done = []
    WHEN_LOADED(Loading(owner), (modules[0], "no_module_at_all", modules[1]), lambda: done.append(1))
    assert not done
    assert modules[0] not in sys.modules
    qtbot.waitUntil(lambda: bool(done), timeout=PATIENCE_MS)
    assert all(sys.modules[name].THREAD is threading.main_thread() for name in modules)


def test_the_window_answers_between_two_modules(qtbot: QtBot, owner: QObject, modules: tuple[str, ...]):
    seen = []
    timer = QTimer(owner, interval=0)
    timer.timeout.connect(lambda: seen.append(tuple(name in sys.modules for name in modules)))
    timer.start()
    done = []
    WHEN_LOADED(Loading(owner), modules, lambda: done.append(1))
    qtbot.waitUntil(lambda: bool(done), timeout=PATIENCE_MS)
    assert (True, False) in seen


def test_one_that_waits_for_a_dialog_keeps_no_other_waiting(qtbot: QtBot, owner: QObject, modules: tuple[str, ...]):
    loading, done = Loading(owner), []

    def wait_for_the_other() -> None:
        qtbot.waitUntil(lambda: "second" in done, timeout=PATIENCE_MS)
        done.append("first")

    WHEN_LOADED(loading, modules[:1], wait_for_the_other)
    WHEN_LOADED(loading, modules[1:], lambda: done.append("second"))
    qtbot.waitUntil(lambda: len(done) == 2, timeout=PATIENCE_MS)
    assert done == ["second", "first"]


def test_a_module_that_raises_keeps_nothing_else_from_being_loaded(
    qtbot: QtBot, owner: QObject, modules: tuple[str, ...], tmp_path: Path
):
    (tmp_path / f"{modules[0]}.py").write_text("raise RuntimeError('broken')\n")
    loading, done = Loading(owner), []
    with qtbot.captureExceptions() as raised:
        WHEN_LOADED(loading, modules[:1], lambda: done.append("first"))
        WHEN_LOADED(loading, modules[1:], lambda: done.append("second"))
        qtbot.waitUntil(lambda: len(done) == 2, timeout=PATIENCE_MS)
    assert done == ["first", "second"]
    assert [str(error) for _, error, _ in raised] == ["broken"]


def test_what_is_loaded_is_not_loaded_again(modules: tuple[str, ...]):
    assert len(list(load(modules))) == 2
    assert not list(load(modules))
    assert all(map(is_loaded, modules))


def test_what_waits_is_not_called_any_more_behind_the_end(qtbot: QtBot, owner: QObject, modules: tuple[str, ...]):
    loading, done = Loading(owner), []
    WHEN_LOADED(loading, modules[:1], lambda: done.append("stopped"))
    loading.stop()
    WHEN_LOADED(Loading(owner), modules[1:], lambda: done.append("other"))
    qtbot.waitUntil(lambda: bool(done), timeout=PATIENCE_MS)
    assert done == ["other"]
    assert modules[0] not in sys.modules


def test_loading_ahead_pauses_while_the_user_types(qtbot: QtBot, owner: QObject, modules: tuple[str, ...], monkeypatch):
    monkeypatch.setattr(loading_module, "TYPING_PAUSE_MS", 60_000)
    monkeypatch.setattr(loading_module, "modules_of_the_window", lambda: iter(modules))
    ahead, turns = LoadingAhead(owner), []
    ahead.pause()  # nothing has begun
    ahead._begin()
    ahead.pause()
    clock = QTimer(owner, interval=loading_module.PAUSE_MS)
    clock.timeout.connect(lambda: turns.append(modules[0] in sys.modules))
    clock.start()
    qtbot.waitUntil(lambda: len(turns) == 5)
    assert not any(turns)
    monkeypatch.setattr(loading_module, "TYPING_PAUSE_MS", 0)
    with qtbot.waitSignal(ahead.ended, timeout=PATIENCE_MS):
        ahead.pause()
    assert all(map(is_loaded, modules))


def _chart(theme: Theme) -> tuple[QWidget, str, Callable[[], object]]:
    chart = CostChart(theme)
    chart.start()
    return chart, "gui.costs.plots", chart.repaint


def _curve(theme: Theme) -> tuple[QWidget, str, Callable[[], object]]:
    view = TrainingCurveView(theme, TrainingText(QLocale.c()))
    curve = TrainingCurve(np.array([256, 300]), np.array([1.0, 1.5]))
    return view, "gui.widgets.plots", lambda: view.show_curve(curve, 300)


def _lengths(theme: Theme) -> tuple[QWidget, str, Callable[[], object]]:
    page = LengthsPage(theme)
    return page, "gui.tokenizers.vocabulary.plots", page.repaint


@pytest.mark.qt_log_ignore("propagateSizeHints")
@pytest.mark.parametrize("make", [_chart, _curve, _lengths])
def test_what_cannot_be_drawn_is_said_in_a_sentence(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, make):
    theme = Theme("light")
    widget, module, change = make(theme)
    qtbot.addWidget(widget)
    monkeypatch.setitem(sys.modules, module, None)
    widget.show()
    change()
    change()
    widget.hide()
    widget.show()
    (said,) = {label.text() for label in widget.findChildren(QLabel) if "import of" in label.text()}
    assert module in said
    theme.release()


@pytest.mark.deep
def test_these_modules_load_pyqtgraph_and_no_others():
    drawing, leading = set(), set()
    for path in (ROOT / "gui").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        tree = ast.parse(path.read_text("utf-8"))
        guarded = {
            id(node)
            for test in ast.walk(tree)
            if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
            for node in ast.walk(test)
        }
        for node in ast.walk(tree):
            if id(node) in guarded or not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            imported = {node.module or ""} if isinstance(node, ast.ImportFrom) else {each.name for each in node.names}
            if any(each.split(".")[0] == "pyqtgraph" for each in imported):
                drawing.add(name)
            if node in tree.body and imported & set(PLOTS[1:]):
                leading.add(name)
    assert drawing == set(PLOTS[1:])
    assert leading <= drawing
    assert not set(PLOTS) & set(modules_of_the_window()), "not loaded before a chart is shown"
