"""Plot of the accumulated cost of conversations over their turns. Imports pyqtgraph; import it late."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.costs.bars import MoneyAxis
from gui.costs.money_text import CostText, total_text
from gui.look.line_styles import LINE_STYLES, MARK, line_pen
from gui.look.theme import Theme
from gui.widgets.plot_axis import PlotAxis

if TYPE_CHECKING:
    from gui.costs.conversation_service import Talk
    from pricing.scenarios import Turn

MARKS = 10
"""Number of marks on a line: enough to identify it, few enough to see it."""
MAX_POINTS = 400
"""Maximum number of points of a line: more would not be visible. Six lines of ten thousand points took 34 ms to paint
and 39 ms to prepare; with this many points, 15 and 11 ms."""
HEAD_ROOM = 1.05
EDGE = 0.3
"""Room after the last turn for its number and the range, in turns."""


class ConversationPlot(pg.PlotWidget):
    """Plot with a line for each model, with its range at the end if the token count is one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._money = MoneyAxis("left", levels=2)
        self._money.enableAutoSIPrefix(False)
        axes = {"left": self._money, "bottom": PlotAxis("bottom")}
        super().__init__(parent, axisItems=axes, background=theme.colour("base"), enableMenu=False)
        self.setObjectName("conversationPlot")
        self._theme = theme
        self._lines = [
            (pg.PlotCurveItem(), pg.ScatterPlotItem(), pg.PlotCurveItem(connect="pairs")) for _ in LINE_STYLES
        ]
        for items in self._lines:
            for item in items:
                self.addItem(item)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getViewBox().setDefaultPadding(0.0)
        self.getPlotItem().setContentsMargins(2, 6, 10, 2)
        self.getPlotItem().setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # turns go to the right in every locale
        self.setLabel("bottom", self.tr("Turn"))
        self.setAccessibleName(self.tr("Cumulative cost by turn"))

    def draw(self, talks: Sequence[Talk], text: CostText) -> None:
        """Replace everything drawn, in the current colours and font. Conversations of unknown cost have no line."""
        self._money.text = text
        self._style(text)
        highest = 0.0
        for place, (style, items) in enumerate(zip(LINE_STYLES, self._lines, strict=True)):
            talk = talks[place] if place < len(talks) else None
            xs, ys = _line(talk, text)
            pen = line_pen(style, self._theme)
            items[0].setData(xs, ys, pen=pen)
            step = max(1, len(xs) // MARKS)
            # Marks of each line begin at a different turn, so that similar lines do not cover each other's.
            chosen = slice(place % step, None, step)
            colour = self._theme.colour(style.role)
            items[1].setData(xs[chosen], ys[chosen], symbol=style.mark, size=MARK, pen=pg.mkPen(colour), brush=colour)
            low, high = _range(talk, text)
            items[2].setData(
                [xs[-1]] * 2 if xs and low < high else [], [low, high] if xs and low < high else [], pen=pen
            )
            highest = max(highest, high, *ys)
        turns = len(talks[0].turns) if talks else 1
        self.getViewBox().setRange(
            xRange=(1 - EDGE, max(2, turns) + EDGE), yRange=(0, highest * HEAD_ROOM or 1), padding=0
        )
        self.showGrid(x=False, y=True, alpha=0.25)
        self.setAccessibleDescription(
            "; ".join(f"{talk.model.name}: {total_text(talk.turns[-1], text)}" for talk in talks)
        )

    def _style(self, text: CostText) -> None:
        self.setBackground(self._theme.colour("base"))
        colour = self._theme.colour("text")
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(self._theme.colour("outline"))
            axis.setTextPen(colour)
            axis.setTickFont(self.font())
            axis.label.setFont(self.font())
        self.setLabel("left", self.tr("Cost so far, {code}").format(code=text.currency.code))


def _line(talk: Talk | None, text: CostText) -> tuple[list[float], list[float]]:
    """Return turns and amounts, empty if an amount is unknown. Drawing works in floats."""
    if talk is None or any(turn.total_usd is None for turn in talk.turns):
        return [], []
    turns = _some_of(talk.turns)
    amounts = [float(text.converted(turn.total_usd)) for turn in turns if turn.total_usd is not None]
    return [float(turn.number) for turn in turns], amounts


def _some_of(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return evenly spaced turns, including the first and the last; all turns if they are few."""
    if len(turns) <= MAX_POINTS:
        return turns
    last = len(turns) - 1
    return [turns[last * place // (MAX_POINTS - 1)] for place in range(MAX_POINTS)]


def _range(talk: Talk | None, text: CostText) -> tuple[float, float]:
    last: Any = talk.turns[-1] if talk is not None else None
    if last is None or last.total_usd_low is None or last.total_usd_high is None:
        return 0.0, 0.0
    return float(text.converted(last.total_usd_low)), float(text.converted(last.total_usd_high))
