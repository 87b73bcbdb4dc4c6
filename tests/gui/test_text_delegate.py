"""Cells that are a text each look as Qt's own delegate draws them, sorted or not, chosen or not."""

from __future__ import annotations

from typing import ClassVar

import pytest
from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QStyledItemDelegate, QTableView
from pytestqt.qtbot import QtBot

from gui.models.rows import RowsModel
from gui.panels.text_delegate import TextDelegate


class Rows(RowsModel):
    """Some texts and figures."""

    COLUMNS = 2
    FIGURES: ClassVar[tuple[int, ...]] = (1,)

    def titles(self) -> tuple[str, ...]:
        return "Text", "Figure"

    def cell(self, row: tuple[str, str], column: int) -> str:
        return row[column]


def picture(view: QTableView) -> QImage:
    view.viewport().repaint()
    return view.grab().toImage()


@pytest.mark.parametrize("is_sorted", [False, True])
def test_it_looks_like_qts_own(qtbot: QtBot, is_sorted: bool):
    view = QTableView()
    qtbot.addWidget(view)
    model, proxy = Rows(view), QSortFilterProxyModel(view)
    model.set_rows([("b\nc", "1"), ("a" * 60, "20"), ("ключ 試験", "$ 300"), ("", "")])
    proxy.setSourceModel(model)
    view.setModel(proxy if is_sorted else model)
    if is_sorted:
        view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    view.setAlternatingRowColors(True)
    view.resize(400, 240)
    view.selectRow(1)
    view.show()
    qtbot.waitExposed(view)
    assert isinstance(view.itemDelegate(), QStyledItemDelegate)
    qts_own = picture(view)
    view.setItemDelegate(TextDelegate(model, view, proxy if is_sorted else None))
    assert picture(view) == qts_own
    hint = view.sizeHintForColumn(0)
    view.setItemDelegate(QStyledItemDelegate(view))
    assert view.sizeHintForColumn(0) == hint
