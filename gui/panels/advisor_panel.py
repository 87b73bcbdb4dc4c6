"""The advisor: where the tokens of the prompt are, and what would save some."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.look.theme import Theme
from gui.models.cost_text import CostText
from gui.panels.advisor_ranking import AdvisorRanking
from gui.panels.advisor_savings import AdvisorSavings
from gui.panels.page_tabs import PageTabs
from gui.panels.reachable_progress import ReachableProgressBar

STEPS = 1000


class AdvisorPanel(QWidget):
    """Puts the parts together, when ``make`` is through. What happens is in ``AdvisorFlow``.

    Signals: ``run_asked()``, ``stop_asked()``.
    """

    run_asked = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(objectName="advisorPanel")
        self.setAccessibleName(self.tr("Advisor"))
        self._theme, self._tone = theme, "stale"
        self.text = CostText(QLocale())

    def make(self) -> Iterator[None]:
        """Make the parts, step by step."""
        self.run = QPushButton(self.tr("&Look through the prompt"), objectName="advisorRun")
        self.run.setToolTip(self.tr("Find where the tokens are, and which edits would save some"))
        self.stop = QPushButton(self.tr("Stop"), objectName="advisorStop")
        self.stop.setToolTip(self.tr("Look no further"))
        for button in (self.run, self.stop):
            button.setAccessibleName(button.toolTip())
            button.setAutoDefault(False)
        self.progress = ReachableProgressBar()
        self.progress.setObjectName("advisorProgress")
        self.progress.setAccessibleName(self.tr("How far the advisor is"))
        self.progress.setRange(0, STEPS)
        self.progress.setTextVisible(False)
        self.status = QLabel(objectName="advisorStatus")
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        yield
        self.savings = AdvisorSavings(self._theme, self.text)
        yield
        self.ranking = AdvisorRanking(self.text)
        self.pages = PageTabs("advisorPages", self.tr("Pages of the advisor"))
        self.pages.addTab(self.savings, self.tr("What would save tokens"))
        self.pages.addTab(self.ranking, self.tr("Where tokens are"))
        self._place()
        self.run.clicked.connect(self.run_asked)
        self.stop.clicked.connect(self.stop_asked)
        self._theme.changed.connect(self._colour)
        self.show_running(False)

    def focus(self) -> None:
        """Put the keyboard into the table in front."""
        page = self.savings if self.pages.currentWidget() is self.savings else self.ranking
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
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.run)
        row.addWidget(self.stop)
        row.addWidget(self.progress)
        row.addWidget(self.status, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.pages, 1)
