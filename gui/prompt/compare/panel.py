"""The tab that compares encodings on one text: which text, which encodings, what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.look.corner import plain_corner
from gui.look.figures import figure
from gui.look.icons import Icons
from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.prompt.compare.encodings import CompareEncodings
from gui.prompt.compare.labels import premium_text
from gui.prompt.compare.pages import ComparePages
from gui.state.settings import SettingsStore
from gui.widgets.aligned_tokens import AlignedTokens
from gui.widgets.figure_strip import FigureStrip
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.prompt.compare.service import Compared

PROMPT, SELECTION, TYPED = SOURCES = ("prompt", "selection", "typed")
FIRST_ENCODINGS = ("o200k_base", "cl100k_base", "gpt2")
MOST_KEPT = 100_000
"""Characters of a typed text that are remembered."""
TYPED_LINES = 4


class ComparePanel(QFrame):
    """``tools`` are for the view bar of the window.

    Signals: ``text_wanted()``: another source, or other encodings; ``state_changed()``; ``stop_asked()``.
    """

    text_wanted = Signal()
    state_changed = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme, settings: SettingsStore, icons: Icons) -> None:
        super().__init__(objectName="comparePanel")
        self.setProperty("kind", "surface")
        self.setAccessibleName(self.tr("Comparison of encodings"))
        self.source = QComboBox(objectName="compareSource")
        self.source.setAccessibleName(self.tr("Text to compare"))
        for key, words in (
            (PROMPT, self.tr("The prompt")),
            (SELECTION, self.tr("What is selected in the prompt")),
            (TYPED, self.tr("Text typed here")),
        ):
            self.source.addItem(words, key)
        self.typed = QPlainTextEdit(objectName="compareText")
        self.typed.setAccessibleName(self.tr("Text to compare encodings on"))
        self.typed.setPlaceholderText(self.tr("Type or paste a text"))
        self.typed.setTabChangesFocus(True)
        self.typed.setCornerWidget(plain_corner(self.typed))
        self.typed.setMaximumHeight(self.typed.fontMetrics().lineSpacing() * TYPED_LINES + 12)
        self.status = PlainLabel(objectName="compareStatus")
        self.status.setWordWrap(True)
        self.stop = QPushButton(self.tr("Stop"), objectName="compareStop")
        self.stop.setAccessibleName(self.tr("Stop comparing"))
        self.export = QPushButton(self.tr("&Copy or export"), objectName="compareExport")
        self.export.setProperty("kind", "secondary")
        self.export_menu = QMenu(self.export)
        self.export.setMenu(self.export_menu)
        self.encodings = CompareEncodings(FIRST_ENCODINGS)
        self.pages = ComparePages()
        self.view = AlignedTokens(theme, settings, "compareTokens", self.tr("The text in every encoding"))
        self.strip = FigureStrip("compareFigureBase", "compareFigureFewest", "compareFigureMost")
        self.tools = ToolRow("compareTools", self.tr("Comparison"))
        self.tools.add_caption(self.tr("Te&xt"), self.source)
        self.tools.add(self.source, self.stop)
        self.tools.add_button(self.export, icons.icon("export"))
        self._place()
        self.source.currentIndexChanged.connect(self._on_source)
        self.encodings.changed.connect(self._on_change)
        self.encodings.base_changed.connect(self._on_base)
        self.pages.currentChanged.connect(self.state_changed)
        self.pages.by_lines.toggled.connect(self.state_changed)
        self.typed.textChanged.connect(self._on_change)
        self.pages.stretch_chosen.connect(self.view.show_stretch)
        self.stop.clicked.connect(self.stop_asked)
        self.show_running(False)
        self._show_source()

    def focus(self) -> None:
        """Put the keyboard where one goes on."""
        self.encodings.table.setFocus()

    def show_compared(self, compared: Compared) -> None:
        """Show totals, parts and differences."""
        found = compared.comparison
        self.encodings.show_totals(found.tokens, found.utf8_bytes)
        self.pages.show_comparison(found, self.encodings.base_number)
        self.view.set_base(self.encodings.base_number)
        self._show_figures(found.tokens)

    def _show_figures(self, tokens: Sequence[int]) -> None:
        """Show the base, and which encoding has the fewest tokens and which the most."""
        names, base = self.encodings.names, self.encodings.base_number
        if len(names) != len(tokens) or not tokens:
            self.strip.show_figures()
            return
        caption = self.tr("tokens in {base}, the base").format(base=visible_line(names[base]))
        figures = [(figure(self.locale(), tokens[base]), caption)]
        for place, words in (
            (min(range(len(names)), key=lambda number: tokens[number]), self.tr("fewest tokens: {name}, {n}")),
            (max(range(len(names)), key=lambda number: tokens[number]), self.tr("most tokens: {name}, {n}")),
        ):
            if tokens[place] != tokens[base]:
                caption = words.format(name=visible_line(names[place]), n=figure(self.locale(), tokens[place]))
                figures.append((premium_text(tokens[place], tokens[base]), caption))
        self.strip.show_figures(*figures)

    def show_running(self, running: bool) -> None:
        """Whether a comparison is being made."""
        self.stop.setVisible(running)

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it; without the typed text where it is too long."""
        document = self.typed.document()
        return {
            "encodings": list(self.encodings.names),
            "base": self.encodings.base,
            "source": self.source.currentData(),
            "page": self.pages.currentIndex(),
            "by_lines": self.pages.by_lines.isChecked(),
            "text": self.typed.toPlainText() if document.characterCount() <= MOST_KEPT else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave; whatever is not as it should be is left out."""
        names, base, source, page, text = (state.get(key) for key in ("encodings", "base", "source", "page", "text"))
        if isinstance(names, list):
            self.encodings.set_names([name for name in names if isinstance(name, str) and name], str(base))
        if isinstance(text, str):
            self.typed.setPlainText(text)
        if source in SOURCES:
            self.source.setCurrentIndex(SOURCES.index(source))
        if isinstance(page, int) and 0 <= page < self.pages.count():
            self.pages.setCurrentIndex(page)
        self.pages.by_lines.setChecked(state.get("by_lines") is True)

    @Slot()
    def _on_base(self) -> None:
        self.view.set_base(self.encodings.base_number)
        self._show_figures([row.tokens for row in self.encodings.model.rows if row.tokens is not None])
        self.state_changed.emit()

    @Slot()
    def _on_source(self) -> None:
        self._show_source()
        self._on_change()

    def _show_source(self) -> None:
        self.typed.setVisible(self.source.currentData() == TYPED)

    @Slot()
    def _on_change(self) -> None:
        self.text_wanted.emit()
        self.state_changed.emit()

    def _place(self) -> None:
        self.status.setProperty("role", "caption")
        head = QWidget()
        above = QVBoxLayout(head)
        above.setContentsMargins(16, 8, 16, 0)
        above.setSpacing(6)
        for widget in (self.strip, self.status, self.typed, self.encodings):
            above.addWidget(widget, 1 if widget is self.encodings else 0)
        left = QSplitter(Qt.Orientation.Vertical, objectName="compareLists")
        left.addWidget(head)
        left.addWidget(self.view)
        left.setSizes([270, 400])
        whole = QSplitter(Qt.Orientation.Horizontal, objectName="compareSplitter")
        whole.addWidget(left)
        whole.addWidget(self.pages)
        whole.setSizes([620, 340])
        whole.setStretchFactor(0, 1)
        for splitter in (left, whole):
            splitter.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(whole)
