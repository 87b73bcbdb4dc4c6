"""Detector of GUI freezes, with stack traces: for debugging, enabled by an environment variable.

``TOKENLOUPE_WATCHDOG=100 python main.py``: whenever a turn of the event loop takes longer than this many milliseconds,
the stack of its thread is printed at that moment and again after each further such interval, and finally the duration.
If the thread waited more than it worked, the stacks of the other threads follow: one of them may have held the GIL, and
is still at the same point. The interpreter's ``faulthandler`` prints the first stack in a signal handler on the thread
itself, so it works while a library holds the GIL. (A thread that watches from outside may read a stack while it
changes, and crash.) Without alarm signals, on Windows, only the durations are printed.

A window also freezes when other programs use all processors. On Linux the kernel counts how long a thread was ready to
run without a processor (``schedstat``, https://docs.kernel.org/scheduler/sched-stats.html); this is reported
separately.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, thread_time
from typing import TextIO

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

VARIABLE = "TOKENLOUPE_WATCHDOG"
MIN_MS = 20
_HAS_ALARMS = hasattr(signal, "setitimer")
_TICKS = 10
"""Number of ticks of the event loop within the limit."""
_SCHEDULE = Path("/proc/thread-self/schedstat")
_NANOSECOND = 1e-9


@dataclass(frozen=True, slots=True)
class Stop:
    """A freeze of the event loop, in seconds.

    ``worked``: processor time of its thread. ``queued``: how long that thread was ready without a processor, 0 if the
    system does not report it. The rest of ``seconds`` it waited: for the GIL, a lock, a disk.
    """

    seconds: float
    worked: float
    queued: float

    @property
    def own(self) -> float:
        """Seconds without those in which other programs used the processors."""
        return self.seconds - self.queued

    @property
    def waited(self) -> float:
        """Seconds in which the thread had nothing to run."""
        return max(0.0, self.own - self.worked)

    def __str__(self) -> str:
        return (
            f"{self.seconds * 1000:.0f} ms ({self.worked * 1000:.0f} at work, {self.waited * 1000:.0f} waiting, "
            f"{self.queued * 1000:.0f} without a processor)"
        )


def queued_seconds() -> float:
    """Return how long the calling thread has been ready to run without a processor in total; 0 if unknown."""
    try:
        return int(_SCHEDULE.read_bytes().split()[1]) * _NANOSECOND
    except (OSError, IndexError, ValueError):
        return 0.0


class Watchdog(QObject):
    """Monitor of the main thread's event loop. ``stops``: every freeze that was detected."""

    stopped = Signal(object)
    """Emitted for each freeze (Stop), before it is printed."""

    def __init__(self, limit_ms: int, out: TextIO | None = None, parent: QObject | None = None) -> None:
        """``limit_ms``: maximum duration of a turn. ``out``: a real file, by default standard error."""
        super().__init__(parent)
        self.stops: list[Stop] = []
        self._limit = max(limit_ms, MIN_MS) / 1000
        self._out = out or sys.stderr
        self._last = (0.0, 0.0, 0.0)
        self._timer = QTimer(self, interval=max(1, round(self._limit * 1000 / _TICKS)))
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        """Start watching."""
        self._last = _clocks()
        if _HAS_ALARMS:
            faulthandler.register(signal.SIGALRM, self._out, all_threads=False)
        self._timer.start()
        self._set_off()

    def stop(self) -> None:
        """Stop watching."""
        self._timer.stop()
        if _HAS_ALARMS:
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.unregister(signal.SIGALRM)

    @Slot()
    def _on_tick(self) -> None:
        now = _clocks()
        stop = Stop(*(late - early for late, early in zip(now, self._last, strict=True)))
        self._last = now
        if stop.seconds > self._limit:
            self.stops.append(stop)
            if stop.waited > stop.worked:
                faulthandler.dump_traceback(self._out, all_threads=True)
            self.stopped.emit(stop)
            self._out.write(f"the window did not answer for {stop}\n")
            self._out.flush()
        self._set_off()

    def _set_off(self) -> None:
        if _HAS_ALARMS:
            signal.setitimer(signal.ITIMER_REAL, self._limit, self._limit)


def _clocks() -> tuple[float, float, float]:
    return perf_counter(), thread_time(), queued_seconds()


def requested_watchdog(value: str, parent: QObject) -> Watchdog | None:
    """Return the watchdog requested by the variable, started; None if it requests none or is invalid."""
    if not value.isdecimal() or not int(value):
        return None
    watchdog = Watchdog(int(value), parent=parent)
    watchdog.start()
    return watchdog
