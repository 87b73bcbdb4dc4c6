"""The modules of tabs and dialogs are loaded on a worker thread before somebody opens them, and none of them twice."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui import loading_ahead
from gui.jobs import JobRunner, Ticket
from gui.loading_ahead import LoadingAhead, load_all, modules_of_the_window
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
WINDOW = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from gui.app import tend_memory
from gui.paths import profile_paths
from gui.workbench import Workbench
from gui import loading_ahead

loading_ahead.PATIENCE_MS = 0
application = QApplication(["window"])
bench = Workbench(profile_paths(Path(sys.argv[1])))
tend_memory(bench)
lazy = ("gui.panels.conversation_plot", "gui.tabs.training_flow", "gui.dialogs.about")
early = []
bench.window.first_painted.connect(lambda: early.extend(name for name in lazy if name in sys.modules))

def ended():
    print("early", *early)
    before = set(sys.modules)
    tabs = bench.window.tabs
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
    ours = ("gui.", "pyqtgraph", "engine.requests.templates")
    print("late", *sorted(name for name in set(sys.modules) - before if name.startswith(ours)))
    print("compiler", "numba" in sys.modules)
    bench.window.close()

bench.started.connect(lambda: bench.loading.ended.connect(ended))
bench.window.show()
application.exec()
"""


# Taken before the fixture of the windows has it wait for nothing.
WHEN_LOADED = LoadingAhead.when_loaded


class CountingTicket(Ticket):
    """Counts how often the job gave way."""

    def __init__(self) -> None:
        super().__init__(lambda fraction, note: None)
        self.ways = 0

    def give_way(self) -> None:
        self.ways += 1


def test_every_module_of_the_window_is_named():
    names = set(modules_of_the_window())
    here = {path for path in (ROOT / "gui").rglob("*.py") if path.name != "__init__.py"}
    assert {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in here} <= names


def test_it_gives_way_before_each_module_that_is_not_there(monkeypatch: pytest.MonkeyPatch):
    loaded = []
    monkeypatch.setattr(importlib, "import_module", loaded.append)
    ticket = CountingTicket()
    load_all(None, ticket, ("not.there", "sys", "nor.this"))
    assert loaded == ["not.there", "nor.this"]
    assert ticket.ways == 2


def test_what_cannot_be_loaded_keeps_nothing_else_from_being(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "loaded_behind_it.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    load_all(None, CountingTicket(), ("not.there", "loaded_behind_it"))
    assert sys.modules.pop("loaded_behind_it", None) is not None


def test_a_window_that_closes_waits_for_one_module_at_most(monkeypatch: pytest.MonkeyPatch):
    ticket = CountingTicket()
    loaded = []

    def load(name: str) -> None:
        loaded.append(name)
        ticket.cancel()

    monkeypatch.setattr(importlib, "import_module", load)
    load_all(None, ticket, ("not.there", "nor.this"))
    assert loaded == ["not.there"]


def test_it_is_done_on_a_worker_thread(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
    threads = []
    monkeypatch.setattr(loading_ahead, "PATIENCE_MS", 0)
    monkeypatch.setattr(loading_ahead, "modules_of_the_window", lambda: iter(["not.there"]))
    monkeypatch.setattr(importlib, "import_module", lambda name: threads.append(threading.current_thread()))
    runner = JobRunner()
    loading = LoadingAhead(runner)
    with qtbot.waitSignal(loading.ended):
        loading.begin_soon()
    assert threads
    assert threading.main_thread() not in threads
    assert not runner.busy_lanes, "nobody is told of it"
    runner.shutdown()


def test_what_is_loaded_is_not_waited_for(qtbot: QtBot):
    runner = JobRunner()
    done = []
    WHEN_LOADED(LoadingAhead(runner, runner), ("sys", "gui.jobs"), lambda: done.append(1))
    assert done
    runner.shutdown()


def test_what_is_missing_is_loaded_on_a_worker_thread_first(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "a_module_of_a_tab.py").write_text("import threading\nTHREAD = threading.current_thread()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    runner = JobRunner()
    threads = []
    WHEN_LOADED(
        LoadingAhead(runner, runner),
        ("a_module_of_a_tab", "no_module_at_all"),
        lambda: threads.append((sys.modules["a_module_of_a_tab"].THREAD, threading.current_thread())),
    )
    assert not threads
    qtbot.waitUntil(lambda: bool(threads), timeout=PATIENCE_MS)
    ((loaded_on, called_on),) = threads
    assert called_on is threading.main_thread()
    assert loaded_on is not called_on
    assert not runner.busy_lanes, "nobody is told of it"
    runner.shutdown()
    del sys.modules["a_module_of_a_tab"]


@pytest.mark.parametrize("path", sorted((ROOT / "gui" / "tabs").glob("*_wiring.py")), ids=lambda path: path.stem)
def test_every_tab_has_loaded_what_its_page_is_made_with(path: Path):
    module = importlib.import_module(f"gui.tabs.{path.stem}")
    if not hasattr(module, "NEEDS"):
        assert path.stem == "tab_wiring"
        return
    functions = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    making = [node for node in functions if node.name in ("build", "_steps", "_add_pages", "_make_results")]
    imported = {node.module for function in making for node in ast.walk(function) if isinstance(node, ast.ImportFrom)}
    assert imported
    assert imported <= set(module.NEEDS)
    assert all(importlib.util.find_spec(name) for name in module.NEEDS)


def test_tabs_find_everything_loaded_and_the_first_picture_nothing(tmp_path: Path):
    command = [sys.executable, "-c", WINDOW, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, check=False, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.stdout.splitlines() == ["early", "late", "compiler False"], done.stderr
