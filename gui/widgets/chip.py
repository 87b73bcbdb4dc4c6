"""Chips: filters as toggle buttons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QDialog, QMenu, QPushButton

TICK = "✓ "


class Chip(QPushButton):
    """A filter that is on or off. When on, it has a tick besides another colour."""

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
        """Set the text, shown after a tick while the chip is on."""
        self._text = text
        self._show()

    @Slot()
    def _show(self) -> None:
        self.setText((TICK if self.isChecked() else "") + self._text)


class MenuChip(Chip):
    """A filter with choices in a menu."""

    def __init__(self, name: str, text: str, spoken: str) -> None:
        super().__init__(name, text, spoken)
        self.choices = QMenu(self)
        self.choices.setObjectName(f"{name}Menu")
        self.setMenu(self.choices)


class ChoiceChip(MenuChip):
    """A choice among several, shown on the chip. The first choice means no filter, so the chip is off.

    Methods mirror those of a combo box. Signals: ``picked(int)``.
    """

    picked = Signal(int)

    def __init__(self, name: str, choices: Sequence[tuple[str, Any]], spoken: str) -> None:
        """``choices``: text and data of each."""
        super().__init__(name, choices[0][0], spoken)
        self._choices = tuple(choices)
        self._current = 0
        self._group = QActionGroup(self)
        for text, _datum in choices:
            action = self.choices.addAction(text.replace("&", "&&"))
            action.setCheckable(True)
            self._group.addAction(action)
        self._group.triggered.connect(self._on_triggered)
        self._group.actions()[0].setChecked(True)

    def set_hints(self, hints: Sequence[str]) -> None:
        """Give each choice a tooltip."""
        self.choices.setToolTipsVisible(True)
        for action, hint in zip(self._group.actions(), hints, strict=True):
            action.setToolTip(hint)

    def count(self) -> int:
        """Return the number of choices."""
        return len(self._choices)

    def currentIndex(self) -> int:
        return self._current

    def currentData(self) -> Any:
        return self._choices[self._current][1]

    def findText(self, text: str) -> int:
        return next((place for place, choice in enumerate(self._choices) if choice[0] == text), -1)

    def setCurrentIndex(self, index: int) -> None:
        if not 0 <= index < len(self._choices) or index == self._current:
            return
        self._current = index
        self._group.actions()[index].setChecked(True)
        self.setChecked(index > 0)
        self.set_text(self._choices[index][0])
        self.picked.emit(index)

    @Slot()
    def _on_triggered(self) -> None:
        self.setCurrentIndex(self._group.actions().index(self._group.checkedAction()))


class PopoverChip(Chip):
    """A filter whose fields are in a popover below it. ``set_on`` alone decides if it is on; clicks do not."""

    def __init__(self, name: str, text: str, spoken: str, popover: QDialog) -> None:
        super().__init__(name, text, spoken)
        self._popover, self._on = popover, False
        self.clicked.connect(self._open)

    def set_on(self, on: bool, text: str) -> None:
        """Show whether the filter is on, and its value."""
        self._on = on
        self.setChecked(on)
        self.set_text(text)

    @Slot()
    def _open(self) -> None:
        self.setChecked(self._on)
        self._popover.adjustSize()
        self._popover.move(self.mapToGlobal(QPoint(0, self.height() + 4)))
        self._popover.show()
        self._popover.setFocus(Qt.FocusReason.PopupFocusReason)
