"""Plots that are drawn one in a turn of the event loop, because together they would hold up the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from gui.look.theme import Theme
from gui.runtime.event_loop import OneATurn, in_next_turn

_NAME = "plotTurns"


class PlotTurn(QObject):
    """Draws a plot: at once where no other plot of this theme was drawn in this turn, else in one of the next.

    Until then it is shown as it was. A tab, the cost chart below it and everything else in the window are painted
    together: what else a new theme or another tab asks of each of the plots would come on top of that.
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
        """Have it drawn, once for all requests until then."""
        if not self._waits and isValid(self._turns):  # a window on its way out has none
            self._waits = True
            self._turns.call(self._draw)

    def ask_later(self) -> None:
        """Have it drawn in a turn behind this one, which has enough to do: a tab is turned to, or a plot was made."""
        in_next_turn(self, self.ask)

    def _draw(self) -> None:
        self._waits = False
        if isValid(self):  # the plot may be gone by then
            self._act()
