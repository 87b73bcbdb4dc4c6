"""Bar of the parts of a whole, and the squares of its legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.theme import Theme

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
        room = self.width() - GAP * (len(self._parts) - 1)
        x = 0.0
        with QPainter(self) as painter:
            for part in self._parts:
                width = min(max(MIN_WIDTH, room * part.amount / total), self.width() - x)
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
