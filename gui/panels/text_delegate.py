"""Draws the cells of a table that are a text each, on one side or the other."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QAbstractProxyModel, QModelIndex, QPersistentModelIndex, Qt
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
    """It asks the model once a cell. Qt's own asks seven times, through a proxy that sorts and Qt's variant, and may
    have to wait for the interpreter at each."""

    def __init__(self, model: Texts, parent: QWidget, proxy: QAbstractProxyModel | None = None) -> None:
        """``proxy``: what sorts the rows of ``model`` for the view, if anything does."""
        super().__init__(parent)
        self._model, self._proxy = model, proxy

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        column = index.column()
        row = index.row() if self._proxy is None else self._proxy.mapToSource(index).row()
        option.displayAlignment = self._model.side(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.text = self._model.shown(row, column).replace("\n", _LINE_SEPARATOR)
