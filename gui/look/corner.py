"""The corner between two scroll bars."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QWidget


def plain_corner(area: QAbstractScrollArea) -> QWidget:
    """Return a corner in the colour of buttons. Fusion fills it with the window colour, which ``Theme`` uses for
    outlines."""
    corner = QWidget(area)
    corner.setAutoFillBackground(True)
    corner.setBackgroundRole(QPalette.ColorRole.Button)
    return corner
