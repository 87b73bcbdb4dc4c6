"""What would save tokens: proposals with check boxes, what the current one does, and all chosen together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QPushButton, QSplitter, QTableView, QVBoxLayout, QWidget

from gui.look.theme import Theme
from gui.models import previews as preview_columns
from gui.models.advisor_words import kind_words
from gui.models.cost_text import CostText
from gui.models.previews import PreviewsModel
from gui.models.proposals import WHAT, ProposalsModel
from gui.panels.fitted_table import FittedTable
from gui.panels.row_table import set_up_rows
from gui.panels.runs_delegate import RunsDelegate
from gui.panels.stretched_table import StretchedTable

if TYPE_CHECKING:
    from gui.services.advisor.excerpts import Preview
    from gui.services.advisor.types import Proposal

ROW_PADDING = 6
FIRST_WIDTHS = [520, 480]


class AdvisorSavings(QWidget):
    """Signals: ``place_asked(int, int)``: show these UTF-16 offsets of the prompt; ``chosen_changed()``: another set
    is checked; ``apply_asked()``."""

    place_asked = Signal(int, int)
    chosen_changed = Signal()
    apply_asked = Signal()

    def __init__(self, theme: Theme, text: CostText) -> None:
        super().__init__()
        self._previews: Mapping[str, Sequence[Preview]] = {}
        self.model = ProposalsModel(text, self)
        self.table = FittedTable("advisorProposals")
        self.table.setAccessibleName(self.tr("Proposals; Space checks one"))
        self.why = _words("advisorWhy")
        self.preview = PreviewsModel(self)
        self.places = StretchedTable(objectName="advisorPreview")
        self.places.setAccessibleName(self.tr("What the proposal changes; Enter goes there"))
        self.places.setItemDelegate(RunsDelegate(theme, self.places))
        self.total = _words("advisorTotal")
        self.apply = QPushButton(self.tr("&Apply what is checked"), objectName="advisorApply")
        self.apply.setToolTip(self.tr("Make all checked edits at once; one undo takes them back"))
        self.apply.setAccessibleName(self.apply.toolTip())
        self.apply.setAutoDefault(False)
        self.apply.setEnabled(False)
        self._set_up_tables()
        self._place()
        self.model.chosen_changed.connect(self.chosen_changed)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.places.clicked.connect(self._go_to)
        self.places.activated.connect(self._go_to)
        self.apply.clicked.connect(self.apply_asked)

    def show_proposals(self, proposals: Sequence[Proposal], previews: Mapping[str, Sequence[Preview]]) -> None:
        """Show these, the first of them as the current one."""
        self._previews = previews
        self.model.set_proposals(proposals)
        self._show_current(0 if proposals else -1)
        if proposals:
            self.table.setCurrentIndex(self.model.index(0, WHAT))

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        self._show_current(current.row())

    def _show_current(self, row: int) -> None:
        if row < 0:
            self.why.setText("")
            self.preview.set_rows(())
            return
        proposal = self.model.rows[row]
        shown = self._previews.get(proposal.kind.name, ())
        words = kind_words(proposal.kind.name).why
        count = len(proposal.effect.edits)
        if count > len(shown):
            words += " " + self.tr("{count} places, the first {shown} of them below.").format(
                count=f"{count:,}", shown=f"{len(shown):,}"
            )
        self.why.setText(words)
        self.preview.set_rows(shown)

    @Slot(QModelIndex)
    def _go_to(self, index: QModelIndex) -> None:
        preview = self.preview.rows[index.row()]
        self.place_asked.emit(preview.utf16_start, preview.utf16_end)

    def _set_up_tables(self) -> None:
        height = self.fontMetrics().height() + ROW_PADDING
        for table, model in ((self.table, self.model), (self.places, self.preview)):
            table.setModel(model)
            set_up_rows(table)
            table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
            table.verticalHeader().setDefaultSectionSize(height)
        fixed, stretch = QHeaderView.ResizeMode.Fixed, QHeaderView.ResizeMode.Stretch
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(fixed)
        header.setSectionResizeMode(WHAT, stretch)
        header = self.places.horizontalHeader()
        header.setSectionResizeMode(preview_columns.LINE, fixed)
        self.places.setColumnWidth(preview_columns.LINE, self.fontMetrics().horizontalAdvance("0,000,000"))
        header.setSectionResizeMode(preview_columns.CHANGE, stretch)
        self.places.setMinimumHeight(3 * height)
        self.table.setMinimumHeight(3 * height)

    def _place(self) -> None:
        lower = QWidget()
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.why)
        column.addWidget(self.places, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="advisorSplitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.table)
        self.splitter.addWidget(lower)
        self.splitter.setSizes(FIRST_WIDTHS)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 6, 0, 0)
        whole.setSpacing(6)
        whole.addWidget(self.splitter, 1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.total, 1)
        row.addWidget(self.apply)
        whole.addLayout(row)


def _words(name: str) -> QLabel:
    label = QLabel(objectName=name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
