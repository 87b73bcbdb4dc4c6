"""A table with a column that takes what room there is."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTableView


class StretchedTable(QTableView):
    """Painted once for another size. Qt paints such a table, is told of its stretched columns, and paints it again.

    Signals: ``resized()``: its columns may have other widths now.
    """

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        # All is painted anew after this, with scroll bars and editors where they belong: nothing is left to be told of.
        blocker = QSignalBlocker(self.horizontalHeader())
        super().resizeEvent(event)
        blocker.unblock()
        self.resized.emit()
