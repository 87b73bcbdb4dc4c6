"""What takes how many clicks and keys from a fresh profile. A figure typed into a field counts as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QSpinBox, QTableView, QWidget
from pytestqt.qtbot import QtBot

from gui.costs.columns import COLUMN_INDEX
from gui.window.application import Application
from gui.window.workspaces import MODELS_PAGE
from tests.gui.conftest import OpenWindow, notices

pytestmark = pytest.mark.pages("pricingTab")


class Person:
    """Uses mouse and keyboard, and counts."""

    def __init__(self, qtbot: QtBot, bench: Application) -> None:
        self._qtbot, self.bench, self.acts = qtbot, bench, 0

    def click(self, name: str) -> QWidget:
        widget = self.bench.window.findChild(QWidget, name)
        assert widget is not None
        self._qtbot.waitUntil(widget.isVisible)
        self._qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)
        self.acts += 1
        return widget

    def click_cell(self, table: QTableView, index: QModelIndex, *, double: bool = False) -> None:
        table.scrollTo(index)
        place = table.visualRect(index).center() if double else QPoint(40, table.visualRect(index).center().y())
        self._qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        if double:
            self._qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        self.acts += 1

    def type(self, field: QWidget, text: str) -> None:
        """Over what stands in the field."""
        field.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClicks(field, text)
        self.acts += 1

    def press(self, widget: QWidget, key: Qt.Key) -> None:
        QTest.keyClick(widget, key)
        self.acts += 1


@pytest.fixture
def person(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> Person:
    bench = open_window(tmp_path / "profile")
    bench.window.resize(1280, 800)
    bench.window.activateWindow()
    qtbot.waitUntil(lambda: bool(bench.costs.panel.model.shown_rows()))
    editor = bench.panel.editor
    editor.selectAll()
    QGuiApplication.clipboard().setText("Summarize the attached minutes in one short paragraph. " * 20)
    editor.paste()
    qtbot.waitUntil(lambda: not bench.costs.service.stale and not bench.prompt.stale)
    return Person(qtbot, bench)


def test_the_cheapest_exact_model_of_a_scenario_takes_six(qtbot: QtBot, person: Person):
    panel = person.bench.costs.panel
    person.click("scenarioSummary")
    popover = panel.popover
    qtbot.waitUntil(lambda: QApplication.focusWidget() is popover.output)
    person.type(popover.output, "800")  # it has the focus, and all of it is selected
    for name, text in (("cachedTokens", "60%"), ("callsPerMonth", "10000")):
        field = popover.findChild(QSpinBox, name)
        field.selectAll()  # as Tab does
        person.type(field, text)
    person.press(popover, Qt.Key.Key_Escape)
    person.click("filterExact")
    assert person.acts <= 6
    choices = panel.scenario.choices
    assert (choices.output_tokens, choices.cached, choices.cached_unit, choices.calls) == (800, 60, "percent", 10_000)

    def priced() -> bool:
        rows = [row.estimate for row in panel.model.shown_rows() if row.estimate.usd is not None]
        return bool(rows) and rows[0].calls == 10_000 and not person.bench.costs.service.stale

    qtbot.waitUntil(priced)
    shown = panel.model.shown_rows()
    assert shown
    assert {row.estimate.label or row.model.count.label for row in shown} <= {"exact", "counted"}
    totals = [row.estimate.usd for row in shown if row.estimate.usd is not None]
    assert totals[0] == min(totals), "the first row is the answer"


def test_why_is_this_a_range_takes_one(qtbot: QtBot, person: Person):
    panel = person.bench.costs.panel
    qtbot.waitUntil(lambda: any(row.estimate.label == "estimated" for row in panel.model.shown_rows()))
    place = next(place for place, row in enumerate(panel.model.shown_rows()) if row.estimate.label == "estimated")
    index = panel.model.index(place, COLUMN_INDEX["tokens"])
    inspector = person.bench.costs.inspector
    inspector.show()
    person.click_cell(panel.table, index)
    assert person.acts == 1
    why = inspector.findChild(QLabel, "inspectorWhy")
    name = panel.model.row_at(place).model.name
    qtbot.waitUntil(lambda: inspector.findChild(QLabel, "inspectorModel").text() == name)
    assert inspector.findChild(QLabel, "inspectorWhyTitle").text() == "Why a range?"
    assert "tokenizer" in why.text()
    assert " times the count of " in why.text()


def test_a_price_changed_and_undone_takes_three(qtbot: QtBot, person: Person):
    bench = person.bench
    bench.pages.page(MODELS_PAGE).bring_to_front()
    table = bench.costs.panel.page.table
    qtbot.waitUntil(lambda: table.show_model("openai/gpt-4o"))
    index = table.model().index(table.model().row_of_model("openai/gpt-4o"), COLUMN_INDEX["input_price"])

    def price() -> str:
        return str(next(one for one in bench.costs.service.models if one.id == "openai/gpt-4o").price.input)

    before = price()
    person.click_cell(table, index, double=True)
    field = table.findChildren(QLineEdit)[-1]
    field.selectAll()
    QTest.keyClicks(field, "2.25")
    person.press(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: price() == "2.25")
    qtbot.waitUntil(lambda: "$2.25" in notices(bench))

    def in_sight() -> bool:
        return table.viewport().rect().intersects(table.visualRect(table.currentIndex()))

    qtbot.waitUntil(in_sight)
    buttons = bench.window.findChildren(QAbstractButton)
    undo = next(button for button in buttons if button.text().replace("&", "") == "Undo" and button.isVisible())
    qtbot.mouseClick(undo, Qt.MouseButton.LeftButton)
    person.acts += 1
    qtbot.waitUntil(lambda: price() == before)
    assert person.acts <= 3
