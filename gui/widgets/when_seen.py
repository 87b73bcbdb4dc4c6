"""Work for a widget's picture alone, which can wait until somebody sees it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QWidget


class WhenSeen(QObject):
    """Does it at once where the widget is seen, else when it is next shown, once for all that asked for it.

    Another theme concerns every tab: to draw all of them anew took a tenth of a second, of which one is seen.
    """

    def __init__(self, widget: QWidget, act: Callable[[], object]) -> None:
        super().__init__(widget)
        self._widget, self._act = widget, act
        self._waits = False

    @Slot()
    def ask(self) -> None:
        """Have it done."""
        if self._widget.isVisible():
            self._act()
        elif not self._waits:
            self._waits = True
            self._widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and watched is self._widget and self._waits:
            self._waits = False
            self._widget.removeEventFilter(self)
            self._act()
        return False
