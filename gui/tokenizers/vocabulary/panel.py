"""The page Vocabulary, and the distribution of the lengths of its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from gui.look.plain_text import PlainLabel
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.runtime.loading import Loading
from gui.tokenizers.encoding_tools import EncodingTools
from gui.tokenizers.vocabulary.detail import VocabularyDetail
from gui.tokenizers.vocabulary.filters import VocabularyFilters
from gui.tokenizers.vocabulary.table import VocabularyTable
from gui.tokenizers.vocabulary.table_model import VocabularyTableModel
from gui.widgets.labels import StatusLine
from gui.widgets.layouts import PageTabs, WheelGuard, restore_sizes
from gui.widgets.plot_turn import PlotTurn

if TYPE_CHECKING:
    from gui.tokenizers.vocabulary.plots import LengthPlots
    from gui.tokenizers.vocabulary.service import Lengths


class LengthsPage(QWidget):
    """Page with a description of the lengths, and their plots, which are created when the page is first shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vocabLengths")
        self.setAccessibleName(self.tr("Token lengths"))
        self._theme, self._text = theme, TrainingText(self.locale())
        self._lengths: Lengths | None = None
        self.plots: LengthPlots | None = None
        self._problem: PlainLabel | None = None
        self._loading = Loading(self)
        self._turn = PlotTurn(theme, self, self._draw)
        self.words = QLabel(objectName="vocabLengthsWords")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 0, 0)
        column.addWidget(self.words)
        column.addStretch(1)

    def set_lengths(self, name: str, lengths: Lengths) -> None:
        """Show the lengths of the vocabulary of that name."""
        self._lengths = lengths
        write = self._text
        self.words.setText(
            self.tr(
                "The {count} learned tokens of {name} average {mean} bytes (median {median}, longest {longest}). "
                "Dashed line: longest token nearby. 32 bytes or more are drawn as 32."
            ).format(
                count=write.number(lengths.total),
                name=name,
                mean=write.decimal(lengths.mean, 2),
                median=write.number(lengths.median),
                longest=write.number(len(lengths.counts) - 1),
            )
        )
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.plots is None:
            self._loading.when_loaded(("gui.tokenizers.vocabulary.plots",), self._make_plots)
        else:
            self._turn.ask_later()

    @Slot()
    def _make_plots(self) -> None:
        if self.plots is not None or self._problem is not None:
            return
        column = self.layout()
        column.takeAt(column.count() - 1)
        try:
            from gui.tokenizers.vocabulary.plots import LengthPlots
        except ImportError as error:
            self._problem = PlainLabel(self.tr("Could not draw the charts: {reason}").format(reason=error))
            self._problem.setWordWrap(True)
            column.addWidget(self._problem, 1)
        else:
            self.plots = LengthPlots(self._theme, self._text)
            self.plots.setAccessibleName(self.tr("Tokens by length, and length by ID; the text above says the same"))
            column.addWidget(self.plots, 1)
            self._draw()

    def _draw(self) -> None:
        if self.plots is not None and self._lengths is not None and self.isVisible():
            self.plots.draw(self._lengths)


GO_TO_ID = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_G)
"""Shortcut on this page. In the prompt the same keys find the next match."""
TABLE_WIDTH, SIDE_WIDTH = 790, 370


class VocabularyPanel(QWidget):
    """The page. ``make`` builds its widgets; ``gui.tokenizers.vocabulary.controller`` has the logic.

    Signals: ``state_changed()``: ``state()`` has changed.
    """

    state_changed = Signal()

    def __init__(self, theme: Theme, spelled: Callable[[bytes], str], parent: QWidget | None = None) -> None:
        """``spelled``: formats bytes in the byte alphabet of GPT-2."""
        super().__init__(parent)
        self.setObjectName("vocabularyPanel")
        self._theme = theme
        self.model = VocabularyTableModel(self.locale(), spelled, self)
        self._wheel = WheelGuard(self)
        self._spelled = spelled

    def make(self) -> Iterator[None]:
        """Build the page step by step."""
        theme = self._theme
        self.filters = VocabularyFilters(theme)
        self.tools = EncodingTools("vocabularyTools", self.filters.encoding)
        yield
        self.table = VocabularyTable(self.model, theme)
        self.status = StatusLine("vocabStatus")
        self.compare = QPushButton(self.tr("Com&pare with…"), objectName="vocabCompareWith")
        self.compare.setProperty("kind", "link")
        self.compare.setToolTip(self.tr("Compare with the vocabulary of another encoding"))
        self.problem = QLabel(objectName="vocabProblem")
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setWordWrap(True)
        self.problem.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.problem.hide()
        self._show_colour()
        yield
        self.detail = VocabularyDetail(theme, self._spelled)
        self.side = PageTabs("vocabSide", self.tr("Selected token and vocabulary statistics"))
        self.side.addTab(self.detail, self.tr("Token"))
        yield
        self._place()
        self._wheel.guard(self)
        self.detail.letters_toggled.connect(self.model.set_in_letters)
        self.detail.letters_toggled.connect(self.state_changed)
        self.filters.changed.connect(self.state_changed)
        self.filters.encoding.chosen.connect(self.state_changed)
        self.filters.left.connect(self._on_left)
        self.splitter.splitterMoved.connect(self.state_changed)
        theme.changed.connect(self._show_colour)

    def add_page(self, page: QWidget, title: str) -> None:
        """Add a page to the side."""
        self.side.addTab(page, title)

    def say(self, words: str) -> None:
        """Show the status of the vocabulary, without a problem."""
        self.status.set_text(words)
        self.problem.hide()

    def say_problem(self, words: str) -> None:
        """Show why the last request failed. The vocabulary and its status stay."""
        self.problem.setText(words)
        self.problem.show()

    def state(self) -> dict[str, Any]:
        """Return the user's choices as JSON data."""
        return {
            "encoding": self.filters.encoding.currentText(),
            "search": self.filters.state(),
            "letters": self.detail.in_letters,
            "split": self.splitter.sizes(),
            "id": self.table.current_id,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the choices from ``state``, except encoding and ID; invalid values are ignored."""
        search = state.get("search")
        self.filters.restore_state(search if isinstance(search, dict) else {})
        self.detail.letters.setChecked(state.get("letters") is True)
        restore_sizes(self.splitter, state.get("split"))

    def focus(self) -> None:
        """Focus the search field."""
        self.filters.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filters.search.selectAll()

    @Slot()
    def focus_go_to(self) -> None:
        """Focus the field for IDs."""
        self.filters.go_to.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filters.go_to.selectAll()

    def event(self, event: QEvent) -> bool:
        """Claim Ctrl+G for this page, although the window has an action with that key."""
        if event.type() == QEvent.Type.ShortcutOverride and event.keyCombination() == GO_TO_ID:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.keyCombination() == GO_TO_ID:
            self.focus_go_to()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange and hasattr(self, "model"):
            self.model.set_locale(self.locale())

    @Slot()
    def _on_left(self) -> None:
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self.table.currentIndex().isValid() and self.model.rowCount():
            self.table.selectRow(0)

    @Slot()
    def _show_colour(self) -> None:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour("error"))
        self.problem.setPalette(palette)

    def _place(self) -> None:
        left = QWidget()
        entries = QVBoxLayout(left)
        entries.setContentsMargins(0, 0, 0, 0)
        entries.setSpacing(4)
        entries.addWidget(self.table, 1)
        entries.addWidget(self.problem)
        foot = QHBoxLayout()
        foot.setSpacing(16)
        foot.addWidget(self.status, 1)
        for button in (self.compare, *self.filters.actions_below):
            foot.addWidget(button)
        entries.addLayout(foot)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="vocabSplitter")
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.side)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setSizes([TABLE_WIDTH, SIDE_WIDTH])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 12, 8)
        column.setSpacing(8)
        column.addWidget(self.filters)
        column.addWidget(self.splitter, 1)
        below = (self.compare, *self.filters.actions_below)
        order = [*self.filters.tab_order, self.table, *below, self.side.tabBar(), *self.detail.tab_order]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)
