"""Builds a tab in steps: whoever turns to it for the first time goes on seeing a window that answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, SignalInstance, Slot

from gui.runtime.event_loop import in_next_turn


class TabBuilding(QObject):
    """Takes one step in each turn of the event loop, or all that are left at once for whoever needs the tab now.

    Keys wait for nobody: an action that puts the keyboard into a tab needs it now, or what is typed next would be lost.
    """

    def __init__(self, steps: Callable[[], Iterator[None]], closed: SignalInstance, parent: QObject) -> None:
        """``steps``: builds the tab, with a yield behind each step. ``closed``: the window has gone; nothing more is
        built."""
        super().__init__(parent)
        self._make = steps
        self._left: Iterator[None] | None = None
        self._is_over = False
        self._waiting: list[Callable[[], None]] = []
        closed.connect(self._stop)

    def begin(self) -> None:
        """Begin in the next turn, unless that was done."""
        if not self._is_over and self._left is None:
            self._left = self._make()
            in_next_turn(self, self._take_step)

    def when_built(self, act: Callable[[], None]) -> None:
        """Call a slot when the tab is built, which begins with this: at once, if it is."""
        if self._is_over:
            act()
            return
        if act not in self._waiting:
            self._waiting.append(act)
        self.begin()

    def finish(self) -> None:
        """Build what is not there yet, now."""
        if self._is_over:
            return
        if self._left is None:
            self._left = self._make()
        for _ in self._left:
            pass
        self._end()

    @Slot()
    def _take_step(self) -> None:
        if self._is_over:
            return
        assert self._left is not None
        try:
            next(self._left)
        except StopIteration:
            self._end()
        else:
            in_next_turn(self, self._take_step)

    def _end(self) -> None:
        self._is_over, self._left = True, None
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()

    @Slot()
    def _stop(self) -> None:
        self._is_over, self._left = True, None
        self._waiting.clear()
