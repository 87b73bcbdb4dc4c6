"""What is found beside the totals: where the encodings differ most, and their tokens by script and by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

from gui.prompt.compare.labels import tr
from gui.prompt.compare.tables import TEXT, DifferencesModel, PartsModel
from gui.widgets.layouts import PageTabs
from gui.widgets.tables import FittedTable, set_up_rows

if TYPE_CHECKING:
    from engine.comparing.types import TextComparison
    from gui.widgets.table_model import RowsModel

ROW_PADDING = 12


class ComparePages(PageTabs):
    """Signals: ``stretch_chosen(int, int)``, ``stretch_opened(int, int)``: UTF-16 offsets in the text that is compared,
    of a row that became the current one, and of one that was clicked twice or on which Enter was pressed."""

    stretch_chosen = Signal(int, int)
    stretch_opened = Signal(int, int)

    def __init__(self) -> None:
        super().__init__("comparePages", tr("Pages of the comparison"))
        self._comparison: TextComparison | None = None
        self.differences = DifferencesModel(self.locale(), self)
        self.by_lines = QCheckBox(self.tr("Whole &lines"), objectName="compareByLines")
        self.by_lines.setToolTip(self.tr("Rank whole lines, not the spans between boundaries that all encodings share"))
        self.table = self._table(self.differences, "compareDifferences", self.tr("Where the encodings differ most"))
        self.table.setToolTip(self.tr("Click to show the place below; double-click or Enter to show it in the prompt"))
        self.scripts = PartsModel(self.locale(), self.tr("Script of the line"), self)
        self.kinds = PartsModel(self.locale(), self.tr("Kind of characters"), self)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 6, 0, 0)
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 0)
        row.addWidget(self.by_lines)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        self.addTab(page, self.tr("Where they differ"))
        self.addTab(self._table(self.scripts, "compareScripts", self.tr("Tokens by script")), self.tr("By script"))
        self.addTab(self._table(self.kinds, "compareKinds", self.tr("Tokens by kind")), self.tr("By kind"))
        self.by_lines.toggled.connect(self._show_differences)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.table.clicked.connect(self._on_clicked)
        self.table.activated.connect(self._on_activated)

    def show_comparison(self, comparison: TextComparison, base: int) -> None:
        """Show what was found; ``base``: number of the encoding that the others are compared with."""
        if comparison is not self._comparison:
            self._comparison = comparison
            self._show_differences()
        self.scripts.show_parts(comparison.scripts, comparison.names, base)
        self.kinds.show_parts(comparison.kinds, comparison.names, base)

    @Slot()
    def _show_differences(self) -> None:
        found = self._comparison
        if found is not None:
            shown = found.lines if self.by_lines.isChecked() else found.stretches
            self.differences.show_differences(shown, found.names)
            self.table.horizontalHeader().setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self._on_clicked(current)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        one = self.differences.rows[index.row()]
        self.stretch_chosen.emit(one.utf16_start, one.utf16_end)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        one = self.differences.rows[index.row()]
        self.stretch_opened.emit(one.utf16_start, one.utf16_end)

    def _table(self, model: RowsModel, name: str, spoken: str) -> QTableView:
        table = FittedTable(name)
        table.setAccessibleName(spoken)
        table.setModel(model)
        table.setProperty("kind", "flat")
        set_up_rows(table)
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setStretchLastSection(model is not self.differences)
        return table
