"""Waiting while the window goes on, as the soak does it."""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, QTimer

from gui.window.application import Application

LOOK_MS = 150
PATIENCE_SECONDS = 60
QUIET_SECONDS = 5


def run_for(milliseconds: int) -> None:
    """Run the event loop, as the program does. ``QTest.qWait`` sleeps for up to ten milliseconds after each turn, in
    which the window is late and jobs stand back for it."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_for_jobs(bench: Application) -> None:
    """Wait until nothing is worked on, of which the window tells or not, or for a minute."""
    assert bench.runner is not None
    end = time.monotonic() + PATIENCE_SECONDS
    run_for(LOOK_MS)
    while bench.runner.at_work and time.monotonic() < end:
        run_for(LOOK_MS)


def wait_for_quiet(bench: Application) -> None:
    """Wait until nothing has been worked on for some seconds, or for a minute: one job may have another follow, the
    session is saved a moment after the text has changed, and the window gives memory back when jobs have ended."""
    assert bench.runner is not None
    since = begun = time.monotonic()
    while (now := time.monotonic()) - since < QUIET_SECONDS and now - begun < PATIENCE_SECONDS:
        run_for(LOOK_MS)
        if bench.runner.at_work:
            since = time.monotonic()


def wait_for_counts(bench: Application) -> None:
    """Wait until the text is counted in every encoding that is watched, or for a minute."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        run_for(LOOK_MS)
        counts = bench.prompt.counts
        if not bench.prompt.stale and counts is not None and counts.complete:
            return
