"""What a person does to a cost panel, and sees in it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from gui.costs.columns import COLUMN_INDEX
from gui.costs.cost_controller import CostPanel
from gui.costs.inspector import BillPart

NO_KEY = Qt.KeyboardModifier.NoModifier


def ids(panel: CostPanel) -> list[str]:
    return [row.model_id for row in panel.model.shown_rows()]


def click_header(qtbot, panel: CostPanel, column: str, modifier=NO_KEY) -> None:
    header = panel.table.horizontalHeader()
    panel.table.scrollTo(panel.model.index(0, COLUMN_INDEX[column]))
    x = header.sectionViewportPosition(COLUMN_INDEX[column]) + 10
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, modifier, QPoint(x, header.height() // 2))


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def shown_bill(panel: CostPanel) -> str:
    """The bill of the current row, as the inspector has it for the clipboard."""
    bill = BillPart(panel.theme)
    row = panel.table.current_row()
    bill.show_row(row, panel.model.view if row is not None else None)
    return bill.text().replace("\u00a0", " ")
