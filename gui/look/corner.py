"""The corner between two scroll bars."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractScrollArea, QWidget


def plain_corner(area: QAbstractScrollArea) -> QWidget:
    """Return a corner in the background of its area. Fusion fills it with a colour that ``Theme`` uses for outlines."""
    return QWidget(area)
