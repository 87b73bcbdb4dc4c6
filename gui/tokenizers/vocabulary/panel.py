"""The page Vocabulary, and the distribution of the lengths of its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QSpinBox, QWidget

from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.tokenizers.vocabulary.detail import VocabularyDetail
from gui.tokenizers.vocabulary.table import (
    FINDING_HINTS,
    FINDINGS,
    KINDS,
    SCRIPTS,
    VocabularyTable,
    VocabularyTableModel,
    tr,
)
from gui.widgets.forms import (
    FlowLayout,
    PageTabs,
    Popover,
    SpinBox,
    WheelGuard,
    button_of_kind,
    column_of,
    form_grid,
    form_row,
    label_of,
    restore_sizes,
    row_of,
    splitter_of,
)
from gui.widgets.labels import StatusLine, ToneLabel
from gui.widgets.tool_row import Chip, ChoiceChip, EncodingPicker, EncodingTools, PopoverChip

MODES = ("text", "hex", "regex")
MAX_BYTES = 100_000
ID_SIGN = "#"
"""Prefix of an ID in the search field. A number without it is searched as text; Enter goes to that ID."""
HEX_SIGN, EXPRESSION_SIGN = "0x", "/"
"""Prefix of bytes, and delimiter on both sides of a regular expression."""


def read_search(typed: str, mode: str) -> tuple[str, str]:
    """Return the text to search and its mode. In text mode, prefixes in the text can select another mode."""
    if mode != "text":
        return typed, mode
    if typed.startswith(ID_SIGN):
        return "", mode
    if len(typed) > 2 and typed.startswith(EXPRESSION_SIGN) and typed.endswith(EXPRESSION_SIGN):
        return typed[1:-1], "regex"
    digits = typed.removeprefix(HEX_SIGN).strip()
    if typed.startswith(HEX_SIGN) and digits:
        return digits, "hex"
    return typed, mode


class Wanted(NamedTuple):
    """A search, with the fields of ``engine.vocabulary.entry_search.EntryQuery``. ``kind``: None for any."""

    text: str = ""
    mode: str = "text"
    match_case: bool = False
    kind: str | None = None
    script: int | None = None
    finding: int | None = None
    shortest: int = 0
    longest: int | None = None
    first_id: int = 0
    last_id: int | None = None


class VocabularyFilters(QWidget):
    """Controls of the search.

    Signals: ``changed()``: the search has changed; ``go_asked(str)``: the text of the field for IDs; ``left()``: move
    the focus from a field to the table; ``longest_asked()``, ``export_asked()``: a button was clicked.
    """

    changed = Signal()
    go_asked = Signal(str)
    left = Signal()
    longest_asked = Signal()
    export_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._range: tuple[int, int | None] = (0, None)
        self._quiet = False
        self._make_first_row()
        self._make_second_row()
        self._lay_out()
        self.search.textChanged.connect(self._on_changed)
        self.match_case.toggled.connect(self._on_changed)
        for box in (self.mode, self.kind, self.script, self.finding):
            box.picked.connect(self._on_changed)
        for spin in (self.shortest, self.longest):
            spin.valueChanged.connect(self._on_changed)
        self.mode.picked.connect(self._on_mode)
        self.go_to.returnPressed.connect(self._on_go)
        self.reset.clicked.connect(self.clear)
        self.by_length.clicked.connect(self.longest_asked)
        self.export.clicked.connect(self.export_asked)
        self._on_mode()

    @property
    def wanted(self) -> Wanted:
        """The current search."""
        return Wanted(
            *read_search(self.search.text(), MODES[self.mode.currentIndex()]),
            self.match_case.isChecked(),
            self.kind.currentData(),
            self.script.currentData(),
            self.finding.currentData(),
            self.shortest.value(),
            self.longest.value() or None,
            *self._range,
        )

    def set_range(self, first_id: int, last_id: int | None) -> None:
        """Restrict the search to these IDs, both inclusive."""
        self._range = (first_id, last_id)
        self._on_changed()

    @Slot()
    def clear(self) -> None:
        """Reset the search to show all entries."""
        self._quiet = True
        self.search.clear()
        self.go_to.clear()
        for box in (self.kind, self.script, self.finding):
            box.setCurrentIndex(0)
        for spin in (self.shortest, self.longest):
            spin.setValue(0)
        self._range = (0, None)
        self._quiet = False
        self._on_changed()

    def set_diagnosed(self, known: bool) -> None:
        """Enable the search for scripts and findings if they are ``known``."""
        for box in (self.script, self.finding):
            box.setEnabled(known)
            box.setToolTip(
                box.accessibleName() if known else self.tr("Available in a few seconds, when the analysis is done")
            )

    def state(self) -> dict[str, Any]:
        """Return the search as JSON data, without the range of IDs."""
        return {
            "text": self.search.text(),
            "mode": MODES[self.mode.currentIndex()],
            "match_case": self.match_case.isChecked(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the search from ``state``; invalid values are ignored."""
        self._quiet = True
        text, mode = state.get("text"), state.get("mode")
        if mode in MODES:
            self.mode.setCurrentIndex(MODES.index(mode))
        self.match_case.setChecked(state.get("match_case") is True)
        if isinstance(text, str):
            self.search.setText(text)
        self._quiet = False
        self._show_filters()

    @Slot()
    def _on_changed(self) -> None:
        self._show_filters()
        if not self._quiet:
            self.changed.emit()

    def _show_filters(self) -> None:
        """Show the lengths on their chip, and the reset button if anything is filtered out."""
        least, most = self.shortest.value(), self.longest.value()
        write = lambda value: figure(self.locale(), value)  # noqa: E731 - a short name for a method
        words = self.tr("Any length")
        if least and most:
            words = self.tr("{least} to {most} bytes").format(least=write(least), most=write(most))
        elif least:
            words = self.tr("{least} bytes or more").format(least=write(least))
        elif most:
            words = self.tr("Up to {most} bytes").format(most=write(most))
        self.length.set_on(bool(least or most), words)
        wanted = self.wanted
        self.reset.setVisible(wanted != Wanted(mode=wanted.mode, match_case=wanted.match_case))

    @Slot()
    def _on_mode(self) -> None:
        mode = MODES[self.mode.currentIndex()]
        self.match_case.setEnabled(mode != "hex")
        self.search.setPlaceholderText(
            {
                "text": self.tr("Text, #43453, /expression/ or 0x c3 a9"),
                "hex": self.tr("Bytes inside a token, such as c3 a9"),
                "regex": self.tr("Regular expression, such as ^ ?\\d+$"),
            }[mode]
        )

    @Slot()
    def _on_go(self) -> None:
        self.go_asked.emit(self.go_to.text().strip())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        down = event.key() == Qt.Key.Key_Down and (self.search.hasFocus() or self.go_to.hasFocus())
        done = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.search.hasFocus()
        typed = self.search.text().strip().removeprefix(ID_SIGN)
        is_id = self.search.text().startswith(ID_SIGN) or typed.isdecimal()
        if done and is_id and MODES[self.mode.currentIndex()] == "text":
            self.go_asked.emit(typed)
        elif down or done:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        else:
            super().keyPressEvent(event)

    def _make_first_row(self) -> None:
        self.encoding = EncodingPicker()
        self.encoding.setObjectName("vocabEncoding")
        self.encoding.setAccessibleName(self.tr("Encoding"))
        self.search = QLineEdit(objectName="vocabSearch", accessibleName=self.tr("Search the vocabulary"))
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(self.fontMetrics().averageCharWidth() * 16)
        self.search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.search.setToolTip(
            self.tr("Text, or an ID such as #43453, an expression such as /^ ?\\d+$/, bytes such as 0x c3 a9")
        )
        self.mode = ChoiceChip(
            "vocabSearchMode",
            [(self.tr("As text"), "text"), (self.tr("As bytes (hex)"), "hex"), (self.tr("As an expression"), "regex")],
            self.tr("Search mode"),
        )
        self.match_case = Chip("vocabMatchCase", self.tr("Match &case"), self.tr("Match case"))
        self.go_to = QLineEdit(objectName="vocabGoToId")
        self.go_to.setAccessibleName(self.tr("Go to an ID, or show a range of IDs"))
        self.go_to.setPlaceholderText(self.tr("43453 or 100-200"))
        self.go_to.setToolTip(self.tr("ID to go to, or range to show, with Enter (Ctrl+G focuses this field)"))
        self.go_to.setFixedWidth(self.fontMetrics().averageCharWidth() * 18)

    def _make_second_row(self) -> None:
        self.kind = ChoiceChip(
            "vocabKind",
            [(self.tr("Any kind"), None), *((tr(words), name) for name, words in KINDS.items())],
            self.tr("Kind of entry"),
        )
        scripts = enumerate(map(tr, SCRIPTS))
        self.script = ChoiceChip(
            "vocabScript",
            [(self.tr("Any script"), None), *((words, index) for index, words in scripts)],
            self.tr("Script of the entry"),
        )
        findings = [(tr(words), index) for index, words in enumerate(FINDINGS.values())]
        self.finding = ChoiceChip(
            "vocabFinding", [(self.tr("Any flag"), None), *findings], self.tr("Flag of the entry")
        )
        self.finding.set_hints(["", *(tr(FINDING_HINTS[name]) for name in FINDINGS)])
        self.shortest = self._bytes("vocabShortest", self.tr("Minimum length in bytes"))
        self.longest = self._bytes("vocabLongest", self.tr("Maximum length in bytes"))
        lengths = Popover(self._theme, self)
        lengths.setObjectName("vocabLengthFilter")
        lengths.setWindowTitle(self.tr("Length of the entry"))
        lengths.setFocusProxy(self.shortest)
        grid = form_grid()
        form_row(grid, self.tr("Bytes &from"), self.shortest)
        form_row(grid, self.tr("&to"), self.longest)
        lengths.setLayout(grid)
        grid.setContentsMargins(16, 12, 16, 12)
        self.length = PopoverChip("vocabLength", self.tr("Any length"), self.tr("Length of the entry"), lengths)
        self.reset = button_of_kind("vocabReset", self.tr("Show a&ll"), "link")
        self.reset.setToolTip(self.tr("Clear the search and all filters"))
        self.by_length = button_of_kind("vocabLongestTokens", self.tr("Lon&gest tokens"), "link")
        self.by_length.setToolTip(self.tr("Sort by length, longest first"))
        self.export = button_of_kind("vocabExport", self.tr("E&xport…"), "link")
        self.export.setToolTip(self.tr("Export the entries shown as CSV or JSON"))

    def _bytes(self, name: str, accessible: str) -> QSpinBox:
        spin = SpinBox(objectName=name, accessibleName=accessible, toolTip=accessible)
        spin.setRange(0, MAX_BYTES)
        spin.setSpecialValueText(self.tr("any"))
        spin.setGroupSeparatorShown(True)
        return spin

    def _lay_out(self) -> None:
        self._flow = QWidget()
        flow = FlowLayout(self._flow, 8)
        flow.add(self.kind, self.script, self.finding, self.length, self.mode, self.match_case, self.reset)
        label = label_of(self.go_to, self.tr("Go to &ID"), "caption")
        first = row_of((self.search, 1), label, self.go_to, spacing=8)
        column_of(first, self._flow, parent=self, spacing=8)

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """The controls above the table in tab order, which is the visual order."""
        chips = (self.kind, self.script, self.finding, self.length, self.mode, self.match_case, self.reset)
        return (self.search, self.go_to, *chips)

    @property
    def actions_below(self) -> tuple[QPushButton, ...]:
        """Buttons for the foot of the table, which act on the entries."""
        return self.by_length, self.export


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
        self.compare = button_of_kind("vocabCompareWith", self.tr("Com&pare with…"), "link")
        self.compare.setToolTip(self.tr("Compare with the vocabulary of another encoding"))
        self.problem = ToneLabel("vocabProblem")
        self.problem.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.problem.hide()
        yield
        self.detail = VocabularyDetail(theme, self._spelled)
        self.side = PageTabs("vocabSide", self.tr("Selected token and vocabulary statistics"))
        self.side.addTab(self.detail, self.tr("Token"))
        yield
        self._lay_out()
        self._wheel.guard(self)
        self.detail.letters_toggled.connect(self.model.set_in_letters)
        self.detail.letters_toggled.connect(self.state_changed)
        self.filters.changed.connect(self.state_changed)
        self.filters.encoding.chosen.connect(self.state_changed)
        self.filters.left.connect(self._on_left)
        self.splitter.splitterMoved.connect(self.state_changed)

    def add_page(self, page: QWidget, title: str) -> None:
        """Add a page to the side."""
        self.side.addTab(page, title)

    def say(self, words: str) -> None:
        """Show the status of the vocabulary, without a problem."""
        self.status.set_text(words)
        self.problem.hide()

    def show_problem(self, words: str) -> None:
        """Show why the last request failed. The vocabulary and its status stay."""
        self.problem.say(words, "error")
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

    def _lay_out(self) -> None:
        left = QWidget()
        foot = row_of((self.status, 1), self.compare, *self.filters.actions_below, spacing=16)
        column_of((self.table, 1), self.problem, foot, parent=left, spacing=4)
        self.splitter = splitter_of("vocabSplitter", left, self.side, (TABLE_WIDTH, SIDE_WIDTH))
        self.splitter.setStretchFactor(0, 1)
        column_of(self.filters, (self.splitter, 1), parent=self, margins=(16, 8, 12, 8), spacing=8)
        below = (self.compare, *self.filters.actions_below)
        order = [*self.filters.tab_order, self.table, *below, self.side.tabBar(), *self.detail.tab_order]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)
