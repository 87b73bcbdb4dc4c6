"""One sitting at the window, from the first key to ten megabytes and a broken price file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTableView
from pytestqt.qtbot import QtBot

import engine
from benchmarks.editor_text import mixed_text
from gui.window.application import Application
from tests.gui.conftest import OpenWindow

SEVEN_MISTAKES = """\
version: 1
modles: {}
models:
  openai/gpt-4.1:
    price:
      inpt: 2
      output: $8
      cached: 0,50
    context: many
    checked: yesterday
  openai/gpt-4o:
    price: {input: -1}
"""


def counted(qtbot: QtBot, bench: Application, text: str) -> None:
    """Wait for the figures of this text in every encoding; they must be the engine's."""
    size = len(text.encode("utf-16-le")) // 2

    def done() -> bool:
        counts = bench.prompt.counts
        return (
            counts is not None and counts.statistics.utf16_units == size and counts.complete and not bench.prompt.stale
        )

    qtbot.waitUntil(done)
    counts = bench.prompt.counts
    assert counts is not None
    assert counts.tokens == engine.get_encoding(counts.encoding).count(text)
    assert bench.panel.editor.token_count == counts.tokens


@pytest.mark.deep
def test_a_sitting(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    editor = bench.window.findChild(QPlainTextEdit, "promptEditor")
    table = bench.window.findChild(QTableView, "costTable")
    assert editor is not None
    assert table is not None
    qtbot.waitUntil(lambda: table.model().rowCount() > 50)

    editor.selectAll()
    qtbot.keyClicks(editor, "Wie viele Tokens?")
    counted(qtbot, bench, "Wie viele Tokens?")

    text = mixed_text(10_000_000)
    QApplication.clipboard().setText(text)
    editor.selectAll()
    qtbot.keySequence(editor, QKeySequence.StandardKey.Paste)
    counted(qtbot, bench, text)
    assert editor.toPlainText() == text

    picker = bench.window.findChild(QComboBox, "encodingPicker")
    assert picker is not None
    picker.setCurrentIndex(picker.findText("cl100k_base", Qt.MatchFlag.MatchStartsWith))
    bench.theme.set_mode("dark")
    counted(qtbot, bench, text)
    assert bench.prompt.counts.encoding == "cl100k_base"

    table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    field = bench.window.findChild(QLineEdit, "costFilter")
    assert field is not None
    qtbot.keyClicks(field, "gpt-4o mini")
    qtbot.waitUntil(lambda: table.model().rowCount() == 1)
    table.selectRow(0)
    table.setFocus()
    qtbot.keySequence(table, QKeySequence.StandardKey.Copy)
    header, row = QApplication.clipboard().text().strip().split("\n")
    assert "GPT-4o mini" in row
    assert len(header.split("\t")) == len(row.split("\t"))

    editor.undo()
    counted(qtbot, bench, "Wie viele Tokens?")


@pytest.mark.deep
def test_a_broken_price_file_keeps_the_good_prices_and_is_told(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    profile = tmp_path / "profile"
    profile.mkdir()
    prices = profile / "prices.yaml"
    prices.write_text("version: 1\nmodels:\n  openai/gpt-4.1:\n    price: {input: 1.75}\n")
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.rows))

    def price() -> str:
        (model,) = (model for model in bench.costs.service.models if model.id == "openai/gpt-4.1")
        return str(model.price.input)

    assert price() == "1.75"
    with qtbot.waitSignal(bench.window.destroyed):
        bench.window.close()
    prices.write_text(SEVEN_MISTAKES)
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bool(bench.costs.service.rows))
    assert price() == "1.75"
    problems = bench.costs.service.problems
    assert len(problems) == 7
    assert all(problem.line and problem.column for problem in problems)
    (told,) = (notice for notice in bench.window.messages.notices if "price" in notice.text)
    assert "last valid version" in told.text
    assert told.details.count("prices.yaml:") == 7
