"""Page Savings: suggested edits with their savings, and the heaviest parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QHeaderView, QSplitter, QStackedWidget, QWidget

from gui.core.token_text import ADDED, REMOVED, plain_text, text_without
from gui.costs.money_text import CostText, money_text
from gui.look.icons import Icons
from gui.look.style_sheet import give_role
from gui.look.theme import Theme
from gui.prompt.savings.service import kind_text, tr
from gui.widgets.bars import ReachableProgressBar
from gui.widgets.delegates import RUNS_ROLE, RunsDelegate
from gui.widgets.forms import button_of_kind, column_of, label_of, row_of, splitter_of
from gui.widgets.labels import EmptyState, FigureStrip, PlainLabel, ToneLabel, wrapped_label
from gui.widgets.table_model import Index, RowsModel, plain_tips
from gui.widgets.tables import FittedTable, StretchedTable, set_up_list
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from gui.core.savings import Preview, Proposal
    from gui.core.text_structure import RankedPart
    from gui.costs.cost_service import Money

FIRST_WIDTHS = [640, 360]
FIRST_HEIGHTS = [200, 320]
"""Initial heights in pixels: less for the suggestions, which are few, than for the heaviest parts."""
STEPS = 1000
PROGRESS_WIDTH = 140
PREVIEW_LINE, CHANGE = range(2)
WHAT, EFFECT, PLACES, SAVED_TOKENS, SAVED_MONEY = range(5)
LINE, TOKENS, SHARE, MONEY, BEGINNING = range(5)


class PreviewsModel(RowsModel):
    """Previews of edits: line, removed text and new text."""

    COLUMNS = 2
    FIGURES = (PREVIEW_LINE,)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and index.column() == CHANGE:
            change = self.rows[index.row()].change
            if role == RUNS_ROLE:
                return change
            if role == Qt.ItemDataRole.ToolTipRole:
                before, after = (text_without(change, mark) for mark in (ADDED, REMOVED))
                return tr("Before: {before}\nAfter: {after}").format(before=before, after=after)
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Line"), tr("Change")

    def cell(self, preview: Preview, column: int) -> str:
        return f"{preview.line}" if column == PREVIEW_LINE else plain_text(preview.change)


class ProposalsModel(RowsModel):
    """Suggestions: edit, effect on the meaning, occurrences, and the tokens and money per month that it saves alone.

    Signals: ``chosen_changed()`` when another set of rows is checked.
    """

    COLUMNS = 5
    FIGURES = (PLACES, SAVED_TOKENS, SAVED_MONEY)

    chosen_changed = Signal()

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = text
        self._chosen: set[str] = set()
        self._money: Mapping[str, Money] = {}

    @property
    def chosen(self) -> frozenset[str]:
        """Names of the kinds that are checked."""
        return frozenset(self._chosen)

    def set_proposals(self, proposals: Sequence[Proposal]) -> None:
        """Show these suggestions, and check the lossless ones."""
        self._chosen = {one.kind.name for one in proposals if one.kind.lossless}
        self._money = {}
        self.set_rows(proposals)
        self.chosen_changed.emit()

    def choose_safe(self) -> None:
        """Check only the lossless suggestions."""
        self._chosen = {one.kind.name for one in self.rows if one.kind.lossless}
        self.notify_column(WHAT)
        self.chosen_changed.emit()

    def set_money(self, money: Mapping[str, Money]) -> None:
        """Set the money that each kind saves per month, by its name."""
        self._money = money
        self.notify_column(SAVED_MONEY)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == WHAT else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != WHAT:
            return False
        name = self.rows[index.row()].kind.name
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self._chosen.add(name)
        else:
            self._chosen.discard(name)
        self.dataChanged.emit(index, index, [role])
        self.chosen_changed.emit()
        return True

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role == Qt.ItemDataRole.CheckStateRole and index.column() == WHAT:
            chosen = self.rows[index.row()].kind.name in self._chosen
            return Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(kind_text(self.rows[index.row()].kind.name))
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return (
                tr("Checked suggestions are applied together"),
                tr("Whether the meaning is kept"),
                tr("Number of places it changes"),
                tr("Tokens saved if applied alone"),
                tr("Monthly savings if applied alone"),
            )[section]
        return super().headerData(section, orientation, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Suggestion"), tr("Effect"), tr("Places"), tr("Saves"), tr("Per month")

    def cell(self, proposal: Proposal, column: int) -> str:
        if column == WHAT:
            return kind_text(proposal.kind.name).title
        if column == EFFECT:
            return tr("Same meaning") if proposal.kind.lossless else tr("Check the wording")
        if column == PLACES:
            return self.text.localised(f"{len(proposal.effect.edits):,}")
        if column == SAVED_TOKENS:
            return "−" + self.text.localised(f"{proposal.effect.tokens_saved:,}")
        money = self._money.get(proposal.kind.name)
        return self.text.unknown() if money is None else money_text(self.text, money)


class RankingModel(RowsModel):
    """Heaviest parts: line, tokens, share of all tokens, money per month, and the beginning of the part."""

    COLUMNS = 5
    FIGURES = (LINE, TOKENS, SHARE, MONEY)

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = text
        self._total = 0
        self._money: Money | None = None

    def set_parts(self, parts: Sequence[RankedPart], total: int) -> None:
        """Show these parts; ``total``: tokens of the whole prompt."""
        self._total = total
        self.set_rows(parts)

    def set_money(self, prompt: Money | None) -> None:
        """Set the cost of the whole prompt per month; None if it is not known yet."""
        self._money = prompt
        self.notify_column(MONEY)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == BEGINNING:
            return self.rows[index.row()].beginning
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and section == MONEY:
            return tr("The same share of the monthly input cost")
        return super().headerData(section, orientation, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Line"), tr("Tokens"), tr("Share"), tr("Per month"), tr("Begins with")

    def cell(self, part: RankedPart, column: int) -> str:
        if column == LINE:
            return self.text.localised(f"{part.line:,}")
        if column == TOKENS:
            return self.text.localised(f"{part.tokens:,}")
        if column == SHARE:
            share = Decimal(part.tokens) / self._total
            return self.text.percent(share, share)
        if column == MONEY:
            if self._money is None:
                return self.text.unknown()
            return money_text(self.text, self._money.share(part.tokens, self._total))
        return part.beginning


class RankingPage(QWidget):
    """Heaviest parts of the prompt. Signals: ``span_requested(int, int)``: show this UTF-16 span of the prompt."""

    span_requested = Signal(int, int)

    def __init__(self, text: CostText) -> None:
        super().__init__()
        self._rankings: Mapping[str, Sequence[RankedPart]] = {}
        self._total = 0
        self.by = QComboBox(objectName="advisorBy", accessibleName=self.tr("Rank by"))
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
        set_up_list(self.table)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(BEGINNING, QHeaderView.ResizeMode.Stretch)
        self.nothing = PlainLabel(objectName="advisorNothing", wordWrap=True)
        self._lay_out()
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
        self.span_requested.emit(part.utf16_start, part.utf16_end)

    def _lay_out(self) -> None:
        title = PlainLabel(self.tr("Heaviest parts"), role="section")
        label = label_of(self.by, self.tr("&Rank by"), "caption")
        column_of(
            row_of((title, 1), label, self.by, margins=(16, 0, 12, 0)),
            self.nothing,
            (row_of(self.table, margins=(12, 0, 0, 0)), 1),
            parent=self,
            margins=(0, 6, 0, 0),
            spacing=6,
        )


class SavingsPage(QWidget):
    """List of suggestions, with a preview of the current one.

    Signals: ``span_requested(int, int)``: show this span of the prompt, in UTF-16 offsets; ``chosen_changed()``:
    another set is checked; ``apply_asked()``.
    """

    span_requested = Signal(int, int)
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
        self.changes = StretchedTable(objectName="advisorPreview")
        self.changes.setAccessibleName(self.tr("Changes of the suggestion; Enter goes to one"))
        self.changes.setItemDelegate(RunsDelegate(theme, self.changes))
        self.empty = EmptyState("savingsEmpty", "find", "", "", icons, theme)
        self.title = wrapped_label("advisorTitle")
        give_role(self.title, "section")
        self.total = wrapped_label("advisorTotal")
        self.safe = button_of_kind("advisorSafe", self.tr("Select all safe"), "quiet")
        self.safe.setToolTip(self.tr("Check the suggestions that keep the meaning"))
        self.apply = button_of_kind("advisorApply", self.tr("&Apply selected"), "primary")
        self.apply.setToolTip(self.tr("Apply all checked edits as one step; Undo reverts it"))
        self.apply.setAccessibleName(self.apply.toolTip())
        for button in (self.safe, self.apply):
            button.setEnabled(False)
        self._set_up_tables()
        self._lay_out()
        self.model.chosen_changed.connect(self.chosen_changed)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.changes.clicked.connect(self._go_to)
        self.changes.activated.connect(self._go_to)
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
        title, words = kind_text(proposal.kind.name)
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
        self.span_requested.emit(preview.utf16_start, preview.utf16_end)

    def _set_up_tables(self) -> None:
        for table, model in ((self.table, self.model), (self.changes, self.preview)):
            table.setModel(model)
            set_up_list(table)
            table.setMinimumHeight(3 * table.verticalHeader().defaultSectionSize())
        fixed, stretch = QHeaderView.ResizeMode.Fixed, QHeaderView.ResizeMode.Stretch
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(fixed)
        header.setSectionResizeMode(WHAT, stretch)
        header = self.changes.horizontalHeader()
        header.setSectionResizeMode(PREVIEW_LINE, fixed)
        self.changes.setColumnWidth(PREVIEW_LINE, self.fontMetrics().horizontalAdvance("0,000,000"))
        header.setSectionResizeMode(CHANGE, stretch)

    def _lay_out(self) -> None:
        self.stack = QStackedWidget()
        self.stack.setContentsMargins(12, 0, 0, 0)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        left = QSplitter(Qt.Orientation.Vertical, objectName="advisorLists", childrenCollapsible=False)
        left.addWidget(self.stack)
        left.addWidget(self._below)
        left.setSizes(FIRST_HEIGHTS)
        self.detail = QWidget()
        column_of(self.title, self.why, (self.changes, 1), parent=self.detail, margins=(12, 8, 12, 0), spacing=4)
        splitter = splitter_of("advisorSplitter", left, self.detail, FIRST_WIDTHS)
        foot = QFrame()
        foot.setProperty("kind", "foot")
        row_of((self.total, 1), self.safe, self.apply, parent=foot, margins=(16, 8, 16, 8), spacing=8)
        column_of((splitter, 1), foot, parent=self, spacing=0)


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
        self._theme, self._icons = theme, icons
        self.text = CostText(QLocale())

    def make(self) -> Iterator[None]:
        """Create the widgets, step by step."""
        self.run = button_of_kind("advisorRun", self.tr("Find savin&gs"), "secondary")
        self.run.setToolTip(self.tr("Find the heaviest parts, and edits that save tokens"))
        self.stop = button_of_kind("advisorStop", self.tr("Stop"), "secondary")
        self.stop.setToolTip(self.tr("Stop searching"))
        for button in (self.run, self.stop):
            button.setAccessibleName(button.toolTip())
        self.progress = ReachableProgressBar()
        self.progress.setObjectName("advisorProgress")
        self.progress.setAccessibleName(self.tr("Progress of the search"))
        self.progress.setRange(0, STEPS)
        self.progress.setTextVisible(False)
        self.status = ToneLabel("advisorStatus")
        yield
        self.ranking = RankingPage(self.text)
        yield
        self.savings = SavingsPage(self._theme, self._icons, self.text, self.ranking)
        self.strip = FigureStrip("advisorOutcome", "advisorShare", "advisorMoney")
        self._lay_out()
        self.run.clicked.connect(self.run_asked)
        self.stop.clicked.connect(self.stop_asked)
        self.show_running(False)

    def focus(self) -> None:
        """Focus the suggestions or, if there are none, the heaviest parts."""
        page = self.savings if self.savings.model.rows else self.ranking
        page.table.setFocus()

    def set_text(self, text: CostText) -> None:
        """Set the format and currency of figures, used when they are next shown."""
        self.text = text
        self.savings.model.text = self.ranking.model.text = text

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

    def _lay_out(self) -> None:
        self.progress.setMaximumWidth(PROGRESS_WIDTH)
        self.tools = ToolRow("savingsTools", self.tr("Savings"))
        self.tools.add(self.progress, self.stop)
        self.tools.add_button(self.run, self._icons.icon("find"))
        head = column_of(self.strip, self.status, margins=(16, 8, 16, 8), spacing=4)
        column_of(head, (self.savings, 1), parent=self, spacing=0)
