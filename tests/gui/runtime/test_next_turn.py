from __future__ import annotations

import gc
import sys
import weakref

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal, Slot
from pytestqt.qtbot import QtBot

from gui.runtime.event_loop import in_next_turn


class Listener(QObject):
    heard = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    @Slot()
    def listen(self) -> None:
        self.calls += 1


def test_calls_once_and_later(qtbot: QtBot):
    listener = Listener()
    in_next_turn(listener, listener.listen)
    assert listener.calls == 0
    qtbot.waitUntil(lambda: listener.calls == 1)
    with qtbot.waitSignal(listener.heard):
        in_next_turn(listener, listener.heard)
    assert listener.calls == 1
    qtbot.waitUntil(lambda: not listener.findChildren(QTimer))


def test_nothing_is_kept_of_what_has_gone(qapp):
    listener = Listener()
    in_next_turn(listener, listener.listen)
    kept = weakref.ref(listener)
    shiboken6.delete(listener)
    del listener
    gc.collect()
    assert kept() is None


def test_nothing_is_kept_of_what_was_called(qapp):
    listener = Listener()

    def call_often() -> int:
        for _ in range(1000):
            in_next_turn(listener, listener.listen)
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        return sys.getallocatedblocks()

    before = call_often()
    assert call_often() - before < 500
    assert listener.calls == 2000
