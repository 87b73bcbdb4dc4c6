"""Comparison of two texts: their tokens line by line, and the change of cost with every model."""

from __future__ import annotations

import math
from bisect import bisect_right
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.core.token_text import WRAPPED, plain_text, visible_line, wrapped
from gui.costs.cost_table import draw_current_bar
from gui.costs.money_text import MINUS, CostText, money_text
from gui.look.fonts import strong
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.prompt.versions.service import PROMPT
from gui.widgets.delegates import GAP, RUNS_ROLE, RunsDelegate, TextDelegate, part_title
from gui.widgets.forms import column_of
from gui.widgets.labels import EmptyState, FigureStrip, PlainLabel, ToneLabel
from gui.widgets.table_model import Index, RowsModel, plain_tips
from gui.widgets.tables import FittedTable, StretchedTable, set_up_list
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gui.core.token_diff import Comparison, DiffRow
    from gui.core.version_store import Version
    from gui.costs.cost_service import CostChange
    from pricing.types import CostEstimate

_NO_INDEX = QModelIndex()
CONTINUED = "↳"
"""Shown in place of the line number where a line is continued."""


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Versions", text)


# --- lines side by side -----------------------------------------------------------------------------------------------

SIGN, BEFORE_LINE, BEFORE, AFTER_LINE, AFTER = range(5)


SLICE = 40_000
"""Number of characters wrapped in one turn of the event loop, about 20 ms; the longest comparisons have 2,000,000."""
ROW_COST = 40
"""Characters that a row counts for besides its own."""


class DiffTableModel(RowsModel):
    """Diff of two texts: a sign for the change, then line number and text of both.

    Long lines are wrapped, at most ``SLICE`` characters in one turn of the event loop: the first rows are there at
    once, and the others are inserted after them.
    """

    COLUMNS = 5
    FIGURES = (BEFORE_LINE, AFTER_LINE)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._whole: Sequence[DiffRow] = ()
        self._first = [0]
        self.rows: list[DiffRow] = []
        self.room, self._width = math.inf, len
        self._more = QTimer(self, singleShot=True, interval=0)
        self._more.timeout.connect(self._insert_more)

    def set_rows(self, rows: Sequence[DiffRow]) -> None:
        """Show these rows; lines that are too wide are wrapped."""
        self._whole = rows
        self._wrap()

    def set_room(self, room: float, width: Callable[[str], int]) -> None:
        """Wrap the texts of both sides at ``room`` pixels; ``width`` returns the width of a character."""
        if room != self.room:
            self.room, self._width = room, width
            self._wrap()

    @property
    def wrapped(self) -> int:
        """Number of unwrapped rows that are shown so far."""
        return len(self._first) - 1

    def _wrap(self) -> None:
        self._more.stop()
        self._first = [0]
        super().set_rows(self._next_rows())

    @Slot()
    def _insert_more(self) -> None:
        rows = self._next_rows()
        self.beginInsertRows(_NO_INDEX, len(self.rows), len(self.rows) + len(rows) - 1)
        self.rows += rows
        self.endInsertRows()

    def _next_rows(self) -> list[DiffRow]:
        wrap = partial(wrapped, limit=self.room, width=self._width)
        rows: list[DiffRow] = []
        start, left = self._first[-1], SLICE
        while left > 0 and self.wrapped < len(self._whole):
            row = self._whole[self.wrapped]
            rows += row.wrapped(wrap)
            self._first.append(start + len(rows))
            left -= sum(len(run.text) for run in (*row.before, *row.after)) + ROW_COST
        if self.wrapped < len(self._whole):
            self._more.start()
        return rows

    def whole_row(self, row: int) -> int:
        """Return the index of the unwrapped row that a row belongs to."""
        return bisect_right(self._first, row) - 1 if row >= 0 else 0

    def first_of(self, whole: int) -> int:
        """Return the index of the first row of an unwrapped row."""
        return self._first[whole]

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and index.column() in (BEFORE, AFTER):
            row = self.rows[index.row()]
            if role == RUNS_ROLE and not row.folded:
                return row.before if index.column() == BEFORE else row.after
            if role == Qt.ItemDataRole.ToolTipRole:
                return self.cell(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == SIGN:
            return Qt.AlignmentFlag.AlignCenter
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return "", tr("Line"), tr("Before"), tr("Line"), tr("After")

    def cell(self, row: DiffRow, column: int) -> str:
        if row.folded:
            words = tr("… {tokens} tokens are the same").format(tokens=figure(self._locale, row.folded))
            return words if column == BEFORE else ""
        if column == SIGN:
            gone, new = (any(run.mark for run in runs) for runs in (row.before, row.after))
            return "±" if gone and new else "−" if gone else "+" if new else ""
        if column in (BEFORE_LINE, AFTER_LINE):
            line = row.before_line if column == BEFORE_LINE else row.after_line
            return CONTINUED if line == WRAPPED else figure(self._locale, line) if line else ""
        return plain_text(row.before if column == BEFORE else row.after)


# --- costs before and after -------------------------------------------------------------------------------------------

MODEL, COST_BEFORE, COST_AFTER, COST_CHANGE, PER_CENT, CALLS = range(6)


class CostChangesModel(RowsModel):
    """Changes of cost: model, one call before and after, the change, its percentage, and the change for all calls.

    The model sorts its own rows, since a Qt proxy would request two figures per comparison. It caches the texts of its
    cells: an amount is needed to measure a column, and again to paint it.
    """

    COLUMNS = 6
    FIGURES = (COST_BEFORE, COST_AFTER, COST_CHANGE, PER_CENT, CALLS)

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text, self._calls = text, 1
        self._order = (MODEL, Qt.SortOrder.AscendingOrder)
        self._texts: dict[tuple[int, int], str] = {}
        self._current = ""

    def set_changes(self, changes: Sequence[CostChange], text: CostText, calls: int, current: str = "") -> None:
        """Show these changes in the current sort order; ``calls``: those of the scenario; ``current``: ID of the
        reference model, which comes first."""
        self._text, self._calls, self._current = text, calls, current
        self._texts.clear()
        self.set_rows(self._sorted(changes))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._order = (column, order)
        before, indexes = self.rows, self.persistentIndexList()
        self.rows = self._sorted(before)
        self._texts.clear()
        rows = {id(change): row for row, change in enumerate(self.rows)}
        moved = [self.index(rows[id(before[index.row()])], index.column()) for index in indexes]
        self.changePersistentIndexList(indexes, moved)
        self.layoutChanged.emit()

    def _sorted(self, changes: Sequence[CostChange]) -> Sequence[CostChange]:
        """Sort the changes, that of the reference model first; in ascending order, unknown amounts come last."""
        column, order = self._order
        if 0 <= column < self.COLUMNS:
            reverse = order == Qt.SortOrder.DescendingOrder
            changes = sorted(changes, key=lambda one: _sorted_by(one, column), reverse=reverse)
        return sorted(changes, key=lambda one: one.model.id != self._current)

    def is_current(self, row: int) -> bool:
        """Return True for the row of the reference model."""
        return self.rows[row].model.id == self._current

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and index.column() == MODEL:
            model = self.rows[index.row()].model
            if role == Qt.ItemDataRole.ToolTipRole:
                return model.id
            if role == Qt.ItemDataRole.AccessibleTextRole and self.is_current(index.row()):
                return tr("{model}, current model").format(model=model.name)
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        calls = tr("{calls} calls").format(calls=self._text.localised(f"{self._calls:,}"))
        return tr("Model"), tr("Before"), tr("After"), tr("Change"), tr("Percent"), calls

    def shown(self, row: int, column: int) -> str:
        if (row, column) not in self._texts:
            self._texts[row, column] = super().shown(row, column)
        return self._texts[row, column]

    def cell(self, change: CostChange, column: int) -> str:
        if column == MODEL:
            return change.model.name
        if column in (COST_BEFORE, COST_AFTER):
            estimate: CostEstimate = change.before if column == COST_BEFORE else change.after
            return self._text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)
        if column == PER_CENT:
            return self._per_cent(change.share)
        return money_text(self._text, change.change if column == COST_CHANGE else change.calls_change, plus=True)

    def _per_cent(self, share: Decimal | None) -> str:
        if share is None:
            return self._text.unknown()
        words = self._text.percent(abs(share), abs(share))
        return (MINUS if share < 0 else "+" if share else "") + words


def _sorted_by(change: CostChange, column: int) -> Any:
    if column == MODEL:
        return change.model.name.casefold()
    figures = {
        COST_BEFORE: change.before.usd,
        COST_AFTER: change.after.usd,
        COST_CHANGE: change.change.usd,
        PER_CENT: change.share,
        CALLS: change.calls_change.usd,
    }
    value = figures[column]
    return float("inf") if value is None else float(value)


class ModelNames(TextDelegate):
    """Names of models; that of the reference model is marked as in the cost table."""

    def __init__(self, model: CostChangesModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(model, parent)
        self._changes, self._theme = model, theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.text = GAP + option.text
        if self._changes.is_current(index.row()):
            option.font = strong(option.font)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return a size in which every name also fits in semibold: the table asks for the longest one only."""
        hint, text = super().sizeHint(option, index), self.written(index.row(), index.column())
        more = QFontMetrics(strong(option.font)).horizontalAdvance(text) - option.fontMetrics.horizontalAdvance(text)
        return QSize(hint.width() + max(0, more), hint.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if self._changes.is_current(index.row()):
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area, mirrored = QRectF(option.rect), option.direction == Qt.LayoutDirection.RightToLeft
            inset = -BAR_INSET if mirrored else BAR_INSET
            draw_current_bar(painter, area.translated(inset, 0), self._theme.colour("accent"), mirrored=mirrored)
            painter.restore()


BAR_INSET = 5
"""Pixels between the edge of the table and the bar of the reference model."""
ROW_PADDING = 4
COST_PADDING = 12
HIDEABLE = (COST_CHANGE, COST_BEFORE, CALLS)
"""Columns hidden if there is not enough room for all, in this order."""


class CostChanges(FittedTable):
    """Table with as many columns as fit, so that none must be scrolled into view; a wider one shows all."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.choose_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.choose_columns()

    def _fit(self) -> None:
        super()._fit()
        self.choose_columns()

    def choose_columns(self) -> None:
        """Hide the columns for which there is no room."""
        if not self.isVisible():
            return
        hidden = {column for column in HIDEABLE if self.isColumnHidden(column)}
        available = self.viewport().width()
        self._widths = {**getattr(self, "_widths", {}), **self._shown_widths()}
        needed, leave = sum(self._widths.values()), set()
        for column in HIDEABLE:
            if needed > available:
                leave.add(column)
                needed -= self._widths[column]
        for column in leave ^ hidden:
            self.setColumnHidden(column, column in leave)

    def _shown_widths(self) -> dict[int, int]:
        columns = range(self.horizontalHeader().count())
        return {column: self.columnWidth(column) for column in columns if not self.isColumnHidden(column)}


class VersionComparison(QFrame):
    """Right side of the page: the comparison of two texts; ``tools`` are for the view bar.

    Signals: ``other_changed()`` when another second text is chosen.
    """

    other_changed = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self.setProperty("kind", "surface")
        self._figures: list[tuple[str, str]] = []
        self.other = QComboBox(objectName="versionOther", accessibleName=self.tr("Text to compare with"))
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.other.setMinimumContentsLength(16)
        self.other.addItem(self.tr("Prompt now"), PROMPT)
        self.words = ToneLabel("versionWords")
        self.rows = DiffTableModel(QLocale(), self)
        self.tokens = StretchedTable(objectName="versionDiff")
        self.tokens.setAccessibleName(self.tr("Both texts line by line, with the tokens that differ"))
        self.tokens.setModel(self.rows)
        self._top = 0
        self.rows.rowsInserted.connect(self._return_to_top)
        self._runs = RunsDelegate(theme, self.tokens)
        self.tokens.setItemDelegate(self._runs)
        self._wrapping = QTimer(self, singleShot=True, interval=0)
        self._wrapping.timeout.connect(self._wrap)
        self.tokens.resized.connect(self._wrapping.start)
        self.changes = CostChangesModel(CostText(QLocale()), self)
        self.costs = CostChanges("versionCosts")
        self.costs.setAccessibleName(self.tr("Cost change per model"))
        part_title(self.costs, MODEL)
        self.costs.setModel(self.changes)
        self.costs.setItemDelegate(TextDelegate(self.changes, self.costs))
        self.costs.setItemDelegateForColumn(MODEL, ModelNames(self.changes, theme, self.costs))
        self.strip = FigureStrip("versionTokens", "versionChange", "versionCost")
        sentence = self.tr("No versions yet. Save one to compare with or return to later.")
        self.empty = EmptyState("versionsEmpty", "save", sentence, "", icons, theme)
        self._set_up_tables()
        self._lay_out()
        self.other.currentIndexChanged.connect(self.other_changed)

    @property
    def other_key(self) -> str:
        """Key of the version that is the second text, or ``PROMPT``."""
        return self.other.currentData()

    def show_versions(self, versions: Sequence[Version]) -> None:
        """Set the choices of the second text, whose selection stays if it still exists; without any, show a hint."""
        chosen = self.other_key
        with QSignalBlocker(self.other):
            while self.other.count() > 1:
                self.other.removeItem(1)
            for version in versions:
                self.other.addItem(visible_line(version.name), version.key)
            self.other.setCurrentIndex(max(0, self.other.findData(chosen)))
        self.stack.setCurrentIndex(0 if versions else 1)

    def show_cost(self, figure: tuple[str, str] | None) -> None:
        """Show the change of the cost of one call with the model in use, and its caption; None if it is unknown."""
        if self._figures:
            self.strip.show_figures(*self._figures, *([figure] if figure is not None else []))

    def show_nothing(self) -> None:
        """Clear the comparison."""
        self._figures = []
        self.strip.show_figures()
        self.rows.set_rows(())
        self.changes.set_changes((), CostText(QLocale()), 1)

    def show_comparison(self, comparison: Comparison, encoding: str) -> None:
        """Show the tokens and the totals."""
        self._top = 0
        self.rows.set_rows(comparison.rows)
        write = lambda number: figure(self.locale(), number)  # noqa: E731 - a short name for a method
        before, after = comparison.tokens_before, comparison.tokens_after
        more = after - before
        share = f"{abs(more) / before * 100:.0f}%" if before else ""
        sign = MINUS if more < 0 else "+" if more else ""
        self._figures = [
            (f"{write(before)} → {write(after)}", self.tr("tokens in {encoding}").format(encoding=encoding)),
            (f"{sign}{write(abs(more))}", self.tr("tokens, {share}").format(share=f"{sign}{share}")),
        ]
        self.strip.show_figures(*self._figures)
        words = self.tr("Tokens removed: {removed} (struck out, −). Added: {added} (underlined, +).").format(
            removed=write(comparison.removed), added=write(comparison.added)
        )
        if not comparison.rows:
            words = self.tr("The texts are identical: {tokens} tokens in {encoding}.").format(
                tokens=write(comparison.tokens_after), encoding=encoding
            )
        if comparison.simplified:
            words += " " + self.tr("Large differences are marked as a whole, including what they share.")
        if comparison.cut:
            words += " " + self.tr("Only the first {rows} lines are shown.").format(rows=write(len(comparison.rows)))
        self.words.say(words)

    @Slot()
    def _wrap(self) -> None:
        """Wrap long lines at the width of the columns, and keep the line at the top."""
        width = min(self.tokens.columnWidth(BEFORE), self.tokens.columnWidth(AFTER))
        self._top = self._top or self.rows.whole_row(self.tokens.rowAt(0))
        self.rows.set_room(self._runs.room(width), self._runs.width)
        self._return_to_top()

    @Slot()
    def _return_to_top(self) -> None:
        """Scroll to the line that was at the top, once it is wrapped."""
        if 0 < self._top < self.rows.wrapped:
            index = self.rows.index(self.rows.first_of(self._top), 0)
            self.tokens.scrollTo(index, QTableView.ScrollHint.PositionAtTop)
            self._top = 0

    def _set_up_tables(self) -> None:
        set_up_list(self.tokens, ROW_PADDING)
        set_up_list(self.costs, COST_PADDING)
        header = self.tokens.horizontalHeader()
        width = self.fontMetrics().horizontalAdvance("00,000")
        for column in (SIGN, BEFORE_LINE, AFTER_LINE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.tokens.setColumnWidth(column, width if column != SIGN else width // 2)
        for column in (BEFORE, AFTER):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(width // 2)
        header = self.costs.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.costs.setSortingEnabled(True)
        self.costs.sortByColumn(MODEL, Qt.SortOrder.AscendingOrder)

    def _lay_out(self) -> None:
        self.tools = ToolRow("versionTools", self.tr("Comparison of versions"))
        self.tools.add_caption(self.tr("Compare &with"), self.other)
        self.tools.add(self.other)
        costs = QWidget()
        title = PlainLabel(self.tr("Cost change per model"), role="section")
        title.setContentsMargins(16, 0, 16, 0)
        column_of(title, (self.costs, 1), parent=costs, margins=(0, 6, 0, 0))
        split = QSplitter(Qt.Orientation.Vertical, objectName="versionLists", childrenCollapsible=False)
        split.addWidget(self.tokens)
        split.addWidget(costs)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        compared = QWidget()
        head = column_of(self.strip, self.words, margins=(16, 8, 16, 4), spacing=4)
        column_of(head, (split, 1), parent=compared, spacing=4)
        self.stack = QStackedWidget()
        self.stack.addWidget(compared)
        self.stack.addWidget(self.empty)
        column_of(self.stack, parent=self)
