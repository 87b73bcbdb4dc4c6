"""Tables: selection of whole rows, stretched columns, columns fitted to their contents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPointF, QRect, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyleOptionHeader,
    QStyleOptionHeaderV2,
    QTableView,
    QWidget,
)

from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.widgets.delegates import NumberDelegate, TextDelegate

ARROW_ROOM = 14
MAX_COPIED = 100_000
MEASURED_ROWS = 40
"""Number of rows measured to fit a column. Qt's thousand take a tenth of a second."""


ROW_PADDING = 12
"""Height of a row beyond that of a line of text, in pixels."""
CELL_PADDING = 14
"""Width of a cell beyond that of its text, in pixels."""


def set_up_rows(table: QTableView) -> None:
    """Select whole rows of alternating backgrounds and equal height, without headers; Tab leaves the table."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setAlternatingRowColors(True)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setCornerButtonEnabled(False)
    table.setCornerWidget(plain_corner(table))
    rows = table.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    columns = table.horizontalHeader()
    columns.setHighlightSections(False)
    columns.setTextElideMode(Qt.TextElideMode.ElideRight)
    columns.setResizeContentsPrecision(MEASURED_ROWS)


def copy_rows(table: QTableView, text: Callable[[int, int], str]) -> None:
    """Copy the selected rows, up to ``MAX_COPIED``, as tab-separated lines after a line of titles.

    ``text``: returns the text of a cell.
    """
    rows = sorted({index.row() for index in table.selectionModel().selectedRows()})[:MAX_COPIED]
    if not rows:
        return
    model, columns = table.model(), range(table.model().columnCount())
    lines = ["\t".join(model.headerData(column, Qt.Orientation.Horizontal) for column in columns)]
    lines += ["\t".join(text(row, column) for column in columns) for row in rows]
    QApplication.clipboard().setText("\n".join(lines) + "\n")


def set_up_list(table: QTableView, row_padding: int = ROW_PADDING) -> None:
    """Set up flat rows of which one is selected, ``row_padding`` pixels higher than a line of text."""
    set_up_rows(table)
    table.setProperty("kind", "flat")
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + row_padding)


def edit_cell(table: QAbstractItemView, index: QModelIndex) -> None:
    """Open the editor of a cell if it is editable and no editor is open; Qt warns otherwise."""
    editable = index.isValid() and bool(index.flags() & Qt.ItemFlag.ItemIsEditable)
    if editable and table.state() != QAbstractItemView.State.EditingState:
        table.edit(index)


class SortHeader(QHeaderView):
    """Header that sorts on a click. It draws the arrow beside the title; Qt would draw it over one at the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.setSectionsClickable(True)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logical: int) -> None:
        super().initStyleOptionForIndex(option, logical)
        option.sortIndicator = QStyleOptionHeader.SortIndicator.None_

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        painter.save()
        super().paintSection(painter, rect, logical)
        painter.restore()
        if logical != self.sortIndicatorSection():
            return
        option = QStyleOptionHeaderV2()
        self.initStyleOptionForIndex(option, logical)
        width = self.fontMetrics().horizontalAdvance(option.text) + ARROW_ROOM
        at_end = bool(option.textAlignment & Qt.AlignmentFlag.AlignRight) != self.isRightToLeft()
        centre = rect.right() - width if at_end else rect.left() + width
        up = 1.0 if self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder else -1.0
        middle = rect.center().y() + 0.5
        corners = [QPointF(centre + x, middle + y * up) for x, y in ((-3.5, 1.75), (0.0, -1.75), (3.5, 1.75))]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("accent"), 1.6, c=Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(corners)
        painter.restore()


class StretchedTable(QTableView):
    """Painted only once after a resize. Qt paints such a table, is notified of its stretched columns, and paints it
    again.

    Signals: ``resized()`` when its columns may have other widths.
    """

    resized = Signal()

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self.setItemDelegate(NumberDelegate(self))

    def resizeEvent(self, event: QResizeEvent) -> None:
        # Everything is repainted after this, including scroll bars and editors, so the header's signals are redundant.
        blocker = QSignalBlocker(self.horizontalHeader())
        super().resizeEvent(event)
        blocker.unblock()
        self.resized.emit()


class FittedTable(StretchedTable):
    """Table with ``Fixed`` columns as wide as their titles and cells, except a stretched last column.

    ``ResizeToContents`` of Qt gives the same widths, but it queries eight roles of each measured cell, on every change
    and several times while a table is shown or resized. Here only the text of a cell is queried, once, and only for
    visible rows. Rows scrolled into view later may widen a column, never narrow it.
    """

    _unfitted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName=name)
        self._changed: set[int] = set()
        self._measured = range(0)
        # Queued, so that several changes are measured together, still before they are painted.
        self._unfitted.connect(self._fit, Qt.ConnectionType.QueuedConnection)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def setModel(self, model: QAbstractItemModel) -> None:
        """Set the model, once per table; the columns follow its changes."""
        super().setModel(model)
        self._cells = model
        model.modelReset.connect(self._on_all_changed)
        model.layoutChanged.connect(self._on_all_changed)
        model.dataChanged.connect(self._on_data_changed)
        self._on_all_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._on_scrolled()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._on_all_changed()

    @Slot()
    def _on_all_changed(self) -> None:
        self._measured = range(0)
        self._fit_soon(range(self.horizontalHeader().count()))

    @Slot(QModelIndex, QModelIndex)
    def _on_data_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        self._fit_soon(range(first.column(), last.column() + 1))

    @Slot()
    def _on_scrolled(self) -> None:
        if self._measured and not self._changed and not self._are_measured(self._in_sight()):
            self._widen()

    def _fit_soon(self, columns: Iterable[int]) -> None:
        waits = bool(self._changed)
        self._changed.update(columns)
        if self._changed and not waits and self.isVisible():
            self._unfitted.emit()

    @Slot()
    def _fit(self) -> None:
        if not self._changed or not self.isVisible():
            return
        changed, self._changed = self._changed, set()
        self._measured = self._to_measure()
        for column in changed:
            self._give_room(column, 0)

    def _widen(self) -> None:
        self._measured = self._to_measure()
        for column in range(self.horizontalHeader().count()):
            self._give_room(column, self.columnWidth(column))

    def _give_room(self, column: int, least: int) -> None:
        header = self.horizontalHeader()
        stretched = header.stretchLastSection() and column == header.count() - 1
        if stretched or header.sectionResizeMode(column) != QHeaderView.ResizeMode.Fixed:
            return
        texts = {self._text(row, column): row for row in self._measured}
        # The delegate knows the margins around a text; it is queried for the widest text only.
        row = texts[max(texts, key=self.fontMetrics().horizontalAdvance)] if texts else -1
        widest = self._cells.index(row, column)
        needed = max(header.minimumSectionSize(), header.sectionSizeHint(column), self.sizeHintForIndex(widest).width())
        self.setColumnWidth(column, max(least, needed))

    def _text(self, row: int, column: int) -> str:
        delegate = self.itemDelegate()
        if isinstance(delegate, TextDelegate):
            return delegate.written(row, column)
        return self._cells.index(row, column).data() or ""

    def _in_sight(self) -> range:
        top, bottom = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        return range(max(top, 0), bottom + 1 if bottom >= 0 else self._cells.rowCount())

    def _are_measured(self, rows: range) -> bool:
        """Return True if these rows, up to the number that is measured at all, have been measured."""
        some = rows[:MEASURED_ROWS]
        return not some or (some[0] in self._measured and some[-1] in self._measured)

    def _to_measure(self) -> range:
        """Return the rows in view, extended to the number measured if they are few."""
        rows = self._cells.rowCount()
        first = max(0, min(self._in_sight().start, rows - MEASURED_ROWS))
        return range(first, min(rows, first + MEASURED_ROWS))
