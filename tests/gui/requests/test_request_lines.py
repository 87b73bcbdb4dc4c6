"""A file of many requests in the request tab: counted, stopped, and written as a table."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QStyleOptionHeader, QStyleOptionViewItem

from gui.widgets.delegates import GAP
from tests.gui.requests.windows import drop, notices, settled

pytestmark = pytest.mark.pages("requestTab")


def test_a_file_of_many(qtbot, bench, panel, tmp_path):
    rows = [json.dumps({"messages": [{"role": "user", "content": "word " * size}]}) for size in (1, 50, 5)]
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join([*rows, "{", ""]), encoding="utf-8")
    lines = panel.lines
    with qtbot.waitSignal(bench.pages.request.line_counting.finished):
        drop(panel, path)
    assert panel.pages.currentWidget() is lines
    assert "tokens in 3 requests, " in lines.summary.text()
    assert [lines.worst_model.index(row, 0).data() for row in range(3)] == ["2", "3", "1"]
    assert lines.worst_title.text() == "Lines, largest first:"
    assert lines.bad_model.index(0, 0).data() == "4"
    assert "not valid JSON" in lines.bad_model.index(0, 1).data()
    # Its text does not touch the figures before it, but is as it was.
    index, option = lines.worst_model.index(0, 6), QStyleOptionViewItem()
    lines.worst.itemDelegateForIndex(index).initStyleOption(option, index)
    assert option.text == GAP + index.data()
    title = QStyleOptionHeader()
    lines.worst.horizontalHeader().initStyleOptionForIndex(title, 6)
    assert title.text == GAP + "Last message"
    # With another template they are counted again.
    with qtbot.waitSignal(bench.pages.request.line_counting.finished):
        panel.bar.show_template("qwen")
        panel.bar.changed.emit()
    assert "(exact)" in lines.summary.text()
    lines.back.click()
    assert panel.pages.currentWidget() is panel.builder
    settled(qtbot, bench)


def stopped_early(qtbot, bench, folder):
    """What is known of a file of 200,000 requests that somebody opens and stops."""
    row = json.dumps({"messages": [{"role": "user", "content": "word " * 50}]})
    path = folder / "many.jsonl"
    path.write_text((row + "\n") * 200_000, encoding="utf-8")
    request = bench.pages.request
    with qtbot.waitSignal(request.line_counting.progressed):
        bench.pages.request.open(path)
    with qtbot.waitSignal(request.line_counting.finished) as counted:
        bench.pages.request.panel.lines.stop.click()
    return counted.args[0].value


@pytest.mark.deep
def test_counting_many_can_be_stopped(qtbot, bench, panel, tmp_path):
    assert not stopped_early(qtbot, bench, tmp_path).is_complete
    assert "Stopped" in panel.lines.remark.text()
    assert "tokens in " in panel.lines.summary.text()


def choose_table(qtbot, panel, path):
    qtbot.mouseClick(panel.lines.export, Qt.MouseButton.LeftButton)
    dialog = panel.window().findChild(QFileDialog, "requestLinesExportDialog")
    dialog.fileSelected.emit(str(path))
    dialog.reject()


def test_every_line_of_many_is_exported(qtbot, bench, panel, tmp_path):
    rows = [json.dumps({"messages": [{"role": "user", "content": "word " * size}]}) for size in (1, 50)]
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join([*rows, "{"]), encoding="utf-8")
    request = bench.pages.request
    with qtbot.waitSignal(request.line_counting.finished):
        drop(panel, path)
    choose_table(qtbot, panel, path)
    assert any("file of requests itself" in notice for notice in notices(bench))
    assert len(path.read_text().splitlines()) == 3
    with qtbot.waitSignal(request.table_writing.finished):
        choose_table(qtbot, panel, tmp_path / "lines.json")
    found = json.loads((tmp_path / "lines.json").read_text())["rows"]
    assert [row["line"] for row in found] == [1, 2, 3]
    assert [row["tokens"] for row in found[:2]] == [9, 58]
    assert found[2]["problem"].startswith("not a request: ")
    with qtbot.waitSignal(request.table_writing.failed):
        choose_table(qtbot, panel, tmp_path / "nowhere" / "lines.csv")
    assert any("Could not export the lines" in notice for notice in notices(bench))


@pytest.mark.deep
def test_an_export_of_lines_can_be_stopped(qtbot, bench, panel, tmp_path):
    stopped_early(qtbot, bench, tmp_path)
    assert panel.lines.export.isEnabled()
    request = bench.pages.request
    with qtbot.waitSignal(request.table_writing.progressed):
        choose_table(qtbot, panel, tmp_path / "lines.csv")
    with qtbot.waitSignal(request.table_writing.cancelled):
        request.table_writing.cancel()
    assert not (tmp_path / "lines.csv").exists()
