"""Draws the rows of the vocabulary table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette, QStaticText, QTransform
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from gui.tokenizers.vocabulary.columns import COLUMNS, FIXED_FONT
from gui.tokenizers.vocabulary.table_model import ALIGNMENTS, VocabularyTableModel

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
