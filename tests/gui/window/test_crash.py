from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.window.lifecycle import CrashDialog, CrashHook


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


def shown(window: QWidget) -> CrashDialog | None:
    return window.findChild(CrashDialog)


def fail(message: str) -> None:
    try:
        raise RuntimeError(message)
    except RuntimeError:
        sys.excepthook(*sys.exc_info())


def test_a_fault_is_shown_with_all_a_report_needs(qtbot: QtBot, window: QWidget, capsys: pytest.CaptureFixture[str]):
    before = sys.excepthook
    hook = CrashHook(window)
    hook.install()
    try:
        fail("of our own making")
        qtbot.waitUntil(lambda: shown(window) is not None)
        dialog = shown(window)
        assert dialog is not None
        assert "RuntimeError: of our own making" in dialog.report
        assert "Python 3." in dialog.report
        assert "PySide6-Essentials" in dialog.report
        assert "Traceback" in capsys.readouterr().err
        dialog._copy()
        assert QApplication.clipboard().text() == dialog.report
        fail("and another")
        qtbot.waitUntil(lambda: "and another" in dialog.report)
        assert len(window.findChildren(CrashDialog)) == 1
        with qtbot.waitSignal(dialog.destroyed):
            dialog.reject()
        assert window.isVisible()
    finally:
        hook.remove()
    assert sys.excepthook is before


def test_ctrl_c_in_the_terminal_closes_the_window(qtbot: QtBot, window: QWidget):
    hook = CrashHook(window)
    hook.install()
    try:
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    finally:
        hook.remove()
    assert not window.isVisible()
    assert shown(window) is None


def test_what_nobody_could_raise_is_shown_too(qtbot: QtBot, window: QWidget):
    hook = CrashHook(window)
    hook.install()
    try:

        class Odd:
            def __del__(self) -> None:
                raise ValueError("while being deleted")

        Odd()
        qtbot.waitUntil(lambda: shown(window) is not None)
        dialog = shown(window)
        assert dialog is not None
        assert "while being deleted" in dialog.report
        dialog.reject()
    finally:
        hook.remove()
