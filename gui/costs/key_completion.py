"""Offers the names of fields while they are typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel, QTextCursor
from PySide6.QtWidgets import QCompleter, QPlainTextEdit

from gui.panels.described_delegate import DescribedDelegate
from gui.panels.encoding_picker import DESCRIPTION

TAKING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)
"""Keys that are the list's while it is shown."""
WIDEST = 560
TEXT = Qt.ItemDataRole.UserRole + 2
"""What is written for a name."""


class KeyCompletion(QObject):
    """A list below the caret: arrows choose, Enter or Tab take, Escape leaves."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._word = ""
        self.names = QStandardItemModel(self)
        self._completer = QCompleter(self.names, self)
        self._completer.setWidget(editor)
        self._completer.activated[QModelIndex].connect(self._take)
        popup = self._completer.popup()
        popup.setItemDelegate(DescribedDelegate(popup))
        popup.setAccessibleName(self.tr("Names that may stand here"))

    @property
    def shown(self) -> bool:
        """Whether the list is shown."""
        return self._completer.popup().isVisible()

    def takes(self, event: QKeyEvent) -> bool:
        """Whether a key is for the list."""
        return self.shown and event.key() in TAKING_KEYS

    def hide(self) -> None:
        """Show no list."""
        self._completer.popup().hide()

    def offer(self, word: str, fields: Sequence[tuple[str, str, bool]]) -> None:
        """Show the names that begin with ``word``: name, meaning, and whether a block follows."""
        fitting = [field for field in fields if field[0].startswith(word) and field[0] != word]
        if not fitting:
            self.hide()
            return
        self._word = word
        self.names.clear()
        metrics, widest = self._editor.fontMetrics(), 0
        for name, meaning, opens in fitting:
            item = QStandardItem(name)
            item.setData(meaning, DESCRIPTION)
            item.setData(f"{name}, {meaning}", Qt.ItemDataRole.AccessibleTextRole)
            item.setData(f"{name}:" if opens else f"{name}: ", TEXT)
            self.names.appendRow(item)
            widest = max(widest, metrics.horizontalAdvance(f"{name}    {meaning}"))
        self._completer.setCompletionPrefix("")
        popup = self._completer.popup()
        area = self._editor.cursorRect()
        area.translate(self._editor.viewport().pos())
        area.setWidth(min(widest + 40, WIDEST))
        self._completer.complete(area)
        popup.setCurrentIndex(self._completer.completionModel().index(0, 0))

    @Slot(QModelIndex)
    def _take(self, index: QModelIndex) -> None:
        cursor = self._editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._word))
        cursor.insertText(str(index.data(TEXT)))
        self._editor.setTextCursor(cursor)
