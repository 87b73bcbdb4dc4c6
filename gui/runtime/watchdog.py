"""Tells when the window does not answer, and shows where it is: for debugging, switched on by a variable.

``TOKENLOUPE_WATCHDOG=100 python main.py``: whenever the event loop takes longer than so many milliseconds to come
round, the stack of its thread is printed at that moment and again after each further such time, and in the end how long
it took. Where it waited more than it worked, the stacks of the other threads follow: one of them may have held the
interpreter, and does not yet do anything else. The first stack is printed by the interpreter's ``faulthandler`` in the
handler of an alarm, on the thread itself, so it works while a library holds the interpreter. (A thread that watches
from outside may read a stack while it changes, and crash.) Where there are no alarms, on Windows, only the durations
are told.

A window also stops when other programs have all processors. On Linux the kernel counts how long a thread was ready to
run and had to wait for one (``schedstat``, https://docs.kernel.org/scheduler/sched-stats.html); that is told apart.
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
LEAST_MS = 20
_HAS_ALARMS = hasattr(signal, "setitimer")
_TICKS = 10
"""So many times within the limit the event loop says that it is there."""
_SCHEDULE = Path("/proc/thread-self/schedstat")
_NANOSECOND = 1e-9


@dataclass(frozen=True, slots=True)
class Stop:
    """One time that the event loop did not come round, in seconds.

    ``worked``: processor time of its thread. ``queued``: how long that thread was ready and had no processor, 0 where
    the system does not tell. What is left of ``seconds`` it waited: for the interpreter, a lock, a disk.
    """

    seconds: float
    worked: float
    queued: float

    @property
    def own(self) -> float:
        """Seconds without those for which other programs had the processors."""
        return self.seconds - self.queued

    @property
    def waited(self) -> float:
        """Seconds in which it had nothing to run."""
        return max(0.0, self.own - self.worked)

    def __str__(self) -> str:
        return (
            f"{self.seconds * 1000:.0f} ms ({self.worked * 1000:.0f} at work, {self.waited * 1000:.0f} waiting, "
            f"{self.queued * 1000:.0f} without a processor)"
        )


def queued_seconds() -> float:
    """How long the calling thread has been ready to run without a processor, ever; 0 if the system does not count
    it."""
    try:
        return int(_SCHEDULE.read_bytes().split()[1]) * _NANOSECOND
    except (OSError, IndexError, ValueError):
        return 0.0


class Watchdog(QObject):
    """Watches the event loop of the main thread. ``stops``: every one that was too long."""

    stopped = Signal(object)
    """One of them (Stop), before it is written down."""

    def __init__(self, limit_ms: int, out: TextIO | None = None, parent: QObject | None = None) -> None:
        """``limit_ms``: how long the event loop may take. ``out``: a real file, standard error where none is given."""
        super().__init__(parent)
        self.stops: list[Stop] = []
        self._limit = max(limit_ms, LEAST_MS) / 1000
        self._out = out or sys.stderr
        self._last = (0.0, 0.0, 0.0)
        self._timer = QTimer(self, interval=max(1, round(self._limit * 1000 / _TICKS)))
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        """Watch from now on."""
        self._last = _clocks()
        if _HAS_ALARMS:
            faulthandler.register(signal.SIGALRM, self._out, all_threads=False)
        self._timer.start()
        self._set_off()

    def stop(self) -> None:
        """Watch no longer."""
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


def watchdog_asked_for(value: str, parent: QObject) -> Watchdog | None:
    """The watchdog that the variable asks for, started; None where it asks for none or makes no sense."""
    if not value.isdecimal() or not int(value):
        return None
    watchdog = Watchdog(int(value), parent=parent)
    watchdog.start()
    return watchdog
