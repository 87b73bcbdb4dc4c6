"""Draws the cells of a table that are a text each, on one side or the other."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

_LINE_SEPARATOR = "\u2028"


class Texts(Protocol):
    """A model whose cells are such."""

    def shown(self, row: int, column: int) -> str:
        """What a cell says."""
        raise NotImplementedError

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Where the cells of a column stand."""
        raise NotImplementedError


class TextDelegate(QStyledItemDelegate):
    """It asks the model, which is that of the view, once a cell. Qt's own asks seven times, through Qt's variant, and
    may have to wait for the interpreter at each."""

    def __init__(self, model: Texts, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        row, column = index.row(), index.column()
        option.displayAlignment = self._model.side(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.text = self.written(row, column).replace("\n", _LINE_SEPARATOR)

    def written(self, row: int, column: int) -> str:
        """What a cell says, without a call into Qt."""
        return self._model.shown(row, column)
