"""Turns of the event loop: deferred calls and redraws, one call per turn, and a heartbeat by which jobs detect a busy
GUI thread.

Python runs one thread at a time, and a thread that waits for the GIL has no priority: with three pure-Python jobs the
GUI thread waits three milliseconds at each call into Qt, with five jobs eight. A dialog that takes fifty milliseconds
to fill, with a hundred such calls, then takes half a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, SignalInstance, Slot
from shiboken6 import isValid

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


# --- turns ------------------------------------------------------------------------------------------------------------


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


_PLOT_TURNS = "plotTurns"
"""Object name of the queue that the plots with one theme share."""


class PlotTurn(QObject):
    """Redraw of a plot: at once if no other plot with this theme was drawn in this turn, otherwise in one of the next.

    Until then the old picture stays. A page, the cost chart below it and the rest of the window are painted together;
    redrawing each plot for a new theme or page would add to that.
    """

    def __init__(self, theme: QObject, widget: QObject, act: Callable[[], object]) -> None:
        super().__init__(widget)
        turns = theme.findChild(OneATurn, _PLOT_TURNS)
        if turns is None:
            turns = OneATurn(theme)
            turns.setObjectName(_PLOT_TURNS)
        self._turns, self._act = turns, act
        self._waits = False

    @Slot()
    def ask(self) -> None:
        """Request a redraw, once for all requests until then."""
        if not self._waits and isValid(self._turns):  # a closing window has none
            self._waits = True
            self._turns.call(self._draw)

    def ask_later(self) -> None:
        """Request a redraw in a later turn, since this one is busy: a page is being shown, or a plot was created."""
        in_next_turn(self, self.ask)

    def _draw(self) -> None:
        self._waits = False
        if isValid(self):  # the plot may have been destroyed meanwhile
            self._act()


class WhenShown(QObject):
    """Action that runs at once if its widget is visible, otherwise when it is next shown, once for all requests.

    A theme change concerns every page: redrawing all of them took a tenth of a second, though only one is visible.
    """

    def __init__(self, widget: QWidget, act: Callable[[], object]) -> None:
        super().__init__(widget)
        self._widget, self._act = widget, act
        self._waits = False

    @Slot()
    def ask(self) -> None:
        """Request the action."""
        if self._widget.isVisible():
            self._act()
        elif not self._waits:
            self._waits = True
            self._widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and watched is self._widget and self._waits:
            self._waits = False
            self._widget.removeEventFilter(self)
            self._act()
        return False


# --- busy event loop --------------------------------------------------------------------------------------------------

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
    """Heartbeat of the GUI thread while jobs run.

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
