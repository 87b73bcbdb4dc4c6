from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.runtime.jobs import JobRunner, Ticket
from gui.window import status as status_module
from gui.window.status import JobStatus


@pytest.fixture
def status(qtbot: QtBot, runner: JobRunner, monkeypatch: pytest.MonkeyPatch) -> Iterator[JobStatus]:
    monkeypatch.setattr(status_module, "PATIENCE_MS", 1)
    monkeypatch.setattr(status_module, "REFRESH_MS", 1)
    host = QWidget()
    qtbot.addWidget(host)
    host.show()
    status = JobStatus(Icons(Theme("light", "normal")), host)
    status.watch(runner)
    yield status
    host.close()


def test_a_job_shows_its_name_its_progress_and_stops_when_told(qtbot: QtBot, runner: JobRunner, status: JobStatus):
    go = threading.Event()

    def work(_request: object, ticket: Ticket) -> None:
        while not go.wait(0.001):
            ticket.progress(0.25, "line 7")

    lane = runner.exclusive("Counting sheep", work)
    assert status.words == ""
    lane.submit(None)
    qtbot.waitUntil(lambda: status.words == "Counting sheep: line 7")
    bar = status.findChild(QProgressBar)
    assert bar is not None
    assert bar.value() == 250
    assert bar.accessibleName() == status.words
    stop = status.findChild(QToolButton)
    assert stop is not None
    assert stop.accessibleName() == "Stop: Counting sheep"
    with qtbot.waitSignal(lane.cancelled):
        qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: status.words == "")


def test_several_jobs_are_counted_and_all_can_be_stopped(qtbot: QtBot, runner: JobRunner, status: JobStatus):
    go = threading.Event()

    def work(_request: object, ticket: Ticket) -> None:
        while not go.wait(0.001):
            ticket.progress(-1)

    lanes = [runner.exclusive(name, work) for name in ("One", "Two", "Three")]
    for lane in lanes:
        lane.submit(None)
    qtbot.waitUntil(lambda: status.words == "One (and 2 more)")
    bar = status.findChild(QProgressBar)
    assert bar is not None
    assert bar.maximum() == 0, "how far they are is not known"
    status.cancel_all()
    qtbot.waitUntil(lambda: status.words == "" and not runner.busy)
