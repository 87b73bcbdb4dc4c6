"""Tables with a stretched column are painted once for another size, and look as those of Qt do."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QApplication, QHeaderView, QTableView
from pytestqt.qtbot import QtBot

from gui.widgets.tables import StretchedTable, set_up_rows
from tests.gui.paints import Paints

SIZES = ((800, 300), (120, 300), (500, 200))


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def shown(qtbot: QtBot, kind: type[QTableView], stretched: int) -> QTableView:
    """A table of numbers of which one column is stretched; -1: the last one, as ``setStretchLastSection`` does."""
    table = kind()
    qtbot.addWidget(table)
    table.setModel(QStandardItemModel(40, 3, table))
    set_up_rows(table)
    if stretched < 0:
        table.horizontalHeader().setStretchLastSection(True)
    else:
        table.horizontalHeader().setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
    table.resize(400, 300)
    with qtbot.waitExposed(table):
        table.show()
    settle()
    return table


@pytest.mark.parametrize("stretched", [1, -1])
def test_it_is_painted_once_and_as_qt_does(qtbot: QtBot, stretched: int) -> None:
    table, by_qt = (shown(qtbot, kind, stretched) for kind in (StretchedTable, QTableView))
    paints = Paints(table.viewport())
    for size in SIZES:
        paints.count = 0
        for one in (table, by_qt):
            one.resize(*size)
        settle()
        assert paints.count == 1
        assert table.grab().toImage() == by_qt.grab().toImage()
        for bars in ("horizontalScrollBar", "verticalScrollBar"):
            assert getattr(table, bars)().maximum() == getattr(by_qt, bars)().maximum()
