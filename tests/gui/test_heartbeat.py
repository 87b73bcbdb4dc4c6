"""Jobs stand back while the GUI thread is in the middle of something, and go on when it comes round."""

from __future__ import annotations

import threading

import pytest

from gui import heartbeat
from gui.heartbeat import Heartbeat
from gui.jobs import JobRunner, Ticket
from tests.patience import PATIENCE_SECONDS


@pytest.fixture
def beating(qapp, monkeypatch):
    monkeypatch.setattr(heartbeat, "MOST_SECONDS", PATIENCE_SECONDS)
    clock = [100.0]
    monkeypatch.setattr(heartbeat, "monotonic", lambda: clock[0])
    one = Heartbeat(threading.Event())
    one.start()
    one._timer.stop()  # the tests say when it beats
    return one, clock


def standing_back(one: Heartbeat) -> threading.Thread:
    thread = threading.Thread(target=Ticket(lambda fraction, note: None, heartbeat=one).progress, args=(0.5,))
    thread.start()
    return thread


def test_nobody_waits_for_a_beat_that_is_not_overdue(beating):
    one, clock = beating
    clock[0] += heartbeat.LATE_SECONDS / 2
    passing = standing_back(one)
    passing.join(PATIENCE_SECONDS / 2)
    assert not passing.is_alive()


@pytest.mark.parametrize("then", ["_beat", "stop"])
def test_a_job_goes_on_with_the_next_beat(beating, then):
    one, clock = beating
    clock[0] += 2 * heartbeat.LATE_SECONDS
    waiting = standing_back(one)
    while one._came_round.is_set():
        waiting.join(0.001)
        assert waiting.is_alive()
    getattr(one, then)()
    waiting.join(PATIENCE_SECONDS / 2)
    assert not waiting.is_alive()
    one.stand_back_while_late()  # returns at once


def test_no_job_stands_back_for_long(beating, monkeypatch):
    one, clock = beating
    monkeypatch.setattr(heartbeat, "MOST_SECONDS", 0.001)
    clock[0] += 1000
    one.stand_back_while_late()


def test_it_beats_while_any_job_runs(qtbot):
    runner, gate = JobRunner(), threading.Event()
    lanes = [
        runner.exclusive("one", lambda request, ticket: gate.wait(PATIENCE_SECONDS)),
        runner.background("other", lambda request, ticket: gate.wait(PATIENCE_SECONDS)),
    ]
    assert not runner.heartbeat._timer.isActive()
    for lane in lanes:
        lane.submit(None)
    assert runner.heartbeat._timer.isActive()
    gate.set()
    qtbot.waitUntil(lambda: not any(lane.busy for lane in lanes))
    assert not runner.heartbeat._timer.isActive()
    runner.shutdown()
