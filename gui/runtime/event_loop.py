"""Turns of the event loop: calls in the next one, one call a turn, and a heartbeat that tells jobs when it is late.

Python runs one thread at a time, and whoever waits for a turn has no right to the next one: beside three jobs of pure
Python the GUI thread waits for three milliseconds at each call into Qt, beside five for eight. A dialog that takes
fifty milliseconds to fill, with a hundred such calls, then takes half a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot


def in_next_turn(context: QObject, call: Callable[[], Any] | SignalInstance) -> None:
    """Call a slot, or emit a signal, of ``context`` in the next turn; never, where it has gone by then.

    Not by ``QTimer.singleShot``: where the context goes first, PySide 6.11 keeps what was to be called for good, and a
    method keeps its whole window.
    """
    timer = QTimer(context, singleShot=True)
    timer.timeout.connect(call)
    timer.timeout.connect(partial(QTimer.deleteLater, timer))  # of each connection to a slot of Qt's, 60 bytes stay
    timer.start(0)


class OneATurn(QObject):
    """The first call of a turn is made at once, those that come while it lasts in the turns behind it, in order.

    What several workers bring at the same time would else be shown in one go: Qt hands over everything that was posted
    before it looks at timers and the keyboard again.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[Callable[[], None]] = deque()
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._next)

    def call(self, act: Callable[[], None]) -> None:
        """Make a call, now or in one of the next turns."""
        if self._turn.isActive():
            self._waiting.append(act)
        else:
            self._turn.start()
            act()

    @Slot()
    def _next(self) -> None:
        if self._waiting:
            self._turn.start()  # first: the call may wait in an event loop of its own
            self._waiting.popleft()()


BEAT_MS = 5
"""How often the event loop says that it comes round."""

LATE_SECONDS = 0.012
"""After so long without that, the GUI thread is in the middle of something."""

MOST_SECONDS = 0.3
"""After so long no job yields any more until the next beat. The GUI thread takes that long for nothing: it waits,
and perhaps for the job itself, as it does for a module that this loads, or for a lock."""

LOOK_SECONDS = 0.01
"""How often it looks for the next beat meanwhile. Each look takes a turn of the interpreter from the GUI thread."""


class Heartbeat(QObject):
    """Beats on the GUI thread while jobs run.

    Without a lock: a job that has one, and waits for the interpreter to give it back, would stop the GUI thread.

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
        """Beat from now on."""
        if not self._timer.isActive():
            self._beat()
            self._timer.start()

    def stop(self) -> None:
        """Stop beating: no job needs to yield."""
        self._timer.stop()
        self._last = None

    @Slot()
    def _beat(self) -> None:
        self._last = monotonic()

    def stand_back_while_late(self, pause: Callable[[float], object]) -> None:
        """Wait for the next beat if it is overdue. On a worker thread; ``pause`` lets it rest for some seconds."""
        last = self._last
        if last is None or monotonic() - last < LATE_SECONDS:
            return
        while self._last == last and monotonic() - last < MOST_SECONDS:
            pause(LOOK_SECONDS)
