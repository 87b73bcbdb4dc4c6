"""The merges of a run as they happen. The table follows the newest one until somebody scrolls up to read."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.look.fonts import fixed_font
from gui.tokenizers.train.feed_table import COLUMNS, PAIR, TOKEN, MergeFeedModel, alignment
from gui.widgets.tables import StretchedTable, set_up_rows

ROW_PADDING = 12
CELL_PADDING = 14
MOST_COPIED = 100_000


class MergeDelegate(QStyledItemDelegate):
    """Draws cells from the model directly: the default delegate asks for a dozen roles a cell, through Qt's variant."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.token_font = fixed_font()

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        model = index.model()
        if not isinstance(model, MergeFeedModel):
            super().initStyleOption(option, index)
            return
        column = index.column()
        option.displayAlignment = alignment(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.text = model.cell_text(index.row(), column)
        if column in (PAIR, TOKEN):
            option.font = self.token_font


class MergeFeed(StretchedTable):
    """The table of merges.

    Signals: ``following_changed(bool)``: whether the newest merge is kept in sight.
    """

    following_changed = Signal(bool)

    def __init__(self, model: MergeFeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trainFeed")
        self.setAccessibleName(self.tr("Merges, in the order in which they were learned"))
        self._following = True
        self.setModel(model)
        self.setItemDelegate(MergeDelegate(self))
        set_up_rows(self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in (PAIR, TOKEN):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self._fit()
        model.rowsInserted.connect(self._on_inserted)
        model.modelReset.connect(self._on_reset)
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled)

    @property
    def following(self) -> bool:
        """Whether the newest merge is kept in sight."""
        return self._following

    @Slot(bool)
    def set_following(self, following: bool) -> None:
        """Keep the newest merge in sight from now on, or stay where it is."""
        if following:
            self.scrollToBottom()
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self._look_where()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
            return
        super().keyPressEvent(event)
        self._look_where()

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange and self.model() is not None:
            self._fit()

    @Slot()
    def _on_inserted(self) -> None:
        if self._following:
            self.scrollToBottom()

    @Slot()
    def _on_reset(self) -> None:
        self.set_following(True)

    @Slot()
    def _on_scrolled(self) -> None:
        # The slider is where it will be, the bar's value is not yet.
        bar = self.verticalScrollBar()
        self._set_by_user(bar.sliderPosition() >= bar.maximum())

    def _look_where(self) -> None:
        bar = self.verticalScrollBar()
        self._set_by_user(bar.value() >= bar.maximum())

    def _set_by_user(self, at_end: bool) -> None:
        if at_end != self._following:
            self._following = at_end
            self.following_changed.emit(at_end)

    def _copy(self) -> None:
        """The selected rows, separated by tabs, the names of the columns first."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})[:MOST_COPIED]
        if not rows:
            return
        model = self.model()
        titles = (model.headerData(column, Qt.Orientation.Horizontal) for column in range(len(COLUMNS)))
        lines = ["\t".join(titles)]
        lines += ["\t".join(model.cell_text(row, column) for column in range(len(COLUMNS))) for row in rows]
        QApplication.clipboard().setText("\n".join(lines) + "\n")

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for place, column in enumerate(COLUMNS):
            if place not in (PAIR, TOKEN):
                self.setColumnWidth(place, metrics.horizontalAdvance(column.widest) + CELL_PADDING)
