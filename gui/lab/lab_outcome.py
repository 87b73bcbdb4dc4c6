"""What running a card of the Lab gave: its claims, its tables, its curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QEvent, Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QTableView, QVBoxLayout, QWidget

from gui.lab.lab_tables import ClaimsModel, ResultModel
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.widgets.form_rows import Remark
from gui.widgets.tables import set_up_rows
from gui.widgets.training_curve import TrainingCurveView

if TYPE_CHECKING:
    from engine.training_types import TrainingCurve
    from gui.lab.experiments.types import Outcome

MOST_ROWS = 12
"""A longer table scrolls."""
ROW_PADDING = 12
WIDEST_SHARE = 3
"""No column but the last is wider than this part of the table."""
CURVE_LINES = 16


class OutcomeTable(QTableView):
    """A table as high as its rows, up to a limit, and as wide as there is room."""

    def __init__(self, model: QAbstractTableModel, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        model.setParent(self)
        self.setModel(model)
        self.setAccessibleName(name)
        set_up_rows(self)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def resizeEvent(self, event: QEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _fit(self) -> None:
        row = self.fontMetrics().height() + ROW_PADDING
        self.verticalHeader().setDefaultSectionSize(row)
        rows = min(self.model().rowCount(), MOST_ROWS)
        self._least = self.horizontalHeader().sizeHint().height() + rows * row + 2 * self.frameWidth()
        self._wishes = [self._wish(column) for column in range(self.model().columnCount())]
        self._share_width()

    def _share_width(self) -> None:
        """Columns as wide as what they hold, and the last one what is left, or more where it needs it."""
        header, last = self.horizontalHeader(), self.model().columnCount() - 1
        # A table that is as high as its rows has no bar beside them, even where it has one before it is that high.
        high = self.model().rowCount() > MOST_ROWS
        room = self.viewport().width() if high else self.maximumViewportSize().width()
        for column in range(last):
            header.resizeSection(column, min(self._wishes[column], max(room // WIDEST_SHARE, 60)))
        taken = sum(header.sectionSize(column) for column in range(last))
        wish = self._wishes[last]
        numeric = isinstance(self.model(), ResultModel) and self.model().is_numeric(last)
        header.resizeSection(last, wish if numeric else max(wish, room - taken))
        if numeric:  # nothing to stretch: numbers would stand far from what they belong to
            edges = 2 * self.frameWidth() + self.verticalScrollBar().sizeHint().width()
            self.setMaximumWidth(
                taken + wish + (edges if self.model().rowCount() > MOST_ROWS else 2 * self.frameWidth())
            )
        bar = self.horizontalScrollBar().sizeHint().height() if taken + wish > room else 0
        self.setFixedHeight(self._least + bar)

    def _wish(self, column: int) -> int:
        """The width of what a column holds, which its model never changes."""
        return max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column)) + ROW_PADDING


class OutcomeView(QWidget):
    """Shows an outcome under its card; nothing before there is one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._body = QVBoxLayout(self)
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.setSpacing(6)
        self.tables: list[OutcomeTable] = []
        self.remark = Remark(theme, self)
        self.curve: TrainingCurveView | None = None
        self.hide()

    def show_outcome(self, outcome: Outcome) -> None:
        """Show this one in place of what is shown."""
        self.clear()
        if outcome.claims:
            self._add_table(ClaimsModel(outcome.claims, self._theme), self.tr("What is expected, and what was found"))
        for table in outcome.tables:
            self._add_table(ResultModel(table), table.title)
        if outcome.curve is not None:
            self._show_curve(outcome.curve)
        self._body.addWidget(self.remark)
        self.remark.say(outcome.remark)
        self.show()

    def show_problem(self, why: str) -> None:
        """Say why there is no outcome."""
        self.clear()
        self._body.addWidget(self.remark)
        self.remark.say(why, "error")
        self.show()

    def clear(self) -> None:
        """Show nothing."""
        self.hide()
        self.tables = []
        while (item := self._body.takeAt(0)) is not None:
            widget = item.widget()
            widget.hide()
            if widget not in (self.remark, self.curve):
                widget.deleteLater()

    def _show_curve(self, curve: TrainingCurve) -> None:
        if self.curve is None:
            self.curve = TrainingCurveView(self._theme, TrainingText(self.locale()), self)
            self.curve.setObjectName("labCurve")
            self.curve.setFixedHeight(self.fontMetrics().lineSpacing() * CURVE_LINES)
        self._body.addWidget(self.curve)
        self.curve.show()
        self.curve.show_curve(curve, int(curve.vocab_sizes[-1]))

    def _add_table(self, model: QAbstractTableModel, title: str) -> None:
        label = QLabel(title)
        label.setTextFormat(Qt.TextFormat.PlainText)
        table = OutcomeTable(model, title, self)
        label.setBuddy(table)
        self._body.addWidget(label)
        self._body.addWidget(table)
        self.tables.append(table)
