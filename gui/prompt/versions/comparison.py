"""Two texts compared: their tokens line by line, and what the second changes in the cost of every model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.look.figures import figure
from gui.look.icons import Icons
from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.models.cost_text import CostText
from gui.models.money_text import MINUS
from gui.prompt.versions import cost_changes, diff_table
from gui.prompt.versions.cost_changes import CostChangesModel
from gui.prompt.versions.diff_table import DiffTableModel
from gui.widgets.delegates import RunsDelegate, TextDelegate
from gui.widgets.empty_state import EmptyState
from gui.widgets.figure_strip import FigureStrip
from gui.widgets.tables import FittedTable, StretchedTable, set_up_rows
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.core.diff_rows import Comparison
    from gui.core.version_store import Version

ROW_PADDING = 4
PROMPT = ""
"""Stands for the text of the prompt among the keys of versions."""


class VersionComparison(QFrame):
    """``tools`` are for the view bar.

    Signals: ``other_changed()`` when the second text is another one.
    """

    other_changed = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self.setProperty("kind", "surface")
        self._theme, self._tone = theme, "stale"
        self._figures: list[tuple[str, str]] = []
        self.other = QComboBox(objectName="versionOther")
        self.other.setAccessibleName(self.tr("Text to compare with"))
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.other.setMinimumContentsLength(16)
        self.other.addItem(self.tr("Prompt now"), PROMPT)
        self.words = QLabel(objectName="versionWords")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.rows = DiffTableModel(QLocale(), self)
        self.tokens = StretchedTable(objectName="versionDiff")
        self.tokens.setAccessibleName(self.tr("Both texts line by line, with the tokens that differ"))
        self.tokens.setModel(self.rows)
        self._runs = RunsDelegate(theme, self.tokens)
        self.tokens.setItemDelegate(self._runs)
        self._wrapping = QTimer(self, singleShot=True, interval=0)
        self._wrapping.timeout.connect(self._wrap)
        self.tokens.resized.connect(self._wrapping.start)
        self.changes = CostChangesModel(CostText(QLocale()), self)
        self.costs = FittedTable("versionCosts")
        self.costs.setAccessibleName(self.tr("Cost change per model"))
        self.costs.setModel(self.changes)
        self.costs.setItemDelegate(TextDelegate(self.changes, self.costs))
        self.strip = FigureStrip("versionTokens", "versionChange", "versionCost")
        sentence = self.tr("No versions yet. Save one to compare with or return to later.")
        self.empty = EmptyState("versionsEmpty", "save", sentence, "", icons, theme)
        self._set_up_tables()
        self._place()
        self.other.currentIndexChanged.connect(self.other_changed)
        theme.changed.connect(self._colour)

    @property
    def other_key(self) -> str:
        """The key of the version that is the second text, or ``PROMPT``."""
        return self.other.currentData()

    def show_versions(self, versions: Sequence[Version]) -> None:
        """Offer these as the second text; the chosen one stays chosen, if it is there."""
        chosen = self.other_key
        self.other.blockSignals(True)
        while self.other.count() > 1:
            self.other.removeItem(1)
        for version in versions:
            self.other.addItem(visible_line(version.name), version.key)
        self.other.setCurrentIndex(max(0, self.other.findData(chosen)))
        self.other.blockSignals(False)

    def say(self, text: str, tone: str = "stale") -> None:
        """Say how it stands. ``tone``: a role of the theme."""
        self._tone = tone
        self.words.setText(text)
        self._colour()

    def show_cost(self, figure: tuple[str, str] | None) -> None:
        """Show the change of the cost of one call at the model in use, and its words; None where it is not known."""
        if self._figures:
            self.strip.show_figures(*self._figures, *([figure] if figure is not None else []))

    def show_versions_there(self, there: bool) -> None:
        """Make room for a comparison, or say that there is nothing to compare yet."""
        self.stack.setCurrentIndex(0 if there else 1)

    def show_nothing(self) -> None:
        """Nothing is compared."""
        self._figures = []
        self.strip.show_figures()
        self.rows.set_rows(())
        self.changes.set_changes((), CostText(QLocale()), 1)

    def show_comparison(self, comparison: Comparison, encoding: str) -> None:
        """Show the tokens, and sum up."""
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
        self.say(words)

    @Slot()
    def _wrap(self) -> None:
        """Break long lines at the width of the columns; the line at the top stays there."""
        room = min(self.tokens.columnWidth(diff_table.BEFORE), self.tokens.columnWidth(diff_table.AFTER))
        top = self.rows.whole_row(self.tokens.rowAt(0))
        self.rows.set_room(self._runs.room(room), self._runs.width)
        if top > 0:
            self.tokens.scrollTo(self.rows.index(self.rows.first_of(top), 0), QTableView.ScrollHint.PositionAtTop)

    @Slot()
    def _colour(self) -> None:
        palette = QPalette(self.words.palette())
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(self._tone))
        self.words.setPalette(palette)

    def _set_up_tables(self) -> None:
        height = self.fontMetrics().height() + ROW_PADDING
        for table in (self.tokens, self.costs):
            set_up_rows(table)
            table.setProperty("kind", "flat")
            table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
            table.verticalHeader().setDefaultSectionSize(height)
        header = self.tokens.horizontalHeader()
        width = self.fontMetrics().horizontalAdvance("00,000")
        for column in (diff_table.SIGN, diff_table.BEFORE_LINE, diff_table.AFTER_LINE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.tokens.setColumnWidth(column, width if column != diff_table.SIGN else width // 2)
        for column in (diff_table.BEFORE, diff_table.AFTER):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(width // 2)
        header = self.costs.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.costs.setSortingEnabled(True)
        self.costs.sortByColumn(cost_changes.MODEL, Qt.SortOrder.AscendingOrder)

    def _place(self) -> None:
        self.tools = ToolRow("versionTools", self.tr("Comparison of versions"))
        self.tools.add_caption(self.tr("Compare &with"), self.other)
        self.tools.add(self.other)
        costs = QWidget()
        below = QVBoxLayout(costs)
        below.setContentsMargins(0, 6, 0, 0)
        title = PlainLabel(self.tr("Cost change per model"))
        title.setProperty("role", "section")
        title.setContentsMargins(16, 0, 16, 0)
        below.addWidget(title)
        inset = QHBoxLayout()
        inset.setContentsMargins(12, 0, 0, 0)
        inset.addWidget(self.costs)
        below.addLayout(inset, 1)
        split = QSplitter(Qt.Orientation.Vertical, objectName="versionLists")
        split.setChildrenCollapsible(False)
        split.addWidget(self.tokens)
        split.addWidget(costs)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        compared = QWidget()
        column = QVBoxLayout(compared)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        head = QVBoxLayout()
        head.setContentsMargins(16, 8, 16, 4)
        head.setSpacing(4)
        head.addWidget(self.strip)
        head.addWidget(self.words)
        column.addLayout(head)
        column.addWidget(split, 1)
        self.stack = QStackedWidget()
        self.stack.addWidget(compared)
        self.stack.addWidget(self.empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)
