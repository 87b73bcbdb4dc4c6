"""The tab that compares encodings, as somebody uses it."""

from __future__ import annotations

import csv
from decimal import Decimal

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

import engine
from gui.core.text_chunks import chunked
from gui.editor.aligned_tokens import AlignedTokens
from gui.prompt.compare import controller as compare_flow
from gui.prompt.compare.panel import ENCODING, FIRST_ENCODINGS, PREMIUM, RATIO, TOKENS, ComparePanel, premium_text
from gui.prompt.compare.service import premium_percent
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window

pytestmark = pytest.mark.pages("compareTab")

TEXT = "Hello, world!\nПривет, мир. Ещё одна строка.\n=SUM(A1:A9) 12345\n"


@pytest.fixture
def bench(open_window: OpenWindow) -> Application:
    return open_window()


@pytest.fixture
def panel(qtbot: QtBot, bench: Application) -> ComparePanel:
    bench.prompt.replace_all(TEXT)
    bench.window.actions_by_name["focus_compare"].trigger()
    settled(qtbot, bench)
    return bench.pages.compare.panel


def settled(qtbot: QtBot, bench: Application) -> None:
    """Wait until what is shown is what was asked for."""
    qtbot.waitUntil(lambda: bench.pages.compare.panel is not None and bench.pages.compare.settled)


def totals(panel: ComparePanel, column: int = TOKENS) -> list[str]:
    model = panel.encodings.model
    return [model.index(row, column).data() for row in range(model.rowCount())]


def counts(names: tuple[str, ...], text: str = TEXT) -> list[str]:
    return [str(engine.get_encoding(name).count(text)) for name in names]


def test_the_prompt_is_compared_at_once(bench, panel):
    assert bench.pages.page("compareTab").is_in_front()
    assert totals(panel, ENCODING) == list(FIRST_ENCODINGS)
    assert totals(panel) == counts(FIRST_ENCODINGS)
    assert totals(panel, PREMIUM)[0] == "base"
    first, second, _ = map(int, totals(panel))
    assert totals(panel, PREMIUM)[1] == premium_text(second, first)
    assert totals(panel, RATIO)[0] == f"{len(TEXT.encode()) / first:.2f}"
    assert panel.status.text() == f"{len(TEXT.encode())} bytes"
    base, *others = panel.strip.figures
    assert (base.value.text(), base.caption.text()) == (str(first), "tokens in o200k_base, the base")
    figures = [int(count) for count in totals(panel)]
    most = FIRST_ENCODINGS[figures.index(max(figures))]
    shown = [(figure.value.text(), figure.caption.text()) for figure in others if figure.value.text()]
    assert (premium_text(max(figures), first), f"most tokens: {most}, {max(figures)}") in shown
    for control in panel.findChildren(QWidget):
        named = control.objectName() and not control.objectName().startswith("qt_")
        if named and control.isVisible() and control.focusPolicy() & Qt.FocusPolicy.TabFocus:
            assert control.accessibleName() or isinstance(control, QAbstractButton), control.objectName()


def test_an_edit_of_the_prompt_is_followed_and_a_text_typed_here_is_not_the_prompt(qtbot, bench, panel):
    bench.prompt.replace_all("something else")
    settled(qtbot, bench)
    assert totals(panel) == counts(FIRST_ENCODINGS, "something else")
    panel.source.setCurrentIndex(2)
    settled(qtbot, bench)
    assert panel.view.rows is None
    panel.typed.setFocus()
    qtbot.keyClicks(panel.typed, "strawberry")
    settled(qtbot, bench)
    assert totals(panel) == counts(FIRST_ENCODINGS, "strawberry")
    bench.prompt.replace_all("and this")
    assert bench.pages.compare.settled


def test_only_the_selection(qtbot, bench, panel):
    bench.panel.editor.select_range(0, 5)
    panel.source.setCurrentIndex(1)
    settled(qtbot, bench)
    assert totals(panel) == counts(FIRST_ENCODINGS, "Hello")
    bench.panel.editor.select_range(14, 14)
    settled(qtbot, bench)
    assert totals(panel) == ["0"] * 3


@pytest.mark.deep
def test_a_long_selection_is_cut_out_by_the_worker(qtbot, bench, panel, monkeypatch):
    monkeypatch.setattr(compare_flow, "LONGEST_READ", 4)
    flow, asked = bench.pages.compare, []
    ask = flow._ask_for_text
    monkeypatch.setattr(flow, "_ask_for_text", lambda part: asked.append(part) or ask(part))
    bench.panel.editor.select_range(7, len(TEXT))
    panel.source.setCurrentIndex(1)
    settled(qtbot, bench)
    assert totals(panel) == counts(FIRST_ENCODINGS, TEXT[7:])
    assert asked == [(7, len(TEXT))], "not read from the editor"
    request = bench.pages.compare.compared.request
    assert (request.text.text(), request.first) == (TEXT[7:], 7)


@pytest.mark.deep
def test_a_prompt_that_comes_late_does_not_take_the_place_of_what_is_compared_by_then(qtbot, bench, panel, monkeypatch):
    """It comes from the worker that counts it, which may take a while."""
    asked = []
    monkeypatch.setattr(bench.prompt, "request_text", lambda: asked.append(True))
    bench.pages.compare.refresh()
    qtbot.waitUntil(lambda: bool(asked))
    panel.source.setCurrentIndex(2)
    panel.typed.setPlainText("strawberry")
    qtbot.waitUntil(lambda: bench.pages.compare.compared.request.text == "strawberry")
    bench.prompt.text_ready.emit(bench.panel.editor.revision, chunked([TEXT]))
    settled(qtbot, bench)
    qtbot.waitUntil(lambda: not bench.runner.busy)
    assert totals(panel) == counts(FIRST_ENCODINGS, "strawberry")


@pytest.mark.deep
def test_encodings_are_added_moved_removed_and_made_the_base_by_keyboard(qtbot, bench, panel):
    table = panel.encodings.table
    panel.encodings.picker.setCurrentText("r50k_base")
    settled(qtbot, bench)
    assert totals(panel, ENCODING) == [*FIRST_ENCODINGS, "r50k_base"]
    assert panel.encodings.picker.currentText() == ""
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    settled(qtbot, bench)
    assert totals(panel, ENCODING)[2:] == ["r50k_base", "gpt2"]
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert totals(panel, PREMIUM)[2] == "base"
    assert totals(panel, PREMIUM)[3] == "±0%"
    for _ in range(5):
        qtbot.keyClick(table, Qt.Key.Key_Delete)
    settled(qtbot, bench)
    assert len(panel.encodings.names) == 1
    assert not panel.encodings.remove.isEnabled()
    assert panel.pages.differences.rowCount() == 0
    assert totals(panel) == counts(panel.encodings.names)


def test_where_they_differ_leads_to_the_view_and_to_the_prompt(qtbot, bench, panel):
    model, table = panel.pages.differences, panel.pages.table
    tokens = [[int(model.index(row, 2 + n).data()) for n in range(3)] for row in range(model.rowCount())]
    spreads = [max(row) - min(row) for row in tokens]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[-1] > 0
    panel.pages.by_lines.setChecked(True)
    assert model.index(0, 0).data() == "2"
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Home)
    table.setCurrentIndex(model.index(0, 0))
    assert "Привет" in panel.view.accessibleDescription()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert bench.window.pages.currentWidget() is bench.panel
    assert bench.panel.editor.selected_text() == TEXT.splitlines(keepends=True)[1]


def test_going_to_a_place_of_the_selection_keeps_what_was_selected(qtbot, bench, panel):
    bench.panel.editor.select_range(7, len(TEXT))
    panel.source.setCurrentIndex(1)
    settled(qtbot, bench)
    table = panel.pages.table
    table.setFocus()
    table.setCurrentIndex(panel.pages.differences.index(0, 0))
    shown = panel.pages.differences.rows[0].beginning
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert bench.panel.editor.selected_text() == shown
    bench.window.actions_by_name["focus_compare"].trigger()
    assert bench.pages.compare.settled
    assert totals(panel) == counts(FIRST_ENCODINGS, TEXT[7:])


def test_parts_come_to_the_whole(panel):
    for model in (panel.pages.scripts, panel.pages.kinds):
        rows = range(model.rowCount())
        assert sum(int(model.index(row, 1).data()) for row in rows) == len(TEXT.encode())
        assert sum(int(model.index(row, 2).data()) for row in rows) == int(totals(panel)[0])
    assert [panel.pages.scripts.index(row, 0).data() for row in range(2)] == ["Cyrillic", "Latin"]


def test_every_row_stands_once_for_each_encoding(qtbot, bench, panel):
    view = panel.view
    rows = view.rows
    assert [rows.shown(row) for row in range(len(rows))] == TEXT.splitlines()
    for number, name in enumerate(FIRST_ENCODINGS):
        line = view._line(1, number)
        words = view.words_at(QPointF(line.left + 3, line.top + 3))
        second = engine.get_encoding(name).count(TEXT.splitlines(keepends=True)[0])
        assert words.startswith(f"{name}, token {second + 1}: id ")
    assert view.words_at(QPointF(1, 1)) == ""
    assert not view.grab().isNull()


@pytest.mark.deep
def test_a_long_line_is_cut_for_the_width_of_the_view(qtbot, bench, panel):
    bench.window.actions_by_name["inspector"].setChecked(False)  # which a wider window would have room for
    bench.prompt.replace_all("many words in a row " * 200)
    settled(qtbot, bench)
    before = len(panel.view.rows)
    assert before > 10
    bench.window.actions_by_name["inspector"].setChecked(False)  # it would come with the room
    bench.window.resize(bench.window.width() + 300, bench.window.height())
    qtbot.waitUntil(lambda: len(panel.view.rows) < before)
    bar = panel.view.verticalScrollBar()
    panel.view.setFocus()
    qtbot.keyClick(panel.view, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()
    qtbot.keyClick(panel.view, Qt.Key.Key_Home)
    assert bar.value() == 0


@pytest.mark.deep
def test_the_old_rows_of_a_short_text_are_not_painted_in_a_new_width(qtbot, bench, panel, monkeypatch):
    bench.prompt.replace_all("many words in a row " * 200)
    settled(qtbot, bench)
    qtbot.waitUntil(lambda: len(panel.view.rows) > 10)
    before, painted = panel.view.rows, []
    rows_under = AlignedTokens._rows_under

    def told(self: AlignedTokens, region: object) -> list[int]:
        painted.append(self.rows)
        return rows_under(self, region)

    monkeypatch.setattr(AlignedTokens, "_rows_under", told)
    bench.window.resize(bench.window.width() + 300, bench.window.height())
    qtbot.waitUntil(lambda: bool(painted))
    assert before not in painted
    assert bench.pages.compare.settled


def test_rows_of_a_width_that_is_no_more_come_too_late(qtbot, bench, panel, monkeypatch):
    bench.window.actions_by_name["inspector"].setChecked(False)  # which a wider window would have room for
    bench.window.resize(1100, bench.window.height())  # at each width of this test the rail is the same
    bench.prompt.replace_all("many words in a row " * 200)
    settled(qtbot, bench)
    with monkeypatch.context() as patch:
        patch.setattr(compare_flow, "ROWS_AT_ONCE", 0)
        bench.window.resize(bench.window.width() + 300, bench.window.height())
        assert not bench.pages.compare.settled
    bench.window.resize(bench.window.width() - 150, bench.window.height())
    assert bench.pages.compare.settled
    rows = panel.view.rows
    qtbot.waitUntil(lambda: not bench.runner.busy)
    assert panel.view.rows is rows


def actions(panel: ComparePanel, words: str) -> list:
    return [action for action in panel.export_menu.actions() if action.text() == words]


def test_figures_are_copied_and_exported_with_no_formula_in_them(qtbot, bench, panel, tmp_path):
    actions(panel, "Copy as TSV")[0].trigger()
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert rows[0][:5] == ["encoding", "part", "name", "bytes", "tokens"]
    assert [row[4] for row in rows[1:4]] == totals(panel)
    panel.pages.by_lines.setChecked(True)
    actions(panel, "Copy as Markdown")[1].trigger()
    columns = "| rank | line | difference | text | encoding | tokens |"
    qtbot.waitUntil(lambda: columns in QGuiApplication.clipboard().text())
    actions(panel, "Export as CSV…")[1].trigger()
    dialog = bench.window.findChild(QFileDialog, "compareExportDialog")
    path = tmp_path / "out.csv"
    with qtbot.waitSignal(bench.pages.compare._storage.written):
        dialog.fileSelected.emit(str(path))
    dialog.reject()
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [row[3] for row in csv.reader(file)]
    assert "'=SUM(A1:A9) 12345\n" in cells


@pytest.mark.deep
def test_what_was_chosen_is_remembered(qtbot, bench, panel, open_window, tmp_path):
    panel.encodings.picker.setCurrentText("p50k_base")
    panel.encodings.make_base()
    panel.source.setCurrentIndex(2)
    panel.typed.setPlainText("kept")
    panel.pages.setCurrentIndex(1)
    close_window(qtbot, bench)
    again = open_window(tmp_path / "profile")
    again.window.actions_by_name["focus_compare"].trigger()
    settled(qtbot, again)
    panel = again.pages.compare.panel
    assert panel.encodings.names == (*FIRST_ENCODINGS, "p50k_base")
    assert panel.encodings.base == "p50k_base"
    assert panel.typed.toPlainText() == "kept"
    assert panel.pages.currentIndex() == 1
    assert totals(panel) == counts(panel.encodings.names, "kept")


@pytest.mark.deep
def test_a_damaged_state_is_left_out(panel):
    panel.restore_state({"encodings": [1, None], "base": 3, "source": "x", "page": 99, "text": 5})
    assert panel.encodings.names == FIRST_ENCODINGS
    assert panel.source.currentIndex() == 0


@pytest.mark.deep
def test_an_encoding_that_is_gone_is_told(qtbot, bench, panel):
    bar = bench.window.findChild(QWidget, "messageBar")
    panel.encodings.set_names(("gpt2", "not-there"))
    qtbot.waitUntil(lambda: any("not-there" in notice.text for notice, _ in bar._shown))
    assert panel.status.text() == "Not compared."
    panel.encodings.set_names(("gpt2",))
    settled(qtbot, bench)
    assert totals(panel) == counts(("gpt2",))


def test_premium_is_exact():
    assert premium_percent(150, 100) == Decimal("50.0")
    assert premium_percent(1, 3) == Decimal("-66.7")
    assert premium_percent(1, 0) is None
    assert [premium_text(*pair) for pair in ((3, 2), (2, 3), (2, 2), (100_001, 100_000), (1, 0))] == [
        "+50.0%",
        "−33.3%",
        "±0%",
        "±0.0%",
        "–",
    ]
