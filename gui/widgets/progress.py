"""Progress bars, and the bar of a share of a context window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QProgressBar, QWidget


class ProgressBar(QProgressBar):
    """``setValue`` and ``setRange`` of Qt paint at once, and with the bar whatever else of the window waits for that.

    Where a page has just come to the front that is the whole page, which is then painted again for what follows.
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
    """A progress bar that the Tab key reaches, so that it is read out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)


NEAR = 0.8
"""From this share of a window on its bar warns."""
_SOFT = 0.45
"""Opacity of the part between the ends of a range."""


def draw_share(
    painter: QPainter, area: QRectF, ends: tuple[float, float], colour: Callable[[str], QColor], *, mirrored: bool
) -> None:
    """Draw the share of a context window that a prompt takes, from a low to a high end: 1 is all of it.

    What is beyond the end is hatched as well as coloured. ``colour`` gives the colour of a role.
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
    """The part of a bar for a share: a small one still shows as a dot, for it is not zero."""
    width = max(area.height(), area.width() * min(1.0, share))
    return _rounded(QRectF(area.right() - width if mirrored else area.left(), area.top(), width, area.height()))


def _rounded(area: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(area, area.height() / 2, area.height() / 2)
    return path
