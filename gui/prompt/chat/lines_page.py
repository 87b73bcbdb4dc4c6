"""Results for a file of requests: totals, the lines with the most tokens, and the invalid lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.look.fonts import set_weight
from gui.look.plain_text import PlainLabel
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.prompt.chat.labels import GRADE_WORDS, KIND_WORDS, tr
from gui.widgets.delegates import part_text_from_figures
from gui.widgets.forms import Remark
from gui.widgets.progress import ProgressBar
from gui.widgets.table_model import LEFT, RIGHT, everything_visible
from gui.widgets.tables import StretchedTable, set_up_rows

if TYPE_CHECKING:
    from engine.requests.lines import LinesReport, LineTokens, MalformedLine
    from gui.prompt.chat.service import CountedLines

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class LinesModel(QAbstractTableModel):
    """Rows of texts and integers; integers are right-aligned."""

    def __init__(self, titles: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._locale = QLocale()
        self._rows: tuple[tuple[int | str, ...], ...] = ()

    def set_worst(self, lines: Sequence[LineTokens]) -> None:
        """Show lines with their tokens, in total and by part."""
        self._set(tuple((one.line, one.tokens, *(part.tokens for part in one.parts), one.said) for one in lines))

    def set_malformed(self, lines: Sequence[MalformedLine]) -> None:
        """Show invalid lines with their errors."""
        self._set(tuple((one.line, one.why) for one in lines))

    def _set(self, rows: tuple[tuple[int | str, ...], ...]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            last = section == len(self._titles) - 1
            return LEFT if last else RIGHT
        return None

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return figure(self._locale, value) if isinstance(value, int) else value
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(value, int):
            return RIGHT
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(value, str):
            return value
        return None


MAX_NAMED = 12
"""Maximum number of kinds of uncounted parts that are named."""


class RequestLinesPage(QWidget):
    """Page with the results for a file of requests.

    Signals: ``stop_asked()``, ``export_asked()``, ``back_asked()``.
    """

    stop_asked = Signal()
    export_asked = Signal()
    back_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._locale = QLocale()
        self.worst_model = LinesModel(
            [
                *(self.tr("Line"), self.tr("Tokens"), self.tr("Overhead"), self.tr("Tools"), self.tr("Images")),
                *(self.tr("Text"), self.tr("Last message")),
            ],
            self,
        )
        self.bad_model = LinesModel([self.tr("Line"), self.tr("Error")], self)
        self._make(theme)
        self._place()
        self.stop.clicked.connect(self.stop_asked)
        self.export.clicked.connect(self.export_asked)
        self.back.clicked.connect(self.back_asked)

    def begin(self, path: Path) -> None:
        """Show that this file is being counted."""
        self.title.setText(visible_line(path.name))
        self.summary.setText(self.tr("Counting…"))
        self.progress.setValue(0)
        self._show_running(True)
        self.worst_model.set_worst(())
        self.bad_model.set_malformed(())
        self.remark.say("")
        self.stop.setFocus()

    def show_progress(self, fraction: float) -> None:
        """Show the fraction of the file that has been read."""
        self.progress.setValue(round(fraction * 1000))

    def show_counted(self, counted: CountedLines) -> None:
        """Show the result, of the whole file or of the lines read before it was stopped."""
        report = counted.report
        self._show_running(False)
        self.summary.setText(self._summary(report))
        self.worst_model.set_worst(report.worst)
        self.worst_title.setText(self._worst_words(report))
        self.bad_model.set_malformed(report.malformed)
        self.bad_title.setText(self._bad_words(report))
        self.bad.setVisible(bool(report.n_malformed))
        words = [] if counted.is_complete else [self.tr("Stopped. Results cover the lines read so far.")]
        if report.unknown:
            named = ", ".join(f"{what} ({figure(self._locale, n)})" for what, n in report.unknown[:MAX_NAMED])
            others = len(report.unknown) - MAX_NAMED
            more = self.tr(", and parts of {n} more kinds").format(n=others) if others > 0 else ""
            words.append(self.tr("Not counted: {named}.").format(named=named + more))
        self.remark.say(" ".join(words), "warning")

    def show_problem(self, why: str) -> None:
        """Show why the file cannot be counted."""
        self._show_running(False)
        self.summary.setText("")
        self.export.setEnabled(False)
        self.remark.say(why, "error")

    def _summary(self, report: LinesReport) -> str:
        parts = ", ".join(
            f"{tr(KIND_WORDS[part.kind])} {figure(self._locale, part.tokens)} ({tr(GRADE_WORDS[part.grade])})"
            for part in report.parts
        )
        mean = round(report.tokens / report.counted) if report.counted else 0
        return self.tr("{tokens} tokens in {requests} requests, {mean} on average: {parts}").format(
            tokens=figure(self._locale, report.tokens),
            requests=figure(self._locale, report.counted),
            mean=figure(self._locale, mean),
            parts=parts,
        )

    def _worst_words(self, report: LinesReport) -> str:
        if report.counted > len(report.worst):
            return self.tr("The {n} largest lines:").format(n=figure(self._locale, len(report.worst)))
        return self.tr("Lines, largest first:") if report.worst else ""

    def _bad_words(self, report: LinesReport) -> str:
        if not report.n_malformed:
            return self.tr("All lines are valid requests.")
        number = figure(self._locale, report.n_malformed)
        if report.n_malformed > len(report.malformed):
            shown = figure(self._locale, len(report.malformed))
            return self.tr("{n} invalid lines; the first {shown}:").format(n=number, shown=shown)
        return self.tr("Invalid lines, not counted: {n}").format(n=number)

    def _show_running(self, running: bool) -> None:
        self.progress.setVisible(running)
        self.stop.setVisible(running)
        self.export.setEnabled(not running)
        for title in (self.worst_title, self.bad_title):
            title.clear()

    def _make(self, theme: Theme) -> None:
        self.title = PlainLabel(objectName="requestLinesTitle")
        self.summary = PlainLabel(objectName="requestLinesSummary")
        self.worst_title = PlainLabel(objectName="requestLinesWorstTitle")
        self.bad_title = PlainLabel(objectName="requestLinesBadTitle")
        font = self.title.font()
        set_weight(font)
        self.title.setFont(font)
        for label in (self.title, self.summary, self.worst_title, self.bad_title):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.summary.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.remark = Remark(theme)
        self.progress = ProgressBar(objectName="requestLinesProgress", maximum=1000)
        self.progress.setAccessibleName(self.tr("Reading progress"))
        self.stop = QPushButton(self.tr("&Stop"), objectName="requestLinesStop")
        self.export = QPushButton(self.tr("&Export lines…"), objectName="requestLinesExport")
        self.export.setToolTip(self.tr("Export tokens and errors of each line as CSV or JSON"))
        self.back = QPushButton(self.tr("&Back to the request"), objectName="requestLinesBack")
        self.worst = self._table("requestWorst", self.tr("Lines with most tokens"), self.worst_model)
        self.bad = self._table("requestMalformed", self.tr("Invalid lines"), self.bad_model)

    def _table(self, name: str, words: str, model: LinesModel) -> QTableView:
        table = StretchedTable(objectName=name)
        table.setAccessibleName(words)
        table.setModel(model)
        part_text_from_figures(table, model.columnCount() - 1)
        set_up_rows(table)
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in range(model.columnCount() - 1):
            table.setColumnWidth(column, self.fontMetrics().averageCharWidth() * 11)
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().lineSpacing() + 12)
        return table

    def _place(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.progress, 1)
        head.addWidget(self.stop)
        head.addWidget(self.export)
        head.addWidget(self.back)
        tables = QSplitter(Qt.Orientation.Vertical)
        tables.setChildrenCollapsible(False)
        tables.addWidget(_titled(self.worst_title, self.worst))
        tables.addWidget(_titled(self.bad_title, self.bad))
        tables.setStretchFactor(0, 2)
        tables.setStretchFactor(1, 1)
        body = QVBoxLayout(self)
        body.setContentsMargins(8, 8, 8, 8)
        body.setSpacing(6)
        body.addLayout(head)
        body.addWidget(self.summary)
        body.addWidget(self.remark)
        body.addWidget(tables, 1)


def _titled(title: QWidget, table: QWidget) -> QWidget:
    """Return a table below its title, which keeps its position while the table is hidden."""
    pane = QWidget()
    column = QVBoxLayout(pane)
    column.setContentsMargins(0, 4, 0, 0)
    column.addWidget(title)
    column.addWidget(table, 1)
    column.addStretch(0)
    return pane
