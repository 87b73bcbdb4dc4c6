"""Wait in the soak while the window runs."""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, QTimer

from gui.window.application import Application

LOOK_MS = 150
PATIENCE_SECONDS = 60
QUIET_SECONDS = 5


def run_for(milliseconds: int) -> None:
    """Run the event loop as the program does.

    ``QTest.qWait`` sleeps for up to 10 ms after each turn, in which the window is late and jobs yield to it.
    """
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_for_jobs(bench: Application) -> None:
    """Wait until no job runs, including hidden ones, or for a minute."""
    assert bench.runner is not None
    end = time.monotonic() + PATIENCE_SECONDS
    run_for(LOOK_MS)
    while bench.runner.any_busy and time.monotonic() < end:
        run_for(LOOK_MS)


def wait_for_quiet(bench: Application) -> None:
    """Wait until no job has run for some seconds, or for a minute.

    A job may start another one, the session is saved a moment after a text change, and memory is trimmed after jobs.
    """
    assert bench.runner is not None
    since = begun = time.monotonic()
    while (now := time.monotonic()) - since < QUIET_SECONDS and now - begun < PATIENCE_SECONDS:
        run_for(LOOK_MS)
        if bench.runner.any_busy:
            since = time.monotonic()


def wait_for_counts(bench: Application) -> None:
    """Wait until the text is counted in every watched encoding, or for a minute."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        run_for(LOOK_MS)
        counts = bench.prompt.counts
        if not bench.prompt.stale and counts is not None and counts.complete:
            return
