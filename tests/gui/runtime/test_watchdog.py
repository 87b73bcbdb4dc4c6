"""The watchdog sees a stop of the event loop, and where it is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from gui.runtime import watchdog as watchdog_module
from gui.runtime.jobs import JobRunner, Ticket
from gui.runtime.watchdog import Stop, Watchdog, queued_seconds, requested_watchdog


def hold_everything_up() -> None:
    end = time.perf_counter() + 0.25
    while time.perf_counter() < end:
        pass


def test_a_stop_is_shown_with_its_place(qtbot: QtBot, tmp_path: Path) -> None:
    with (tmp_path / "said").open("w+", encoding="utf-8") as out:
        watchdog = Watchdog(50, out)
        watchdog.start()
        QTimer.singleShot(0, watchdog, hold_everything_up)
        qtbot.waitUntil(lambda: bool(watchdog.stops))
        watchdog.stop()
        out.seek(0)
        said = out.read()
    assert "hold_everything_up" in said
    assert "the window did not answer for" in said
    stop = watchdog.stops[0]
    assert stop.seconds >= 0.05
    assert stop.worked > 0
    assert stop.own == stop.seconds - stop.queued
    assert str(stop) in said


def add_up_many(_request: object, ticket: Ticket) -> None:
    while not ticket.cancelled:
        sum(range(20_000_000))  # in one call of C, which lets nobody else have the interpreter


@pytest.mark.deep
def test_who_held_the_interpreter_is_shown(qtbot: QtBot, runner: JobRunner, tmp_path: Path) -> None:
    said = tmp_path / "said"
    with said.open("w", encoding="utf-8") as out:
        watchdog = Watchdog(50, out)
        watchdog.start()
        lane = runner.conflated("adding", add_up_many)
        lane.submit(None)
        qtbot.waitUntil(lambda: "add_up_many" in said.read_text(encoding="utf-8"))
        watchdog.stop()
        lane.cancel()


def test_time_without_a_processor_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = tmp_path / "schedstat"
    monkeypatch.setattr(watchdog_module, "_SCHEDULE", schedule)
    assert queued_seconds() == 0.0  # as on systems that do not tell
    schedule.write_text("900 2500000000 4\n")
    assert queued_seconds() == 2.5
    stop = Stop(0.25, 0.1, 0.125)
    assert stop.own == 0.125
    assert str(stop) == "250 ms (100 at work, 25 waiting, 125 without a processor)"


@pytest.mark.parametrize("value", ["", "0", "yes", "-5", "1.5"])
def test_nothing_is_watched_without_a_number(value: str, qtbot: QtBot) -> None:
    assert requested_watchdog(value, QObject()) is None


def test_a_number_switches_it_on(qtbot: QtBot) -> None:
    parent = QObject()
    watchdog = requested_watchdog("5000", parent)
    assert watchdog is not None
    watchdog.stop()
