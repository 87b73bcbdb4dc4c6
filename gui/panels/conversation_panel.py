"""The conversation tab: what is said about it, the costs of its turns as lines and as figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSize, Qt, Slot
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import QHeaderView, QSplitter, QTableView, QVBoxLayout, QWidget

from gui.look.line_styles import LINE_STYLES, SAMPLE_HEIGHT, SAMPLE_WIDTH, line_sample
from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.models.conversation_table import TotalsModel, TurnsModel
from gui.models.cost_text import CostText
from gui.panels.conversation_form import ConversationForm
from gui.panels.plot_turn import PlotTurn
from gui.panels.row_table import set_up_rows
from gui.panels.stretched_table import StretchedTable
from gui.panels.training_form import Remark
from gui.panels.when_seen import WhenSeen

if TYPE_CHECKING:
    from gui.services.conversations import Talk

ROW_PADDING = 12


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
        self._upper = QSplitter(Qt.Orientation.Horizontal)
        self._upper.addWidget(self._hint)
        self._upper.addWidget(self.totals_table)
        self.splitter = QSplitter(Qt.Orientation.Vertical, objectName="conversationSplitter")
        self.splitter.addWidget(self._upper)
        self.splitter.addWidget(self.turns_table)
        for splitter, first, second in ((self._upper, 1, 1), (self.splitter, 3, 2)):
            splitter.setChildrenCollapsible(False)
            splitter.setStretchFactor(0, first)
            splitter.setStretchFactor(1, second)
        body = QVBoxLayout(self)
        body.setContentsMargins(8, 6, 8, 6)
        body.setSpacing(6)
        body.addWidget(self.form)
        body.addWidget(self.remark)
        body.addWidget(self.splitter, 1)
        self._turn = PlotTurn(theme, self, self._draw)
        theme.changed.connect(WhenSeen(self, self._redraw).ask)

    def show_talks(self, talks: Sequence[Talk], text: CostText) -> None:
        """Show these, in the order in which they come. pyqtgraph is loaded by then, or cannot be."""
        columns = self.turns.columnCount()
        self._talks, self._text = talks, text
        self.totals.show(talks, text)
        self.turns.show(talks, text)
        self.totals_table.resizeColumnsToContents()
        if self.turns.columnCount() != columns:
            self.turns_table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        if self._plot is not None:
            self._turn.ask()
        elif self._make_plot():
            self._turn.ask_later()

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
        self._upper.replaceWidget(0, self._plot)
        self._hint.deleteLater()
        width = max(2, self._upper.width())
        self._upper.setSizes([width // 2, width // 2])
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
    table.setAccessibleName(spoken)
    set_up_rows(table)
    table.setIconSize(QSize(SAMPLE_WIDTH, SAMPLE_HEIGHT))
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.horizontalHeader().setStretchLastSection(True)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + ROW_PADDING)
    return table
