"""Find and replace bar below a text."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QPushButton, QToolButton, QWidget

from gui.look.icons import Icons
from gui.look.style_sheet import give_tone
from gui.widgets.forms import row_of
from gui.widgets.labels import PlainLabel, plain_tip


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A search request. ``whole_words`` and ``match_case`` apply to plain text and regular expressions alike."""

    pattern: str
    is_regex: bool = False
    match_case: bool = False
    whole_words: bool = False


class FindBar(QWidget):
    """Search text and options, replacement, and number of matches.

    Signals: ``options_changed()``, ``next_wanted()``, ``previous_wanted()``, ``replace_wanted()``,
    ``replace_all_wanted()``, ``closed()``.
    """

    options_changed = Signal()
    next_wanted = Signal()
    previous_wanted = Signal()
    replace_wanted = Signal()
    replace_all_wanted = Signal()
    closed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None, *, name: str = "find") -> None:
        """``name``: prefix of all object names."""
        super().__init__(parent)
        self._name = name
        self._icons = icons
        self.setObjectName(f"{name}Bar")
        self.setAccessibleName(self.tr("Find and replace"))
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 4, 12, 4)
        grid.setVerticalSpacing(4)
        self._make_find_row(grid)
        self._make_replace_row(grid)
        grid.setColumnStretch(1, 1)
        self.hide()

    def _make_find_row(self, grid: QGridLayout) -> None:
        self.pattern = QLineEdit(self, objectName=f"{self._name}Pattern", accessibleName=self.tr("Text to find"))
        self.pattern.setClearButtonEnabled(True)
        self.pattern.setMinimumWidth(140)
        label = PlainLabel(self.tr("Fi&nd"), self)
        label.setBuddy(self.pattern)
        self._case = QCheckBox(self.tr("Match &case"), self, objectName=f"{self._name}Case")
        self._words = QCheckBox(self.tr("Who&le words"), self, objectName=f"{self._name}Words")
        self._regex = QCheckBox(self.tr("Re&gex"), self, objectName=f"{self._name}Regex")
        self._regex.setToolTip(self.tr("Use a regular expression (syntax of Python's regex module)"))
        self._count = PlainLabel(self, objectName=f"{self._name}Count")
        self._previous = self._tool("previous", self.tr("Previous match (Shift+F3)"), f"{self._name}Previous")
        self._next = self._tool("next", self.tr("Next match (F3)"), f"{self._name}Next")
        self._close = close = self._tool("close", self.tr("Close (Esc)"), f"{self._name}Close")
        switches = (self._case, self._words, self._regex)
        row = row_of(self._previous, self._next, *switches, (self._count, 1), close)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.pattern, 0, 1)
        grid.addLayout(row, 0, 2)
        self.pattern.textChanged.connect(self.options_changed)
        for switch in switches:
            switch.toggled.connect(self.options_changed)
        self._previous.clicked.connect(self.previous_wanted)
        self._next.clicked.connect(self.next_wanted)
        close.clicked.connect(self.close_bar)

    def _make_replace_row(self, grid: QGridLayout) -> None:
        self.replacement = QLineEdit(self, objectName=f"{self._name}Replacement", clearButtonEnabled=True)
        self.replacement.setAccessibleName(self.tr("Replacement text"))
        self._replace_label = PlainLabel(self.tr("Re&place by"), self)
        self._replace_label.setBuddy(self.replacement)
        self._replace = QPushButton(self.tr("&Replace"), self, objectName=f"{self._name}ReplaceOne")
        self._replace_all = QPushButton(self.tr("Replace &all"), self, objectName=f"{self._name}ReplaceAll")
        grid.addWidget(self._replace_label, 1, 0)
        grid.addWidget(self.replacement, 1, 1)
        grid.addLayout(row_of(self._replace, self._replace_all, 1), 1, 2)
        self._replace.clicked.connect(self.replace_wanted)
        self._replace_all.clicked.connect(self.replace_all_wanted)

    def _tool(self, icon: str, tip: str, name: str) -> QToolButton:
        button = QToolButton(self, objectName=name, toolTip=tip, accessibleName=tip)
        button.setIcon(self._icons.icon(icon))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """The fields and buttons in visual order, which is the tab order."""
        find = (self.pattern, self._previous, self._next, self._case, self._words, self._regex, self._close)
        return *find, self.replacement, self._replace, self._replace_all

    @property
    def options(self) -> SearchOptions:
        """The current search request."""
        return SearchOptions(
            self.pattern.text(), self._regex.isChecked(), self._case.isChecked(), self._words.isChecked()
        )

    def open_bar(self, *, replace: bool, selected: str = "") -> None:
        """Show the bar, with or without the replace row, searching for the selected text."""
        for widget in (self._replace_label, self.replacement, self._replace, self._replace_all):
            widget.setVisible(replace)
        if selected and "\n" not in selected:
            self.pattern.setText(selected)
        self.show()
        self.pattern.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.pattern.selectAll()
        self.options_changed.emit()

    @Slot()
    def close_bar(self) -> None:
        """Hide the bar."""
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def say(self, words: str, *, failed: bool = False) -> None:
        """Show the number of matches, or the error in the pattern."""
        give_tone(self._count, "error" if failed else "")
        self._count.setText(words)
        self._count.setToolTip(plain_tip(words) if failed else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.window().focusWidget() is self.replacement:
                self.replace_wanted.emit()
            elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.previous_wanted.emit()
            else:
                self.next_wanted.emit()
        else:
            super().keyPressEvent(event)
