"""Chips: filters as buttons that are on or off."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMenu, QPushButton

TICK = "✓ "


class Chip(QPushButton):
    """A filter that is on or off: on, it has a tick as well as another colour."""

    def __init__(self, name: str, text: str, spoken: str) -> None:
        super().__init__(objectName=name)
        self._text = text
        self.setProperty("kind", "chip")
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.setAccessibleName(spoken)
        self.setToolTip(spoken)
        self.toggled.connect(self._show)
        self._show()

    def set_text(self, text: str) -> None:
        """Say this, behind a tick where it is on."""
        self._text = text
        self._show()

    @Slot()
    def _show(self) -> None:
        self.setText((TICK if self.isChecked() else "") + self._text)


class MenuChip(Chip):
    """A filter with choices: its menu says what is on."""

    def __init__(self, name: str, text: str, spoken: str) -> None:
        super().__init__(name, text, spoken)
        self.choices = QMenu(self)
        self.choices.setObjectName(f"{name}Menu")
        self.setMenu(self.choices)
