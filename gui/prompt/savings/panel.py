"""Page Savings: suggested edits with their savings, and the heaviest parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
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

from gui.costs.money_text import CostText
from gui.look.icons import Icons
from gui.look.plain_text import PlainLabel
from gui.look.theme import Theme
from gui.prompt.savings.labels import kind_words
from gui.prompt.savings.tables import BEGINNING, CHANGE, PREVIEW_LINE, WHAT, PreviewsModel, ProposalsModel, RankingModel
from gui.widgets.delegates import RunsDelegate
from gui.widgets.empty_state import EmptyState
from gui.widgets.figure_strip import FigureStrip
from gui.widgets.labels import wrapped_label
from gui.widgets.progress import ReachableProgressBar
from gui.widgets.tables import FittedTable, StretchedTable, set_up_rows
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from gui.core.savings.ranking import Preview, RankedPart
    from gui.core.savings.types import Proposal

ROW_PADDING = 12


class RankingPage(QWidget):
    """Heaviest parts of the prompt. Signals: ``place_asked(int, int)``: show this UTF-16 span of the prompt."""

    place_asked = Signal(int, int)

    def __init__(self, text: CostText) -> None:
        super().__init__()
        self._rankings: Mapping[str, Sequence[RankedPart]] = {}
        self._total = 0
        self.by = QComboBox(objectName="advisorBy")
        self.by.setAccessibleName(self.tr("Rank by"))
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
        """Show these rankings, by kind of part; ``total``: tokens of the whole prompt."""
        self._rankings, self._total = rankings, total
        self._show()

    @Slot()
    def _show(self) -> None:
        parts = self._rankings.get(self.by.currentData(), ())
        self.model.set_parts(parts, self._total)
        if self._total and not self._rankings:
            self.nothing.setText(self.tr("This encoding normalizes text, so its tokens have no positions."))
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


FIRST_WIDTHS = [640, 360]
FIRST_HEIGHTS = [200, 320]
"""Initial heights in pixels: less for the suggestions, which are few, than for the heaviest parts."""


class SavingsPage(QWidget):
    """List of suggestions, with a preview of the current one.

    Signals: ``place_asked(int, int)``: show this span of the prompt, in UTF-16 offsets; ``chosen_changed()``: another
    set is checked; ``apply_asked()``.
    """

    place_asked = Signal(int, int)
    chosen_changed = Signal()
    apply_asked = Signal()

    def __init__(self, theme: Theme, icons: Icons, text: CostText, below: QWidget) -> None:
        """``below``: widget below the suggestions."""
        super().__init__()
        self._below = below
        self._previews: Mapping[str, Sequence[Preview]] = {}
        self.model = ProposalsModel(text, self)
        self.table = FittedTable("advisorProposals")
        self.table.setAccessibleName(self.tr("Suggestions; Space checks one"))
        self.why = wrapped_label("advisorWhy")
        self.preview = PreviewsModel(self)
        self.places = StretchedTable(objectName="advisorPreview")
        self.places.setAccessibleName(self.tr("Changes of the suggestion; Enter goes to one"))
        self.places.setItemDelegate(RunsDelegate(theme, self.places))
        self.empty = EmptyState("savingsEmpty", "find", "", "", icons, theme)
        self.title = wrapped_label("advisorTitle")
        self.title.setProperty("role", "section")
        self.total = wrapped_label("advisorTotal")
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
        """Show these suggestions and select the first."""
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
        header.setSectionResizeMode(PREVIEW_LINE, fixed)
        self.places.setColumnWidth(PREVIEW_LINE, self.fontMetrics().horizontalAdvance("0,000,000"))
        header.setSectionResizeMode(CHANGE, stretch)
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


STEPS = 1000
PROGRESS_WIDTH = 140


class SavingsPanel(QFrame):
    """The whole page, once ``make`` is done; ``tools`` are for the view bar.

    Signals: ``run_asked()``, ``stop_asked()``.
    """

    run_asked = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__(objectName="advisorPanel")
        self.setProperty("kind", "surface")
        self.setAccessibleName(self.tr("Savings"))
        self._theme, self._icons, self._tone = theme, icons, "stale"
        self.text = CostText(QLocale())

    def make(self) -> Iterator[None]:
        """Create the widgets, step by step."""
        self.run = QPushButton(self.tr("Find savin&gs"), objectName="advisorRun")
        self.run.setToolTip(self.tr("Find the heaviest parts, and edits that save tokens"))
        self.stop = QPushButton(self.tr("Stop"), objectName="advisorStop")
        self.stop.setToolTip(self.tr("Stop searching"))
        for button in (self.run, self.stop):
            button.setAccessibleName(button.toolTip())
            button.setAutoDefault(False)
            button.setProperty("kind", "secondary")
        self.progress = ReachableProgressBar()
        self.progress.setObjectName("advisorProgress")
        self.progress.setAccessibleName(self.tr("Progress of the search"))
        self.progress.setRange(0, STEPS)
        self.progress.setTextVisible(False)
        self.status = QLabel(objectName="advisorStatus")
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        yield
        self.ranking = RankingPage(self.text)
        yield
        self.savings = SavingsPage(self._theme, self._icons, self.text, self.ranking)
        self.strip = FigureStrip("advisorOutcome", "advisorShare", "advisorMoney")
        self._place()
        self.run.clicked.connect(self.run_asked)
        self.stop.clicked.connect(self.stop_asked)
        self._theme.changed.connect(self._colour)
        self.show_running(False)

    def focus(self) -> None:
        """Focus the suggestions or, if there are none, the heaviest parts."""
        page = self.savings if self.savings.model.rows else self.ranking
        page.table.setFocus()

    def set_text(self, text: CostText) -> None:
        """Set the format and currency of figures, used when they are next shown."""
        self.text = text
        self.savings.model.set_text(text)
        self.ranking.model.set_text(text)

    def show_running(self, running: bool) -> None:
        """Show whether a search is running."""
        had_focus = self.run.hasFocus() or self.stop.hasFocus()
        self.run.setVisible(not running)
        self.stop.setVisible(running)
        self.progress.setVisible(running)
        if had_focus:
            (self.stop if running else self.run).setFocus()
        if running:
            self.progress.setValue(0)

    def show_progress(self, fraction: float) -> None:
        """Show the progress, from 0 to 1."""
        self.progress.setValue(round(max(0.0, fraction) * STEPS))

    def show_status(self, text: str, tone: str = "stale") -> None:
        """Show a status text. ``tone``: a role of the theme."""
        self._tone = tone
        self.status.setText(text)
        self._colour()

    def _colour(self) -> None:
        palette = QPalette(self.status.palette())
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(self._tone))
        self.status.setPalette(palette)

    def _place(self) -> None:
        self.progress.setMaximumWidth(PROGRESS_WIDTH)
        self.tools = ToolRow("savingsTools", self.tr("Savings"))
        self.tools.add(self.progress, self.stop)
        self.tools.add_button(self.run, self._icons.icon("find"))
        head = QVBoxLayout()
        head.setContentsMargins(16, 8, 16, 8)
        head.setSpacing(4)
        head.addWidget(self.strip)
        head.addWidget(self.status)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.savings, 1)
