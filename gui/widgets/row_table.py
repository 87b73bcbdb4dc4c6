"""What all tables have in common whose rows are read as a whole and never edited."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui.look.corner import plain_corner

MEASURED_ROWS = 40
"""Rows that say how wide a column must be where it fits what is in it. Qt's thousand take a tenth of a second."""


def set_up_rows(table: QTableView) -> None:
    """Whole rows are chosen, told apart by their ground; Tab leaves the table; rows have no heads and one height."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setAlternatingRowColors(True)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setCornerButtonEnabled(False)
    table.setCornerWidget(plain_corner(table))
    rows = table.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    columns = table.horizontalHeader()
    columns.setHighlightSections(False)
    columns.setResizeContentsPrecision(MEASURED_ROWS)


def edit_cell(table: QAbstractItemView, index: QModelIndex) -> None:
    """Open the editor of a cell, if it has one and no editor is open: Qt complains about anything else."""
    editable = index.isValid() and bool(index.flags() & Qt.ItemFlag.ItemIsEditable)
    if editable and table.state() != QAbstractItemView.State.EditingState:
        table.edit(index)
