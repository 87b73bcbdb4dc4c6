"""Lanes: the newest wins, nothing is lost, everything lands on the GUI thread."""

import os
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from gui.runtime import jobs
from gui.runtime.jobs import JobCancelled, JobFailure, JobRunner, Ticket
from pricing import check_text
from tests.patience import PATIENCE_SECONDS


class Receiver(QObject):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.threads = set()

    @Slot(object)
    def take(self, outcome):
        self.seen.append(outcome)
        self.threads.add(QThread.currentThread())


def test_a_result_arrives_on_the_gui_thread_with_its_request(qtbot, runner):
    lane = runner.conflated("double", lambda request, ticket: (request * 2, threading.get_ident()))
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    with qtbot.waitSignal(lane.finished):
        lane.submit(21)
    (result,) = receiver.seen
    assert result.request == 21
    assert result.value[0] == 42
    assert result.value[1] != threading.get_ident()
    assert receiver.threads == {QThread.currentThread()}


def test_a_conflated_lane_runs_the_first_and_the_newest(qtbot, runner):
    gate = threading.Event()

    def work(request, ticket):
        gate.wait(PATIENCE_SECONDS)
        return request

    lane = runner.conflated("newest", work)
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    for number in range(200):
        lane.submit(number)
    gate.set()
    qtbot.waitUntil(lambda: not lane.busy)
    assert [result.value for result in receiver.seen] == [0, 199]


def test_a_merge_drops_nothing(qtbot, runner):
    gate = threading.Event()

    def work(request, ticket):
        gate.wait(PATIENCE_SECONDS)
        return request

    lane = runner.conflated("joined", work, merge=lambda waiting, newer: waiting + newer)
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    for number in range(50):
        lane.submit((number,))
    gate.set()
    qtbot.waitUntil(lambda: not lane.busy)
    assert [number for result in receiver.seen for number in result.value] == list(range(50))
    assert len(receiver.seen) == 2


def test_an_exclusive_lane_answers_every_request_in_order(qtbot, runner):
    lane = runner.exclusive("all", lambda request, ticket: request)
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    for number in range(20):
        lane.submit(number)
    qtbot.waitUntil(lambda: len(receiver.seen) == 20)
    assert [result.value for result in receiver.seen] == list(range(20))


class Panic(BaseException):
    """As Rust extensions raise: not an Exception."""


@pytest.mark.parametrize("error", [ValueError("no"), Panic("stack"), KeyboardInterrupt()])
def test_whatever_a_job_raises_is_delivered_and_the_lane_goes_on(qtbot, runner, error):
    def work(request, ticket):
        if request is None:
            raise error
        return request

    lane = runner.conflated("raises", work)
    with qtbot.waitSignal(lane.failed) as failure:
        lane.submit(None)
    assert failure.args[0].error is error
    with qtbot.waitSignal(lane.finished) as finished:
        lane.submit("next")
    assert finished.args[0].value == "next"


class Data:
    """Stands for megabytes."""


@pytest.mark.parametrize("error", [ValueError("no"), JobCancelled()])
def test_the_data_of_a_failed_job_is_released_without_a_garbage_collection(qtbot, runner, error):
    made = []

    def work(request, ticket):
        data = Data()
        made.append(weakref.ref(data))
        raise type(error)(*error.args)

    lane = runner.conflated("raises", work)
    lane.submit(None)
    qtbot.waitUntil(lambda: not lane.busy)
    assert made[0]() is None


def test_cancel_ends_the_running_job_and_drops_the_waiting_one(qtbot, runner):
    started = threading.Event()

    def work(request, ticket):
        started.set()
        while True:
            ticket.progress(0.5, "turning")

    lane = runner.conflated("endless", work)
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    lane.submit(1)
    lane.submit(2)
    assert started.wait(PATIENCE_SECONDS)
    cancelled = Receiver()
    lane.cancelled.connect(cancelled.take)
    lane.cancel()
    qtbot.waitUntil(lambda: len(cancelled.seen) == 2)
    assert cancelled.seen == [2, 1]
    assert not lane.busy
    assert receiver.seen == []


def test_progress_is_reported_and_forgotten_at_the_end(qtbot, runner):
    lane = runner.conflated("steps", lambda request, ticket: ticket.progress(0.25, "a quarter"))
    with qtbot.waitSignals([lane.progressed, lane.finished]):
        lane.submit(None)
    assert lane.last_progress is None


def test_progress_of_a_cancelled_job_raises(runner):
    from gui.runtime.jobs import Ticket

    ticket = Ticket(lambda fraction, note: None)
    ticket.cancel()
    with pytest.raises(JobCancelled):
        ticket.progress(0.1)


def test_shutdown_ends_running_jobs_and_delivers_nothing_more(qtbot, qapp):
    runner = JobRunner()
    started = threading.Event()

    def work(request, ticket):
        started.set()
        while not ticket.cancelled:
            ticket.progress(0.0)

    lane = runner.exclusive("until told", work)
    receiver = Receiver()
    for signal in (lane.finished, lane.failed, lane.cancelled, lane.busy_changed):
        signal.connect(receiver.take)
    lane.submit(1)
    assert started.wait(PATIENCE_SECONDS)
    receiver.seen.clear()
    runner.shutdown()
    qapp.processEvents()
    assert receiver.seen == []
    lane.submit(2)
    assert not any(t.name.startswith("tokenloupe") and t.is_alive() for t in threading.enumerate())


def test_busy_lanes_are_announced(qtbot, runner):
    gate = threading.Event()
    lane = runner.conflated("waits", lambda request, ticket: gate.wait(PATIENCE_SECONDS))
    with qtbot.waitSignal(runner.lanes_changed):
        lane.submit(None)
    assert runner.busy_lanes == [lane]
    with qtbot.waitSignal(runner.lanes_changed):
        gate.set()
    assert not runner.busy


def test_a_background_lane_is_not_listed_and_ends_with_the_others(qtbot):
    runner = JobRunner()
    ended = threading.Event()

    def work(request, ticket):
        while not ticket.cancelled:
            ended.wait(0.001)
        ended.set()

    lane = runner.background("unseen", work)
    lane.submit(None)
    assert lane.busy
    assert not runner.busy
    assert runner.busy_lanes == []
    runner.shutdown()
    assert ended.is_set()


def test_a_job_is_helped(qtbot, runner, monkeypatch):
    monkeypatch.setattr(jobs, "PROCESSORS", 3)
    meeting = threading.Barrier(3)
    done = []

    def meet():
        meeting.wait(PATIENCE_SECONDS)  # needs all three at the same time
        done.append(threading.get_ident())

    def work(request, ticket):
        ticket.side_by_side([meet] * 6)
        return len(done)

    lane = runner.exclusive("helped", work)
    with qtbot.waitSignal(lane.finished) as finished:
        lane.submit(None)
    assert finished.args[0].value == 6
    assert len(set(done)) == 3


@pytest.mark.parametrize("helped", [True, False])
def test_the_first_failure_of_what_is_done_side_by_side_is_raised(monkeypatch, helped):
    monkeypatch.setattr(jobs, "PROCESSORS", 2)
    done = []

    def fail():
        raise IndexError("third")

    with ThreadPoolExecutor(1) as pool:
        ticket = Ticket(lambda fraction, note: None, pool if helped else None)
        ticket.side_by_side([])
        with pytest.raises(IndexError, match="third"):
            ticket.side_by_side([lambda: done.append(1), lambda: done.append(2), fail])
    assert sorted(done) == [1, 2]


def test_nobody_helps_when_the_window_closes(monkeypatch):
    monkeypatch.setattr(jobs, "PROCESSORS", 2)
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    done = []
    Ticket(lambda fraction, note: None, pool).side_by_side([lambda: done.append(1), lambda: done.append(2)])
    assert done == [1, 2]


def test_a_failure_always_has_a_reason():
    assert JobFailure(None, MemoryError()).why == "MemoryError"
    assert JobFailure(None, PermissionError(13, "no entry", "/some/file")).why == "no entry"
    assert JobFailure(None, ValueError("a sentence")).why == "a sentence"


@pytest.mark.parametrize(("stoppable", "answered", "dropped"), [(True, [1], [2, 3]), (False, [1, 2, 3], [])])
def test_stopping_tells_what_gets_no_answer(qtbot, runner, stoppable, answered, dropped):
    gate = threading.Event()

    def work(request, ticket):
        gate.wait(PATIENCE_SECONDS)
        return request

    lane = runner.exclusive("writing", work, stoppable=stoppable)
    finished, cancelled = Receiver(), Receiver()
    lane.finished.connect(finished.take)
    lane.cancelled.connect(cancelled.take)
    for number in (1, 2, 3):
        lane.submit(number)
    lane.cancel()
    gate.set()
    qtbot.waitUntil(lambda: not lane.busy)
    assert [result.value for result in finished.seen] == answered
    assert cancelled.seen == dropped


def test_a_drained_lane_has_answered_everything_in_order_and_once(qtbot, qapp, runner):
    lane = runner.exclusive("writing", lambda request, ticket: request, stoppable=False)
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    for number in range(5):
        lane.submit(number)
    lane.drain()
    assert not lane.busy
    assert [result.value for result in receiver.seen] == [0, 1, 2, 3, 4]
    qapp.processEvents()
    assert len(receiver.seen) == 5


def test_what_a_lane_that_is_not_stoppable_was_asked_for_is_done_before_the_end(qtbot, qapp):
    runner = JobRunner()
    gate = threading.Event()
    done = []

    def work(request, ticket):
        gate.wait()
        done.append(request)

    lane = runner.exclusive("writing", work, stoppable=False)
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    for number in range(3):
        lane.submit(number)
    lane.close()
    gate.set()
    runner.shutdown()
    assert done == [0, 1, 2]
    qapp.processEvents()
    assert receiver.seen == []


def test_a_lane_does_not_wait_for_others(qtbot, runner):
    gate = threading.Event()
    lanes = [runner.exclusive(f"long {number}", lambda request, ticket: gate.wait()) for number in range(20)]
    for lane in lanes:
        lane.submit(None)
    saving = runner.exclusive("writing", lambda request, ticket: request, stoppable=False)
    try:
        with qtbot.waitSignal(saving.finished):
            saving.submit(None)
    finally:
        gate.set()


def test_a_job_that_gives_way_goes_on_when_the_way_is_free(qtbot, runner, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_YIELD_SECONDS", PATIENCE_SECONDS)
    started, order = threading.Event(), []

    def work(request, ticket):
        started.set()
        ticket.yield_to_gui()
        order.append("job")

    lane = runner.conflated("polite", work)
    runner.wait_while_busy()
    lane.submit(None)
    assert started.wait(PATIENCE_SECONDS)
    order.append("key")
    qtbot.waitUntil(lambda: not lane.busy)
    assert order == ["key", "job"]


def test_a_job_stands_back_for_so_long_and_no_longer(monkeypatch):
    monkeypatch.setattr(jobs, "MAX_YIELD_SECONDS", 0.01)
    waited = []

    class NeverFree(threading.Event):
        def wait(self, timeout=None):
            waited.append(timeout)
            return super().wait(timeout)

    ticket = Ticket(lambda fraction, note: None, free_to_run=NeverFree())
    for _ in range(5):
        ticket.yield_to_gui()
    assert waited == [0.01]


@pytest.mark.parametrize("end", ["drain", "shutdown"])
def test_nobody_stands_back_for_a_window_that_waits_for_the_job(qapp, monkeypatch, end):
    monkeypatch.setattr(jobs, "MAX_YIELD_SECONDS", 0.2)
    runner = JobRunner()
    free = []

    def work(request, ticket):
        ticket.yield_to_gui()
        free.append(runner.free_to_run.is_set())

    lane = runner.exclusive("polite", work, stoppable=False)
    runner.wait_while_busy()
    lane.submit(None)
    if end == "drain":
        lane.drain()
    runner.shutdown()
    assert free == [True]


def batch_is_allowed() -> bool:
    found: list[bool] = []

    def ask() -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        except OSError:
            return
        found.append(True)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return bool(found)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such threads")
def test_jobs_let_the_window_first(qtbot, runner):
    before = os.sched_getscheduler(0)
    if not batch_is_allowed():
        pytest.skip("this sandbox forbids it")
    lane = runner.conflated("whose turn", lambda _request, _ticket: os.sched_getscheduler(0))
    receiver = Receiver()
    lane.finished.connect(receiver.take)
    with qtbot.waitSignal(lane.finished):
        lane.submit(None)
    assert receiver.seen[0].value == os.SCHED_BATCH
    assert os.sched_getscheduler(0) == before


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such threads")
def test_jobs_run_where_that_is_forbidden(qtbot, runner, monkeypatch):
    def refuse(*_arguments):
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    lane = runner.conflated("double", lambda request, _ticket: 2 * request)
    with qtbot.waitSignal(lane.finished):
        lane.submit(1)


def test_the_reading_of_prices_stands_back_too(qtbot, runner, monkeypatch):
    stood: list[int] = []
    monkeypatch.setattr(Ticket, "wait_while_busy", lambda _self: stood.append(1))
    lane = runner.conflated("prices", lambda text, _ticket: check_text(text, "prices.yaml"))
    with qtbot.waitSignal(lane.finished):
        lane.submit("version: 1")
    assert stood
