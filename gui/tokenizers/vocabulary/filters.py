"""What is looked for in a vocabulary: text, bytes or an expression, and properties that entries have."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.look.plain_label import PlainLabel
from gui.tokenizers.vocabulary.table_model import FINDING_HINTS, FINDINGS, KINDS, SCRIPTS, tr
from gui.widgets.encoding_picker import EncodingPicker
from gui.widgets.layouts import FlowLayout

MODES = ("text", "hex", "regex")
MOST_BYTES = 100_000
ID_SIGN = "#"
"""Begins an id in the search field. A number without it is searched as text, and Enter goes to the id."""


class Wanted(NamedTuple):
    """What is looked for, as ``engine.entries.query.EntryQuery`` has it; ``kind``: one of its kinds, None for any."""

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
    """Signals: ``changed()``: something else is looked for; ``go_asked(str)``: what was typed into the field of ids;
    ``left()``: from a field down to the table; ``longest_asked()``, ``export_asked()``: the buttons.
    """

    changed = Signal()
    go_asked = Signal(str)
    left = Signal()
    longest_asked = Signal()
    export_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._range: tuple[int, int | None] = (0, None)
        self._quiet = False
        self._make_first_row()
        self._make_second_row()
        self._place()
        self.search.textChanged.connect(self._on_changed)
        self.match_case.toggled.connect(self._on_changed)
        for box in (self.mode, self.kind, self.script, self.finding):
            box.currentIndexChanged.connect(self._on_changed)
        for spin in (self.shortest, self.longest):
            spin.valueChanged.connect(self._on_changed)
        self.mode.currentIndexChanged.connect(self._on_mode)
        self.go_to.returnPressed.connect(self._on_go)
        self.reset.clicked.connect(self.clear)
        self.by_length.clicked.connect(self.longest_asked)
        self.export.clicked.connect(self.export_asked)
        self._on_mode()

    @property
    def wanted(self) -> Wanted:
        """What is looked for."""
        return Wanted(
            "" if self.search.text().startswith(ID_SIGN) else self.search.text(),
            MODES[self.mode.currentIndex()],
            self.match_case.isChecked(),
            self.kind.currentData(),
            self.script.currentData(),
            self.finding.currentData(),
            self.shortest.value(),
            self.longest.value() or None,
            *self._range,
        )

    def set_range(self, first_id: int, last_id: int | None) -> None:
        """Look among these ids only, both included."""
        self._range = (first_id, last_id)
        self._on_changed()

    @Slot()
    def clear(self) -> None:
        """Look for everything."""
        self._quiet = True
        self.search.clear()
        self.go_to.clear()
        for box in (self.kind, self.script, self.finding):
            box.setCurrentIndex(0)
        for spin in (self.shortest, self.longest):
            spin.setValue(0)
        self._range = (0, None)
        self._quiet = False
        self.changed.emit()

    def set_diagnosed(self, known: bool) -> None:
        """Whether scripts and findings can be looked for."""
        for box in (self.script, self.finding):
            box.setEnabled(known)
            box.setToolTip(
                box.accessibleName() if known else self.tr("Known in a few seconds: all entries are looked at")
            )

    def state(self) -> dict[str, Any]:
        """What is looked for, as JSON holds it; the range of ids is not kept."""
        return {
            "text": self.search.text(),
            "mode": MODES[self.mode.currentIndex()],
            "match_case": self.match_case.isChecked(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave; what is of no use stays as it is."""
        self._quiet = True
        text, mode = state.get("text"), state.get("mode")
        if mode in MODES:
            self.mode.setCurrentIndex(MODES.index(mode))
        self.match_case.setChecked(state.get("match_case") is True)
        if isinstance(text, str):
            self.search.setText(text)
        self._quiet = False

    @Slot()
    def _on_changed(self) -> None:
        if not self._quiet:
            self.changed.emit()

    @Slot()
    def _on_mode(self) -> None:
        mode = MODES[self.mode.currentIndex()]
        self.match_case.setEnabled(mode != "hex")
        self.search.setPlaceholderText(
            {
                "text": self.tr("Text such as magikarp, or an ID such as #43453"),
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
        self.encoding.setAccessibleName(self.tr("Encoding whose vocabulary is shown"))
        self.search = QLineEdit(objectName="vocabSearch")
        self.search.setAccessibleName(self.tr("Search the vocabulary"))
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(self.fontMetrics().averageCharWidth() * 16)
        self.search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.mode = QComboBox(objectName="vocabSearchMode")
        self.mode.setAccessibleName(self.tr("How the search is read"))
        self.mode.addItems([self.tr("Text"), self.tr("Bytes (hex)"), self.tr("Regex")])
        self.match_case = QCheckBox(self.tr("Match &case"), objectName="vocabMatchCase")
        self.go_to = QLineEdit(objectName="vocabGoToId")
        self.go_to.setAccessibleName(self.tr("Go to an id, or show a range of ids"))
        self.go_to.setPlaceholderText(self.tr("43453 or 100-200"))
        self.go_to.setToolTip(self.tr("An id to go to, or a range to show; Enter does it (Ctrl+G comes here)"))
        self.go_to.setFixedWidth(self.fontMetrics().averageCharWidth() * 18)

    def _make_second_row(self) -> None:
        self.kind = self._choice("vocabKind", self.tr("Kind of entry"), self.tr("Any kind"))
        for name, words in KINDS.items():
            self.kind.addItem(tr(words), name)
        self.script = self._choice("vocabScript", self.tr("Script of the entry"), self.tr("Any script"))
        for place, words in enumerate(SCRIPTS):
            self.script.addItem(tr(words), place)
        self.finding = self._choice("vocabFinding", self.tr("Remark about the entry"), self.tr("Any remark or none"))
        for place, (name, words) in enumerate(FINDINGS.items()):
            self.finding.addItem(tr(words), place)
            self.finding.setItemData(place + 1, tr(FINDING_HINTS[name]), Qt.ItemDataRole.ToolTipRole)
        self.shortest = self._bytes("vocabShortest", self.tr("Least length in bytes"))
        self.longest = self._bytes("vocabLongest", self.tr("Greatest length in bytes"))
        self.reset = QPushButton(self.tr("Show a&ll"), objectName="vocabReset")
        self.reset.setToolTip(self.tr("Look for everything again"))
        self.by_length = QPushButton(self.tr("Lon&gest tokens"), objectName="vocabLongestTokens")
        self.by_length.setToolTip(self.tr("The tokens with the most bytes first"))
        self.export = QPushButton(self.tr("E&xport…"), objectName="vocabExport")
        self.export.setToolTip(self.tr("Write the entries that are shown to a file, as CSV or JSON"))

    def _choice(self, name: str, accessible: str, anything: str) -> QComboBox:
        box = QComboBox(objectName=name)
        box.setAccessibleName(accessible)
        box.setToolTip(accessible)
        box.addItem(anything, None)
        return box

    def _bytes(self, name: str, accessible: str) -> QSpinBox:
        spin = QSpinBox(objectName=name)
        spin.setAccessibleName(accessible)
        spin.setToolTip(accessible)
        spin.setRange(0, MOST_BYTES)
        spin.setSpecialValueText(self.tr("any"))
        spin.setGroupSeparatorShown(True)
        return spin

    def _place(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(6)
        for text, widget, stretch in (
            (self.tr("&Search:"), self.search, 1),
            ("", self.mode, 0),
            ("", self.match_case, 0),
            (self.tr("Go to &id:"), self.go_to, 0),
        ):
            if text:
                first.addWidget(_label(text, widget))
            first.addWidget(widget, stretch)
        self._flow = QWidget()
        second = FlowLayout(self._flow, 8)
        for widget in (self.kind, self.script, self.finding):
            second.addWidget(widget)
        second.addWidget(_pair(_label(self.tr("&Bytes from"), self.shortest), self.shortest))
        second.addWidget(_pair(_label(self.tr("t&o"), self.longest), self.longest))
        for widget in (self.reset, self.by_length, self.export):
            second.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(first)
        column.addWidget(self._flow)

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """The controls in the order in which they are seen."""
        return (
            *(self.search, self.mode, self.match_case, self.go_to, self.kind, self.script, self.finding),
            *(self.shortest, self.longest, self.reset, self.by_length, self.export),
        )


def _label(text: str, buddy: QWidget) -> QLabel:
    label = PlainLabel(text)
    label.setBuddy(buddy)
    return label


def _pair(label: QLabel, widget: QWidget) -> QWidget:
    """A field with its label, which stay together where the line ends."""
    pair = QWidget()
    row = QHBoxLayout(pair)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(4)
    row.addWidget(label)
    row.addWidget(widget)
    return pair
