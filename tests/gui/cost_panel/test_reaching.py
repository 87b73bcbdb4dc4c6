"""Keys, focus and look of the cost panel."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from gui.costs.columns import COLUMNS

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")


def test_the_focus_is_seen_on_selected_rows_and_on_others(panel, qtbot):
    panel.fold.setFocus()
    qtbot.keyClick(panel.fold, Qt.Key.Key_Tab)
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


def walked(qtbot, first: QWidget) -> list[str]:
    """The names of the controls that Tab comes to until it is back."""
    first.setFocus()
    names = []
    while len(names) < 60 and names.count(first.objectName()) < 2:
        widget = QApplication.focusWidget()
        if not names or names[-1] != widget.objectName():  # A date has three parts to go through.
            names.append(widget.objectName())
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    return names


TOOLS = ("scenarioSummary", "filterExact", "filterFavourites", "filterVendor", "costFilter")


def test_tab_goes_through_every_control_of_the_strip(panel, qtbot):
    assert walked(qtbot, panel.summary) == [*TOOLS, "costExpand", "costFold", "costTable", "scenarioSummary"]


def test_tab_goes_through_every_control_of_the_page_as_the_eye_does(panel, page, qtbot):
    qtbot.waitUntil(lambda: page.chart._plot is not None)
    assert panel.summary.window() is page
    first = ("filterContext", "filterCachePrice", "filterNotRetired", "groupByVendor")
    more = ("columnPreset", "costView", "costExport", "costChartButton", "modelsTable", "chartBars", "chartScale")
    assert walked(qtbot, page.chips.context) == [*first, *more, *TOOLS, "filterContext"]
    panel.hide()
    panel.show()
    assert panel.summary.window() is panel, "whichever is in front has the bar"


def test_tab_goes_through_every_field_of_the_scenario(panel, qtbot):
    popover = panel.show_scenario()
    qtbot.waitUntil(popover.isActiveWindow)
    popover.ranged["output"].click()
    popover.some.click()
    names = walked(qtbot, popover.output)
    assert names[:5] == ["outputTokens", "outputRanged", "outputLow", "outputHigh", "reasoningTokens"]
    wanted = {
        "cachedTokens",
        "cachedUnit",
        "cacheSome",
        "cacheHitRate",
        "cacheLifetime",
        "callsPerMonth",
        "callsPerDay",
    }
    wanted |= {"batchToggle", "serviceTier", "pricingHours", "costBudget", "costFactor", "costDate", "costCurrency"}
    assert wanted <= set(names), names


def test_no_two_controls_answer_to_the_same_key(panel, page):
    groups = {panel.popover: [], page: [], panel: []}
    for root in groups:
        for widget in (*root.findChildren(QLabel), *root.findChildren(QAbstractButton)):
            if "&" in widget.text() and widget.window() is root.window():
                groups[root].append(widget.text().replace("&&", "").partition("&")[2][:1].lower())
    for keys in groups.values():
        assert sorted(keys) == sorted(set(keys))
    assert groups[panel.popover]
    assert not {*groups[page], *groups[panel]} & set("fevth"), "a menu of the window answers to that key"


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
