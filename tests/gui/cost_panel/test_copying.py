"""Rows of the cost table on the clipboard and in a file."""

from __future__ import annotations

import csv
import io
import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow

from gui.costs.columns import COLUMN_INDEX, COLUMNS
from tests.gui.cost_panel.hands import clipboard

# What the offscreen platform has to say of windows with a least size, and of menus.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)", "grabbing the keyboard")


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
        "model\tname\tinput_tokens\tinput_low\tinput_high\tusd\tusd_low\tusd_high\tusd_label\n"
        "borg/opus\tBorg Opus 10\t1500\t1400\t1600\t0.02\t0.0195\t0.0205\testimated\n"
    )
    panel.commands.copy_markdown.trigger()
    assert clipboard() == (
        "| Model | Input tokens | One call |\n"
        "| --- | ---: | ---: |\n"
        "| Borg Opus 10 | ≈ 1,400–1,600 | ≈ $0.0195–0.0205 |\n"
    )
    panel.commands.copy_json.trigger()
    assert json.loads(clipboard())["rows"][0]["usd_high"] == "0.0205"
    panel.table.setCurrentIndex(panel.model.index(panel.model.row_of_model("acme/large"), COLUMN_INDEX["total"]))
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
    panel.table.show_column("provider")
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


def test_the_window_goes_on_while_it_asks_for_the_file(panel, qtbot, tmp_path):
    for action, suffix in ((panel.commands.export_csv, "csv"), (panel.commands.export_json, "json")):
        action.trigger()  # comes back at once: a dialog that blocks would wait here
        dialog = panel.window().findChild(QFileDialog, "costExportDialog")
        assert dialog.isVisible()
        assert dialog.defaultSuffix() == suffix
        path = tmp_path / f"chosen.{suffix}"
        with qtbot.waitSignal(panel.commands._storage.written), qtbot.waitSignal(dialog.destroyed):
            dialog.fileSelected.emit(str(path))
            dialog.reject()
        assert path.stat().st_size > 100


def test_an_export_that_fails_is_told(panel, qtbot, notifier, tmp_path):
    (tmp_path / "costs.csv").mkdir()
    with qtbot.waitSignal(notifier.posted) as told:
        panel.commands.write(tmp_path / "costs.csv")
    assert told.args[0].kind == "error"
    assert told.args[0].details
