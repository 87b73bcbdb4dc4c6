"""The table view of the entries of a vocabulary, and the painter of its cells."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QRegion,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.tokenizers.vocabulary.table_model import (
    ALIGNMENTS,
    COLUMNS,
    FIXED_FONT,
    PARENTS,
    REMARKS,
    TOKEN,
    VocabularyTableModel,
)
from gui.widgets.tables import copy_rows, set_up_rows
from gui.widgets.token_pills import PillPainter, ShapedTexts

END_SPACE = "\N{EM SPACE}\N{FOUR-PER-EM SPACE}"
"""Padding after figures and their titles: separates them from the next column, and leaves room for the sort arrow."""
PILLS = (TOKEN, PARENTS)
"""Columns whose tokens are drawn as pills."""
TEXT_MARGIN = 3
"""Margin between the edge of a cell and its text, in pixels, as in Qt's style: its focus margin plus one."""


class EntryPainter:
    """Painter of rows that are neither selected nor current: text on a plain or shaded background, and nothing else.

    Qt's view and a delegate take three times as long, since they fetch a dozen roles for each cell, and every key in
    the search field repaints the whole table.
    """

    def __init__(self, view: QTableView, model: VocabularyTableModel, font: QFont, theme: Theme) -> None:
        """``font``: of the columns in ``FIXED_FONT``; the others use the font of the view."""
        self._view, self._model = view, model
        self._fixed = ShapedTexts(font)
        self.pills = PillPainter(theme, self._fixed)
        self.follow_font()

    def follow_font(self) -> None:
        """Update to the current font of the view."""
        self._plain = ShapedTexts(self._view.font())
        self._end = self._plain.metrics.horizontalAdvance(END_SPACE)

    def paint(self, rows: Sequence[int]) -> None:
        """Paint these rows, which are adjacent, within the current paint event."""
        view, palette = self._view, self._view.palette()
        height = view.verticalHeader().defaultSectionSize()
        tops = [(row, view.rowViewportPosition(row)) for row in rows]
        with QPainter(view.viewport()) as painter:
            width = min(view.viewport().width(), view.horizontalHeader().length())
            shade = palette.color(QPalette.ColorRole.AlternateBase)
            for row, top in tops:
                if row & 1:
                    painter.fillRect(0, top, width, height, shade)
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for column in range(len(COLUMNS)):
                left = view.columnViewportPosition(column) + TEXT_MARGIN
                room = view.columnWidth(column) - 2 * TEXT_MARGIN
                if room > 0 and left < width and left + room > 0:
                    self._paint_column(painter, tops, column, QRect(left, 0, room, height))

    def _paint_column(self, painter: QPainter, tops: Sequence[tuple[int, int]], column: int, area: QRect) -> None:
        """Paint a column. ``area``: the text area of a row at the top of the view."""
        if column in PILLS:
            for row, top in tops:
                self.pills.paint(painter, area.translated(0, top), self._model.pills(row, column))
            return
        numeric = COLUMNS[column].numeric
        texts = self._fixed if column in FIXED_FONT else self._plain
        left, height, room = area.left(), area.height(), area.width()
        if numeric:
            room -= self._end
        painter.setFont(texts.font)
        cell_text, shaped = self._model.cell_text, texts.line
        for row, top in tops:
            text = cell_text(row, column)
            if text:
                line, wide, high = shaped(text, room)
                at = left + room - wide if numeric else left
                painter.drawStaticText(at, top + (height - high + 1) // 2, line)


class EntryDelegate(QStyledItemDelegate):
    """Delegate for the rows that Qt paints. Fetches texts directly from the model."""

    def __init__(self, model: VocabularyTableModel, font: QFont, theme: Theme, parent: QWidget) -> None:
        """``font``: of the columns in ``FIXED_FONT``."""
        super().__init__(parent)
        self._model, self._fixed = model, font
        self.pills = PillPainter(theme, ShapedTexts(font))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.column() in PILLS:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(option.palette.color(QPalette.ColorRole.Text))
            area = option.rect.adjusted(TEXT_MARGIN, 0, -TEXT_MARGIN, 0)
            self.pills.paint(painter, area, self._model.pills(index.row(), index.column()), outlined=True)
            painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        column = index.column()
        if column in PILLS:
            return
        option.text = self._model.cell_text(index.row(), column) + (END_SPACE if COLUMNS[column].numeric else "")
        option.displayAlignment = ALIGNMENTS[column]
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        if column in FIXED_FONT:
            option.font = self._fixed


ROW_PADDING = 12
CELL_PADDING = 14


class EntryHeader(QHeaderView):
    """Header that pads the titles of figures like the figures in the cells."""

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        if COLUMNS[section].numeric:
            option.text += END_SPACE


class VocabularyTable(QTableView):
    """Table of entries.

    Signals: ``current_id_changed(int)``: the ID of the current row, -1 for none; ``opened(int)``: an ID was opened with
    Enter or a double click.
    """

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
        delegate = EntryDelegate(model, fixed, theme, self)
        self.setItemDelegate(delegate)
        self._painter = EntryPainter(self, model, fixed, theme)
        for painter in (delegate.pills, self._painter.pills):
            theme.changed.connect(painter.follow_theme)
        self._set_behaviour()
        self._fit()
        model.modelReset.connect(self._on_reset)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_double_clicked)

    def _set_behaviour(self) -> None:
        set_up_rows(self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # A scroll bar that appears only when needed would make every other search lay out and paint twice.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.setStretchLastSection(True)
        self.setSortingEnabled(True)

    @property
    def current_id(self) -> int:
        """The ID of the current row, -1 for none. Kept while a search hides it."""
        return self._current

    def show_id(self, token_id: int) -> bool:
        """Make the row of an ID the current one. Return True if it is shown."""
        row = self._entries.row_of(token_id)
        self._current = token_id
        if row >= 0:
            self._select(row, QAbstractItemView.ScrollHint.PositionAtCenter)
        return row >= 0

    def set_empty_text(self, text: str) -> None:
        """Set the text of the empty table."""
        self._empty_text = text
        self.viewport().update()

    def _select(self, row: int, where: QAbstractItemView.ScrollHint) -> None:
        alone = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        index = self._entries.index(row, TOKEN)
        self.selectionModel().setCurrentIndex(index, alone)
        self.scrollTo(index, where)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Let Qt paint selected and current rows, and the painter all others."""
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
        """Return the selected and current rows among these."""
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
            copy_rows(self, self._entries.cell_text)
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
        """Keep the current row if it is still there, else scroll to the top."""
        self.executeDelayedItemsLayout()  # else the first paint lays out the rows, and a second one follows
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

    def _fit(self) -> None:
        metrics, fixed = self.fontMetrics(), QFontMetrics(fixed_font())
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for place, column in enumerate(COLUMNS):
            if place != REMARKS:
                of = fixed if place in FIXED_FONT else metrics
                self.setColumnWidth(place, of.horizontalAdvance(column.widest) + CELL_PADDING)
