"""Tells when the window does not answer, and shows where it is: for debugging, switched on by a variable.

``TOKENLOUPE_WATCHDOG=100 python main.py``: whenever the event loop takes longer than so many milliseconds to come
round, the stack of its thread is printed at that moment, and afterwards how long it took. The stack is printed by the
interpreter's ``faulthandler`` in the handler of an alarm, on the thread itself, so it works while a library holds the
interpreter. (A thread that watches from outside may read a stack while it changes, and crash.) Where there are no
alarms, on Windows, only the durations are told.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
from time import perf_counter
from typing import TextIO

from PySide6.QtCore import QObject, Qt, QTimer, Slot

VARIABLE = "TOKENLOUPE_WATCHDOG"
LEAST_MS = 20
_HAS_ALARMS = hasattr(signal, "setitimer")
_TICKS = 5
"""So many times within the limit the event loop says that it is there."""


class Watchdog(QObject):
    """Watches the event loop of the main thread. ``gaps``: seconds of every stop that was too long."""

    def __init__(self, limit_ms: int, out: TextIO | None = None, parent: QObject | None = None) -> None:
        """``limit_ms``: how long the event loop may take. ``out``: a real file, standard error where none is given."""
        super().__init__(parent)
        self.gaps: list[float] = []
        self._limit = max(limit_ms, LEAST_MS) / 1000
        self._out = out or sys.stderr
        self._last = 0.0
        self._timer = QTimer(self, interval=max(1, round(self._limit * 1000 / _TICKS)))
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        """Watch from now on."""
        self._last = perf_counter()
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
        now = perf_counter()
        gap, self._last = now - self._last, now
        if gap > self._limit:
            self.gaps.append(gap)
            self._out.write(f"the window did not answer for {gap * 1000:.0f} ms\n")
            self._out.flush()
        self._set_off()

    def _set_off(self) -> None:
        if _HAS_ALARMS:
            signal.setitimer(signal.ITIMER_REAL, self._limit)


def watchdog_asked_for(value: str, parent: QObject) -> Watchdog | None:
    """The watchdog that the variable asks for, started; None where it asks for none or makes no sense."""
    if not value.isdecimal() or not int(value):
        return None
    watchdog = Watchdog(int(value), parent=parent)
    watchdog.start()
    return watchdog
