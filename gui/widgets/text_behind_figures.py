"""A column of text behind a column of figures, which stand to the right: room between the two."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

GAP = "\N{EN SPACE}" * 2
"""Painted in front of the text and of its title, and in neither of them."""


def part_text_from_figures(table: QTableView, column: int) -> None:
    """Leave room in front of the texts of a column."""
    table.setHorizontalHeader(_Header(column, table))
    table.setItemDelegateForColumn(column, _Delegate(table))


class _Delegate(QStyledItemDelegate):
    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = GAP + option.text


class _Header(QHeaderView):
    def __init__(self, column: int, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._column = column
        self.setSectionsClickable(True)  # as that of a table is

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        if logicalIndex == self._column:
            option.text = GAP + option.text
