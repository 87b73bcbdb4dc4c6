"""Calls that take a turn of the event loop each, so that keys and painting come between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot


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
