"""Report of the jobs at a stop of the window: running ones, and those just ended, which may have held the GIL."""

from __future__ import annotations

from collections import deque
from functools import partial
from time import perf_counter
from typing import TextIO

from PySide6.QtCore import QObject, Slot

from gui.runtime.jobs import JobRunner, Lane
from gui.runtime.watchdog import Watchdog

LATELY_SECONDS = 1.0


class RecentJobs(QObject):
    """Tracker of the lanes of a window; writes the recent jobs before each stop that the watchdog reports."""

    def __init__(self, runner: JobRunner, watchdog: Watchdog, out: TextIO) -> None:
        """``out``: the output of the watchdog."""
        super().__init__(watchdog)
        self._runner, self._out = runner, out
        self._followed: set[Lane] = set()
        self._ended: deque[tuple[float, str]] = deque(maxlen=50)
        runner.lanes_changed.connect(self._follow)
        watchdog.stopped.connect(self._on_stopped)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        """Track new lanes, which are created with their pages."""
        for lane in set(self._runner.findChildren(Lane)) - self._followed:
            self._followed.add(lane)
            lane.busy_changed.connect(partial(self._on_busy_changed, lane.name))

    def _on_busy_changed(self, name: str, busy: bool) -> None:
        if not busy:
            self._ended.append((perf_counter(), name))

    @Slot(object)
    def _on_stopped(self, _stop: object) -> None:
        now = perf_counter()
        running = sorted(lane.name for lane in self._followed if lane.busy)
        ended = [
            f"{name} {(now - when) * 1000:.0f} ms ago" for when, name in self._ended if now - when < LATELY_SECONDS
        ]
        self._out.write(f"jobs: {', '.join(running) or 'none'}; ended: {', '.join(ended) or 'none'}\n")
        self._out.flush()
