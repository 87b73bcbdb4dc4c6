"""Rows of a form: a label, its control, and a remark under it."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.widgets.layouts import WhenSeen

LABEL_GAP = 8
SIGNS = {"error": "⚠ ", "warning": "⚠ ", "success": "✓ "}
"""Said by more than colour."""


class Remark(PlainLabel):
    """A sentence under a control: a hint, a warning, or what is wrong. Takes no room while there is nothing to say."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kind = ""
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.hide()
        theme.changed.connect(WhenSeen(self, self._colour).ask)

    def say(self, text: str, kind: str = "") -> None:
        """Say this; ``kind`` is ``error``, ``warning``, ``success`` or nothing."""
        self._kind = kind
        self.setText(SIGNS.get(kind, "") + text if text else "")
        self.setVisible(bool(text))
        self._colour()

    @Slot()
    def _colour(self) -> None:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(self._kind or "stale"))
        self.setPalette(palette)


def form_grid() -> QGridLayout:
    """A grid of two columns. Not a form: forms give texts that wrap the height they would need in a narrow column."""
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(LABEL_GAP)
    grid.setVerticalSpacing(6)
    grid.setColumnStretch(1, 1)
    return grid


def form_row(grid: QGridLayout, text: str, control: QWidget, remark: Remark | None = None) -> None:
    """Add a control with its label in front and a remark below."""
    row = grid.rowCount()
    label = PlainLabel(text)
    label.setBuddy(control)
    if not control.accessibleName():
        control.setAccessibleName(text.replace("&", ""))
    grid.addWidget(label, row, 0)
    grid.addWidget(control, row, 1)
    if remark is not None:
        grid.addWidget(remark, row + 1, 0, 1, 2)
