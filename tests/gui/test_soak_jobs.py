"""Beside each stop of the window stands which jobs ran, or had just ended."""

from __future__ import annotations

import io

from pytestqt.qtbot import QtBot

from benchmarks.soak_jobs import RecentJobs
from gui.runtime.jobs import JobRunner, Ticket
from gui.runtime.watchdog import Stop, Watchdog


def do_nothing(_request: object, _ticket: Ticket) -> None:
    """As it says."""


def test_jobs_are_told(qtbot: QtBot, runner: JobRunner) -> None:
    said = io.StringIO()
    watchdog = Watchdog(60_000)
    early = runner.conflated("Counting", do_nothing)
    RecentJobs(runner, watchdog, said)
    watchdog.stopped.emit(Stop(0.2, 0.1, 0.0))
    assert said.getvalue() == "jobs: none; ended: none\n"
    late = runner.exclusive("Training", do_nothing)
    for lane in (early, late):
        with qtbot.waitSignal(lane.finished):
            lane.submit(None)
    late.submit(None)
    watchdog.stopped.emit(Stop(0.2, 0.1, 0.0))
    told = said.getvalue().splitlines()[-1]
    assert told.startswith("jobs: Training; ended: Counting ")
    qtbot.waitUntil(lambda: not runner.busy)
