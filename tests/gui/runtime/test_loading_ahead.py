"""The modules of tabs and dialogs are loaded before somebody opens them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.kernels import cache_folder
from gui.runtime.loading import PLOTS, modules_of_the_window
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[3]
WINDOW = '''
import builtins, sys, threading
from pathlib import Path
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from gui.app import tend_memory
from gui.core.profile_files import profile_paths
from gui.window.application import Application
from gui.runtime import loading

loading.PATIENCE_MS = loading.PAUSE_MS = 0
elsewhere = []
build_class = builtins.__build_class__

def build(body, name, *bases, **options):
    made = build_class(body, name, *bases, **options)
    if isinstance(made, type(QObject)) and threading.current_thread() is not threading.main_thread():
        elsewhere.append(f"{made.__module__}.{name}")
    return made

builtins.__build_class__ = build
compiler = []

class Compiler:
    """Sees which thread loads the compiler: a job may, to count; what is loaded ahead must not."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "numba" and threading.current_thread() is threading.main_thread():
            compiler.append(name)

sys.meta_path.insert(0, Compiler)
application = QApplication(["window"])
bench = Application(profile_paths(Path(sys.argv[1])))
tend_memory(bench)
lazy = ("gui.costs.plots", "gui.tokenizers.train.panel", "gui.window.help")
early = []
bench.window.first_painted.connect(lambda: early.extend(name for name in lazy if name in sys.modules))

def ended():
    print("early", *early)
    before = set(sys.modules)
    tabs = bench.window.pages
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
    ours = ("gui.", "pyqtgraph", "engine.requests.templates")
    print("late", *sorted(name for name in set(sys.modules) - before if name.startswith(ours)))
    print("compiler", *compiler)
    print("elsewhere", *elsewhere)
    bench.window.close()

bench.started.connect(lambda: bench.loading.ended.connect(ended))
bench.window.show()
application.exec()
'''


def test_every_module_of_the_window_is_named():
    names = {*modules_of_the_window(), *PLOTS}
    here = {path for path in (ROOT / "gui").rglob("*.py") if path.name != "__init__.py"}
    assert {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in here} <= names


def pages_of_the_window() -> list[Path]:
    """The modules that say what has to be loaded before their page is built."""
    return sorted(path for path in (ROOT / "gui").rglob("*.py") if "\nNEEDS = (" in path.read_text("utf-8"))


@pytest.mark.parametrize("path", pages_of_the_window(), ids=lambda path: path.stem)
def test_every_page_has_loaded_what_it_is_made_with(path: Path):
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    functions = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    making = [node for node in functions if node.name in ("build", "_steps", "_add_pages", "_make_results")]
    imported = {node.module for function in making for node in ast.walk(function) if isinstance(node, ast.ImportFrom)}
    assert imported
    assert imported <= set(module.NEEDS)
    assert all(importlib.util.find_spec(name) for name in module.NEEDS)


@pytest.mark.deep
def test_tabs_find_everything_loaded_and_the_first_picture_nothing(tmp_path: Path):
    command = [sys.executable, "-c", WINDOW, str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if name != cache_folder.VARIABLE}
    environment |= {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        command, check=False, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.stdout.splitlines() == ["early", "late", "compiler", "elsewhere"], done.stderr
