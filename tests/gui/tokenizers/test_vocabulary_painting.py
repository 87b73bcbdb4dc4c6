"""Rows of the vocabulary table look as Qt would draw them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView

from gui.tokenizers.vocabulary.table import LENGTH, VocabularyTable
from tests.gui.tokenizers.vocabulary_windows import browse

pytestmark = pytest.mark.pages("vocabularyTab")

MAX_DIFFERENT = 0.005
"""Of all dots: letters may stand between two dots otherwise than in Qt's layout. Without its text a row differs by
several times as much."""


def dots(panel) -> list[int]:
    image = panel.table.viewport().grab().toImage()
    return [image.pixel(x, y) for y in range(image.height()) for x in range(image.width())]


def difference(one: list[int], other: list[int]) -> float:
    return sum(a != b for a, b in zip(one, other, strict=True)) / len(one)


def pictures(panel, monkeypatch) -> tuple[list[int], list[int]]:
    """As the table draws itself, and as Qt draws it."""
    own = dots(panel)
    with monkeypatch.context() as patch:
        patch.setattr(VocabularyTable, "paintEvent", QTableView.paintEvent)
        return own, dots(panel)


@pytest.mark.deep
def test_rows_look_as_qt_draws_them(qtbot, open_window, monkeypatch):
    panel = browse(qtbot, open_window(), "r50k_base")
    first, by_qt = pictures(panel, monkeypatch)
    assert difference(first, by_qt) < MAX_DIFFERENT
    panel.table.selectRow(3)
    selected, by_qt = pictures(panel, monkeypatch)
    assert difference(selected, by_qt) < MAX_DIFFERENT < difference(selected, first)
    panel.table.sortByColumn(LENGTH, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: panel.model.row_at(0) != 0)
    longest, by_qt = pictures(panel, monkeypatch)
    assert difference(longest, by_qt) < MAX_DIFFERENT < difference(longest, selected)


@pytest.mark.deep
def test_rows_look_as_qt_draws_them_from_right_to_left(qtbot, open_window, monkeypatch):
    panel = browse(qtbot, open_window(), "r50k_base")
    as_written = dots(panel)
    panel.table.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    panel.table.sortByColumn(LENGTH, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: panel.model.row_at(0) != 0)
    mirrored, by_qt = pictures(panel, monkeypatch)
    assert difference(mirrored, by_qt) < MAX_DIFFERENT < difference(mirrored, as_written)


@pytest.mark.deep
def test_all_rows_selected_and_another_font(qtbot, open_window, monkeypatch):
    panel = browse(qtbot, open_window(), "r50k_base")
    font = panel.table.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    panel.table.setFont(font)
    bigger, by_qt = pictures(panel, monkeypatch)
    assert difference(bigger, by_qt) < MAX_DIFFERENT
    panel.table.selectAll()
    selected, by_qt = pictures(panel, monkeypatch)
    assert difference(selected, by_qt) < MAX_DIFFERENT < difference(selected, bigger)
