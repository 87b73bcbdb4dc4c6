"""What would save tokens: suggestions with check boxes, what the current one does, and all chosen together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.models.cost_text import CostText
from gui.prompt.savings import previews as preview_columns
from gui.prompt.savings.labels import kind_words
from gui.prompt.savings.previews import PreviewsModel
from gui.prompt.savings.tables import WHAT, ProposalsModel
from gui.widgets.delegates import RunsDelegate
from gui.widgets.empty_state import EmptyState
from gui.widgets.tables import FittedTable, StretchedTable, set_up_rows

if TYPE_CHECKING:
    from gui.core.savings.excerpts import Preview
    from gui.core.savings.types import Proposal

ROW_PADDING = 12
FIRST_WIDTHS = [640, 360]
FIRST_HEIGHTS = [200, 320]
"""More of the heaviest parts than of the suggestions, which are few."""


class AdvisorSavings(QWidget):
    """Signals: ``place_asked(int, int)``: show these UTF-16 offsets of the prompt; ``chosen_changed()``: another set
    is checked; ``apply_asked()``."""

    place_asked = Signal(int, int)
    chosen_changed = Signal()
    apply_asked = Signal()

    def __init__(self, theme: Theme, icons: Icons, text: CostText, below: QWidget) -> None:
        """``below``: what stands under the suggestions."""
        super().__init__()
        self._below = below
        self._previews: Mapping[str, Sequence[Preview]] = {}
        self.model = ProposalsModel(text, self)
        self.table = FittedTable("advisorProposals")
        self.table.setAccessibleName(self.tr("Suggestions; Space checks one"))
        self.why = _words("advisorWhy")
        self.preview = PreviewsModel(self)
        self.places = StretchedTable(objectName="advisorPreview")
        self.places.setAccessibleName(self.tr("What the suggestion changes; Enter goes there"))
        self.places.setItemDelegate(RunsDelegate(theme, self.places))
        self.empty = EmptyState("savingsEmpty", "find", "", "", icons, theme)
        self.title = _words("advisorTitle")
        self.title.setProperty("role", "section")
        self.total = _words("advisorTotal")
        self.safe = QPushButton(self.tr("Select all safe"), objectName="advisorSafe")
        self.safe.setProperty("kind", "quiet")
        self.safe.setToolTip(self.tr("Check the suggestions that keep the meaning"))
        self.apply = QPushButton(self.tr("&Apply selected"), objectName="advisorApply")
        self.apply.setProperty("kind", "primary")
        self.apply.setToolTip(self.tr("Apply all checked edits as one step; Undo reverts it"))
        self.apply.setAccessibleName(self.apply.toolTip())
        for button in (self.safe, self.apply):
            button.setAutoDefault(False)
            button.setEnabled(False)
        self._set_up_tables()
        self._place()
        self.model.chosen_changed.connect(self.chosen_changed)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.places.clicked.connect(self._go_to)
        self.places.activated.connect(self._go_to)
        self.apply.clicked.connect(self.apply_asked)
        self.safe.clicked.connect(self.model.choose_safe)

    def show_proposals(self, proposals: Sequence[Proposal], previews: Mapping[str, Sequence[Preview]]) -> None:
        """Show these, the first of them as the current one."""
        self._previews = previews
        self.model.set_proposals(proposals)
        self.stack.setCurrentWidget(self.table if proposals else self.empty)
        self.detail.setVisible(bool(proposals))
        self.safe.setEnabled(any(one.kind.lossless for one in proposals))
        self._show_current(0 if proposals else -1)
        if proposals:
            self.table.setCurrentIndex(self.model.index(0, WHAT))

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        self._show_current(current.row())

    def _show_current(self, row: int) -> None:
        if row < 0:
            self.title.setText("")
            self.why.setText("")
            self.preview.set_rows(())
            return
        proposal = self.model.rows[row]
        shown = self._previews.get(proposal.kind.name, ())
        title, words = kind_words(proposal.kind.name)
        self.title.setText(title)
        count = len(proposal.effect.edits)
        if count > len(shown):
            words += " " + self.tr("{count} places; the first {shown} are shown.").format(
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
            table.setProperty("kind", "flat")
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
        self.stack = QStackedWidget()
        self.stack.setContentsMargins(12, 0, 0, 0)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        left = QSplitter(Qt.Orientation.Vertical, objectName="advisorLists")
        left.addWidget(self.stack)
        left.addWidget(self._below)
        left.setSizes(FIRST_HEIGHTS)
        self.detail = QWidget()
        column = QVBoxLayout(self.detail)
        column.setContentsMargins(12, 8, 12, 0)
        column.setSpacing(4)
        column.addWidget(self.title)
        column.addWidget(self.why)
        column.addWidget(self.places, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="advisorSplitter")
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.detail)
        self.splitter.setSizes(FIRST_WIDTHS)
        for splitter in (left, self.splitter):
            splitter.setChildrenCollapsible(False)
        foot = QFrame()
        foot.setProperty("kind", "foot")
        row = QHBoxLayout(foot)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.total, 1)
        row.addWidget(self.safe)
        row.addWidget(self.apply)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.splitter, 1)
        whole.addWidget(foot)


def _words(name: str) -> QLabel:
    label = QLabel(objectName=name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
