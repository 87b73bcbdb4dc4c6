"""Cells that are a text each look as Qt's own delegate draws them, chosen or not."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QStyledItemDelegate, QTableView
from pytestqt.qtbot import QtBot

from gui.widgets.delegates import TextDelegate
from gui.widgets.table_model import RowsModel


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


def test_it_looks_like_qts_own(qtbot: QtBot):
    view = QTableView()
    qtbot.addWidget(view)
    model = Rows(view)
    model.set_rows([("b\nc", "1"), ("a" * 60, "20"), ("ключ 試験", "$ 300"), ("", "")])
    view.setModel(model)
    view.setAlternatingRowColors(True)
    view.resize(400, 240)
    view.selectRow(1)
    view.show()
    qtbot.waitExposed(view)
    assert isinstance(view.itemDelegate(), QStyledItemDelegate)
    qts_own = picture(view)
    view.setItemDelegate(TextDelegate(model, view))
    assert picture(view) == qts_own
    hint = view.sizeHintForColumn(0)
    view.setItemDelegate(QStyledItemDelegate(view))
    assert view.sizeHintForColumn(0) == hint
