"""The list of messages of a request, with what is done to it: add, remove, move; all from the keyboard as well."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from engine.requests.types import Message
from gui.prompt.chat.messages import CONTENT, NAME, ROLE, TOKENS, MessagesModel
from gui.widgets.tables import StretchedTable, set_up_rows

LEAST_ROWS = 3


class MessageList(QWidget):
    """Signals: ``current_changed(int)``: another row, -1 for none."""

    current_changed = Signal(int)

    def __init__(self, model: MessagesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.table = StretchedTable(objectName="requestMessages")
        self.table.setAccessibleName(self.tr("Messages of the request"))
        self.table.setModel(model)
        set_up_rows(self.table)
        self.table.setProperty("kind", "flat")
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._size_columns()
        self.add = QPushButton(self.tr("&Add message"), objectName="requestAdd")
        self.add.setToolTip(self.tr("Add a message behind this one (Insert)"))
        self.remove = QPushButton(self.tr("&Remove"), objectName="requestRemove")
        self.remove.setToolTip(self.tr("Remove this message (Delete)"))
        self.up = QPushButton(self.tr("Move &up"), objectName="requestUp")
        self.up.setToolTip(self.tr("Move this message up (Alt+Up)"))
        self.down = QPushButton(self.tr("Move do&wn"), objectName="requestDown")
        self.down.setToolTip(self.tr("Move this message down (Alt+Down)"))
        for button in (self.remove, self.up, self.down):
            button.setProperty("kind", "quiet")
        self._place()
        for button, key, act in (
            (self.add, "Ins", self.add_message),
            (self.remove, "Del", self.remove_message),
            (self.up, "Alt+Up", self.move_up),
            (self.down, "Alt+Down", self.move_down),
        ):
            button.clicked.connect(act)
            shortcut = QShortcut(QKeySequence(key), self.table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        model.modelReset.connect(self._on_reset)
        model.rowsMoved.connect(self._show_buttons)
        model.rowsRemoved.connect(self._show_buttons)
        self._show_buttons()

    @property
    def current_row(self) -> int:
        """The row that is edited, -1 for none."""
        return self.table.currentIndex().row()

    def show_row(self, row: int) -> None:
        """Make this the current row."""
        self.table.setCurrentIndex(self._model.index(row, CONTENT))

    @Slot()
    def add_message(self) -> None:
        """One more, behind the current one; the role goes on as conversations do."""
        row = self.current_row
        before = self._model.message(row).role if row >= 0 else ""
        role = "assistant" if before == "user" else "user"
        self._model.insert(row + 1, Message(role))
        self.show_row(row + 1)

    @Slot()
    def remove_message(self) -> None:
        """The current one goes."""
        row = self.current_row
        if row >= 0:
            self._model.remove(row)
            self.current_changed.emit(self.current_row)

    @Slot()
    def move_up(self) -> None:
        """The current one changes places with the one before it."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """The same with the one behind it."""
        self._move(1)

    def _move(self, by: int) -> None:
        row = self.current_row
        if row >= 0 and 0 <= row + by < self._model.rowCount():
            self._model.move(row, row + by)

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self._show_buttons()
        self.current_changed.emit(self.current_row)

    @Slot()
    def _on_reset(self) -> None:
        if self._model.rowCount():
            self.show_row(0)
        else:
            self.current_changed.emit(-1)
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        row, rows = self.current_row, self._model.rowCount()
        self.remove.setEnabled(row >= 0)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < rows - 1)

    def _size_columns(self) -> None:
        head = self.table.horizontalHeader()
        character = self.fontMetrics().averageCharWidth()
        for column, characters in ((ROLE, 12), (NAME, 8), (TOKENS, 9)):
            self.table.setColumnWidth(column, characters * character + 12)
        head.setSectionResizeMode(CONTENT, QHeaderView.ResizeMode.Stretch)
        head.setMinimumSectionSize(5 * character)
        rows = self.table.verticalHeader()
        rows.setDefaultSectionSize(self.fontMetrics().lineSpacing() + 12)
        self.table.setMinimumHeight(rows.defaultSectionSize() * (LEAST_ROWS + 1))

    def _place(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for button in (self.add, self.remove, self.up, self.down):
            buttons.addWidget(button)
        buttons.addStretch(1)
        body = QVBoxLayout(self)
        body.setContentsMargins(12, 4, 8, 6)
        body.setSpacing(6)
        body.addWidget(self.table, 1)
        body.addLayout(buttons)
