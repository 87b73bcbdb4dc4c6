"""What the cost table shows, and in which order."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QMenu, QSpinBox

from gui.costs.columns import COLUMN_INDEX
from gui.costs.cost_table import HEADING_HEIGHT, CostTableModel
from gui.costs.cost_view import PRESETS
from tests.gui.cost_panel.hands import click_header, ids

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")

SHIFT, NO_KEY = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier


def test_typing_into_the_filter_narrows_the_table_and_counts(panel, qtbot):
    assert panel.status.count.text() == "5 of 7 models · 1 retired · 1 embedding"
    qtbot.keyClicks(panel.filter, "acme ass")
    assert ids(panel) == ["acme/small"]
    assert panel.status.count.text() == "1 of 7 models · 1 retired · 1 embedding"
    panel.filter.clear()
    assert panel.table.model().rowCount() == 5


def test_the_scenario_reprices_the_table(panel, qtbot):
    with qtbot.waitSignal(panel.service.estimated):
        panel.findChild(QSpinBox, "callsPerMonth").setValue(50)
    column = COLUMN_INDEX["calls"]
    hint = panel.model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert hint.startswith("Total cost of 50 calls.")


def test_headers_sort_and_shift_adds_a_column(panel, qtbot):
    panel.table.show_column("provider")
    click_header(qtbot, panel, "model")
    assert ids(panel)[0] == "acme/large"
    click_header(qtbot, panel, "model")
    assert ids(panel)[0] == "dark/none"
    click_header(qtbot, panel, "provider")
    click_header(qtbot, panel, "model", SHIFT)
    click_header(qtbot, panel, "model", SHIFT)
    assert ids(panel)[:2] == ["acme/small", "acme/large"]


def test_sort_by_column_of_the_view_works_as_in_any_table(panel):
    panel.table.sortByColumn(COLUMN_INDEX["total"], Qt.SortOrder.DescendingOrder)
    assert ids(panel)[0] == "borg/opus"


def test_the_star_makes_a_favourite_by_mouse_and_by_key(panel, qtbot):
    place = panel.model.row_of_model("borg/opus")
    centre = panel.table.visualRect(panel.model.index(place, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert ids(panel)[0] == "borg/opus"
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_Space)
    assert ids(panel)[:2] == ["acme/large", "borg/opus"]
    qtbot.keyClick(panel.table, Qt.Key.Key_Space)
    assert panel.model.arrangement.favourites == {"borg/opus"}


def test_hidden_models_are_counted_and_come_back(panel, qtbot):
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    assert "acme/large" not in ids(panel)
    assert panel.status.count.text() == "4 of 7 models · 1 hidden · 1 retired · 1 embedding"
    panel.commands.show_hidden.trigger()
    panel.table.show_model("acme/large")
    panel.commands.hide.trigger()
    assert panel.model.arrangement.hidden == frozenset()


def test_embedding_models_are_left_out_until_they_are_asked_for(panel):
    switch = panel.commands.show_embedding
    assert "corp/embed" not in ids(panel)
    assert switch.text() == "Show embedding models (1)"
    switch.trigger()
    assert "corp/embed" in ids(panel)
    assert panel.status.count.text() == "6 of 7 models · 1 retired"
    panel.table.show_model("corp/embed")
    panel.commands.favourite.trigger()
    switch.trigger()
    assert ids(panel)[0] == "corp/embed"
    assert panel.status.count.text() == "6 of 7 models · 1 retired"
    assert switch.text() == "Show embedding models (0)"
    menu = QMenu(panel)
    panel.commands.view_menu(menu)
    assert switch in menu.actions()


def test_the_baseline_is_pinned_by_key_and_its_column_appears(panel, qtbot):
    assert panel.table.isColumnHidden(COLUMN_INDEX["ratio"])
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert ids(panel)[0] == "acme/large"
    assert not panel.table.isColumnHidden(COLUMN_INDEX["ratio"])
    panel.commands.unpin.trigger()
    assert panel.model.arrangement.baseline is None
    assert not panel.commands.unpin.isEnabled()


def test_the_selection_stays_with_its_models(panel, qtbot):
    selection = panel.table.selectionModel()
    flags = QItemSelectionModel.SelectionFlag
    for model_id in ("acme/large", "borg/opus"):
        index = panel.model.index(panel.model.row_of_model(model_id), 0)
        selection.select(index, flags.Select | flags.Rows)
    panel.table.sortByColumn(COLUMN_INDEX["model"], Qt.SortOrder.DescendingOrder)
    assert {row.model_id for row in panel.table.selected_rows()} == {"acme/large", "borg/opus"}
    panel.filter.setText("acme")
    assert [row.model_id for row in panel.table.selected_rows()] == ["acme/large"]


@pytest.mark.parametrize("held", [SHIFT, Qt.KeyboardModifier.ControlModifier])
def test_a_model_is_shown_alone_whatever_key_is_held_down(panel, qtbot, held):
    panel.table.show_model("acme/large")
    qtbot.mousePress(panel.table.viewport(), Qt.MouseButton.RightButton, held, QPoint(5, 5))
    panel.table.show_model("acme/small")
    assert [row.model_id for row in panel.table.selected_rows()] == ["acme/small"]
    qtbot.mouseRelease(panel.table.viewport(), Qt.MouseButton.RightButton, NO_KEY, QPoint(5, 5))


def test_an_empty_table_says_what_would_fill_it(panel):
    def picture() -> QImage:
        return panel.table.viewport().grab().toImage()

    panel.filter.setText("nothing like it")
    panel.table.fit_columns()
    assert panel.table.empty_text() == "No model matches."
    nothing = picture()
    panel.filter.setText("opus-9")
    assert panel.table.empty_text().startswith("One model matches")
    assert picture() != nothing


def test_columns_grow_for_their_figures_but_not_where_they_were_sized_by_hand(panel, qtbot):
    table, column = panel.table, COLUMN_INDEX["calls"]
    header = table.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(COLUMN_INDEX["tokens"]) - 1, header.height() // 2)
    by_hand = COLUMN_INDEX["model"]
    before = table.columnWidth(by_hand)
    qtbot.mousePress(header.viewport(), Qt.MouseButton.LeftButton, pos=edge)
    qtbot.mouseMove(header.viewport(), edge - QPoint(40, 0))
    qtbot.mouseRelease(header.viewport(), Qt.MouseButton.LeftButton, pos=edge - QPoint(40, 0))
    assert table.columnWidth(by_hand) < before
    assert table.columns_state()["sized"] == ["model"]
    first = table.columnWidth(column)
    with qtbot.waitSignal(header.sectionResized):
        panel.findChild(QSpinBox, "callsPerMonth").setValue(1_000_000_000)
    qtbot.waitUntil(lambda: table.columnWidth(column) > first)
    widest = max(
        table.fontMetrics().horizontalAdvance(panel.model.cell_text(row, column)) for row in panel.model.shown_rows()
    )
    assert table.columnWidth(column) > widest
    grown = table.columnWidth(column)
    table.restore_columns({"widths": {"calls": 60}, "sized": ["calls"]})
    table.fit_columns()
    assert table.columnWidth(column) == 60
    table.reset_columns()
    table.fit_columns()
    assert table.columnWidth(column) == grown


@pytest.fixture
def titles_asked(monkeypatch):
    """Columns whose titles were asked for. To be made before ``panel``: shiboken remembers which method it calls."""
    asked = []
    answer = CostTableModel.headerData

    def tell(model, section, orientation, role=Qt.ItemDataRole.DisplayRole):
        if role == Qt.ItemDataRole.DisplayRole:
            asked.append(section)
        return answer(model, section, orientation, role)

    monkeypatch.setattr(CostTableModel, "headerData", tell)
    return asked


def test_titles_are_measured_a_few_times_however_many_columns_grow(titles_asked, panel):
    table = panel.table
    table.setUpdatesEnabled(False)  # what is asked for to paint is not counted
    table.restore_columns({"widths": dict.fromkeys(COLUMN_INDEX, 24)})
    titles_asked.clear()
    table.fit_columns()
    columns = table.visible_columns()
    grown = [column for column in columns if table.columnWidth(column) > 24]
    assert len(grown) >= len(columns) // 2
    assert 0 < len(titles_asked) <= 2 * table.horizontalHeader().count()


def test_a_fresh_table_has_room_for_its_titles_with_an_arrow(panel):
    for column in panel.table.visible_columns()[1:]:
        panel.model.sort(column)
        title = panel.model.headerData(column, Qt.Orientation.Horizontal)
        assert panel.table.columnWidth(column) > panel.table.fontMetrics().horizontalAdvance(title + " ▾")


def test_the_row_menu_offers_sorting(panel, qtbot):
    panel.table.show_model("acme/large")
    panel.commands.show_menu(QPoint(10, 10))
    menu = QApplication.activePopupWidget()
    texts = [action.text() for action in menu.actions()]
    menu.close()
    assert "Sort b&y Model, descending" in texts
    assert any("favourites" in text for text in texts)
    panel.commands.view_button_menu = QMenu(panel)
    panel.commands.view_menu(panel.commands.view_button_menu)
    column = next(action for action in panel.commands.view_button_menu.actions() if action.text() == "Notes")
    assert column.isChecked() != panel.table.isColumnHidden(COLUMN_INDEX["notes"])
    column.trigger()
    assert column.isChecked() != panel.table.isColumnHidden(COLUMN_INDEX["notes"])


def test_star_and_name_stay_when_the_other_columns_are_scrolled(page, panel, qtbot):
    table, frozen = page.table, page.table._frozen
    table.show_columns(PRESETS["everything"])
    page.resize(900, 400)
    assert not frozen.isVisible()
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    assert frozen.isVisible()
    assert frozen.width() == sum(table.columnWidth(COLUMN_INDEX[key]) for key in ("favourite", "model"))
    place = QPoint(frozen.width() - 20, table.viewport().y() + table.rowHeight(0) * 3 // 2)
    qtbot.mouseClick(frozen, Qt.MouseButton.LeftButton, pos=place)
    assert table.currentIndex().row() == 1
    assert panel.table.current_row() is table.current_row()
    chosen = frozen.grab().toImage().pixelColor(place)
    assert chosen == panel.theme.colour("information_base")
    model_id = table.current_row().model_id
    qtbot.mouseClick(frozen, Qt.MouseButton.LeftButton, pos=QPoint(10, place.y()))
    assert model_id in panel.model.arrangement.favourites


def test_grouped_by_vendor_each_vendor_has_a_heading_above_its_rows(panel, page, qtbot):
    table, plain = page.table, page.table.rowHeight(0)
    panel.model.change(by_vendor=True)
    vendors = [row.model.provider for row in panel.model.shown_rows()]
    first = [place for place, vendor in enumerate(vendors) if place == 0 or vendor != vendors[place - 1]]
    assert 1 < len(first) < len(vendors)
    tall = [place for place in range(len(vendors)) if table.rowHeight(place) == plain + HEADING_HEIGHT]
    assert tall == first
    table.grab()
    heading = QPoint(200, table.rowViewportPosition(first[1]) + HEADING_HEIGHT // 2)
    table.clearSelection()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=heading)
    assert not table.selectionModel().hasSelection(), "a heading is no row"
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=heading + QPoint(0, HEADING_HEIGHT))
    assert table.current_row().model.provider == vendors[first[1]]
    panel.model.change(filter=vendors[first[1]])
    assert table.rowHeight(0) == plain + HEADING_HEIGHT
    panel.model.change(by_vendor=False, filter="")
    assert {table.rowHeight(place) for place in range(panel.model.rowCount())} == {plain}


def test_the_cheapest_exact_model_is_selected_on_the_page_models(panel, qtbot):
    favourite = next(row.model_id for row in panel.model.rows if row.model_id == "acme/large")
    panel.model.change(favourites=frozenset({favourite}), by_vendor=True)
    with qtbot.waitSignal(panel.page_asked):
        panel.find_cheapest()
    shown = panel.model.shown_rows()
    assert panel.model.arrangement.exact_only
    assert not panel.model.arrangement.by_vendor
    priced = [row for row in shown if row.estimate.usd is not None]
    assert panel.table.current_row() is min(priced, key=lambda row: row.estimate.usd)


def test_the_first_paint_of_the_page_gives_the_chips_no_line_of_the_narrower_strip(panel, qtbot):
    panel.resize(500, 400)
    tools, page = panel.tools, panel.page
    qtbot.waitUntil(lambda: tools.chips.height() > tools.filter.height() * 3 // 2)
    page.setParent(None)
    qtbot.addWidget(page)
    page.resize(1300, 500)
    heights = []

    class Paints(QObject):
        def eventFilter(self, _watched, event):
            if event.type() == QEvent.Type.Paint:
                heights.append(tools.chips.height())
            return False

    tools.installEventFilter(Paints(page))
    page.show()
    qtbot.waitUntil(lambda: len(heights) > 0)
    assert tools.parent() is page
    assert max(heights) <= tools.filter.height()
