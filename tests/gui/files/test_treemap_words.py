"""What is written on the tiles of the map."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetrics
from pytestqt.qtbot import QtBot

from gui.files.treemap import fitting_lines

LINES = ("a-rather-long-name.txt", "1,234,567", "5.3%")


def test_a_figure_is_whole_or_left_out(qtbot: QtBot) -> None:
    metrics = QFontMetrics(QFont())
    for width in range(1, metrics.horizontalAdvance(LINES[0]) + 2):
        name, *figures = fitting_lines(LINES, metrics, width)
        assert name == LINES[0] or "…" in name or not name
        assert figures == [line for line in LINES[1:] if metrics.horizontalAdvance(line) <= width]


def test_where_there_is_room_everything_is_written(qtbot: QtBot) -> None:
    assert fitting_lines(LINES, QFontMetrics(QFont()), 10_000) == list(LINES)
