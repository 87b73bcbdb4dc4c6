"""The watchdog sees a stop of the event loop, and where it is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from gui.watchdog import Watchdog, watchdog_asked_for


def hold_everything_up() -> None:
    end = time.perf_counter() + 0.25
    while time.perf_counter() < end:
        pass


def test_a_stop_is_shown_with_its_place(qtbot: QtBot, tmp_path: Path) -> None:
    with (tmp_path / "said").open("w+", encoding="utf-8") as out:
        watchdog = Watchdog(50, out)
        watchdog.start()
        QTimer.singleShot(0, watchdog, hold_everything_up)
        qtbot.waitUntil(lambda: bool(watchdog.gaps))
        watchdog.stop()
        out.seek(0)
        said = out.read()
    assert "hold_everything_up" in said
    assert "the window did not answer for" in said
    assert watchdog.gaps[0] >= 0.05


@pytest.mark.parametrize("value", ["", "0", "yes", "-5", "1.5"])
def test_nothing_is_watched_without_a_number(value: str, qtbot: QtBot) -> None:
    assert watchdog_asked_for(value, QObject()) is None


def test_a_number_switches_it_on(qtbot: QtBot) -> None:
    parent = QObject()
    watchdog = watchdog_asked_for("5000", parent)
    assert watchdog is not None
    watchdog.stop()
