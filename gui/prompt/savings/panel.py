"""Savings: what would save tokens of the prompt, what that comes to, and where its tokens are."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.models.cost_text import CostText
from gui.prompt.savings.ranking_page import AdvisorRanking
from gui.prompt.savings.savings_page import AdvisorSavings
from gui.widgets.figure_strip import FigureStrip
from gui.widgets.progress import ReachableProgressBar
from gui.widgets.tool_row import ToolRow

STEPS = 1000
PROGRESS_WIDTH = 140


class AdvisorPanel(QFrame):
    """Puts the parts together, when ``make`` is through; ``tools`` are for the view bar.

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
        """Make the parts, step by step."""
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
        self.ranking = AdvisorRanking(self.text)
        yield
        self.savings = AdvisorSavings(self._theme, self._icons, self.text, self.ranking)
        self.strip = FigureStrip("advisorOutcome", "advisorShare", "advisorMoney")
        self._place()
        self.run.clicked.connect(self.run_asked)
        self.stop.clicked.connect(self.stop_asked)
        self._theme.changed.connect(self._colour)
        self.show_running(False)

    def focus(self) -> None:
        """Put the keyboard into the suggestions; where there are none, into the heaviest parts."""
        page = self.savings if self.savings.model.rows else self.ranking
        page.table.setFocus()

    def set_text(self, text: CostText) -> None:
        """How figures are written, and in which currency: seen when they are shown next."""
        self.text = text
        self.savings.model.set_text(text)
        self.ranking.model.set_text(text)

    def show_running(self, running: bool) -> None:
        """Whether the advisor is at work."""
        had_focus = self.run.hasFocus() or self.stop.hasFocus()
        self.run.setVisible(not running)
        self.stop.setVisible(running)
        self.progress.setVisible(running)
        if had_focus:
            (self.stop if running else self.run).setFocus()
        if running:
            self.progress.setValue(0)

    def show_progress(self, fraction: float) -> None:
        """How far it is, from 0 to 1."""
        self.progress.setValue(round(max(0.0, fraction) * STEPS))

    def show_status(self, text: str, tone: str = "stale") -> None:
        """Say how it stands. ``tone``: a role of the theme."""
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
