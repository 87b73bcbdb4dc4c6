"""All keyboard shortcuts on one sheet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.widgets.dialog_buttons import button_row
from gui.window.actions import plain_text


class ShortcutsSheet(QDialog):
    """A table of the actions that have shortcuts, and what they do."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutsSheet")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        shown = [action for action in actions if action.shortcuts()]
        self.table = QTableWidget(len(shown), 3, self)
        self.table.setObjectName("shortcutsTable")
        self.table.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.table.setHorizontalHeaderLabels([self.tr("Shortcut"), self.tr("Action"), self.tr("What it does")])
        self.table.verticalHeader().hide()
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        for row, action in enumerate(shown):
            keys = "   ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts())
            for column, text in enumerate((keys, plain_text(action), action.statusTip())):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled)
                self.table.setItem(row, column, item)
        self.table.resizeColumnsToContents()
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Close)
        column = QVBoxLayout(self)
        column.addWidget(self.table)
        column.addWidget(buttons)
        self.resize(820, 560)
