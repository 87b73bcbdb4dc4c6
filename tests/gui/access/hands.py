"""Somebody who has a keyboard and nothing else."""

from __future__ import annotations

from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.access.walk import described

MAX_TABS = 80


class Hands:
    """Keys go to the window that is active, as from the system; where they end up is the window's affair."""

    def __init__(self, qtbot: QtBot, window: QWidget) -> None:
        self._qtbot, self._main = qtbot, window

    def come_back(self) -> None:
        """Be in the main window again, as a window manager does when a dialog or a menu is gone; there is none here."""
        self._main.activateWindow()
        self._qtbot.waitUntil(lambda: self._main.isActiveWindow() and QApplication.focusWidget() is not None)

    def press(self, *keys: str) -> None:
        """Press keys such as ``Ctrl+A`` or ``Tab``, one after the other."""
        for name in keys:
            combination = QKeySequence(name)[0]
            QTest.keyClick(self._window(), combination.key(), combination.keyboardModifiers())

    def press_menu_key(self) -> None:
        """Press the key between Alt and Ctrl. What follows is the work of a platform, which is not here."""
        now = QApplication.focusWidget()
        assert now is not None
        middle = now.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(now, QContextMenuEvent(reason, middle, now.mapToGlobal(middle)))

    def type(self, text: str) -> None:
        """Type plain characters."""
        for character in text:
            QTest.keyClick(self._window(), character)

    def tab_to(self, name: str, key: str = "Tab") -> QWidget:
        """Press Tab until a control has the focus. Fails where Tab does not lead to it."""
        for _ in range(MAX_TABS):
            self.press(key)
            if self.focus_name() == name:
                now = QApplication.focusWidget()
                assert now is not None
                return now
        now = QApplication.focusWidget()
        raise AssertionError(f"{key} does not lead to {name}, but to {described(now) if now else 'nothing'}")

    def focus_name(self) -> str:
        """The name of what has the focus, or of the control that it is a part of."""
        widget = QApplication.focusWidget()
        assert widget is not None, "the focus is lost"
        while not widget.objectName() or widget.objectName().startswith("qt_"):
            widget = widget.parentWidget()
            assert widget is not None
        return widget.objectName()

    def _window(self) -> object:
        window = QGuiApplication.focusWindow()
        assert window is not None, "no window has the keyboard"
        return window
