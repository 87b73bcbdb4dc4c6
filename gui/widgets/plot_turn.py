"""Plots drawn one per turn of the event loop, since together they would block the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from gui.look.theme import Theme
from gui.runtime.event_loop import OneATurn, in_next_turn

_NAME = "plotTurns"


class PlotTurn(QObject):
    """Redraw of a plot: at once if no other plot of this theme was drawn in this turn, otherwise in one of the next
    turns.

    Until then the old picture stays. A page, the cost chart below it and the rest of the window are painted together;
    redrawing each plot for a new theme or page would add to that.
    """

    def __init__(self, theme: Theme, widget: QWidget, act: Callable[[], object]) -> None:
        super().__init__(widget)
        turns = theme.findChild(OneATurn, _NAME)
        if turns is None:
            turns = OneATurn(theme)
            turns.setObjectName(_NAME)
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
