"""What changes a picture alone waits until somebody sees it."""

from __future__ import annotations

from PySide6.QtWidgets import QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from gui.runtime.event_loop import WhenShown


def test_it_is_done_at_once_where_it_is_seen_else_when_it_is_shown(qtbot: QtBot):
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    front, behind = QWidget(), QWidget()
    tabs.addTab(front, "front")
    tabs.addTab(behind, "behind")
    done: list[str] = []
    in_front, in_back = WhenShown(front, lambda: done.append("front")), WhenShown(behind, lambda: done.append("behind"))
    in_front.ask()
    assert done == [], "the window is not there yet"
    tabs.show()
    assert done == ["front"]
    in_front.ask()
    for _ in range(3):
        in_back.ask()
    assert done == ["front", "front"]
    tabs.setCurrentIndex(1)
    assert done == ["front", "front", "behind"]
    tabs.setCurrentIndex(0)
    tabs.setCurrentIndex(1)
    assert done == ["front", "front", "behind"], "nobody asked again"
