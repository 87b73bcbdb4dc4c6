"""Whatever leaves an override of ours is shown, and the window goes on: on Python 3.11, too."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.runtime import pyside_workarounds
from gui.runtime.loading import PLOTS, modules_of_the_window
from gui.runtime.pyside_workarounds import OURS, let_errors_leave_overrides
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[3]
GUARDED = sys.version_info < (3, 12)

WINDOW = """
import os, sys
from functools import partial
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from shiboken6 import Shiboken
from gui.app import create_window
from gui.window.lifecycle import CrashDialog, CrashHook

application = QApplication(["window"])
gone = QLabel()
Shiboken.delete(gone)
faults = [
    lambda: int("x"), lambda: len(5), lambda: [][1], lambda: 1 // 0, lambda: gone.text(), lambda: next(iter([])),
    lambda: {}["x"],
]
happening = None

class Before(QWidget):
    __module__ = "gui.loaded_before"

    def sizeHint(self):
        return happening()

window = create_window(Path(sys.argv[1]))
hook = CrashHook(window)
hook.install()

class After(QWidget):
    __module__ = "gui.loaded_after"

    def sizeHint(self):
        return happening()

class Derived(After):
    __module__ = "gui.loaded_after"

    def sizeHint(self):
        return super().sizeHint()

def ask(widget, fault):
    global happening
    happening = fault
    widget.adjustSize()

def say():
    print(window.findChild(CrashDialog).report, flush=True)
    os._exit(0)

widgets = [Before(), After(), Derived()]
for fault in faults:
    for widget in widgets:
        QTimer.singleShot(0, partial(ask, widget, fault))
QTimer.singleShot(0, lambda: QTimer.singleShot(0, say))  # the last reports are shown in between
application.exec()
"""
KINDS = ("ValueError", "TypeError", "IndexError", "ZeroDivisionError", "RuntimeError", "StopIteration", "KeyError")


@pytest.mark.deep
def test_what_python_raises_in_c_is_shown_and_the_window_goes_on(tmp_path: Path):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", WINDOW, str(tmp_path)],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(\w+)(?=:|$)", done.stdout, re.MULTILINE) == [kind for kind in KINDS for _ in range(3)]


def made(module: str = "gui.made_up", **members: Any) -> type[QLineEdit]:
    """A class with these members, in a process that has had a window."""
    let_errors_leave_overrides()
    return type(QLineEdit)("Made", (QLineEdit,), {"__module__": module, **members})


def size_hint(self: QLineEdit, least: int = 3, *, most: int | None = None) -> QSize:
    """As wide as it may be."""
    return QSize(least, least if most is None else most)


def test_from_python_3_12_on_nothing_is_changed():
    kind = made(sizeHint=size_hint)
    assert (vars(kind)["sizeHint"] is not size_hint) == GUARDED
    assert ("__init_subclass__" in vars(Shiboken.Object)) == GUARDED


def test_an_override_looks_and_is_called_as_before(qtbot: QtBot):
    kind = made(sizeHint=size_hint)
    assert kind.sizeHint.__name__ == "size_hint"
    assert kind.sizeHint.__doc__ == size_hint.__doc__
    assert inspect.signature(kind.sizeHint) == inspect.signature(size_hint)
    line = kind()
    qtbot.addWidget(line)
    assert line.sizeHint() == QSize(3, 3)
    assert line.sizeHint(4) == QSize(4, 4)
    assert line.sizeHint(least=4, most=5) == QSize(4, 5)
    line.adjustSize()
    assert line.height() == 3


def test_only_overrides_of_ours_are_touched():
    def asked(self: QLineEdit) -> QSize:
        return QSize()

    def own(self: QLineEdit) -> None: ...

    others = {"sizeHint": staticmethod(asked), "font": classmethod(asked), "text": property(asked), "nothing": own}
    others |= {"__init__": own, "on_text": Slot()(own)}
    kind = made(**others)
    assert {name: vars(kind)[name] for name in others} == others
    assert vars(made("elsewhere", sizeHint=asked))["sizeHint"] is asked


def test_signals_bring_an_override_as_many_values_as_it_takes(qtbot: QtBot):
    let_errors_leave_overrides()
    calls: list[tuple[object, ...]] = []

    class Made(QLineEdit):
        __module__ = "gui.made_up"

        def clear(self) -> None:
            calls.append(())

        def setFocus(self, reason: object = None) -> None:
            calls.append((reason,))

        @Slot(bool)
        def setReadOnly(self, value: bool) -> None:
            calls.append((value,))

    line, button = Made(), QPushButton()
    qtbot.addWidget(line)
    qtbot.addWidget(button)
    for method in (line.clear, line.setFocus, line.setReadOnly):
        button.clicked.connect(method)
    button.click()
    assert calls == [(), (False,), (False,)]


def test_other_hooks_of_a_class_are_called_too():
    let_errors_leave_overrides()
    heard = []

    class Hears:
        def __init_subclass__(cls) -> None:
            heard.append(cls.__name__)
            super().__init_subclass__()

    class First(Hears, QLineEdit): ...

    class Last(QLineEdit, Hears): ...

    assert heard == ["First", "Last"]


@pytest.mark.skipif(not GUARDED, reason="errors are objects from the beginning")
def test_no_override_of_the_window_is_left_out():
    for name in (*modules_of_the_window(), *PLOTS):
        importlib.import_module(name)
    let_errors_leave_overrides()
    overrides = set()
    for kind in set(pyside_workarounds._derived(Shiboken.Object)):
        if kind.__module__.startswith(OURS):
            ours = [base for base in kind.__mro__ if base.__module__.startswith(OURS)]
            names = {name for base in kind.__mro__ if base not in ours for name in vars(base)}
            overrides |= {(base, name) for base in ours for name in names & vars(base).keys()}
    functions = {(base, name): vars(base)[name] for base, name in overrides if not name.startswith("__")}
    bare = [
        (base, name)
        for (base, name), value in functions.items()
        if isinstance(value, FunctionType) and value.__code__.co_filename != f"<{pyside_workarounds.__name__}>"
    ]
    assert len(functions) > 200
    assert bare == []
