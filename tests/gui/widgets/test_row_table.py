"""Editing the cells of tables, however often somebody asks for it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QTableView
from pytestqt.qtbot import QtBot

from gui.widgets.tables import edit_cell


def test_only_what_can_be_edited_is_and_once(qtbot: QtBot) -> None:
    """Qt's own warning about the others would fail this test."""
    table = QTableView()
    qtbot.addWidget(table)
    model = QStandardItemModel(1, 2, table)
    fixed = QStandardItem("fixed")
    fixed.setEditable(False)
    model.setItem(0, 1, fixed)
    table.setModel(model)
    table.show()
    for index in (QModelIndex(), model.index(0, 1)):
        edit_cell(table, index)
        assert table.state() == QAbstractItemView.State.NoState
    for _ in range(2):
        edit_cell(table, model.index(0, 0))
        assert table.state() == QAbstractItemView.State.EditingState
