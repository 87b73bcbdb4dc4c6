"""Calls that take a turn of the event loop each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject

from gui.runtime.event_loop import OneATurn


class Posted(QObject):
    """Notes when an event that was posted to it arrives."""

    def __init__(self, log):
        super().__init__()
        self._log = log

    def event(self, event):
        if event.type() == QEvent.Type.User:
            self._log.append("posted")
            return True
        return super().event(event)


@pytest.fixture
def turns(qapp):
    turns = OneATurn()
    yield turns
    turns.deleteLater()
    QCoreApplication.sendPostedEvents(turns, QEvent.Type.DeferredDelete)


def test_the_first_call_is_made_at_once_and_the_others_in_order_with_posted_events_between(qtbot, turns):
    log = []
    receiver = Posted(log)

    def call(number):
        log.append(number)
        QCoreApplication.postEvent(receiver, QEvent(QEvent.Type.User))

    for number in range(3):
        turns.call(lambda number=number: call(number))
    assert log == [0]
    qtbot.waitUntil(lambda: len(log) == 6)
    assert log == [0, "posted", 1, "posted", 2, "posted"]


def test_others_are_not_held_up_by_a_call_with_an_event_loop_of_its_own(qtbot, turns):
    log = []
    inner = QEventLoop()

    def second():
        inner.exec()
        log.append("second")

    turns.call(lambda: log.append("first"))
    turns.call(second)
    turns.call(lambda: (log.append("third"), inner.quit()))
    qtbot.waitUntil(lambda: len(log) == 3)
    assert log == ["first", "third", "second"]


def test_a_call_that_fails_does_not_keep_the_next_from_being_made(qtbot, turns):
    log = []

    def fail():
        raise ValueError("of a receiver")

    turns.call(lambda: log.append("first"))
    turns.call(fail)
    turns.call(lambda: log.append("third"))
    with qtbot.captureExceptions() as raised:
        qtbot.waitUntil(lambda: len(log) == 2)
    assert [str(value) for _, value, _ in raised] == ["of a receiver"]
