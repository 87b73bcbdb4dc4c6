"""The table of a vocabulary's entries as a widget."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyleOptionHeader,
    QTableView,
    QWidget,
)

from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.tokenizers.vocabulary.columns import COLUMNS, REMARKS, TOKEN
from gui.tokenizers.vocabulary.entry_painter import END_SPACE, EntryDelegate, EntryPainter
from gui.tokenizers.vocabulary.table_model import VocabularyTableModel
from gui.widgets.tables import set_up_rows

ROW_PADDING = 12
CELL_PADDING = 14
MOST_COPIED = 100_000


class EntryHeader(QHeaderView):
    """Leaves as much room behind the titles of figures as the cells do behind the figures."""

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        if COLUMNS[section].numeric:
            option.text += END_SPACE


class VocabularyTable(QTableView):
    """Signals: ``current_id_changed(int)``: the id of the current row, -1 for none; ``opened(int)``: an id was opened
    with Enter or two clicks."""

    current_id_changed = Signal(int)
    opened = Signal(int)

    def __init__(self, model: VocabularyTableModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vocabTable")
        self.setAccessibleName(self.tr("Entries of the vocabulary"))
        self._entries, self._theme = model, theme
        self._current = -1
        self._empty_text = ""
        self.setHorizontalHeader(EntryHeader(Qt.Orientation.Horizontal, self))
        self.setModel(model)
        fixed = fixed_font()
        self.setItemDelegate(EntryDelegate(model, fixed, self))
        self._painter = EntryPainter(self, model, fixed)
        self._set_behaviour()
        self._fit()
        model.modelReset.connect(self._on_reset)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_double_clicked)

    def _set_behaviour(self) -> None:
        set_up_rows(self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # One that comes and goes with the number of rows would have every other search laid out and drawn twice.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.setStretchLastSection(True)
        self.setSortingEnabled(True)

    @property
    def current_id(self) -> int:
        """The id of the current row, -1 for none. Stays while a search does not show it."""
        return self._current

    def show_id(self, token_id: int) -> bool:
        """Make an id's row the current one. Whether it is shown."""
        row = self._entries.row_of(token_id)
        self._current = token_id
        if row >= 0:
            self._select(row, QAbstractItemView.ScrollHint.PositionAtCenter)
        return row >= 0

    def set_empty_text(self, text: str) -> None:
        """What stands in the table while it has no rows."""
        self._empty_text = text
        self.viewport().update()

    def _select(self, row: int, where: QAbstractItemView.ScrollHint) -> None:
        alone = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        index = self._entries.index(row, TOKEN)
        self.selectionModel().setCurrentIndex(index, alone)
        self.scrollTo(index, where)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt draws the rows that are selected or current, the painter all others."""
        top, bottom = event.rect().top(), event.rect().bottom()
        first, last = self.rowAt(top), self.rowAt(bottom)
        if first >= 0:
            rows = range(first, (last if last >= 0 else self._entries.rowCount() - 1) + 1)
            marked = self._marked(rows)
            if marked:
                super().paintEvent(QPaintEvent(event.region() & self._area(marked)))
            self._painter.paint([row for row in rows if row not in marked])
        if self._empty_text and not self._entries.rowCount():
            with QPainter(self.viewport()) as painter:
                painter.setPen(self._theme.colour("stale"))
                area = self.viewport().rect().adjusted(CELL_PADDING, CELL_PADDING, -CELL_PADDING, -CELL_PADDING)
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty_text)

    def _marked(self, rows: range) -> set[int]:
        """Those of some rows that are selected or current."""
        marked = {self.currentIndex().row()} & set(rows)
        for chosen in self.selectionModel().selection().toList():
            marked.update(range(max(chosen.top(), rows.start), min(chosen.bottom() + 1, rows.stop)))
        return marked

    def _area(self, rows: set[int]) -> QRegion:
        area, width = QRegion(), self.viewport().width()
        for row in rows:
            area += QRect(0, self.rowViewportPosition(row), width, self.rowHeight(row))
        return area

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self._entries.id_at(self.currentIndex().row()))
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.model() is not None:
            self._painter.follow_font()
            self._fit()

    @Slot()
    def _on_reset(self) -> None:
        """The row that was current stays so, if it is still there; else the table begins at its top."""
        self.executeDelayedItemsLayout()  # else the first picture lays the rows out, and a second one follows it
        row = self._entries.row_of(self._current)
        if row >= 0:
            self._select(row, QAbstractItemView.ScrollHint.EnsureVisible)
        else:
            self.scrollToTop()

    @Slot(QModelIndex)
    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid():
            self._current = self._entries.id_at(index.row())
            self.current_id_changed.emit(self._current)

    @Slot(QModelIndex)
    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.opened.emit(self._entries.id_at(index.row()))

    def _copy(self) -> None:
        """The selected rows, separated by tabs, the names of the columns first."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})[:MOST_COPIED]
        if not rows:
            return
        model, columns = self._entries, range(len(COLUMNS))
        lines = ["\t".join(model.headerData(column, Qt.Orientation.Horizontal) for column in columns)]
        lines += ["\t".join(model.cell_text(row, column) for column in columns) for row in rows]
        QApplication.clipboard().setText("\n".join(lines) + "\n")

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for place, column in enumerate(COLUMNS):
            if place != REMARKS:
                self.setColumnWidth(place, metrics.horizontalAdvance(column.widest) + CELL_PADDING)
