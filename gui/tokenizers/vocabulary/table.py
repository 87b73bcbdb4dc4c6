"""The view of the entries of a vocabulary, and the painter of its cells."""

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
    QStaticText,
    QTransform,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.tokenizers.vocabulary.table_model import ALIGNMENTS, COLUMNS, FIXED_FONT, REMARKS, TOKEN, VocabularyTableModel
from gui.widgets.tables import set_up_rows

END_SPACE = "\N{EM SPACE}"
"""Behind figures and their titles: the column beside them begins at its left, and an arrow stands in it."""
TEXT_MARGIN = 3
"""Between the edge of a cell and its text, as Qt's style has it: its margin for the focus, and one."""
MOST_KEPT = 2000
"""Texts that are kept shaped: those of some ten screens."""

_NO_TURN = QTransform()


class _ShapedTexts:
    """Lines of one font, shaped and measured once. Most of what a search shows was there before it, or is a word or a
    short figure that many rows have."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetrics(font)
        self._kept: dict[tuple[str, int], tuple[QStaticText, int, int]] = {}

    def line(self, text: str, width: int) -> tuple[QStaticText, int, int]:
        """A text in so many pixels, cut with dots where it is wider; its own width and height in pixels."""
        kept = self._kept.get((text, width))
        if kept is None:
            line = self._shaped(text)
            size = line.size()
            if size.width() > width:
                line = self._shaped(self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, width))
                size = line.size()
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            kept = self._kept[text, width] = line, round(size.width()), round(size.height())
        return kept

    def _shaped(self, text: str) -> QStaticText:
        line = QStaticText(text)
        line.setTextFormat(Qt.TextFormat.PlainText)
        line.prepare(_NO_TURN, self.font)
        return line


class EntryPainter:
    """Draws rows that are neither selected nor current: text on a plain or a shaded ground, and nothing else. By Qt's
    view and a delegate they take three times as long, for it asks for a dozen things at each cell; and with every key
    in the search the whole table is drawn anew."""

    def __init__(self, view: QTableView, model: VocabularyTableModel, font: QFont) -> None:
        """``font``: of the columns in ``FIXED_FONT``; the others have that of the view."""
        self._view, self._model = view, model
        self._fixed = _ShapedTexts(font)
        self.follow_font()

    def follow_font(self) -> None:
        """The view has another font."""
        self._plain = _ShapedTexts(self._view.font())
        self._end = self._plain.metrics.horizontalAdvance(END_SPACE)

    def paint(self, rows: Sequence[int]) -> None:
        """Draw these rows, which stand one height after another, as far as they are to be drawn now."""
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
            for column in range(len(COLUMNS)):
                left = view.columnViewportPosition(column) + TEXT_MARGIN
                room = view.columnWidth(column) - 2 * TEXT_MARGIN
                if room > 0 and left < width and left + room > 0:
                    self._paint_column(painter, tops, column, QRect(left, 0, room, height))

    def _paint_column(self, painter: QPainter, tops: Sequence[tuple[int, int]], column: int, area: QRect) -> None:
        """``area``: where the text of a row at the top of the view goes."""
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
    """For the rows that Qt draws. Asks the model for a cell's text directly."""

    def __init__(self, model: VocabularyTableModel, font: QFont, parent: QWidget) -> None:
        """``font``: of the columns in ``FIXED_FONT``."""
        super().__init__(parent)
        self._model, self._fixed = model, font

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        column = index.column()
        option.text = self._model.cell_text(index.row(), column) + (END_SPACE if COLUMNS[column].numeric else "")
        option.displayAlignment = ALIGNMENTS[column]
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        if column in FIXED_FONT:
            option.font = self._fixed


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
