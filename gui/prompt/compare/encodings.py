"""The encodings that are compared: their order, which of them is the base, and what the text is in each."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from gui.prompt.compare.tables import ENCODING, EncodingRow, EncodingRowsModel
from gui.widgets.encoding_picker import EncodingPicker
from gui.widgets.tables import FittedTable, set_up_rows

LEAST_ROWS = 3
MOST_ENCODINGS = 12
"""More would not fit below each other."""
ROW_PADDING = 12


class CompareEncodings(QWidget):
    """Signals: ``changed()``: other encodings, or another order; ``base_changed()``."""

    changed = Signal()
    base_changed = Signal()

    def __init__(self, names: tuple[str, ...]) -> None:
        """``names``: to begin with; the first is the base."""
        super().__init__()
        self._names, self._base = names, names[0]
        self.model = EncodingRowsModel(self.locale(), self)
        self.table = FittedTable("compareEncodings")
        self.table.setAccessibleName(self.tr("Encodings that are compared; Enter makes one the base"))
        self.picker = EncodingPicker()
        self.picker.setObjectName("compareAdd")
        self.picker.setAccessibleName(self.tr("Add an encoding to the comparison"))
        self.picker.setPlaceholderText(self.tr("Add an encoding"))
        self.picker.setMinimumContentsLength(10)
        self.remove = self._button("compareRemove", self.tr("&Remove"), self.tr("Leave this encoding out (Delete)"))
        self.up = self._button("compareUp", self.tr("&Up"), self.tr("Move this encoding up (Alt+Up)"))
        self.down = self._button("compareDown", self.tr("Do&wn"), self.tr("Move this encoding down (Alt+Down)"))
        self.set_base = self._button(
            "compareBase", self.tr("Set as &base"), self.tr("Compare the others with this encoding (Enter)")
        )
        self._set_up_table()
        self._place()
        self._connect()
        self._show()

    @property
    def names(self) -> tuple[str, ...]:
        """The encodings, in order."""
        return self._names

    @property
    def base(self) -> str:
        """That with which the others are compared."""
        return self._base

    @property
    def base_number(self) -> int:
        """Its place among them."""
        return self._names.index(self._base)

    def set_names(self, names: Iterable[str], base: str = "") -> None:
        """Compare these, at least one of them; each is there once."""
        chosen = tuple(dict.fromkeys(names))[:MOST_ENCODINGS]
        if not chosen:
            return
        self._names = chosen
        self._base = base if base in chosen else self._base if self._base in chosen else chosen[0]
        self._show()
        self.changed.emit()

    def fill(self, encodings: tuple[tuple[str, str], ...]) -> None:
        """Offer these: name and description of each."""
        self.picker.fill(encodings)
        self.picker.show_name("")

    def show_totals(self, tokens: tuple[int, ...], utf8_bytes: int) -> None:
        """What the text is in each of them, in order."""
        self._show([EncodingRow(name, count, utf8_bytes) for name, count in zip(self._names, tokens, strict=True)])

    # --- what is done to them -----------------------------------------------------------------------------------------

    @Slot(str)
    def add(self, name: str) -> None:
        """Compare another one, behind the others."""
        if name not in self._names:
            self.set_names((*self._names, name))
        self.picker.show_name("")
        self._go_to(self._names.index(name) if name in self._names else len(self._names) - 1)

    @Slot()
    def remove_current(self) -> None:
        """Compare the current one no longer; the last one stays."""
        row = self.table.currentIndex().row()
        if row >= 0 and len(self._names) > 1:
            self.set_names(self._names[:row] + self._names[row + 1 :])
            self._go_to(min(row, len(self._names) - 1))

    @Slot()
    def move_up(self) -> None:
        """Show the current one further up."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Show the current one further down."""
        self._move(1)

    @Slot()
    def make_base(self) -> None:
        """Compare the others with the current one."""
        row = self.table.currentIndex().row()
        if row >= 0:
            self._base = self._names[row]
            self._show(self.model.rows)
            self._go_to(row)
            self.base_changed.emit()

    def _move(self, by: int) -> None:
        row = self.table.currentIndex().row()
        if row < 0 or not 0 <= row + by < len(self._names):
            return
        names = list(self._names)
        names.insert(row + by, names.pop(row))
        self.set_names(names)
        self._go_to(row + by)

    def _go_to(self, row: int) -> None:
        self.table.setCurrentIndex(self.model.index(row, ENCODING))

    def _show(self, rows: Iterable[EncodingRow] | None = None) -> None:
        row = self.table.currentIndex().row()
        shown = [EncodingRow(name) for name in self._names] if rows is None else list(rows)
        self.model.show_encodings(shown, self.base_number)
        self._go_to(min(max(row, 0), len(shown) - 1))
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        row, rows = self.table.currentIndex().row(), len(self._names)
        self.remove.setEnabled(row >= 0 and rows > 1)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < rows - 1)
        self.set_base.setEnabled(0 <= row != self.base_number)
        self.picker.setEnabled(rows < MOST_ENCODINGS)

    # --- how it looks -------------------------------------------------------------------------------------------------

    def _button(self, name: str, words: str, tip: str) -> QPushButton:
        button = QPushButton(words, objectName=name)
        button.setProperty("kind", "quiet")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoDefault(False)
        return button

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setProperty("kind", "flat")
        set_up_rows(table)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        rows = table.verticalHeader()
        rows.setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(ENCODING, QHeaderView.ResizeMode.Stretch)
        table.setMinimumHeight(rows.defaultSectionSize() * (LEAST_ROWS + 1))

    def _connect(self) -> None:
        self.picker.chosen.connect(self.add)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.table.activated.connect(self._on_activated)
        for button, key, act in (
            (self.remove, "Del", self.remove_current),
            (self.up, "Alt+Up", self.move_up),
            (self.down, "Alt+Down", self.move_down),
        ):
            button.clicked.connect(act)
            shortcut = QShortcut(QKeySequence(key), self.table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        self.set_base.clicked.connect(self.make_base)

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self._show_buttons()

    @Slot(QModelIndex)
    def _on_activated(self, _index: QModelIndex) -> None:
        self.make_base()

    def _place(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.picker)
        for button in (self.set_base, self.up, self.down, self.remove):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.table, 1)
        column.addLayout(buttons)
