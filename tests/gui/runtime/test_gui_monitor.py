"""Jobs stand back while the GUI thread is in the middle of something, and go on when it comes round."""

from __future__ import annotations

import threading

import pytest

from engine.runtime.cancellation import check_cancelled
from gui.runtime import event_loop, jobs
from gui.runtime.event_loop import GuiMonitor
from gui.runtime.jobs import JobRunner, Ticket
from tests.patience import PATIENCE_SECONDS


@pytest.fixture
def beating(qapp, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(event_loop, "monotonic", lambda: clock[0])
    one = GuiMonitor()
    one.start()
    one._timer.stop()  # the tests say when it beats
    return one, clock


def test_nobody_waits_for_a_beat_that_is_not_overdue(beating):
    one, clock = beating
    clock[0] += event_loop.LATE_SECONDS / 2
    one.wait_while_late(pytest.fail)


@pytest.mark.parametrize("at", [lambda ticket: ticket.progress(0.5), Ticket.yield_to_gui])
def test_jobs_ask_where_they_report_and_where_they_give_way(at):
    asked = []

    class Asked(GuiMonitor):
        def wait_while_late(self, pause):
            asked.append(pause(0.001))

    at(Ticket(lambda fraction, note: None, heartbeat=Asked()))
    assert asked == [False], "the pause ends by itself"


@pytest.mark.parametrize("then", ["_beat", "stop"])
def test_a_job_goes_on_with_the_next_beat(beating, then):
    one, clock = beating
    clock[0] += 2 * event_loop.LATE_SECONDS
    rested = []

    def pause(seconds: float) -> None:
        rested.append(seconds)
        if len(rested) == 3:
            getattr(one, then)()

    one.wait_while_late(pause)
    assert rested == [event_loop.LOOK_SECONDS] * 3
    one.wait_while_late(pause)
    assert len(rested) == 3, "it is not overdue any more"


def test_no_job_stands_back_for_long(beating):
    one, clock = beating
    clock[0] += 2 * event_loop.LATE_SECONDS
    rested = []

    def pause(seconds: float) -> None:
        rested.append(seconds)
        clock[0] += seconds

    one.wait_while_late(pause)
    assert sum(rested) == pytest.approx(
        event_loop.MAX_SECONDS - 2 * event_loop.LATE_SECONDS, abs=event_loop.LOOK_SECONDS
    )
    rested.clear()
    one.wait_while_late(pause)
    assert rested == [], "the GUI thread may be waiting for this very job"
    one._beat()
    clock[0] += 2 * event_loop.LATE_SECONDS
    one.wait_while_late(pause)
    assert rested


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


def test_what_the_engine_does_for_a_job_stands_back_too(qtbot, monkeypatch):
    """On the threads that help a job, as well."""
    threads = set()
    done = threading.Barrier(2)

    def task() -> None:
        done.wait(PATIENCE_SECONDS)
        check_cancelled()

    def work(_request: None, ticket: Ticket) -> None:
        ticket.side_by_side([task, task])

    monkeypatch.setattr(jobs, "PROCESSORS", 2)
    monkeypatch.setattr(GuiMonitor, "wait_while_late", lambda *_: threads.add(threading.get_ident()))
    runner = JobRunner()
    lane = runner.exclusive("one", work)
    with qtbot.waitSignal(lane.finished):
        lane.submit(None)
    assert len(threads) == 2
    check_cancelled()
    assert threading.get_ident() not in threads, "the GUI thread does not wait for itself"
    runner.shutdown()
