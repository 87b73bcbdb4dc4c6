"""The garbage collector runs in full between jobs, and not by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gui import full_collection
from gui.full_collection import MOST_ROUNDS, REST_MS, FullCollection
from gui.interpreter import FULL_ROUNDS, settle_collector
from gui.jobs import JobRunner
from tests.patience import PATIENCE_MS


@pytest.fixture
def runner(qtbot: QtBot) -> Iterator[JobRunner]:
    runner = JobRunner()
    yield runner
    runner.shutdown()


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Has the collector say how many rounds of the younger objects there were."""

    def say(number: int) -> None:
        monkeypatch.setattr(full_collection.gc, "get_count", lambda: (0, 0, number))

    return say


def watched(runner: JobRunner) -> QObject:
    """The parent of what watches the jobs, for as long as it is held."""
    parent = QObject()
    FullCollection(runner, parent)
    return parent


def run_a_job(qtbot: QtBot, runner: JobRunner) -> None:
    lane = runner.exclusive("a job", lambda _request, _ticket: 1)
    with qtbot.waitSignal(lane.finished, timeout=PATIENCE_MS):
        lane.submit(1)


def test_it_never_runs_in_full_by_itself(generations: list[int]):
    settle_collector()
    kept = [[number] for number in range(300_000)]
    for _ in range(3):
        kept = [list(one) for one in kept]
    assert generations
    assert max(generations) < 2


def test_it_runs_when_no_job_has_run_for_a_moment(
    qtbot: QtBot,
    runner: JobRunner,
    rounds: Callable[[int], None],
    generations: list[int],
):
    _parent = watched(runner)
    rounds(FULL_ROUNDS)
    run_a_job(qtbot, runner)
    assert 2 not in generations
    qtbot.waitUntil(lambda: 2 in generations, timeout=PATIENCE_MS)


def test_it_does_not_where_it_is_not_due(
    qtbot: QtBot,
    runner: JobRunner,
    rounds: Callable[[int], None],
    generations: list[int],
):
    _parent = watched(runner)
    rounds(FULL_ROUNDS - 1)
    run_a_job(qtbot, runner)
    qtbot.wait(2 * REST_MS)
    assert 2 not in generations


def test_where_one_job_follows_the_other_it_comes_between_them_at_last(
    qtbot: QtBot,
    runner: JobRunner,
    rounds: Callable[[int], None],
    generations: list[int],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(full_collection, "REST_MS", 1 << 30)
    _parent = watched(runner)
    rounds(FULL_ROUNDS)
    run_a_job(qtbot, runner)
    assert 2 not in generations
    rounds(MOST_ROUNDS)
    run_a_job(qtbot, runner)
    qtbot.waitUntil(lambda: 2 in generations, timeout=PATIENCE_MS)
