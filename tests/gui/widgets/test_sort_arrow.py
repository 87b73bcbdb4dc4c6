"""The arrow of a sorted column points up in ascending order, in every table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QDir, Qt
from PySide6.QtWidgets import QHeaderView, QTableWidget
from pytestqt.qtbot import QtBot

from gui.look import style_sheet
from gui.look.theme import Theme
from gui.widgets.tables import SortHeader


def lean(table: QTableWidget, order: Qt.SortOrder) -> float:
    """Return how far below its middle the arrow is wide, in pixels: above 0 if its tip is at the top."""
    header = table.horizontalHeader()
    header.setSortIndicatorShown(False)
    header.setSortIndicator(-1, order)
    plain = header.grab().toImage()
    header.setSortIndicatorShown(True)
    header.setSortIndicator(0, order)
    drawn = header.grab().toImage()
    rows = []
    for y in range(drawn.height()):
        found = [x for x in range(drawn.width()) if drawn.pixel(x, y) != plain.pixel(x, y)]
        if found:
            rows.append(found[-1] - found[0])
    assert rows, "no arrow"
    return sum(y * width for y, width in enumerate(rows)) / sum(rows) - (len(rows) - 1) / 2


@pytest.mark.parametrize("own", [True, False], ids=["SortHeader", "Qt's"])
def test_an_arrow_points_up_where_values_rise(qtbot: QtBot, own: bool):
    theme = Theme("light")
    table = QTableWidget(2, 1)
    qtbot.addWidget(table)
    QDir.setSearchPaths(style_sheet.MARKS, [str(style_sheet.FOLDER)])
    table.setStyleSheet(style_sheet.sheet(theme._colours.colours))
    table.setHorizontalHeaderLabels(["Name"])
    table.setHorizontalHeader(SortHeader(theme, table) if own else QHeaderView(Qt.Orientation.Horizontal, table))
    with qtbot.waitExposed(table):
        table.show()
    assert lean(table, Qt.SortOrder.AscendingOrder) > 0 > lean(table, Qt.SortOrder.DescendingOrder)
