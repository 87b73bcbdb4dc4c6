"""The outcome of an experiment: models of its claims and tables, and the widget that shows them with its curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from gui.lab.experiments.card import BETWEEN, BROKEN, DONE, FAILS, HOLDS, NOT_RUN, WAITING, ResultTable
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.widgets.forms import Remark, column_of, label_of
from gui.widgets.table_model import RIGHT, everything_visible
from gui.widgets.tables import ROW_PADDING, set_up_rows
from gui.widgets.training_curve import TrainingCurveView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.training.types import TrainingCurve
    from gui.lab.experiments.card import Claim, Outcome

_NO_INDEX = QModelIndex()
_RIGHT = int(RIGHT)
Index = QModelIndex | QPersistentModelIndex
SIGNS = {NOT_RUN: "", WAITING: "…", HOLDS: "✓", FAILS: "⚠", DONE: "–", BROKEN: "✗"}
ROLES = {HOLDS: "success", FAILS: "warning", BROKEN: "error"}
"""Theme colours of the states that have one."""


def tr(text: str) -> str:
    """Translate in the context of the Lab page."""
    return QCoreApplication.translate("LabPanel", text)


def status_text(standing: str) -> str:
    """Return the state of a card as text, with its symbol."""
    words = {
        NOT_RUN: tr("not run"),
        WAITING: tr("running"),
        HOLDS: tr("holds"),
        FAILS: tr("differs"),
        DONE: tr("run"),
        BROKEN: tr("failed"),
    }[standing]
    return f"{SIGNS[standing]} {words}".strip()


# --- models -----------------------------------------------------------------------------------------------------------


class ResultModel(QAbstractTableModel):
    """Read-only table of texts."""

    def __init__(self, table: ResultTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._table.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | int | None:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._table.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and self.is_numeric(section):
            return _RIGHT
        return None

    def is_numeric(self, column: int) -> bool:
        """Return True if a column holds numbers."""
        return column in self._table.numeric

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and self.is_numeric(index.column()):
            return _RIGHT
        return None


SAYS, EXPECTED, FOUND, VERDICT = range(4)


class ClaimsModel(ResultModel):
    """The claims of a card, with the expected and the actual results."""

    def __init__(self, claims: Sequence[Claim], theme: Theme, parent: QObject | None = None) -> None:
        self._theme = theme
        self._standings = [HOLDS if claim.holds else FAILS for claim in claims]
        rows = tuple(
            (claim.says, claim.expected, claim.found, status_text(standing))
            for claim, standing in zip(claims, self._standings, strict=True)
        )
        super().__init__(ResultTable("", (tr("Claim"), tr("Expected"), tr("Found"), tr("Verdict")), rows), parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ForegroundRole and index.isValid() and index.column() == VERDICT:
            return QColor(self._theme.colour(ROLES[self._standings[index.row()]]))
        return super().data(index, role)


# --- widgets ----------------------------------------------------------------------------------------------------------

MAX_ROWS = 12
"""Maximum number of visible rows; longer tables scroll."""
WIDEST_SHARE = 3
"""If space is scarce, every column but the last takes at most 1 / ``WIDEST_SHARE`` of the table's width."""
CURVE_LINES = 16
CHIP_GAP, CHIP_SPACE, CHIP_RADIUS = 4, 2, 3.0


class PieceCells(QStyledItemDelegate):
    """Painter of the tokens of a text as chips in two alternating fills; other cells are unchanged."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        text = str(index.data() or "")
        if BETWEEN not in text:
            super().paint(painter, option, index)
            return
        drawn = QStyleOptionViewItem(option)
        self.initStyleOption(drawn, index)
        drawn.text = ""
        drawn.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, drawn, painter, drawn.widget)
        fills = self._theme.token_palette().fills or (self._theme.colour("sunken"),)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = option.fontMetrics
        x, height = option.rect.left() + CHIP_GAP, metrics.height() + 2
        top = option.rect.center().y() - height // 2
        for index, piece in enumerate(text.split(BETWEEN)):
            width = metrics.horizontalAdvance(piece) + 2 * CHIP_GAP
            if x + width > option.rect.right():
                painter.setPen(self._theme.colour("quiet"))
                rest = QRect(x, top, metrics.averageCharWidth() * 2, height)
                painter.drawText(QStyle.visualRect(option.direction, option.rect, rest), "…")
                break
            area = QRectF(QStyle.visualRect(option.direction, option.rect, QRect(x, top, width, height)))
            path = QPainterPath()
            path.addRoundedRect(area, CHIP_RADIUS, CHIP_RADIUS)
            painter.fillPath(path, fills[index % min(2, len(fills))])
            painter.setPen(self._theme.colour("text"))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, piece)
            x += width + CHIP_SPACE
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hint = super().sizeHint(option, index)
        pieces = str(index.data() or "").split(BETWEEN)
        if len(pieces) == 1:
            return hint
        text = sum(option.fontMetrics.horizontalAdvance(piece) for piece in pieces)
        return QSize(text + len(pieces) * (2 * CHIP_GAP + CHIP_SPACE) + 2 * CHIP_GAP, hint.height())


class OutcomeTable(QTableView):
    """A table as high as its rows, up to a limit, and as wide as the space available."""

    def __init__(self, model: ResultModel, name: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        model.setParent(self)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setProperty("kind", "flat")
        self.setItemDelegate(PieceCells(theme, self))
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
        rows = min(self.model().rowCount(), MAX_ROWS)
        self._least = self.horizontalHeader().sizeHint().height() + rows * row + 2 * self.frameWidth()
        self._wishes = [self._wish(column) for column in range(self.model().columnCount())]
        if self.model().is_numeric(len(self._wishes) - 1):  # do not stretch: numbers would stand far from their row
            bar = self.verticalScrollBar().sizeHint().width() if self.model().rowCount() > MAX_ROWS else 0
            self.setMaximumWidth(sum(self._wishes) + bar + 2 * self.frameWidth())
        self._share_width()

    def _share_width(self) -> None:
        """Fit columns to their content; the last one gets the remaining width, or more if its content needs it."""
        header, last = self.horizontalHeader(), self.model().columnCount() - 1
        # A table as high as its rows has no vertical scroll bar, although one may show until it has that height.
        high = self.model().rowCount() > MAX_ROWS
        width = self.viewport().width() if high else self.maximumViewportSize().width()
        *wishes, wish = self._wishes
        widths = [min(one, max(width // WIDEST_SHARE, 60)) for one in wishes]
        for column in range(last):
            spare = max(0, width - wish - sum(widths))
            widths[column] = min(wishes[column], widths[column] + spare)
            header.resizeSection(column, widths[column])
        taken = sum(widths)
        header.resizeSection(last, max(wish, width - taken))
        bar = self.horizontalScrollBar().sizeHint().height() if taken + wish > width else 0
        self.setFixedHeight(self._least + bar)

    def _wish(self, column: int) -> int:
        """Return the width that the content of a column needs. The model never changes it."""
        return max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column)) + ROW_PADDING


class OutcomeView(QWidget):
    """View of an outcome under its card; hidden until there is one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._body = column_of(parent=self, spacing=6)
        self.tables: list[OutcomeTable] = []
        self.remark = Remark(self)
        self.curve: TrainingCurveView | None = None
        self.hide()

    def show_outcome(self, outcome: Outcome) -> None:
        """Show this outcome instead of the previous one."""
        self.clear()
        if outcome.claims:
            holding = sum(claim.holds for claim in outcome.claims)
            if len(outcome.claims) == 1:
                words = self.tr("The claim is true") if holding else self.tr("The claim is false")
            else:
                words = self.tr("{n} of {all} claims are true").format(n=holding, all=len(outcome.claims))
            self._add_table(ClaimsModel(outcome.claims, self._theme), words)
        for table in outcome.tables:
            self._add_table(ResultModel(table), table.title)
        if outcome.curve is not None:
            self._show_curve(outcome.curve)
        self._body.addWidget(self.remark)
        self.remark.say(outcome.remark)
        self.show()

    def show_problem(self, why: str) -> None:
        """Show why there is no outcome."""
        self.clear()
        self._body.addWidget(self.remark)
        self.remark.say(why, "error")
        self.show()

    def clear(self) -> None:
        """Remove the outcome or problem shown."""
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

    def _add_table(self, model: ResultModel, title: str) -> None:
        table = OutcomeTable(model, title, self._theme, self)
        self._body.addWidget(label_of(table, title, "strong"))
        self._body.addWidget(table)
        self.tables.append(table)
