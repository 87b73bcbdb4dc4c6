"""Rows of a comparison: long ones are wrapped in turns of the event loop, and none is lost."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.core.token_diff import DiffRow
from gui.core.token_text import ADDED, Run
from gui.prompt.versions.comparison import SLICE, DiffTableModel

ROWS = 40
ROOM = 50


def long_rows() -> list[DiffRow]:
    """Rows of together five slices."""
    text = "word " * (SLICE // 8 // len("word "))
    return [DiffRow(number, number, (Run(text),), (Run(text, ADDED),)) for number in range(1, ROWS + 1)]


def test_wrapping_takes_several_turns_and_keeps_everything(qtbot: QtBot):
    model = DiffTableModel(QLocale())
    model.set_room(ROOM, lambda character: 1)
    rows = long_rows()
    model.set_rows(rows)
    assert 0 < model.wrapped < ROWS
    assert model.rowCount() == model.first_of(model.wrapped)
    qtbot.waitUntil(lambda: model.wrapped == ROWS)
    assert model.rowCount() == model.first_of(ROWS)
    for number, row in enumerate(rows):
        parts = model.rows[model.first_of(number) : model.first_of(number + 1)]
        assert "".join(run.text for part in parts for run in part.after) == row.after[0].text
        assert {model.whole_row(model.first_of(number) + offset) for offset in range(len(parts))} == {number}


def test_new_rows_replace_those_that_still_wait(qtbot: QtBot):
    model = DiffTableModel(QLocale())
    model.set_room(ROOM, lambda character: 1)
    model.set_rows(long_rows())
    short = [DiffRow(1, 1, (Run("a"),), (Run("b", ADDED),))]
    model.set_rows(short)
    QApplication.processEvents()
    assert model.rows == short
    model.set_rows(long_rows())
    model.set_room(2 * ROOM, lambda character: 1)
    qtbot.waitUntil(lambda: model.wrapped == ROWS)
    assert model.rowCount() == model.first_of(ROWS)
