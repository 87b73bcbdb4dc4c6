"""The parts of a request as one bar, each with its name and tokens below it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.figures import figure
from gui.look.theme import Theme

BAR_HEIGHT = 8
SQUARE = 9
GAP = 2
ROLES = ("meter", "warning", "success", "syntax_key")
"""Colours of the theme, in the order of the parts."""


class PartsBar(QWidget):
    """``show_parts`` takes name and tokens of each part, at most as many as there are ``ROLES``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._parts: tuple[tuple[str, int], ...] = ()
        self.setObjectName("requestPartsBar")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_parts(self, parts: Sequence[tuple[str, int]]) -> None:
        """Show these, those without tokens left out."""
        self._parts = tuple(part for part in parts if part[1] > 0)[: len(ROLES)]
        words = ", ".join(f"{name} {figure(self.locale(), tokens)}" for name, tokens in self._parts)
        self.setAccessibleName(self.tr("Parts of the request: {parts}").format(parts=words))
        self.setVisible(bool(self._parts))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, BAR_HEIGHT + self.fontMetrics().height() + 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        total = sum(tokens for _name, tokens in self._parts)
        if not total:
            return
        room = self.width() - GAP * (len(self._parts) - 1)
        x = legend = 0.0
        metrics = self.fontMetrics()
        with QPainter(self) as painter:
            for (name, tokens), role in zip(self._parts, ROLES, strict=False):
                colour = self._theme.colour(role)
                width = max(3.0, room * tokens / total)
                painter.fillRect(QRectF(x, 0, min(width, self.width() - x), BAR_HEIGHT), colour)
                x += width + GAP
                top = BAR_HEIGHT + 6
                painter.fillRect(QRectF(legend, top + (metrics.height() - SQUARE) / 2, SQUARE, SQUARE), colour)
                words = f"{name}  {figure(self.locale(), tokens)}"
                painter.setPen(self._theme.colour("window_text"))
                painter.drawText(int(legend) + SQUARE + 5, top + metrics.ascent(), words)
                legend += SQUARE + 5 + metrics.horizontalAdvance(words) + 16
