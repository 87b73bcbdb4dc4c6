"""Where the tokens of the prompt are: its lines or sections, those with the most first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

from gui.look.plain_label import PlainLabel
from gui.models.cost_text import CostText
from gui.prompt.savings.ranking import BEGINNING, RankingModel
from gui.widgets.tables import FittedTable, set_up_rows

if TYPE_CHECKING:
    from gui.core.savings.excerpts import RankedPart

ROW_PADDING = 12


class AdvisorRanking(QWidget):
    """Signals: ``place_asked(int, int)``: show these UTF-16 offsets of the prompt."""

    place_asked = Signal(int, int)

    def __init__(self, text: CostText) -> None:
        super().__init__()
        self._rankings: Mapping[str, Sequence[RankedPart]] = {}
        self._total = 0
        self.by = QComboBox(objectName="advisorBy")
        self.by.setAccessibleName(self.tr("What is ranked"))
        for kind, words in (
            ("line", self.tr("Lines")),
            ("paragraph", self.tr("Paragraphs")),
            ("heading", self.tr("Sections below headings")),
            ("role", self.tr("Messages by role")),
            ("fence", self.tr("Fenced code")),
            ("json", self.tr("JSON")),
        ):
            self.by.addItem(words, kind)
        self.model = RankingModel(text, self)
        self.table = FittedTable("advisorRanking")
        self.table.setAccessibleName(self.tr("Parts with the most tokens; Enter goes there"))
        self.table.setModel(self.model)
        self.table.setProperty("kind", "flat")
        set_up_rows(self.table)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(BEGINNING, QHeaderView.ResizeMode.Stretch)
        self.nothing = PlainLabel(objectName="advisorNothing")
        self.nothing.setWordWrap(True)
        self._place()
        self.by.currentIndexChanged.connect(self._show)
        self.table.clicked.connect(self._go_to)
        self.table.activated.connect(self._go_to)
        self._show()

    def show_rankings(self, rankings: Mapping[str, Sequence[RankedPart]], total: int) -> None:
        """Show these, by kind of part; ``total``: the tokens of the whole prompt."""
        self._rankings, self._total = rankings, total
        self._show()

    @Slot()
    def _show(self) -> None:
        parts = self._rankings.get(self.by.currentData(), ())
        self.model.set_parts(parts, self._total)
        if self._total and not self._rankings:
            self.nothing.setText(self.tr("This encoding preprocesses text, so its tokens have no positions."))
        else:
            self.nothing.setText(self.tr("The prompt has none of these."))
        self.nothing.setVisible(bool(self._total) and not parts)

    @Slot(QModelIndex)
    def _go_to(self, index: QModelIndex) -> None:
        part = self.model.rows[index.row()]
        self.place_asked.emit(part.utf16_start, part.utf16_end)

    def _place(self) -> None:
        title = PlainLabel(self.tr("Heaviest parts"))
        title.setProperty("role", "section")
        label = PlainLabel(self.tr("&Rank by"))
        label.setProperty("role", "caption")
        label.setBuddy(self.by)
        row = QHBoxLayout()
        row.setContentsMargins(16, 0, 12, 0)
        row.addWidget(title, 1)
        row.addWidget(label)
        row.addWidget(self.by)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.nothing)
        inset = QHBoxLayout()
        inset.setContentsMargins(12, 0, 0, 0)
        inset.addWidget(self.table)
        column.addLayout(inset, 1)
