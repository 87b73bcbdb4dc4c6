"""The messages of a request, as a table that can be edited in place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from engine.requests.types import Message
from gui.look.figures import figure
from gui.widgets.table_model import RIGHT, everything_visible

ROLES = ("system", "developer", "user", "assistant", "tool")
ROLE, NAME, CONTENT, TOKENS = range(4)
MOST_CHARACTERS = 300
"""Of a content that a cell shows."""

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class MessagesModel(QAbstractTableModel):
    """Role, name, content and tokens of each message. Emits Qt's own signals for every change."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages: list[Message] = []
        self._locale = QLocale()
        self._tokens: tuple[int, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """All of them, in their order."""
        return tuple(self._messages)

    def set_messages(self, messages: tuple[Message, ...]) -> None:
        """Have these instead."""
        self.beginResetModel()
        self._messages, self._tokens = list(messages), ()
        self.endResetModel()

    def set_tokens(self, tokens: tuple[int, ...]) -> None:
        """Show what each counts."""
        self._tokens = tokens
        if self._messages:
            self.dataChanged.emit(
                self.index(0, TOKENS), self.index(len(self._messages) - 1, TOKENS), [Qt.ItemDataRole.DisplayRole]
            )

    def message(self, row: int) -> Message:
        """The message of a row."""
        return self._messages[row]

    def change(self, row: int, message: Message) -> None:
        """Have this one in its place."""
        if self._messages[row] != message:
            self._messages[row] = message
            self.dataChanged.emit(self.index(row, 0), self.index(row, TOKENS), [Qt.ItemDataRole.EditRole])

    def insert(self, row: int, message: Message) -> None:
        """Put one before ``row``."""
        self.beginInsertRows(_NO_INDEX, row, row)
        self._messages.insert(row, message)
        self._tokens = ()
        self.endInsertRows()

    def remove(self, row: int) -> None:
        """Take one out."""
        self.beginRemoveRows(_NO_INDEX, row, row)
        del self._messages[row]
        self._tokens = ()
        self.endRemoveRows()

    def move(self, row: int, to: int) -> None:
        """Move one to the place ``to`` of the list as it will be."""
        self.beginMoveRows(_NO_INDEX, row, row, _NO_INDEX, to + 1 if to > row else to)
        self._messages.insert(to, self._messages.pop(row))
        self._tokens = ()
        self.endMoveRows()

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._messages)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else TOKENS + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() != TOKENS else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            titles = (self.tr("Role"), self.tr("Name"), self.tr("Content"), self.tr("Tokens"))
            return titles[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return (Qt.AlignmentFlag.AlignRight if section == TOKENS else Qt.AlignmentFlag.AlignLeft) | (
                Qt.AlignmentFlag.AlignVCenter
            )
        return None

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        message = self._messages[index.row()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == TOKENS:
            return RIGHT
        if role == Qt.ItemDataRole.EditRole:
            return (message.role, message.name, message.content, self._shown_tokens(index.row()))[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (message.role, message.name, _shown(message), self._shown_tokens(index.row()))[index.column()]
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or index.column() == TOKENS:
            return False
        field = ("role", "name", "content")[index.column()]
        self.change(index.row(), replace(self._messages[index.row()], **{field: str(value)}))
        return True

    def _shown_tokens(self, row: int) -> str:
        return figure(self._locale, self._tokens[row]) if row < len(self._tokens) else ""


def _shown(message: Message) -> str:
    """A content on one line, with what else there is of the message."""
    parts = [" ".join(message.content[:MOST_CHARACTERS].split())]
    parts += [f"→ {call.name}({call.arguments[:80]})" for call in message.tool_calls]
    if message.images:
        number = len(message.images)
        words = "1 image" if number == 1 else "{n} images"
        parts.append(f"[{QCoreApplication.translate('Request', words).format(n=number)}]")
    return " ".join(filter(None, parts))
