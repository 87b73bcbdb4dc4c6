"""The conversation tab: what is said about it, the costs of its turns as lines and as figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSize, Qt, Slot
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QHeaderView, QScrollArea, QSplitter, QTableView, QVBoxLayout, QWidget

from gui.look.line_styles import LINE_STYLES, SAMPLE_HEIGHT, SAMPLE_WIDTH, line_sample
from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.models.conversation_table import TotalsModel, TurnsModel, figures_of
from gui.models.cost_text import CostText
from gui.panels.conversation_form import ConversationForm
from gui.widgets.figure_strip import FigureStrip
from gui.widgets.form_rows import Remark
from gui.widgets.layouts import WhenSeen
from gui.widgets.plot_turn import PlotTurn
from gui.widgets.tables import StretchedTable, set_up_rows

if TYPE_CHECKING:
    from gui.services.conversations import Talk

ROW_PADDING = 12
SIDE_WIDTH = 278
TOTALS_WIDTH, TURNS_WIDTH = 620, 280


class ConversationPanel(QWidget):
    """Shows talks that somebody else works out; ``form`` says of what kind."""

    def __init__(self, theme: Theme, text: CostText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, text
        self._talks: Sequence[Talk] = ()
        self.form = ConversationForm()
        self.remark = Remark(theme)
        self.remark.setObjectName("conversationRemark")
        self.totals = TotalsModel(text, self._sample, self)
        self.turns = TurnsModel(text, self)
        self.totals_table = _table(
            "conversationTotals", self.tr("Cost of the whole conversation, by model"), self.totals
        )
        self.turns_table = _table("conversationCosts", self.tr("Cost so far, by turn and model"), self.turns)
        self._plot: Any = None
        self._is_drawn = True
        self._hint = PlainLabel(self.tr("Working out the conversation…"), alignment=Qt.AlignmentFlag.AlignCenter)
        self.figures = FigureStrip("talkTotal", "talkSaving", "talkPaysFrom", "talkLastPrompt")
        self._place()
        self._turn = PlotTurn(theme, self, self._draw)
        theme.changed.connect(WhenSeen(self, self._redraw).ask)

    def show_talks(self, talks: Sequence[Talk], text: CostText) -> None:
        """Show these, in the order in which they come. pyqtgraph is loaded by then, or cannot be."""
        columns = self.turns.columnCount()
        self._talks, self._text = talks, text
        self.totals.show(talks, text)
        self.turns.show(talks, text)
        self.figures.show_figures(*(figures_of(talks[0], text) if talks else ()))
        self.totals_table.resizeColumnsToContents()
        if self.turns.columnCount() != columns:
            self.turns_table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        if self._plot is not None:
            self._turn.ask()
        elif self._make_plot():
            self._turn.ask_later()

    def _place(self) -> None:
        """What is said at the left; at the right the answer in figures, the curves, and below them the tables."""
        said = QWidget(objectName="plain")
        left = QVBoxLayout(said)
        left.setContentsMargins(16, 10, 12, 10)
        left.setSpacing(10)
        left.addWidget(self.form)
        left.addWidget(self.remark)
        left.addStretch(1)
        side = QScrollArea()
        side.setWidgetResizable(True)
        side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        side.setFixedWidth(SIDE_WIDTH)
        side.setWidget(said)
        side.setAccessibleName(self.tr("Conversation settings"))
        tables = QSplitter(Qt.Orientation.Horizontal)
        tables.addWidget(self.totals_table)
        tables.addWidget(self.turns_table)
        self.splitter = QSplitter(Qt.Orientation.Vertical, objectName="conversationSplitter")
        self.splitter.addWidget(self._hint)
        self.splitter.addWidget(tables)
        for splitter, first, second in ((tables, 2, 1), (self.splitter, 3, 2)):
            splitter.setChildrenCollapsible(False)
            splitter.setStretchFactor(0, first)
            splitter.setStretchFactor(1, second)
        tables.setSizes([TOTALS_WIDTH, TURNS_WIDTH])
        answer = QFrame()
        answer.setProperty("kind", "surface")
        right = QVBoxLayout(answer)
        right.setContentsMargins(16, 8, 0, 0)
        right.setSpacing(6)
        right.addWidget(self.figures)
        right.addWidget(self.splitter, 1)
        line = QFrame()
        line.setProperty("kind", "vline")
        line.setFrameShape(QFrame.Shape.VLine)
        body = QHBoxLayout(self)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        for widget, stretch in ((side, 0), (line, 0), (answer, 1)):
            body.addWidget(widget, stretch)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._redraw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_drawn:
            self._redraw()

    def _make_plot(self) -> bool:
        """Whether it could be made."""
        try:
            from gui.panels.conversation_plot import ConversationPlot
        except ImportError as error:
            self._hint.setText(self.tr("The curves cannot be drawn: {reason}").format(reason=error))
            return False
        self._plot = ConversationPlot(self._theme)
        self.splitter.replaceWidget(0, self._plot)
        self._hint.deleteLater()
        height = max(3, self.splitter.height())
        self.splitter.setSizes([height * 3 // 5, height * 2 // 5])
        return True

    @Slot()
    def _redraw(self) -> None:
        """In the colours and the font of this moment; as soon as somebody sees it, where nobody does now."""
        self._is_drawn = self.isVisible()
        if self._plot is not None and self._is_drawn:
            self.totals.redraw_lines()
            self._turn.ask()

    @Slot()
    def _draw(self) -> None:
        self._plot.draw(self._talks, self._text)
        self._is_drawn = True

    def _sample(self, place: int) -> QIcon:
        return line_sample(LINE_STYLES[place], self._theme, self.devicePixelRatioF())


def _table(name: str, spoken: str, model: TotalsModel | TurnsModel) -> QTableView:
    table = StretchedTable(objectName=name)
    table.setModel(model)
    table.setProperty("kind", "flat")
    table.setAccessibleName(spoken)
    set_up_rows(table)
    table.setIconSize(QSize(SAMPLE_WIDTH, SAMPLE_HEIGHT))
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.horizontalHeader().setStretchLastSection(True)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + ROW_PADDING)
    return table
