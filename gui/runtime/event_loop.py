"""Turns of the event loop: deferred calls, one call per turn, and a heartbeat by which jobs detect a busy GUI thread.

Python runs one thread at a time, and a thread that waits for the GIL has no priority: with three pure-Python jobs the
GUI thread waits three milliseconds at each call into Qt, with five jobs eight. A dialog that takes fifty milliseconds
to fill, with a hundred such calls, then takes half a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot


def in_next_turn(context: QObject, call: Callable[[], Any] | SignalInstance) -> None:
    """Call a slot or emit a signal in the next turn of the event loop, unless ``context`` is destroyed by then.

    Replaces ``QTimer.singleShot``: if the context is destroyed first, PySide 6.11 leaks the callable, and a bound
    method keeps its whole window alive.
    """
    timer = QTimer(context, singleShot=True)
    timer.timeout.connect(call)
    timer.timeout.connect(partial(QTimer.deleteLater, timer))  # each connection to a Qt slot leaks 60 bytes
    timer.start(0)


class OneATurn(QObject):
    """Call queue of the event loop: the first call of a turn is made at once, calls during it in the following turns.

    Otherwise results of several workers would be shown in one go: Qt delivers all posted events before it handles
    timers and the keyboard again.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[Callable[[], None]] = deque()
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._next)

    def call(self, act: Callable[[], None]) -> None:
        """Make the call now, or in one of the next turns."""
        if self._turn.isActive():
            self._waiting.append(act)
        else:
            self._turn.start()
            act()

    @Slot()
    def _next(self) -> None:
        if self._waiting:
            self._turn.start()  # first: the call may run an event loop of its own
            self._waiting.popleft()()


BEAT_MS = 5
"""Interval of the heartbeat."""

LATE_SECONDS = 0.012
"""Time since the last beat after which the GUI thread counts as busy."""

MAX_SECONDS = 0.3
"""Maximum time that a job yields while no beat comes. A GUI thread that is late for that long is waiting, perhaps for
the job itself: for a module that it imports, or for a lock."""

LOOK_SECONDS = 0.01
"""Polling interval for the next beat. Each poll takes the GIL from the GUI thread."""


class GuiMonitor(QObject):
    """GuiMonitor of the GUI thread while jobs run.

    Lock-free: a job that holds a lock while it waits for the GIL would block the GUI thread.

    Signals: ``beaten()`` with each beat.
    """

    beaten = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last: float | None = None
        self._timer = QTimer(self, interval=BEAT_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.timeout.connect(self.beaten)

    def start(self) -> None:
        """Start beating."""
        if not self._timer.isActive():
            self._beat()
            self._timer.start()

    def stop(self) -> None:
        """Stop beating: jobs no longer yield."""
        self._timer.stop()
        self._last = None

    @Slot()
    def _beat(self) -> None:
        self._last = monotonic()

    def wait_while_late(self, pause: Callable[[float], object]) -> None:
        """Wait for the next beat if it is overdue. On a worker thread; ``pause`` sleeps for some seconds."""
        last = self._last
        if last is None or monotonic() - last < LATE_SECONDS:
            return
        while self._last == last and monotonic() - last < MAX_SECONDS:
            pause(LOOK_SECONDS)
