"""Fills many rectangles at once."""

from __future__ import annotations

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QPainter


class Rectangles:
    """Hands arrays of rectangles to Qt, which reads them from a piece of memory that stays where it is."""

    def __init__(self) -> None:
        self._reserve(256)

    def fill(self, painter: QPainter, rects: NDArray[np.float64], brush: QBrush) -> None:
        """Fill rectangles, float64[n, 4], in one call."""
        count = len(rects)
        if not count:
            return
        if count > len(self._memory):
            self._reserve(2 * count)
        self._memory[:count] = rects
        painter.setBrush(brush)
        painter.drawRects(self._first, count)

    def _reserve(self, count: int) -> None:
        # Asking an array for its address takes longer than copying the rectangles of a line.
        self._memory = np.empty((count, 4))
        self._first = shiboken6.wrapInstance(self._memory.ctypes.data, QRectF)
