"""The tables of an outcome: measured when they are made, not whenever they are as wide as something else."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.lab.experiments.card import ResultTable
from gui.lab.lab_outcome import OutcomeTable, ResultModel
from gui.look.theme import Theme
from tests.gui.questions import roles_asked

ROWS = tuple(("many words " * 9, f"{row:,}", "…") for row in range(30))
TABLE = ResultTable("Lines", ("Text", "Tokens", "Rest"), ROWS, frozenset({1}))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The roles for which models were asked."""
    return roles_asked(monkeypatch, ResultModel)


def test_another_size_shares_the_room_without_a_question_to_the_model(qtbot: QtBot, asked: list[int]) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    table = OutcomeTable(ResultModel(TABLE), "Lines", Theme("light"), page)
    assert asked
    with qtbot.waitExposed(page):
        page.show()
    table.viewport().setUpdatesEnabled(False)  # what is asked for to paint is not counted
    asked.clear()
    widths = []
    for width in (900, 300, 1200):
        table.resize(width, table.height())
        QApplication.processEvents()
        widths.append([table.columnWidth(column) for column in range(3)])
    assert not asked
    narrow, wide = widths[1], widths[2]
    assert 300 // 3 < narrow[0] < wide[0], "a third of the room, and what the others leave"
    assert widths[0][0] == wide[0], "all of a text, where there is room"
    assert sum(wide) == table.viewport().width()
    font = table.font()
    font.setPointSizeF(2 * font.pointSizeF())
    table.setFont(font)
    assert asked
    assert table.columnWidth(1) > wide[1]


def test_a_table_that_was_narrow_shows_its_words_once_there_is_room(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    rows = (("Tokens per second, on this machine", "70,731,377"),)
    table = OutcomeTable(
        ResultModel(ResultTable("", ("Figure", "Value"), rows, frozenset({1}))), "", Theme("light"), page
    )
    layout = QVBoxLayout(page)
    layout.addWidget(table)
    page.resize(800, 200)
    with qtbot.waitExposed(page):
        page.show()
    assert table.columnWidth(0) >= table.sizeHintForColumn(0)
    assert table.columnWidth(0) + table.columnWidth(1) < 400, "figures stay near their words"
