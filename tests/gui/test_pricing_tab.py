"""The pricing tab as a newcomer uses it: a price is changed, the file broken and mended, edited outside, undone."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot

from gui.costs.prices_page import PricingPanel
from gui.costs.prices_service import TEMPLATE
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window, notices
from tests.gui.pricing_windows import GOOD, input_price, panel_of, save, write

pytestmark = pytest.mark.pages("pricingTab")

BROKEN = "version: 1\nmodels:\n  openai/gpt-4o:\n    prise:\n      input: 2\n"


def test_it_is_found_by_the_names_that_others_rely_on(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel_of(qtbot, bench)
    assert bench.window.pages.currentWidget().objectName() == "pricingTab"
    for kind, name in (
        (QPlainTextEdit, "pricingEditor"),
        (QTableView, "pricingProblems"),
        (QPushButton, "pricingSave"),
        (QWidget, "pricingTab"),
    ):
        found = bench.window.findChild(kind, name)
        assert found is not None
        assert found.accessibleName() != ""


def test_a_fresh_profile_shows_a_commented_file_and_writes_none(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    assert panel.editor.toPlainText() == TEMPLATE
    assert "does not exist yet" in panel.status.text()
    assert panel.problem_list.isHidden()
    close_window(qtbot, bench)
    assert not prices.exists()


def test_a_saved_price_is_in_force(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    assert input_price(bench) == Decimal("2.5")
    write(qtbot, panel, GOOD)
    save(qtbot, panel)
    qtbot.waitUntil(lambda: input_price(bench) == 2)
    assert prices.read_bytes() == GOOD.encode()
    qtbot.waitUntil(lambda: "in use" in panel.status.text())
    write(qtbot, panel, GOOD.replace("2.00", "1.75"))
    save(qtbot, panel)
    qtbot.waitUntil(lambda: input_price(bench) == Decimal("1.75"))
    assert prices.with_name("prices.yaml.bak").read_bytes() == GOOD.encode()


def test_a_broken_file_changes_no_price_and_its_problems_lead_to_their_places(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    qtbot.waitUntil(lambda: input_price(bench) == 2)
    write(qtbot, panel, BROKEN)
    rows = [panel.problems.index(0, column).data() for column in range(3)]
    assert rows[:2] == ["4", "5"]
    assert rows[2] == "unknown field 'prise', did you mean 'price'?"
    marked = [mark.cursor.selectedText() for mark in panel.editor.extraSelections()]
    assert marked == ["prise:"]
    qtbot.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(bench.costs.service.problems))
    assert prices.read_text() == BROKEN
    assert input_price(bench) == 2
    number = len(panel.problems.rows)
    words = "1 problem" if number == 1 else f"{number} problems"
    assert panel.status.text() == f"✗ Saved but not in use: {words}. The previous prices stay in use."
    assert not notices(bench)  # the page says it, with the list
    assert "saved" not in bench.window.statusBar().currentMessage()
    panel.problem_list.setFocus()
    panel.problem_list.setCurrentIndex(panel.problems.index(0, 0))
    QTest.keyClick(panel.problem_list, Qt.Key.Key_Return)
    cursor = panel.editor.textCursor()
    assert (cursor.blockNumber() + 1, cursor.positionInBlock() + 1) == (4, 5)
    write(qtbot, panel, GOOD.replace("2.00", "3"))
    qtbot.waitUntil(panel.problem_list.isHidden)
    save(qtbot, panel)
    qtbot.waitUntil(lambda: input_price(bench) == 3)
    bench.window.actions_by_name["focus_prompt"].trigger()
    prices.write_text(BROKEN)
    bench.costs.service.reload_prices()
    qtbot.waitUntil(lambda: "problem" in notices(bench))  # nobody sees the page now


def test_the_place_of_a_problem_behind_wide_characters(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = panel_of(qtbot, bench)
    write(qtbot, panel, 'version: 1\nproviders: {"😀": "😀", x: [1]}\n')
    problem = panel.problems.rows[0]
    panel.editor.go_to(problem.line, problem.column)
    assert panel.editor.textCursor().block().text()[problem.column - 1 :].startswith("[1]")
    assert panel.editor.extraSelections()[0].cursor.selectedText().startswith("[1]")


def test_an_edit_outside_is_shown_and_can_be_undone(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    qtbot.waitUntil(lambda: input_price(bench) == 2)
    prices.write_text(GOOD.replace("2.00", "1.50"))
    qtbot.waitUntil(lambda: "1.50" in panel.editor.toPlainText())
    qtbot.waitUntil(lambda: input_price(bench) == Decimal("1.5"))
    assert not panel.editor.unsaved
    notice = next(notice for notice in bench.window.messages.notices if "changed on disk" in notice.text)
    assert "-      input: 2.00  # negotiated\n+      input: 1.50  # negotiated" in notice.details
    panel.undo.click()
    assert panel.editor.toPlainText() == GOOD
    assert panel.editor.unsaved


def test_an_edit_outside_never_takes_away_what_is_not_saved(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    mine, theirs = GOOD.replace("2.00", "1.11"), GOOD.replace("2.00", "1.22")
    write(qtbot, panel, mine)
    prices.write_text(theirs)
    qtbot.waitUntil(lambda: "Nothing was replaced" in notices(bench))
    assert panel.editor.toPlainText() == mine
    qtbot.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert prices.read_text() == theirs
    notice = next(notice for notice in bench.window.messages.notices if "Nothing was replaced" in notice.text)
    take, keep = notice.offers
    take.act()
    assert panel.editor.toPlainText() == theirs
    panel.undo.click()
    assert panel.editor.toPlainText() == mine
    keep.act()
    save(qtbot, panel)
    assert prices.read_text() == mine
    assert prices.with_name("prices.yaml.bak").read_text() == theirs


def test_a_save_that_somebody_else_was_quicker_than_writes_nothing(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    bench.pages.pricing.price_file.blockSignals(True)  # the watch sleeps
    write_without_news = GOOD.replace("2.00", "1.22")
    prices.write_text(write_without_news)
    panel.editor.setPlainText(GOOD.replace("2.00", "1.11"))
    bench.pages.pricing.price_file.blockSignals(False)
    qtbot.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Nothing was replaced" in notices(bench))
    assert prices.read_text() == write_without_news


def test_line_ends_mark_and_spacing_survive(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    before = "\ufeff# mine\r\nversion: 1\nmodels:\r\n  openai/gpt-4o:\r\n    price:   {input: 2.00}  # a\u00a0b\r\n"
    prices.write_bytes(before.encode())
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    assert panel.problem_list.isHidden()
    place = panel.editor.document().find("2.00")
    place.insertText("1.50")
    save(qtbot, panel)
    assert prices.read_bytes() == before.replace("2.00", "1.50").encode()


def test_a_file_that_is_no_text_is_left_alone(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_bytes(b"version: 1\nmodels: \xff\n")
    bench = open_window(profile)
    bench.window.actions_by_name["focus_pricing"].trigger()
    panel = bench.window.findChild(PricingPanel)
    qtbot.waitUntil(lambda: panel.problems.rowCount() == 1)
    assert "UTF-8" in panel.problems.rows[0].message
    assert panel.editor.isReadOnly()
    assert not panel.save.isEnabled()
    prices.write_text(GOOD)
    qtbot.waitUntil(lambda: panel.editor.toPlainText() == GOOD)
    assert not panel.editor.isReadOnly()
    qtbot.waitUntil(lambda: input_price(bench) == 2)


def test_a_file_that_cannot_be_read_is_told_and_read_when_it_can_be(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.mkdir()
    bench = open_window(profile)
    bench.window.actions_by_name["focus_pricing"].trigger()
    panel = bench.window.findChild(PricingPanel)
    qtbot.waitUntil(lambda: "Could not read" in panel.status.text())
    assert panel.editor.isReadOnly()
    assert "Could not read or write" in notices(bench)
    prices.rmdir()
    prices.write_text(GOOD)
    qtbot.waitUntil(lambda: panel.editor.toPlainText() == GOOD)
    assert not panel.editor.isReadOnly()
    qtbot.waitUntil(lambda: "Could not read or write" not in notices(bench))
    qtbot.waitUntil(lambda: bool(bench.costs.service.models) and input_price(bench) == 2)


@pytest.mark.deep
def test_what_is_not_saved_is_there_at_the_next_start(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    draft = GOOD.replace("2.00", "1.11")
    write(qtbot, panel, draft)
    close_window(qtbot, bench)
    assert prices.read_text() == GOOD
    again = open_window(profile)
    panel = panel_of(qtbot, again)
    assert panel.editor.toPlainText() == draft
    assert panel.editor.unsaved
    assert "unsaved price changes are restored" in notices(again)
    panel.undo.click()
    assert panel.editor.toPlainText() == GOOD


@pytest.mark.deep
def test_an_edit_outside_counts_without_the_tab(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models) and bench.pages.pricing._digest is not None)
    bench.pages.pricing.built = False  # create_window makes the page; a started window only when it is looked at
    prices.write_text(GOOD)
    qtbot.waitUntil(lambda: input_price(bench) == 2)


def test_the_keyboard_alone_will_do(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    bench = open_window(profile)
    panel = panel_of(qtbot, bench)
    bench.window.activateWindow()
    panel.editor.setFocus()
    panel.editor.setPlainText("version: 1\nmodels:\n  openai/gpt-4o:")
    cursor = panel.editor.textCursor()
    cursor.movePosition(cursor.MoveOperation.End)
    panel.editor.setTextCursor(cursor)
    QTest.keyClick(panel.editor, Qt.Key.Key_Return)
    QTest.keyClicks(panel.editor, "pri")
    assert panel.editor.completion.shown
    names = panel.editor.completion.names
    assert [names.item(row).text() for row in range(names.rowCount())] == ["price"]
    QTest.keyClick(panel.editor.completion._completer.popup(), Qt.Key.Key_Tab)
    assert panel.editor.toPlainText().endswith("  openai/gpt-4o:\n    price:")
    QTest.keyClick(panel.editor, Qt.Key.Key_Return)
    QTest.keyClicks(panel.editor, "input: 1.25")
    QTest.keyClick(panel.editor.completion._completer.popup(), Qt.Key.Key_Escape)
    assert panel.editor.toPlainText().endswith("    price:\n      input: 1.25")
    QTest.keyClick(panel.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: input_price(bench) == Decimal("1.25"))
    assert prices.read_text().endswith("input: 1.25")
    QTest.keyClick(panel.editor, Qt.Key.Key_Tab)
    assert bench.window.focusWidget() is not panel.editor


def form_of(qtbot: QtBot, bench: Application, model_id: str = "openai/gpt-4o") -> PricingPanel:
    """The tab with the form of a model that was chosen in the cost table."""
    panel = panel_of(qtbot, bench)
    table = bench.costs.panel.table
    qtbot.waitUntil(lambda: table.show_model(model_id))
    bench.costs.panel.commands.edit_prices.trigger()
    qtbot.waitUntil(lambda: panel.form._facts is not None and panel.form._facts.model_id == model_id)
    assert panel.form.model_id == model_id
    return panel


def cells(panel: PricingPanel, path: str) -> tuple[str, str, str]:
    """The row of a value, as it is shown."""
    row = next(row for row, fact in enumerate(panel.form.facts.rows) if fact.path == path)
    return tuple(panel.form.facts.index(row, column).data() for column in range(3))


def test_a_narrow_form_cuts_origins_not_values(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel = form_of(qtbot, bench)
    table = panel.form.table
    bench.window.resize(900, 600)
    qtbot.waitUntil(lambda: table.viewport().width() < 450)
    value = max(table.fontMetrics().horizontalAdvance(table.model().index(row, 1).data()) for row in range(3))
    assert table.columnWidth(1) > value
    assert sum(map(table.columnWidth, range(3))) <= table.viewport().width()


def test_a_value_that_is_cut_is_shown_whole_below_the_table(qtbot: QtBot, open_window: OpenWindow):
    panel = form_of(qtbot, open_window())
    panel.form.choose("deepseek/deepseek-chat")
    qtbot.waitUntil(lambda: panel.form._facts is not None and panel.form._facts.model_id == "deepseek/deepseek-chat")
    table, rows = panel.form.table, {fact.path: row for row, fact in enumerate(panel.form.facts.rows)}
    assert panel.form.detail.isHidden()
    table.setCurrentIndex(panel.form.facts.index(rows["price.history"], 1))
    assert not panel.form.detail.isHidden()
    *history, last = panel.form.detail.text().split("\n")
    assert history == panel.form.facts.row_at(rows["price.history"]).shown.split("; ")
    assert len(history) > 1
    assert last == "This value spans several lines. Edit it as YAML."
    qtbot.waitUntil(lambda: table.viewport().rect().contains(table.visualRect(table.currentIndex())))
    table.setCurrentIndex(panel.form.facts.index(rows["price.input"], 1))
    assert panel.form.detail.isHidden()


def type_value(panel: PricingPanel, path: str, typed: str) -> None:
    """Change a value as the keyboard does."""
    row = next(row for row, fact in enumerate(panel.form.facts.rows) if fact.path == path)
    index = panel.form.facts.index(row, 1)
    panel.form.table.setCurrentIndex(index)
    QTest.keyClick(panel.form.table, Qt.Key.Key_F2)
    # The one of a value changed before may still wait for its end.
    field = panel.form.table.findChildren(QLineEdit)[-1]
    field.setText(typed)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_the_form_tells_every_value_with_who_set_it(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    panel = form_of(qtbot, open_window(profile))
    assert cells(panel, "price.input") == ("Input", "2", "yours, line 6")
    title, value, origin = cells(panel, "price.output")
    assert (title, value) == ("Output", "10")
    assert origin.startswith("built in, openai.yaml:")
    assert cells(panel, "price.reasoning") == ("Reasoning", "", "not set")
    assert panel.form.source.text().startswith("developers.openai.com/")
    assert "Checked" in panel.form.age.text()


def test_a_value_changed_in_the_form_is_one_line_of_the_text_and_one_step_of_undo(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_bytes(GOOD.replace("\n", "\r\n").encode())
    bench = open_window(profile)
    panel = form_of(qtbot, bench)
    type_value(panel, "price.input", "1.75")
    qtbot.waitUntil(lambda: cells(panel, "price.input")[1] == "1.75")
    assert panel.editor.toPlainText() == GOOD.replace("2.00", "1.75")
    QTest.keyClick(panel.form.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert panel.editor.toPlainText() == GOOD
    qtbot.waitUntil(lambda: cells(panel, "price.input")[1] == "2")
    panel.redo.click()
    save(qtbot, panel)
    assert prices.read_bytes() == GOOD.replace("\n", "\r\n").replace("2.00", "1.75").encode()
    qtbot.waitUntil(lambda: input_price(bench) == Decimal("1.75"))


@pytest.mark.deep
def test_what_is_no_value_is_refused_in_words(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    bench = open_window(profile)
    panel = form_of(qtbot, bench)
    type_value(panel, "price.input", "cheap")
    qtbot.waitUntil(lambda: "expected a number (got 'cheap')" in notices(bench))
    assert panel.editor.toPlainText() == GOOD
    type_value(panel, "price.input", "n/a")
    qtbot.waitUntil(lambda: cells(panel, "price.input") == ("Input", "n/a", "yours, line 6"))
    assert "The value was not accepted" not in notices(bench)


@pytest.mark.deep
def test_del_brings_the_built_in_value_back(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text(GOOD)
    panel = form_of(qtbot, open_window(profile))
    panel.form.table.setCurrentIndex(panel.form.facts.index(0, 1))
    QTest.keyClick(panel.form.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: cells(panel, "price.input")[1] == "2.50")
    assert panel.editor.toPlainText() == "# mine\nversion: 1\nmodels:\n"
    assert not panel.form.reset.isEnabled()


def test_a_hidden_model_can_be_brought_back(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    prices.write_text("version: 1\nmodels:\n  openai/gpt-4o: null\n")
    panel = panel_of(qtbot, open_window(profile))
    panel.form.choose("openai/gpt-4o")
    qtbot.waitUntil(lambda: "hides this model" in panel.form.about.text())
    panel.form.forget.click()
    qtbot.waitUntil(lambda: panel.form.facts.rowCount() > 0)
    assert panel.editor.toPlainText() == "version: 1\nmodels:\n"


def test_old_facts_are_called_old(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    bench = open_window(profile)
    panel = form_of(qtbot, bench)
    for days, words in ((10, "10 days ago"), (30, "30 days ago, ageing"), (90, "90 days ago, old")):
        day = bench.costs.service.today - timedelta(days)
        type_value(panel, "checked", day.isoformat())
        qtbot.waitUntil(lambda words=words: panel.form.age.text().endswith(words))


def test_a_text_with_mistakes_leaves_the_form_as_it_was(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD)
    panel = form_of(qtbot, open_window(profile))
    write(qtbot, panel, BROKEN)
    assert cells(panel, "price.input")[1] == "2"
    assert not panel.form.table.isEnabled()
    assert "Fix the text" in panel.form.remark.text()
    write(qtbot, panel, GOOD.replace("2.00", "3"))
    assert panel.form.table.isEnabled()
    assert cells(panel, "price.input")[1] == "3"


def test_the_page_begins_with_the_model_of_the_header(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    bench.window.actions_by_name["focus_pricing"].trigger()
    panel = bench.window.findChild(PricingPanel)
    qtbot.waitUntil(lambda: panel.form.facts.rowCount() > 0)
    assert panel.form.model_id == bench.costs.reference_model().id


def test_problems_get_the_width_of_their_list(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.window.resize(900, 600)
    panel = panel_of(qtbot, bench)
    write(qtbot, panel, BROKEN)
    table = panel.problem_list
    qtbot.waitUntil(table.isVisible)
    qtbot.waitUntil(lambda: table.columnWidth(2) > 2 * (table.columnWidth(0) + table.columnWidth(1)))


def test_a_model_with_a_long_name_is_shown_from_its_start(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.window.resize(700, 500)
    panel = panel_of(qtbot, bench)
    panel.form.choose("bedrock/anthropic.claude-opus-4-1-20250805-v1:0")
    assert panel.form.picker.lineEdit().cursorPosition() == 0
    assert panel.form.picker.currentText().startswith("Claude")
