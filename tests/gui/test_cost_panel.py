from __future__ import annotations

import csv
import io
import json

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QGuiApplication, QImage, QKeySequence, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QMainWindow, QMenu, QSpinBox, QTableView

from gui.jobs import JobRunner
from gui.look.theme import Theme
from gui.models.cost_columns import COLUMN_INDEX, COLUMNS
from gui.notify import Notifier
from gui.panels.cost_panel import CostPanel
from gui.services import price_files
from gui.services.costs import CostService
from gui.services.price_files import LoadedPrices
from gui.storage import Storage
from pricing.types import Problem
from tests.gui.cost_samples import MODELS, TODAY, Counts

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")

SHIFT, NO_KEY = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def runner(qapp):
    runner = JobRunner()
    yield runner
    runner.shutdown()


@pytest.fixture
def notifier(qapp):
    return Notifier()


@pytest.fixture
def make_panel(qtbot, runner, notifier, monkeypatch):
    monkeypatch.setattr(price_files, "_loaded", lambda file, names: LoadedPrices(MODELS))
    theme = Theme("light")

    def make() -> CostPanel:
        service = CostService(today=lambda: TODAY)
        panel = CostPanel(service, theme, notifier, "1.2.3")
        panel.start(runner, Storage(runner, "Exporting"))
        panel.theme, panel.service = theme, service
        qtbot.addWidget(panel)
        panel.resize(1200, 400)
        with qtbot.waitSignal(service.prices_changed):
            service.start(runner)
        with qtbot.waitSignal(service.estimated, check_params_cb=lambda rows: rows[0].estimate.usd is not None):
            service.set_counts(Counts())
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    return make


@pytest.fixture
def panel(make_panel):
    return make_panel()


def ids(panel: CostPanel) -> list[str]:
    return [row.model_id for row in panel.model.shown_rows()]


def click_header(qtbot, panel: CostPanel, column: str, modifier=NO_KEY) -> None:
    header = panel.table.horizontalHeader()
    panel.table.scrollTo(panel.model.index(0, COLUMN_INDEX[column]))
    x = header.sectionViewportPosition(COLUMN_INDEX[column]) + 10
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, modifier, QPoint(x, header.height() // 2))


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def test_the_contracts_names_are_there(panel):
    table = panel.findChild(QTableView, "costTable")
    assert table.model().rowCount() == 5
    assert table.accessibleName()
    assert panel.findChild(QLineEdit, "costFilter").accessibleName()
    titles = [
        table.model().headerData(column, Qt.Orientation.Horizontal) for column in range(table.model().columnCount())
    ]
    assert {"Model", "Total cost", "Input tokens"} <= set(titles)


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
    assert panel.model.headerData(column, Qt.Orientation.Horizontal) == "Cost of 50 calls"


def test_headers_sort_and_shift_adds_a_column(panel, qtbot):
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
    place = panel.model.place_of("borg/opus")
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
        index = panel.model.index(panel.model.place_of(model_id), 0)
        selection.select(index, flags.Select | flags.Rows)
    panel.table.sortByColumn(COLUMN_INDEX["model"], Qt.SortOrder.DescendingOrder)
    assert {row.model_id for row in panel.table.selected_rows()} == {"acme/large", "borg/opus"}
    panel.filter.setText("acme")
    assert [row.model_id for row in panel.table.selected_rows()] == ["acme/large"]


def test_copying_gives_exact_rows_in_the_columns_shown(panel, qtbot, notifier):
    remarks = []
    notifier.remarked.connect(remarks.append)
    shown = {"model", "tokens", "total"}
    for column, declared in enumerate(COLUMNS):
        panel.table.setColumnHidden(column, declared.key not in shown)
    panel.table.show_model("borg/opus")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard() == (
        "model\tname\tinput_tokens\tinput_low\tinput_high\tusd\tusd_low\tusd_high\n"
        "borg/opus\tBorg Opus 10\t1500\t1400\t1600\t0.02\t0.0195\t0.0205\n"
    )
    panel.commands.copy_markdown.trigger()
    assert clipboard() == (
        "| Model | Input tokens | Total cost |\n"
        "| --- | ---: | ---: |\n"
        "| Borg Opus 10 | ≈ 1,400–1,600 | ≈ $0.0195–0.0205 |\n"
    )
    panel.commands.copy_json.trigger()
    assert json.loads(clipboard())["rows"][0]["usd_high"] == "0.0205"
    panel.table.setCurrentIndex(panel.model.index(panel.model.place_of("acme/large"), COLUMN_INDEX["total"]))
    panel.commands.copy_cell.trigger()
    assert clipboard() == "$0.006"
    assert len(remarks) == 4


def test_copying_is_the_tables_where_the_window_has_a_copy_of_its_own(panel, qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    copied = []
    action = QAction("Copy", window, shortcut=QKeySequence(QKeySequence.StandardKey.Copy))
    action.triggered.connect(lambda: copied.append(1))
    window.menuBar().addAction(action)
    window.setCentralWidget(panel)
    window.show()
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert not copied
    assert "acme/large" in clipboard()
    window.takeCentralWidget()


def test_the_menu_key_opens_the_menu_of_the_row(panel, qtbot):
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    place = panel.table.visualRect(panel.table.currentIndex()).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, panel.table.mapToGlobal(place))
    QApplication.sendEvent(panel.table, event)
    menu = QApplication.activePopupWidget()
    assert panel.commands.favourite in menu.actions()
    menu.close()


def test_columns_moved_by_hand_are_copied_in_that_order(panel, qtbot):
    header = panel.table.horizontalHeader()
    header.moveSection(header.visualIndex(COLUMN_INDEX["provider"]), 0)
    panel.table.show_model("acme/large")
    panel.commands.copy_tsv.trigger()
    assert clipboard().startswith("provider\tfavourite\t")


def test_the_export_says_where_it_comes_from(panel, qtbot, tmp_path):
    storage = panel.commands._storage
    with qtbot.waitSignal(storage.written):
        panel.commands.write(tmp_path / "costs.csv")
    content = (tmp_path / "costs.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf# exported,")
    lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    about = {line[0]: line[1] for line in lines if line[0].startswith("# ")}
    assert about["# application"] == "Tokenloupe 1.2.3"
    assert about["# encoding"] == "o200k_base"
    assert about["# prices"] == "bundled"
    assert about["# prices_of"] == "2026-11-21"
    assert about["# output_tokens"] == "500"
    names = lines[len(about)]
    rows = [dict(zip(names, line, strict=True)) for line in lines[len(about) + 1 :]]
    by_id = {row["model"]: row for row in rows}
    assert len(by_id) == 5
    assert by_id["acme/large"]["usd"] == "0.006"
    assert by_id["corp/unknown"]["usd"] == ""
    assert by_id["borg/opus"]["usd_low"] == "0.0195"
    with qtbot.waitSignal(storage.written):
        panel.commands.write(tmp_path / "costs.json")
    document = json.loads((tmp_path / "costs.json").read_text())
    assert document["about"]["factor"] == "1"
    assert len(document["rows"]) == 5


def test_an_export_that_fails_is_told(panel, qtbot, notifier, tmp_path):
    (tmp_path / "costs.csv").mkdir()
    with qtbot.waitSignal(notifier.posted) as told:
        panel.commands.write(tmp_path / "costs.csv")
    assert told.args[0].kind == "error"
    assert told.args[0].details


def test_everything_the_user_arranged_comes_back(panel, make_panel, qtbot):
    panel.filter.setText("o")
    panel.model.change(favourites=frozenset({"borg/opus"}), hidden=frozenset({"acme/small"}), show_retired=True)
    panel.commands.show_embedding.trigger()
    panel.table.show_model("acme/large")
    panel.commands.pin.trigger()
    panel.table.sortByColumn(COLUMN_INDEX["model"], Qt.SortOrder.DescendingOrder)
    header = panel.table.horizontalHeader()
    header.moveSection(header.visualIndex(COLUMN_INDEX["total"]), 2)
    panel.table.setColumnWidth(COLUMN_INDEX["provider"], 222)
    panel.table.setColumnHidden(COLUMN_INDEX["label"], True)
    panel.findChild(QSpinBox, "outputTokens").setValue(1_234)
    panel.explain_button.click()
    state = json.loads(json.dumps(panel.state()))
    other = make_panel()
    other.restore_state(state)
    restored = other.state()
    assert {**restored, "split": None} == {**state, "split": None}
    assert ids(other) == ids(panel)
    assert "corp/embed" in ids(other)
    assert other.commands.show_embedding.isChecked()
    assert other.filter.text() == "o"
    assert other.explanation.isVisible()


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"columns": [], "sort": [["gone", 1], "x", 5], "filter": 3, "hidden": "all", "split": ["a", 2], "side": 9},
        {"columns": {"order": ["total", "gone", 4], "hidden": ["model"], "widths": {"model": -1, "x": 3}}},
        {"scenario": 5, "chart": [], "favourites": {}, "baseline": 7, "split": [1]},
    ],
)
def test_a_damaged_state_breaks_nothing(panel, state):
    panel.restore_state(state)
    assert panel.table.model().rowCount() == 5
    assert not panel.table.isColumnHidden(COLUMN_INDEX["model"])


def test_state_changes_are_told(panel, qtbot):
    with qtbot.waitSignal(panel.state_changed):
        panel.table.horizontalHeader().resizeSection(COLUMN_INDEX["model"], 300)
    with qtbot.waitSignal(panel.state_changed):
        panel.findChild(QSpinBox, "outputTokens").setValue(3)


def test_stale_figures_are_told_in_words(panel, qtbot):
    with qtbot.waitSignal(panel.service.stale_changed):
        panel.service.text_changed(9)
    assert panel.model.stale
    assert "Counting" in panel.status.remark.text()
    with qtbot.waitSignal(panel.service.stale_changed):
        panel.service.set_counts(Counts(revision=9))
    assert "Counting" not in panel.status.remark.text()


def test_the_age_of_the_prices_is_in_sight(panel):
    panel.commands.show_embedding.trigger()
    assert panel.status.remark.text() == "Prices checked 13 to 81 days ago, old"
    panel.filter.setText("acme")
    assert panel.status.remark.text() == "Prices checked 13 days ago"


def test_a_remark_without_room_ends_in_an_ellipsis_and_is_whole_in_its_tool_tip(panel):
    remark = panel.status.remark
    assert remark.shown_text() == remark.text()
    panel.resize(640, 400)
    assert remark.shown_text() != remark.text()
    assert remark.shown_text()[-1:] in ("", "…")
    assert remark.text() in remark.toolTip()


def test_odd_scenarios_are_explained_not_refused(panel, qtbot):
    assert not panel.status.note.isVisible()
    with qtbot.waitSignal(panel.service.estimated):
        panel.findChild(QSpinBox, "cachedTokens").setValue(90_000_000)
    assert "More cached tokens than the prompt has" in panel.status.note.text()
    assert panel.status.note.isVisible()
    with qtbot.waitSignal(panel.service.estimated):
        panel.scenario_bar.batch.setChecked(True)
    assert "No known batch price for 1 of the models shown." in panel.status.note.text()
    with qtbot.waitSignal(panel.service.estimated):
        panel.scenario_bar.reset_button.click()
    assert not panel.status.note.isVisible()


def test_mistakes_in_the_price_file_are_told_and_withdrawn(panel, qtbot, notifier, monkeypatch):
    problems = (Problem("prices.yaml", 3, 7, "models.x", "models.x: unknown field"),) * 2
    answers = [LoadedPrices(None, problems, price_files.KEPT), LoadedPrices(MODELS)]
    panel.service._loading._work = lambda request, ticket: answers.pop(0)
    with qtbot.waitSignal(notifier.posted) as told:
        panel.commands.reload.trigger()
    notice = told.args[0]
    assert notice.text == "Your price file has 2 mistakes. The prices from before stay in force."
    assert notice.details.count("prices.yaml:3:7: models.x: unknown field") == 2
    assert panel.status.remark.text() == notice.text
    assert panel.table.model().rowCount() == 5
    with qtbot.waitSignal(notifier.withdrawn):
        notice.offers[0].act()
    assert "mistake" not in panel.status.remark.text()


def test_reading_the_prices_again_is_acknowledged(panel, qtbot, notifier):
    remarks = []
    notifier.remarked.connect(remarks.append)
    panel.service._loading._work = lambda request, ticket: LoadedPrices(MODELS, notices=("a tier survives",))
    with qtbot.waitSignal(notifier.posted) as told:
        panel.commands.reload.trigger()
    assert told.args[0].kind == "information"
    assert told.args[0].details == "a tier survives"
    panel.service._loading._work = lambda request, ticket: LoadedPrices(MODELS)
    with qtbot.waitSignal(notifier.remarked):
        panel.commands.reload.trigger()
    assert remarks == ["The prices were read again."]


def test_the_explanation_follows_the_current_row(panel, qtbot):
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert panel.explanation.isVisible()
    assert "1,000 tokens × $2 / million = $0.002" in panel.explanation.lines.toPlainText()
    assert "13 days ago (built in)" in panel.explanation.age.text()
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    current = panel.table.current_row()
    assert current.model_id != "acme/large"
    assert current.model_id in panel.explanation.lines.toPlainText()
    panel.filter.setText("nothing like it")
    assert "Choose a row" in panel.explanation.lines.toPlainText()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_both_enter_keys_explain(panel, qtbot, key):
    panel.table.show_model("acme/large")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, key)
    assert panel.explanation.isVisible()


def test_actions_say_what_they_would_do(panel):
    commands = panel.commands
    assert all(action.text() and action.statusTip() for action in commands.all_actions())
    assert not commands.favourite.isEnabled()
    panel.table.show_model("acme/large")
    assert commands.favourite.isEnabled()
    assert commands.favourite.text() == "Add to &favourites"
    commands.favourite.trigger()
    assert commands.favourite.text() == "Remove from &favourites"
    panel.table.show_model("acme/small")
    assert commands.favourite.text() == "Add to &favourites"
    commands.show_hidden.trigger()
    commands.hide.trigger()
    assert commands.hide.text() == "No longer &hide"
    panel.table.show_model("acme/large")
    assert commands.hide.text() == "&Hide from the cost table"


@pytest.mark.parametrize("held", [SHIFT, Qt.KeyboardModifier.ControlModifier])
def test_a_model_is_shown_alone_whatever_key_is_held_down(panel, qtbot, held):
    panel.table.show_model("acme/large")
    qtbot.mousePress(panel.table.viewport(), Qt.MouseButton.RightButton, held, QPoint(5, 5))
    panel.table.show_model("acme/small")
    assert [row.model_id for row in panel.table.selected_rows()] == ["acme/small"]
    qtbot.mouseRelease(panel.table.viewport(), Qt.MouseButton.RightButton, NO_KEY, QPoint(5, 5))


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
    assert frame(panel.table.palette().color(QPalette.ColorRole.HighlightedText))


def test_an_empty_table_says_what_would_fill_it(panel):
    def picture() -> QImage:
        return panel.table.viewport().grab().toImage()

    panel.filter.setText("nothing like it")
    panel.table.fit_columns()
    assert panel.table.empty_text() == "No model has all of these words."
    nothing = picture()
    panel.filter.setText("opus-9")
    assert panel.table.empty_text().startswith("One model has these words")
    assert picture() != nothing


def test_columns_grow_for_their_figures_but_not_where_they_were_sized_by_hand(panel, qtbot):
    table, column = panel.table, COLUMN_INDEX["calls"]
    header = table.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(COLUMN_INDEX["tokens"]) - 1, header.height() // 2)
    by_hand = COLUMN_INDEX["provider"]
    before = table.columnWidth(by_hand)
    qtbot.mousePress(header.viewport(), Qt.MouseButton.LeftButton, pos=edge)
    qtbot.mouseMove(header.viewport(), edge - QPoint(40, 0))
    qtbot.mouseRelease(header.viewport(), Qt.MouseButton.LeftButton, pos=edge - QPoint(40, 0))
    assert table.columnWidth(by_hand) < before
    assert table.columns_state()["sized"] == ["provider"]
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
    assert "Sort by Model, falling" in texts
    assert any("favourites" in text for text in texts)
    panel.commands.view_button_menu = QMenu(panel)
    panel.commands.view_menu(panel.commands.view_button_menu)
    column = next(action for action in panel.commands.view_button_menu.actions() if action.text() == "Notes")
    assert column.isChecked() != panel.table.isColumnHidden(COLUMN_INDEX["notes"])
    column.trigger()
    assert column.isChecked() != panel.table.isColumnHidden(COLUMN_INDEX["notes"])


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
        *("costFactor", "costDate", "batchToggle", "scenarioReset"),
        *("costFilter", "costView", "costExport", "costChartButton", "costExplainButton", "costTable"),
        "outputTokens",
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
