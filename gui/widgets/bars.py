"""Bars: progress, the share of a context window, and the parts of a whole, with the squares of their legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from gui.look.theme import Theme


class ProgressBar(QProgressBar):
    """Progress bar that defers painting. Qt's ``setValue`` and ``setRange`` repaint at once, and with the bar
    everything else that is due in the window.

    Right after a page was brought to the front, that is the whole page, which is then painted again for later changes.
    """

    def setValue(self, value: int) -> None:
        if value != self.value():
            with self._painted_later():
                super().setValue(value)

    def setRange(self, minimum: int, maximum: int) -> None:
        if (minimum, maximum) != (self.minimum(), self.maximum()):
            with self._painted_later():
                super().setRange(minimum, maximum)

    @contextmanager
    def _painted_later(self) -> Iterator[None]:
        self.setUpdatesEnabled(False)
        try:
            yield
        finally:
            self.setUpdatesEnabled(True)


class ReachableProgressBar(ProgressBar):
    """A progress bar in the tab order, so that screen readers read it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)


# --- share of a context window ----------------------------------------------------------------------------------------

NEAR = 0.8
"""Share of the context window from which the bar warns."""
_SOFT = 0.45
"""Opacity of the span between the ends of a range."""


def draw_share(
    painter: QPainter, area: QRectF, ends: tuple[float, float], colour: Callable[[str], QColor], *, mirrored: bool
) -> None:
    """Draw the share of a context window that a prompt takes, from its low to its high end; 1 is all of it.

    A share above 1 is also hatched, not only coloured. ``colour`` returns the colour of a role.
    """
    low, high = ends
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    whole = _rounded(area)
    painter.fillPath(whole, colour("meter_track"))
    if high <= 0:
        return
    shade = colour("meter_over" if high > 1 else "meter_near" if high >= NEAR else "meter")
    if high > low:
        soft = QColor(shade)
        soft.setAlphaF(_SOFT)
        painter.fillPath(_part(area, high, mirrored), soft)
    if low > 0:
        painter.fillPath(_part(area, low, mirrored), shade)
    if low > 1:
        painter.fillPath(whole, QBrush(colour("base"), Qt.BrushStyle.BDiagPattern))


def _part(area: QRectF, share: float, mirrored: bool) -> QPainterPath:
    """Return the filled area for a share. A small share still shows as a dot, since it is not zero."""
    width = max(area.height(), area.width() * min(1.0, share))
    return _rounded(QRectF(area.right() - width if mirrored else area.left(), area.top(), width, area.height()))


def _rounded(area: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(area, area.height() / 2, area.height() / 2)
    return path


# --- parts of a whole -------------------------------------------------------------------------------------------------

BAR_HEIGHT = 8
SQUARE = 9
GAP = 2
MIN_WIDTH = 3.0
"""Minimum width of a part, in pixels."""


class Part(NamedTuple):
    """A part: its amount, and the theme roles of its fill and its outline; it may lack one of them."""

    amount: int
    fill: str
    edge: str = ""


class PartsBar(QWidget):
    """Bar of parts, in their order. It is hidden if there is nothing to show."""

    def __init__(self, theme: Theme, name: str) -> None:
        """``name``: object name."""
        super().__init__(objectName=name)
        self._theme = theme
        self._parts: tuple[Part, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_parts(self, parts: Sequence[Part], spoken: str) -> None:
        """Show these parts; those without an amount are omitted. ``spoken``: accessible name."""
        self._parts = tuple(part for part in parts if part.amount > 0)
        self.setAccessibleName(spoken)
        self.setVisible(bool(self._parts))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, BAR_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, BAR_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        total = sum(part.amount for part in self._parts)
        filled = self.width() - GAP * (len(self._parts) - 1)
        x = 0.0
        with QPainter(self) as painter:
            for part in self._parts:
                width = min(max(MIN_WIDTH, filled * part.amount / total), self.width() - x)
                left = self.width() - x - width if self.isRightToLeft() else x
                draw_part(painter, QRectF(left, 0, width, BAR_HEIGHT), part, self._theme)
                x += width + GAP


class PartSquare(QWidget):
    """Square in the colour of a part, for a legend."""

    def __init__(self, part: Part, theme: Theme) -> None:
        super().__init__()
        self._part, self._theme = part, theme
        self.setFixedSize(SQUARE, SQUARE)
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            draw_part(painter, QRectF(self.rect()), self._part, self._theme)


def draw_part(painter: QPainter, area: QRectF, part: Part, theme: Theme) -> None:
    """Draw the fill and the outline of a part in an area."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.colour(part.edge), 1.2) if part.edge else Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour(part.fill) if part.fill else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(area.adjusted(0.6, 0.6, -0.6, -0.6) if part.edge else area, 2, 2)
