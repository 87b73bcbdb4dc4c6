"""Progress bars, and a bar for the share of a context window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QProgressBar, QWidget


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
