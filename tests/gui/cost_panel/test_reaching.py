"""Keys, focus and look of the cost panel."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel

from gui.models.cost_columns import COLUMNS

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")


def test_the_focus_is_seen_on_selected_rows_and_on_others(panel, qtbot):
    panel.explain_button.setFocus()
    qtbot.keyClick(panel.explain_button, Qt.Key.Key_Tab)
    assert panel.table.hasFocus()
    current = panel.table.currentIndex()
    assert COLUMNS[current.column()].key == "model"
    assert not panel.table.selectionModel().hasSelection()

    def frame(colour: QColor) -> bool:
        rect = panel.table.visualRect(panel.table.currentIndex()).adjusted(1, 1, -1, -1)
        image = panel.table.viewport().grab().toImage()
        middle = rect.center()
        return all(
            image.pixelColor(place) == colour
            for place in (QPoint(rect.left(), middle.y()), QPoint(middle.x(), rect.top()))
        )

    assert frame(panel.theme.colour("focus"))
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    assert panel.table.selectionModel().hasSelection()
    assert frame(panel.theme.colour("focus"))


def test_tab_goes_through_every_control(panel, qtbot):
    panel.scenario_bar.output.setFocus()
    names = []
    while len(names) < 40 and names.count("outputTokens") < 2:
        widget = QApplication.focusWidget()
        if not names or names[-1] != widget.objectName():  # A date has three parts to go through.
            names.append(widget.objectName())
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    assert names == [
        *("outputTokens", "reasoningTokens", "cachedTokens", "cachedUnit", "callsPerMonth"),
        *("costBudget", "costFactor", "costDate", "serviceTier", "pricingHours", "batchToggle", "scenarioDetails"),
        *("costFilter", "costCheapest", "costView", "costExport", "costChartButton", "costExplainButton", "costTable"),
        *("scenarioMenu", "outputTokens"),
    ]


def test_no_two_controls_answer_to_the_same_key(panel):
    panel.chart_button.click()
    widgets = [*panel.findChildren(QLabel), *panel.findChildren(QAbstractButton)]
    keys = [widget.text().partition("&")[2][:1].lower() for widget in widgets if "&" in widget.text()]
    assert sorted(keys) == sorted(set(keys))
    assert not set(keys) & set("fevth"), "a menu of the window answers to that key"


def test_the_theme_changes_without_a_restart(panel):
    panel.model.set_stale(True)
    light = panel.grab().toImage()
    panel.theme.set_mode("dark")
    dark = panel.grab().toImage()
    assert light != dark
    panel.theme.set_mode("light")


def test_what_screens_show_at_small_sizes(panel):
    for size in ((900, 300), (500, 250), (320, 200)):
        panel.resize(*size)
        assert not panel.grab().isNull()
