"""Widget of the cost table: columns that can be selected, moved and resized; sorting by several of them.

Two views show the same model: the strip below the prompt in six columns, and the page Models in those of a preset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QAccessible,
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.costs.columns import COLUMN_INDEX, COLUMNS, title_of
from gui.costs.cost_table import (
    BAR_WIDTH,
    PADDING,
    ROW_PADDING,
    STAR_RADIUS,
    CellLooks,
    CostCells,
    CostTableModel,
    star,
)
from gui.costs.rows import CostRow
from gui.look.fonts import set_weight
from gui.look.theme import Theme
from gui.widgets.delegates import SINGLE_LINE
from gui.widgets.tables import CELL_PADDING, edit_cell

if TYPE_CHECKING:
    from pricing.types import Price

ROW_HEIGHT = 28
FOCUS_WIDTH = 2
FIT_MS = 200
"""Time within which changes are checked together for figures that need a wider column, in milliseconds."""
FLASH_MS = 1200
"""Time that a row stays marked after its price changed, in milliseconds."""
FLASH_ALPHA = 70
MEASURED = 4
"""Number of the longest texts of a column that are measured: the widest is one of them."""
ARROW_WIDTH = 15.0
"""Width of a sort arrow beside its title, in pixels."""
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"

STRIP = ("favourite", "model", "tokens", "total", "calls", "context")
_SIMPLE = ("favourite", "model", "tokens", "input_price", "output_price", "total", "calls", "context")
PRESETS: dict[str, tuple[str, ...]] = {
    "simple": STRIP,
    "prices": _SIMPLE,
    "caching": (*_SIMPLE[:5], "cached_price", "input_cost", "output_cost", "total", "calls", "break_even"),
    "audit": ("favourite", "model", "tokens", "label", "tokenizer", "total", "checked", "origin", "source", "notes"),
    "everything": tuple(column.key for column in COLUMNS),
}
"""Columns of each preset, by key."""


class CostHeader(QHeaderView):
    """Header with titles aligned with their figures. Every sort column has an arrow, and its rank if there are several.

    ``held`` is True while a mouse button is down on the header: sizes that change then are changed by hand.
    """

    def __init__(self, table: CostTableModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._table, self._theme = table, theme
        self.held = False
        self.setSectionsMovable(True)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)
        theme.changed.connect(self.viewport().update)

    def width_of_title(self, logical: int) -> int:
        """Return the width of a title with its arrow and rank."""
        if COLUMNS[logical].painted == "star":
            return 0
        text = self._title(logical) + _SUPERSCRIPT[1]
        return ceil(QFontMetricsF(self._title_font()).horizontalAdvance(text) + ARROW_WIDTH + 2 * PADDING)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        if not rect.isValid():
            return
        declared, (rank, order) = COLUMNS[logical], self._sorted_by(logical)
        painter.save()
        painter.fillRect(rect, self._theme.colour("surface"))
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, self._theme.colour("line"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if declared.painted == "star":
            painter.setPen(QPen(self._theme.colour("quiet"), 1.1))
            painter.drawPolygon(star(QPointF(rect.center()) + QPointF(1.5, 0.5), STAR_RADIUS))
        else:
            self._draw_title(painter, QRectF(rect).adjusted(PADDING, 0, -PADDING, -1), logical, rank, order)
        painter.restore()

    def _draw_title(self, painter: QPainter, area: QRectF, logical: int, rank: str, order: Qt.SortOrder | None) -> None:
        """Draw a title on the side where the cells are aligned, its arrow on the inner side."""
        font = self._title_font()
        metrics, space = QFontMetricsF(font), area.width() - (ARROW_WIDTH if order is not None else 0.0)
        text = metrics.elidedText(self._title(logical) + rank, Qt.TextElideMode.ElideRight, max(0.0, space))
        width, at_end = metrics.horizontalAdvance(text), COLUMNS[logical].numeric
        mirrored = self.isRightToLeft()
        left = area.right() - width if at_end != mirrored else area.left()
        painter.setFont(font)
        painter.setPen(self._theme.colour("quiet" if order is None else "text"))
        painter.drawText(QRectF(left, area.top(), width + 1, area.height()), SINGLE_LINE, text)
        if order is not None:
            centre = left - ARROW_WIDTH / 2 if at_end != mirrored else left + width + ARROW_WIDTH / 2
            up = 1.0 if order == Qt.SortOrder.AscendingOrder else -1.0
            middle = area.center().y() + 0.5
            corners = [QPointF(centre + x, middle + y * up) for x, y in ((-3.5, 1.75), (0.0, -1.75), (3.5, 1.75))]
            painter.setPen(QPen(self._theme.colour("accent"), 1.6, c=Qt.PenCapStyle.RoundCap))
            painter.drawPolyline(corners)

    def _title(self, logical: int) -> str:
        return str(self._table.headerData(logical, Qt.Orientation.Horizontal))

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        set_weight(font, QFont.Weight.DemiBold)
        return font

    def _sorted_by(self, logical: int) -> tuple[str, Qt.SortOrder | None]:
        """Return the rank of a column among the sort columns, and its direction; None if it is not a sort column."""
        keys = self._table.sort_keys()
        for rank, (column, order) in enumerate(keys):
            if column == logical:
                return (_SUPERSCRIPT[rank + 1] if len(keys) > 1 and rank < 9 else ""), order
        return "", None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.held = True
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.held = True
        super().mouseDoubleClickEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.held = False


class FrozenColumns(QWidget):
    """Overlay of each row's star and name, shown while the table is scrolled sideways."""

    def __init__(self, table: CostTable, header: CostHeader, theme: Theme) -> None:
        super().__init__(table)
        self._table, self._header, self._theme = table, header, theme
        self.hide()

    def columns(self) -> list[int]:
        """Return the columns that stay visible, in their order."""
        return [column for column in self._table.visible_columns() if COLUMNS[column].painted in ("star", "name")]

    @Slot()
    def lay_out(self) -> None:
        """Cover the frozen columns, unless they would take half of the table."""
        table, view = self._table, self._table.viewport().geometry()
        width = sum(table.columnWidth(column) for column in self.columns())
        scrolled = table.horizontalScrollBar().value() > 0 and not table.isRightToLeft()
        self.setVisible(scrolled and width <= view.width() / 2)
        self.setGeometry(view.left(), 0, width, view.bottom() + 1)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        table, top = self._table, self._table.viewport().y()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._theme.colour("surface"))
            left, option = 0, QStyleOptionViewItem()
            table.initViewItemOption(option)
            option.font = table.font()
            for column in self.columns():
                width = table.columnWidth(column)
                for row in range(max(table.rowAt(0), 0), table.model().rowCount()):
                    y = top + table.rowViewportPosition(row)
                    if y >= self.height():
                        break
                    index = table.model().index(row, column)
                    option.rect = QRect(left, y, width, table.rowHeight(row))
                    chosen = table.selectionModel().isSelected(index)
                    option.state = QStyle.StateFlag.State_Selected if chosen else QStyle.StateFlag.State_None
                    table.itemDelegate().paint(painter, option, index)
                left += width
            table.draw_headings(painter, top, self.width())
            left = 0
            for column in self.columns():
                width = table.columnWidth(column)
                self._header.paintSection(painter, QRect(left, 0, width, top), column)
                left += width
            painter.fillRect(self.width() - 1, 0, 1, self.height(), self._theme.colour("line"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        table = self._table
        row = table.rowAt(round(event.position().y()) - table.viewport().y())
        index = table.model().index(row, COLUMN_INDEX["model"])
        if row >= 0 and index.isValid():
            table.setFocus(Qt.FocusReason.MouseFocusReason)
            table.selectionModel().setCurrentIndex(index, table.selectionCommand(index, event))
            first = self.columns()[0]
            on_star = COLUMNS[first].painted == "star" and event.position().x() < table.columnWidth(first)
            if on_star and event.button() == Qt.MouseButton.LeftButton:
                table.clicked.emit(index.siblingAtColumn(first))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._table.menu_asked.emit(event.globalPos())


class CostTable(QTableView):
    """Table of whole-row selections, which stay with their models when rows are filtered or sorted.

    Signals: ``menu_asked(QPoint)`` with the global position for a row's menu; ``star_clicked(str)`` with a model ID;
    ``current_model_changed(CostRow | None)``; ``layout_changed()`` when columns were moved, sized, shown or hidden.
    """

    menu_asked = Signal(object)
    star_clicked = Signal(str)
    current_model_changed = Signal(object)
    layout_changed = Signal()

    def __init__(
        self,
        model: CostTableModel,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        name: str = "costTable",
        columns: Sequence[str] = STRIP,
        bars: bool = True,
    ) -> None:
        """``columns``: keys of the columns shown at first; ``bars``: draw a bar for shares of a context window."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("kind", "flat")
        self._fresh = tuple(columns)
        self.setAccessibleName(self.tr("Cost of the prompt by model"))
        self._table = model
        self._looks = CellLooks(model)
        self._theme = theme
        self._kept: tuple[list[str], str, int] = ([], "", 0)
        self._sized: set[int] = set()
        self._has_headings = False
        self._priced: tuple[str, Price] | None = None  # the current model and its price
        self.flashed = ""
        """ID of the model whose price has just changed; its row is marked for a moment."""
        self._flash_timer = QTimer(self, singleShot=True, interval=FLASH_MS)
        self._flash_timer.timeout.connect(self._end_flash)
        self._header = header = CostHeader(model, theme, self)
        self._frozen = FrozenColumns(self, header, theme)
        self._fit_timer = QTimer(self, singleShot=True, interval=FIT_MS)
        self._fit_timer.timeout.connect(self.fit_columns)
        self.setHorizontalHeader(header)
        self.setModel(model)
        self._set_behaviour()
        self._cells = CostCells(theme, self._looks, self, bars=bars)  # Qt does not own delegates
        self.setItemDelegate(self._cells)
        self.reset_columns()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_header_menu)
        header.sectionClicked.connect(self._on_section_clicked)
        header.sectionMoved.connect(self.layout_changed)
        header.sectionResized.connect(self._on_section_resized)
        self.customContextMenuRequested.connect(self._on_menu)
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(self.edit_price)
        model.modelAboutToBeReset.connect(self._keep_selection)
        model.modelReset.connect(self._restore_selection)
        model.arranged.connect(self._make_room)
        model.arranged.connect(self._fit_soon)
        model.arranged.connect(self._follow_price)
        for change in (model.arranged, model.dataChanged, theme.changed, self.verticalScrollBar().valueChanged):
            change.connect(self._frozen.update)
        for change in (self.horizontalScrollBar().valueChanged, header.sectionResized, header.sectionMoved):
            change.connect(self._frozen.lay_out)
        self.verticalScrollBar().valueChanged.connect(self._fit_soon)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)

    def event(self, event: QEvent) -> bool:
        """Claim the keys of the table's own actions, even if the window has an action with the same key."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._action_for(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._action_for(event)
        if self.state() == QAbstractItemView.State.EditingState:
            return  # the cell editor did not use this key, such as the Enter that closes it
        if action is None:
            super().keyPressEvent(event)
        elif action.isEnabled():
            action.trigger()

    def _action_for(self, event: QKeyEvent) -> QAction | None:
        pressed = QKeySequence(event.keyCombination())
        return next((action for action in self.actions() if pressed in action.shortcuts()), None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_cells"):
            self._cells.fonts.forget()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fill_width()
        self._fit_soon()
        self._frozen.lay_out()

    def _fill_width(self) -> None:
        """Give the name column the remaining width, unless the user sized it."""
        name = COLUMN_INDEX["model"]
        if name not in self._sized:
            others = sum(self.columnWidth(column) for column in self.visible_columns() if column != name)
            self.setColumnWidth(name, max(self._first_width(name), self.viewport().width() - others))

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self._frozen.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        first = not self.currentIndex().isValid()
        super().focusInEvent(event)
        if first and self.currentIndex().isValid():
            # Qt starts at the first cell, a star, which says nothing about the row.
            name = self.currentIndex().siblingAtColumn(COLUMN_INDEX["model"])
            self.selectionModel().setCurrentIndex(name, QItemSelectionModel.SelectionFlag.NoUpdate)

    def dataChanged(self, first: QModelIndex, last: QModelIndex, roles: Sequence[int] = ()) -> None:
        """Repaint only the visible cells that look different; Qt would repaint all cells of the range."""
        if QAccessible.isActive() or self.state() == QAbstractItemView.State.EditingState:
            super().dataChanged(first, last, roles)  # notifies screen readers, and updates an open editor
            return
        for row, column in self._in_sight(first, last) if self.isVisible() else ():
            if self._looks.differs(row, column):
                self.update(self._table.index(row, column))

    def _in_sight(self, first: QModelIndex, last: QModelIndex) -> Iterator[tuple[int, int]]:
        """Yield the cells of a range that are on the screen."""
        top, bottom = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        rows = range(max(top, first.row()), (last.row() if bottom < 0 else min(bottom, last.row())) + 1)
        width = self.viewport().width()
        for column in range(first.column(), last.column() + 1):
            left = self.columnViewportPosition(column)
            if not self.isColumnHidden(column) and left < width and left + self.columnWidth(column) > 0:
                yield from ((row, column) for row in rows)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._table.arrangement.by_vendor:
            with QPainter(self.viewport()) as painter:
                self.draw_headings(painter, 0, self.viewport().width())
        current = self.currentIndex()
        if self.flashed:
            self._draw_flash()
        if self.hasFocus() and current.isValid():
            self._draw_focus(current)
        if self._table.rows and not self._table.shown_rows():
            self._draw_nothing()

    @Slot()
    def _make_room(self) -> None:
        """Make the first row of each vendor higher for its heading, and set the others to the default height."""
        rows = self.verticalHeader()
        if self._table.arrangement.by_vendor or self._has_headings:
            for position in range(self._table.rowCount()):
                rows.resizeSection(position, rows.defaultSectionSize() + self._cells.height_above(position))
        self._has_headings = self._table.arrangement.by_vendor

    def draw_headings(self, painter: QPainter, top: int, width: int) -> None:
        """Draw the visible headings; ``top`` is the y of the first row if nothing were scrolled."""
        first = max(self.rowAt(0), 0)
        for position in range(first, self._table.rowCount()):
            y = top + self.rowViewportPosition(position)
            if y > top + self.viewport().height():
                break
            if height := self._cells.height_above(position):
                self._cells.draw_heading(painter, QRect(0, y, width, height), position, self.isRightToLeft())

    def _rect_of(self, index: QModelIndex) -> QRect:
        """Return the rectangle of a cell without the heading above it."""
        return self.visualRect(index).adjusted(0, self._cells.height_above(index.row()), 0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if not index.isValid() or self._rect_of(index).contains(event.position().toPoint()):
            super().mousePressEvent(event)  # a heading is not a row

    def _draw_focus(self, current: QModelIndex) -> None:
        """Draw a frame around the current cell."""
        with QPainter(self.viewport()) as painter:
            painter.setPen(QPen(self._theme.colour("focus"), FOCUS_WIDTH))
            painter.drawRect(self._rect_of(current).adjusted(1, 1, -1, -1))

    def _draw_flash(self) -> None:
        position = self._table.row_of_model(self.flashed)
        if position >= 0:
            colour = self._theme.colour("focus")
            colour.setAlpha(FLASH_ALPHA)
            with QPainter(self.viewport()) as painter:
                row = self._rect_of(self._table.index(position, COLUMN_INDEX["model"]))
                painter.fillRect(0, row.top(), self.viewport().width(), row.height(), colour)

    def _draw_nothing(self) -> None:
        """Draw why the table is empty and how to fill it."""
        with QPainter(self.viewport()) as painter:
            painter.setPen(self._theme.colour("stale"))
            area = self.viewport().rect().adjusted(CELL_PADDING, CELL_PADDING, -CELL_PADDING, -CELL_PADDING)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.empty_text())

    def empty_text(self) -> str:
        """Return why no row is shown."""
        others, arrangement = self._table.result.matching_left_out, self._table.arrangement
        if others == 0 and arrangement.is_filtered:
            return self.tr("No model matches these filters. Turn one off to see more.")
        if others == 0 and arrangement.filter.strip():
            return self.tr("No model matches.")
        if others == 1:
            return self.tr("One model matches, but it is hidden or retired. Use the table menu to show it.")
        number = self._table.view.text.number(others)
        words = self.tr("{number} models match, but they are hidden or retired. Use the table menu to show them.")
        return words.format(number=number)

    def share_selection(self, other: CostTable) -> None:
        """Share the selection of another view of the same rows."""
        own = self.selectionModel()
        self.setSelectionModel(other.selectionModel())
        own.deleteLater()
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)

    def selected_rows(self) -> list[CostRow]:
        """Return the selected rows in the order of the table, or the current row if none is selected."""
        positions = sorted({index.row() for index in self.selectionModel().selectedRows()})
        if not positions and self.currentIndex().isValid():
            positions = [self.currentIndex().row()]
        return [self._table.row_at(position) for position in positions]

    def current_row(self) -> CostRow | None:
        """Return the current row."""
        index = self.currentIndex()
        return self._table.row_at(index.row()) if index.isValid() else None

    def show_model(self, model_id: str) -> bool:
        """Make a model's row the current one and select only it. Returns True if it is in the table."""
        position = self._table.row_of_model(model_id)
        if position >= 0:
            # Qt's own method would extend the selection while Ctrl or Shift is held down.
            alone = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            index = self._table.index(position, max(self.currentIndex().column(), 1))
            self.selectionModel().setCurrentIndex(index, alone)
        return position >= 0

    def visible_columns(self) -> list[int]:
        """Return the visible columns, from left to right."""
        header = self.horizontalHeader()
        ordered = (header.logicalIndex(position) for position in range(header.count()))
        return [column for column in ordered if not header.isSectionHidden(column)]

    def visible_keys(self) -> list[str]:
        """Return the keys of the visible columns, from left to right."""
        return [COLUMNS[column].key for column in self.visible_columns()]

    @Slot(QModelIndex)
    def edit_price(self, index: QModelIndex) -> bool:
        """Open the editor of the price in this cell. Returns False if it cannot be edited."""
        changeable = index.isValid() and bool(self._table.flags(index) & Qt.ItemFlag.ItemIsEditable)
        if changeable:
            edit_cell(self, index)
        return changeable

    def show_column(self, key: str) -> None:
        """Show a column if it is hidden."""
        if self.isColumnHidden(COLUMN_INDEX[key]):
            self.setColumnHidden(COLUMN_INDEX[key], False)
            self._fit_soon()
            self.layout_changed.emit()

    def column_actions(self, menu: QMenu) -> list[QAction]:
        """Return a checkable action for each column, to show or hide it. The model's name always stays."""
        actions = []
        for column, declared in enumerate(COLUMNS):
            if declared.key == "model":
                continue
            action = QAction(title_of(declared, self._table.view), menu, checkable=True)
            action.setChecked(not self.isColumnHidden(column))
            action.setData(column)
            action.toggled.connect(self._on_column_toggled)
            actions.append(action)
        return actions

    @Slot()
    def reset_columns(self) -> None:
        """Reset order, widths and visibility of the columns."""
        self.restore_columns({"order": [column.key for column in COLUMNS]})
        self.show_columns(self._fresh)

    def show_columns(self, keys: Sequence[str]) -> None:
        """Show exactly these columns, in this order."""
        self.restore_columns({"order": list(keys)})
        for column, declared in enumerate(COLUMNS):
            self.setColumnHidden(column, declared.key not in keys)
            self.setColumnWidth(column, self._first_width(column))
        self._fit_soon()
        self.layout_changed.emit()

    @Slot()
    def fit_columns(self) -> None:
        """Widen the columns in which a visible figure or name is cut off, except those sized by hand.

        No column is narrowed: a table whose columns change width with each text cannot be read.
        """
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        positions = range(self._table.rowCount())[max(first, 0) : last + 1 if last >= 0 else None]
        wider: dict[int, int] = {}
        for column, declared in enumerate(COLUMNS):
            if (
                column in self._sized
                or self.isColumnHidden(column)
                or not (declared.numeric or declared.key == "model")
            ):
                continue
            needed = max([self._header.width_of_title(column), *self._widest(positions, column)])
            if needed > self.columnWidth(column):
                wider[column] = needed
        # All at once: after each change Qt would measure all titles again for the height of the header.
        for column, needed in wider.items():
            self.setColumnWidth(column, needed)
        self._fill_width()

    def columns_state(self) -> dict[str, Any]:
        """Return order, widths, hidden columns and columns sized by hand, by key, as JSON data."""
        header = self.horizontalHeader()
        hidden = [declared.key for column, declared in enumerate(COLUMNS) if self.isColumnHidden(column)]
        widths = {
            declared.key: self.columnWidth(column)
            for column, declared in enumerate(COLUMNS)
            if not self.isColumnHidden(column)
        }
        order = [COLUMNS[header.logicalIndex(position)].key for position in range(header.count())]
        sized = [COLUMNS[column].key for column in sorted(self._sized)]
        return {"order": order, "widths": widths, "hidden": hidden, "sized": sized}

    def restore_columns(self, state: dict[str, Any]) -> None:
        """Restore what ``columns_state`` returned. Unknown keys are ignored; missing columns go to the end."""
        header = self.horizontalHeader()
        order = [key for key in _texts(state.get("order")) if key in COLUMN_INDEX]
        for position, key in enumerate(dict.fromkeys(order)):
            header.moveSection(header.visualIndex(COLUMN_INDEX[key]), position)
        if "hidden" in state:
            hidden = set(_texts(state["hidden"])) - {"model"}
            for column, declared in enumerate(COLUMNS):
                self.setColumnHidden(column, declared.key in hidden)
        widths = state.get("widths")
        for key, width in widths.items() if isinstance(widths, dict) else ():
            if key in COLUMN_INDEX and isinstance(width, int) and 10 <= width <= 4000:
                self.setColumnWidth(COLUMN_INDEX[key], width)
        self._sized = {COLUMN_INDEX[key] for key in _texts(state.get("sized")) if key in COLUMN_INDEX}

    def _set_behaviour(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(max(ROW_HEIGHT, self.fontMetrics().height() + ROW_PADDING))

    def _widest(self, rows: range, column: int) -> list[int]:
        """Return the widths of the cells with the longest texts."""
        lengths = {row: sum(len(run.text) for run in self._looks.look(row, column).runs) for row in rows}
        longest = sorted(rows, key=lengths.__getitem__)[-MEASURED:]
        return [ceil(self._cells.width(row, column, self.font())) for row in longest]

    def _width_of(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text) + CELL_PADDING

    def _first_width(self, column: int) -> int:
        """Return the width for the column's usual texts, and for its title with an arrow."""
        bar = BAR_WIDTH + PADDING if self._cells.bars and COLUMNS[column].painted == "share" else 0
        return max(self._width_of(COLUMNS[column].widest) + int(bar), self._header.width_of_title(column))

    @Slot()
    def _fit_soon(self) -> None:
        if not self._fit_timer.isActive():
            self._fit_timer.start()

    @Slot(int, int, int)
    def _on_section_resized(self, column: int, _before: int, _now: int) -> None:
        if self._header.held:
            self._sized.add(column)
        self.layout_changed.emit()

    @Slot(int)
    def _on_section_clicked(self, column: int) -> None:
        """Sort by the clicked column, or reverse its direction; with Shift, add it to the sort columns."""
        if QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._table.sort_also(column)
            return
        keys = self._table.sort_keys()
        rising = Qt.SortOrder.AscendingOrder
        again = len(keys) == 1 and keys[0] == (column, rising)
        self._table.sort(column, Qt.SortOrder.DescendingOrder if again else rising)

    @Slot(bool)
    def _on_column_toggled(self, shown: bool) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.setColumnHidden(action.data(), not shown)
            self._fit_soon()
            self.layout_changed.emit()

    @Slot(object)
    def _on_header_menu(self, point: Any) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.column_actions(menu))
        menu.addSeparator()
        menu.addAction(self.tr("&Reset columns"), self.reset_columns)
        menu.popup(self.horizontalHeader().mapToGlobal(point))

    @Slot(object)
    def _on_menu(self, point: Any) -> None:
        self.menu_asked.emit(self.viewport().mapToGlobal(point))

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if COLUMNS[index.column()].painted == "star":
            self.star_clicked.emit(self._table.row_at(index.row()).model_id)

    @Slot()
    def _follow_price(self) -> None:
        """Scroll to the current row and mark it if its price was changed, which may move it."""
        row, before = self.current_row(), self._priced
        self._priced = (row.model_id, row.model.price) if row is not None else None
        if row is not None and row.model_id == self.flashed:
            self.scrollTo(self.currentIndex())  # the costs at its new price arrive a moment later
        if row is None or before is None or before[0] != row.model_id or before[1] == row.model.price:
            return
        self.scrollTo(self.currentIndex())
        self.flashed = row.model_id
        self._flash_timer.start()
        self.viewport().update()

    @Slot()
    def _end_flash(self) -> None:
        self.flashed = ""
        self.viewport().update()

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self._table.row_at(current.row()) if current.isValid() else None
        self._priced = (row.model_id, row.model.price) if row is not None else None
        self.current_model_changed.emit(self._table.row_at(current.row()) if current.isValid() else None)

    @Slot()
    def _keep_selection(self) -> None:
        positions = {index.row() for index in self.selectionModel().selectedRows()}
        selected = [self._table.row_at(position).model_id for position in positions]
        current = self.current_row()
        self._kept = (selected, current.model_id if current else "", max(self.currentIndex().column(), 0))

    @Slot()
    def _restore_selection(self) -> None:
        selected, current, column = self._kept
        selection = QItemSelection()
        for model_id in selected:
            position = self._table.row_of_model(model_id)
            if position >= 0:
                selection.select(self._table.index(position, 0), self._table.index(position, len(COLUMNS) - 1))
        position = self._table.row_of_model(current) if current else -1
        flags = QItemSelectionModel.SelectionFlag
        if position >= 0:
            self.selectionModel().setCurrentIndex(self._table.index(position, column), flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect)
        if position >= 0:
            self.scrollTo(self._table.index(position, column))
        else:
            self.verticalScrollBar().setValue(0)
            self.current_model_changed.emit(None)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
