"""The versions tab as a newcomer uses it: the prompt is kept, changed, compared, put back, renamed and deleted."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QMessageBox, QPushButton, QSpinBox, QTableView
from pytestqt.qtbot import QtBot

from engine.runtime.atomic_files import LOCK_NAME
from gui.look.fonts import strong
from gui.prompt.versions.comparison import (
    AFTER,
    BEFORE,
    BEFORE_LINE,
    COST_AFTER,
    COST_BEFORE,
    COST_CHANGE,
    MODEL,
    PER_CENT,
    SIGN,
)
from gui.prompt.versions.panel import CONTEXT, COST, NAME, TOKENS, VersionsPanel
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window, count_o200k, notices
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages("versionsTab")

OLD = "You are a helpful assistant.\nAnswer briefly.\n"
NEW = "You are a helpful assistant.\nAnswer in one word.\nThanks.\n"


def panel_of(qtbot: QtBot, bench: Application) -> VersionsPanel:
    """The tab, in front, with prices there."""
    qtbot.waitUntil(lambda: bool(bench.costs.service.rows))
    bench.costs.choose_model("openai/gpt-4o")
    bench.window.actions_by_name["versions"].trigger()
    return bench.pages.versions.panel


def keep(qtbot: QtBot, bench: Application, text: str, name: str) -> VersionsPanel:
    """Put a text into the prompt and keep it under a name."""
    bench.prompt.replace_all(text)
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    panel = panel_of(qtbot, bench)
    panel.list.name.setText(name)
    QTest.keyClick(panel.list.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.list.current is not None and panel.list.current.name == name)
    return panel


def compared(qtbot: QtBot, bench: Application) -> None:
    qtbot.waitUntil(lambda: bench.pages.versions.compared is not None)


def priced(qtbot: QtBot, panel: VersionsPanel) -> None:
    qtbot.waitUntil(lambda: bool(panel.comparison.changes.rows))


@pytest.mark.deep
def test_long_lines_are_broken_and_none_is_cut(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    line = "a line that is much longer than half of the window is wide, "
    panel = keep(qtbot, bench, line * 5 + "and costs one euro.\n", "old")
    bench.prompt.replace_all(line * 5 + "and costs two euros.\n")
    qtbot.waitUntil(lambda: panel.comparison.rows.rowCount() > 1)
    table, rows, runs = panel.comparison.tokens, panel.comparison.rows, panel.comparison.tokens.itemDelegate()
    for width in (1100, 700):
        bench.window.resize(width, 700)
        room = lambda: runs.room(min(table.columnWidth(BEFORE), table.columnWidth(AFTER)))  # noqa: E731
        qtbot.waitUntil(lambda room=room: rows.room == room())
        for side in ("before", "after"):
            texts = ["".join(run.text for run in getattr(row, side)) for row in rows.rows]
            assert all(sum(map(runs.width, text)) <= room() for text in texts)
            assert "".join(texts).startswith(line.replace(" ", "·"))
            assert all(text.endswith("·") for text in texts[:-1] if text)
        assert [rows.index(row, BEFORE_LINE).data() for row in range(rows.rowCount())][:2] == ["1", "↳"]


def test_it_is_found_by_its_names(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = panel_of(qtbot, bench)
    assert bench.window.pages.currentWidget().objectName() == "versionsTab"
    for kind, name in (
        (QLineEdit, "versionName"),
        (QPushButton, "versionSave"),
        (QTableView, "versionTable"),
        (QPushButton, "versionRestore"),
        (QPushButton, "versionRename"),
        (QPushButton, "versionDelete"),
        (QComboBox, "versionOther"),
        (QTableView, "versionDiff"),
        (QTableView, "versionCosts"),
    ):
        found = bench.window.findChild(kind, name)
        assert found is not None
        assert found.accessibleName() != ""
    qtbot.waitUntil(lambda: "No versions yet" in panel.list.total.text())
    assert not panel.list.restore.isEnabled()
    assert panel.comparison.empty.isVisible()


def test_a_version_is_kept_for_the_next_window(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window(tmp_path / "profile")
    keep(qtbot, bench, OLD, "first")
    close_window(qtbot, bench)
    bench = open_window(tmp_path / "profile")
    panel = panel_of(qtbot, bench)
    qtbot.waitUntil(lambda: panel.list.model.rowCount() == 1)
    index = panel.list.model.index
    assert index(0, NAME).data() == "first"
    assert index(0, TOKENS).data() == str(count_o200k(OLD))
    assert index(0, COST).data().startswith("$")
    assert index(0, CONTEXT).data() == "<0.1%"
    assert 0 < panel.list.model.share(0) < 0.001
    assert not panel.comparison.empty.isVisible()


@pytest.mark.deep
def test_names_and_costs_have_room(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    name = "Before the rewrite of the rules"
    panel = keep(qtbot, bench, OLD, name)
    panel.splitter.setSizes([350, 830])
    bench.prompt.replace_all(NEW)
    costs = panel.comparison.costs
    qtbot.waitUntil(lambda: costs.model().rowCount() > 0)
    table = panel.list.table
    room = table.columnWidth(NAME)
    assert strong_width(table, name) < room
    for width in (1280, 900):
        bench.window.resize(width, 700)
        qtbot.waitUntil(lambda: costs.horizontalScrollBar().maximum() == 0)
        assert not any(costs.isColumnHidden(column) for column in (MODEL, COST_AFTER, PER_CENT))
    bench.window.resize(1800, 700)
    qtbot.waitUntil(lambda: not costs.isColumnHidden(COST_CHANGE))


def strong_width(table: QTableView, text: str) -> int:
    return QFontMetrics(strong(table.font())).horizontalAdvance(text)


def test_what_differs_is_marked_and_priced_for_every_model(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = keep(qtbot, bench, OLD, "first")
    bench.prompt.replace_all(NEW)
    assert "has changed" in panel.comparison.words.text()
    tokens, change, money = panel.comparison.strip.figures
    outcome = f"{count_o200k(OLD)} → {count_o200k(NEW)}"
    qtbot.waitUntil(lambda: tokens.value.text() == outcome)  # by itself, while the page stays in front
    assert tokens.caption.text() == "tokens in o200k_base"
    assert change.value.text() == f"+{count_o200k(NEW) - count_o200k(OLD)}"
    rows = panel.comparison.rows
    bench.window.resize(1800, 900)
    qtbot.waitUntil(lambda: rows.index(1, BEFORE_LINE).data() == "2")
    shown = [[rows.index(row, column).data() for column in (SIGN, BEFORE, AFTER)] for row in range(rows.rowCount())]
    assert shown[0] == ["", "You·are·a·helpful·assistant.⏎", "You·are·a·helpful·assistant.⏎"]
    assert shown[1][0] == "±"
    assert "[−" in shown[1][1]
    assert "[+" in shown[1][2]
    assert shown[2][0] == "+"
    priced(qtbot, panel)
    changes = panel.comparison.changes
    assert changes.rowCount() == len(bench.costs.service.models)
    row = next(row for row, change in enumerate(changes.rows) if change.model.id == "openai/gpt-4o")
    dearer = (count_o200k(NEW) - count_o200k(OLD)) * Decimal("0.0000025")
    assert changes.rows[row].change.usd == dearer
    assert changes.index(row, COST_CHANGE).data() == "+$0.00001"
    assert changes.index(row, PER_CENT).data().startswith("+")
    assert money.value.text().startswith("+$")
    assert money.caption.text().startswith("one call, ")


@pytest.mark.deep
def test_a_page_behind_others_is_compared_again_when_it_is_shown(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = keep(qtbot, bench, OLD, "first")
    compared(qtbot, bench)
    bench.window.pages.setCurrentWidget(bench.panel)
    bench.prompt.replace_all(NEW)
    with qtbot.waitSignal(bench.pages.versions._again.timeout):
        pass
    assert "has changed" in panel.comparison.words.text()
    bench.window.actions_by_name["versions"].trigger()
    outcome = panel.comparison.strip.figures[0].value
    qtbot.waitUntil(lambda: outcome.text().endswith(f"→ {count_o200k(NEW)}"))


@pytest.mark.deep
def test_the_costs_keep_their_order_and_the_chosen_model_moves_with_it(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = keep(qtbot, bench, OLD, "first")
    compared(qtbot, bench)
    priced(qtbot, panel)
    table, changes = panel.comparison.costs, panel.comparison.changes

    def names() -> list[str]:
        return [change.model.name.casefold() for change in changes.rows[1:]]

    def amounts() -> list[float]:
        return [float("inf") if one.before.usd is None else float(one.before.usd) for one in changes.rows[1:]]

    assert changes.rows[0].model is bench.costs.reference_model(), "first in any order"
    assert names() == sorted(names())
    table.selectRow(3)
    chosen = changes.rows[3]
    words = changes.index(3, COST_BEFORE).data()
    table.sortByColumn(COST_BEFORE, Qt.SortOrder.DescendingOrder)
    assert amounts() == sorted(amounts(), reverse=True)
    assert len(set(amounts())) > 1
    row = table.currentIndex().row()
    assert changes.rows[row] is chosen
    assert changes.index(row, COST_BEFORE).data() == words
    assert [index.row() for index in table.selectionModel().selectedRows()] == [row]
    before = changes.rows
    with qtbot.waitSignal(changes.modelReset):
        bench.window.findChild(QSpinBox, "outputTokens").setValue(1234)
    assert changes.rows is not before
    assert amounts() == sorted(amounts(), reverse=True)
    assert changes.index(0, COST_BEFORE).data() == changes.cell(changes.rows[0], COST_BEFORE)
    other = changes.rows[5].model
    with qtbot.waitSignal(changes.modelReset):
        bench.costs.choose_model(other.id)
    qtbot.waitUntil(lambda: changes.rows[0].model.id == other.id)
    assert changes.is_current(0)
    assert not changes.is_current(1)


@pytest.mark.deep
def test_nothing_is_priced_that_nobody_sees(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch):
    bench = open_window()
    panel = keep(qtbot, bench, OLD, "first")
    compared(qtbot, bench)
    priced(qtbot, panel)
    asked: list[object] = []
    monkeypatch.setattr(bench.pages.versions._pricing, "submit", asked.append)
    bench.window.pages.setCurrentWidget(bench.panel)
    with qtbot.waitSignal(bench.costs.service.estimated):
        bench.window.findChild(QSpinBox, "outputTokens").setValue(1234)
    assert asked == []
    bench.window.actions_by_name["versions"].trigger()
    qtbot.waitUntil(lambda: bool(asked))
    assert asked[-1].scenario.output_tokens == 1234


def test_putting_a_version_back_is_one_step_to_undo(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = keep(qtbot, bench, OLD, "first")
    bench.prompt.replace_all(NEW)
    qtbot.mouseClick(panel.list.restore, Qt.MouseButton.LeftButton)
    editor = bench.panel.editor
    qtbot.waitUntil(lambda: editor.toPlainText() == OLD and not editor.isReadOnly())
    qtbot.waitUntil(lambda: "identical" in panel.comparison.words.text())
    editor.undo()
    assert editor.toPlainText() == NEW


def test_two_versions_are_compared(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    keep(qtbot, bench, OLD, "first")
    panel = keep(qtbot, bench, NEW, "second")
    assert [panel.list.model.index(row, NAME).data() for row in range(2)] == ["second", "first"]
    panel.comparison.other.setCurrentIndex(panel.comparison.other.findText("first"))
    outcome = panel.comparison.strip.figures[0].value
    qtbot.waitUntil(lambda: outcome.text() == f"{count_o200k(NEW)} → {count_o200k(OLD)}")


def test_a_version_is_renamed_in_its_row(qtbot: QtBot, open_window: OpenWindow):
    panel = keep(qtbot, open_window(), OLD, "first")
    qtbot.mouseClick(panel.list.rename, Qt.MouseButton.LeftButton)
    field = panel.list.table.findChild(QLineEdit)
    field.setText("the <b>best</b>")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.list.current is not None and panel.list.current.name == "the <b>best</b>")
    assert panel.comparison.other.itemText(1) == "the <b>best</b>"


@pytest.mark.parametrize("sure", mostly_deep([True, False], 1))
def test_deleting_asks_first(qtbot: QtBot, open_window: OpenWindow, sure: bool):
    bench = open_window()
    panel = keep(qtbot, bench, OLD, "first")
    QTest.keyClick(panel.list.table, Qt.Key.Key_Delete)
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    assert "first" in box.text()
    wanted = "&Delete" if sure else "Cancel"
    button = next(button for button in box.buttons() if wanted in button.text())
    with qtbot.waitSignal(box.destroyed):
        button.click()
    if sure:
        qtbot.waitUntil(lambda: panel.list.model.rowCount() == 0)
        assert [path.name for path in bench.paths.versions.iterdir()] == [LOCK_NAME]
    else:
        assert panel.list.model.rowCount() == 1


@pytest.mark.deep
def test_a_folder_that_cannot_be_written_is_told(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.paths.versions.write_text("in the way")
    panel = panel_of(qtbot, bench)
    panel.list.name.setText("first")
    qtbot.mouseClick(panel.list.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Could not update saved versions" in notices(bench))
    assert panel.list.model.rowCount() == 0


@pytest.mark.deep
def test_line_ends_of_a_file_are_kept_in_its_version(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.prompt.show_text("a\r\nb\r\n")
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    panel = panel_of(qtbot, bench)
    qtbot.mouseClick(panel.list.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.list.current is not None)
    assert panel.list.current.size == 6
    assert panel.list.current.tokens == count_o200k("a\r\nb\r\n")
    qtbot.mouseClick(panel.list.restore, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "CRLF" in notices(bench))
