"""A table of pairs or merges."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from gui.look.fonts import fixed_font
from gui.tokenizers.merges.tables import MergeTable
from gui.tokenizers.train.feed import CELL_PADDING, ROW_PADDING
from gui.widgets.tables import StretchedTable, set_up_rows

WIDEST = ("Merge ", "", "no token ", "1000000 ")


class MergeTableView(StretchedTable):
    """Signals: ``row_chosen(int)``: the row at the keyboard or pointer is another one."""

    row_chosen = Signal(int)

    def __init__(self, model: MergeTable, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setModel(model)
        self._showing = False
        self.setFont(fixed_font())
        set_up_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for column, widest in enumerate(WIDEST):
            if widest:
                self.setColumnWidth(column, metrics.horizontalAdvance(widest) + CELL_PADDING)
        self.selectionModel().currentRowChanged.connect(self._on_row)

    def show_row(self, row: int) -> None:
        """Mark a row and bring it into sight; -1 for none."""
        self._showing = True
        if 0 <= row < self.model().rowCount():
            self.setCurrentIndex(self.model().index(row, 0))
        else:
            self.selectionModel().clear()
            self.scrollToTop()
        self._showing = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    @Slot()
    def _on_row(self) -> None:
        if not self._showing and self.currentIndex().isValid():
            self.row_chosen.emit(self.currentIndex().row())
