"""Garbage is collected on the GUI thread alone, in full only between jobs."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from weakref import ref

import pytest
from pytestqt.qtbot import QtBot

from gui.runtime import memory
from gui.runtime.jobs import JobRunner, Ticket
from tests.patience import PATIENCE_MS

STRESS_SECONDS = "10"


class Cycle:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def runner(qtbot: QtBot) -> Iterator[JobRunner]:
    runner = JobRunner()
    runner.collector.start()
    yield runner
    runner.shutdown()


def run_a_job(qtbot: QtBot, runner: JobRunner) -> None:
    lane = runner.exclusive("a job", lambda _request, _ticket: 1)
    with qtbot.waitSignal(lane.finished, timeout=PATIENCE_MS):
        lane.submit(1)


def full_collection_is_due_after(objects: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "FULL_OBJECTS", objects)


def test_what_a_worker_leaves_is_collected_on_the_gui_thread_while_it_runs(qtbot: QtBot, runner: JobRunner):
    freed_on: list[threading.Thread] = []
    freed = threading.Event()

    def note(_gone: object) -> None:
        freed_on.append(threading.current_thread())
        freed.set()

    def work(_request: object, ticket: Ticket) -> int:
        watch = ref(Cycle(), note)
        made = 0
        while not (freed.is_set() or ticket.cancelled):
            Cycle()
            made += 1
        del watch
        return made

    lane = runner.exclusive("cycles", work)
    with qtbot.waitSignal(lane.finished, timeout=PATIENCE_MS):
        lane.submit(1)
    assert freed_on == [threading.main_thread()]


def test_what_the_gui_thread_leaves_is_collected_while_no_job_runs(qtbot: QtBot, runner: JobRunner):
    watch = ref(Cycle())
    kept = [[number] for number in range(memory.YOUNG_OBJECTS)]
    qtbot.waitUntil(lambda: watch() is None, timeout=PATIENCE_MS)
    assert kept


def test_automatic_collection_is_off_until_the_last_window_has_closed(qapp):
    gc.enable()
    first, second = JobRunner(), JobRunner()
    assert not gc.isenabled()
    first.shutdown()
    assert not gc.isenabled()
    second.shutdown()
    assert gc.isenabled()


def test_automatic_collection_stays_off_where_it_was_off(qapp):
    gc.disable()
    JobRunner().shutdown()
    assert not gc.isenabled()


def test_what_exists_at_the_start_is_left_out_without_a_look_at_it(runner: JobRunner, generations: list[int]):
    cycle = Cycle()
    before = ref(cycle)
    del cycle
    runner.collector.settle()
    assert generations == []
    later = ref(Cycle())
    gc.collect()
    assert later() is None
    assert before() is not None


def test_what_is_young_is_collected_before_more_is_left_out(runner: JobRunner, generations: list[int]):
    runner.collector.settle()
    old = Cycle()
    gc.collect()
    generations.clear()
    weak_old, weak_young = ref(old), ref(Cycle())
    del old
    runner.collector.settle()
    assert weak_young() is None
    assert weak_old() is not None, "for this all objects would have been collected"
    assert max(generations) == 1


def test_a_full_collection_waits_until_no_job_has_run_for_a_moment(
    qtbot: QtBot, runner: JobRunner, generations: list[int], monkeypatch: pytest.MonkeyPatch
):
    full_collection_is_due_after(1, monkeypatch)
    lane = runner.exclusive("objects", lambda _request, _ticket: [[number] for number in range(100_000)])
    with qtbot.waitSignal(lane.finished, timeout=PATIENCE_MS):
        lane.submit(1)
    assert 2 not in generations
    qtbot.waitUntil(lambda: 2 in generations, timeout=PATIENCE_MS)


@pytest.mark.deep
def test_no_full_collection_where_none_is_due(qtbot: QtBot, runner: JobRunner, generations: list[int]):
    run_a_job(qtbot, runner)
    qtbot.wait(2 * memory.REST_MS)
    assert 2 not in generations


def test_a_full_collection_comes_between_two_jobs_at_last(
    qtbot: QtBot, runner: JobRunner, generations: list[int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(memory, "URGENT_OBJECTS", 1)
    full_collection_is_due_after(1, monkeypatch)
    kept = [[number] for number in range(memory.YOUNG_OBJECTS)]
    run_a_job(qtbot, runner)
    qtbot.waitUntil(lambda: 2 in generations, timeout=PATIENCE_MS)
    assert kept


@pytest.mark.deep
def test_windows_open_and_close_while_workers_allocate(tmp_path):
    """In a process of its own: it crashed within seconds while collections ran on workers."""
    command = [sys.executable, "-m", "benchmarks.gc_stress", STRESS_SECONDS]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr[-4000:]
