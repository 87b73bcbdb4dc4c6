"""In a window that reads from the right, numbers are written as everywhere: signs, units, digits keep their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QLocale, QModelIndex, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QLabel, QStyleOptionViewItem, QTableView, QWidget
from pytestqt.qtbot import QtBot

from gui.core.figures import Run
from gui.costs.columns import COLUMN_INDEX
from gui.costs.cost_table import CellLooks, CostCells, CostTableModel
from gui.costs.money_text import CostText
from gui.look.theme import Theme
from gui.widgets.delegates import TextDelegate
from gui.widgets.labels import RemarkLabel, StatusLine
from gui.widgets.tables import FittedTable
from gui.window.header import ContextMeter, DocumentName, KeyFigure
from tests.gui.cost_samples import TODAY, rows
from tests.gui.widgets.test_text_delegate import Rows

LEFT, RIGHT = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft


def ink(picture: QImage, line: int = 1000) -> tuple[QRect, QImage]:
    """Where something is drawn above a line, and a picture of that alone."""
    ground = picture.pixelColor(picture.width() - 1, picture.height() - 1)
    found = [
        (x, y)
        for x in range(picture.width())
        for y in range(min(line, picture.height()))
        if picture.pixelColor(x, y) != ground
    ]
    xs, ys = zip(*found, strict=True)
    place = QRect(min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)
    return place, picture.copy(place)


def are_alike(one: QImage, other: QImage) -> bool:
    """Whether two pictures show the same, except for parts of a pixel by which glyphs are shifted."""
    small = [
        picture.scaled(40, 8, mode=Qt.TransformationMode.SmoothTransformation).convertedTo(
            QImage.Format.Format_Grayscale8
        )
        for picture in (one, other)
    ]
    places = [(x, y) for x in range(40) for y in range(8)]
    return sum(abs(small[0].pixel(x, y) % 256 - small[1].pixel(x, y) % 256) for x, y in places) < 25 * len(places)


def grabbed(widget: QWidget, direction: Qt.LayoutDirection, width: int) -> QImage:
    widget.setLayoutDirection(direction)
    widget.resize(width, widget.sizeHint().height())
    return widget.grab().toImage()


def test_key_figures_stand_at_the_right_and_are_read_from_the_left(qtbot: QtBot):
    theme = Theme("light", "normal")
    figure = KeyFigure(theme, "figure", "")
    qtbot.addWidget(figure)
    figure.show_figure((Run("$0.000", strong=False), Run("334")))
    (left, as_written), (right, mirrored) = (ink(grabbed(figure, way, 300)) for way in (LEFT, RIGHT))
    assert are_alike(as_written, mirrored)
    assert left.left() < 20
    assert right.right() > 280
    figure.show_figure((Run("$0.000", strong=False), Run("334")), "exact")
    marked, _picture = ink(grabbed(figure, RIGHT, 300))
    assert marked.right() == right.right(), "the dot stands behind the number, at its left"
    assert marked.left() < right.left() - 5


def test_the_bar_of_the_context_is_not_drawn_over_its_share(qtbot: QtBot):
    meter = ContextMeter(Theme("light", "normal"))
    qtbot.addWidget(meter)
    meter.set_model("A", 272_000)
    meter.set_tokens(2_720)
    meter.bar.hide()
    number, _picture = ink(grabbed(meter, RIGHT, meter.sizeHint().width()), 24)
    assert meter.bar.geometry().right() < number.left()


def test_the_name_of_the_document_keeps_its_distance(qtbot: QtBot):
    holder = QWidget(layoutDirection=RIGHT)
    qtbot.addWidget(holder)
    document = DocumentName(Theme("light", "normal"), holder)
    document.show_document("Untitled prompt", "Edited", modified=True)
    label = document.findChild(QLabel, "headerDocument")
    document.ensurePolished()
    document.layout().activate()
    assert label.geometry().left() >= 14
    assert label.geometry().right() >= document.width() - 2


def test_amounts_of_the_cost_table_keep_their_order(qtbot: QtBot):
    theme, model = Theme("light", "normal"), CostTableModel(CostText(QLocale.c()), TODAY)
    table = QTableView()
    qtbot.addWidget(table)
    model.set_rows(rows(), 1000, TODAY, TODAY)
    cells = CostCells(theme, CellLooks(model), table, bars=False)
    for key in ("tokens", "total"):
        pictures = []
        for way in (LEFT, RIGHT):
            picture = QImage(200, 28, QImage.Format.Format_RGB32)
            picture.fill(Qt.GlobalColor.white)
            option = QStyleOptionViewItem()
            option.initFrom(table)
            option.widget, option.rect, option.direction = table, QRect(0, 0, 200, 28), way
            with QPainter(picture) as painter:
                painter.setLayoutDirection(way)
                cells.paint(painter, option, model.index(0, COLUMN_INDEX[key]))
            pictures.append(ink(picture))
        (left, as_written), (right, mirrored) = pictures
        assert left.right() > 180, key
        assert right.left() < 20, key
        if key == "total":
            assert are_alike(as_written, mirrored)


def test_figures_of_other_tables_are_kept_together(qtbot: QtBot):
    model, table = Rows(), FittedTable("table")
    qtbot.addWidget(table)
    model.set_rows([("246 KB", "246 KB")])
    for delegate in (TextDelegate(model, table), table.itemDelegate()):
        texts = []
        for direction in (LEFT, RIGHT):
            for column in (0, 1):
                option = QStyleOptionViewItem()
                option.direction = direction
                delegate.initStyleOption(option, model.index(0, column, QModelIndex()))
                texts.append(option.text)
        assert texts == ["246 KB", "246 KB", "246 KB", "\u2066246 KB\u2069"]


@pytest.fixture
def mirror(qapp: QApplication) -> Iterator[Callable[[Qt.LayoutDirection], None]]:
    yield qapp.setLayoutDirection  # a painter draws in the direction of the application
    qapp.setLayoutDirection(LEFT)


def test_lines_that_labels_paint_read_as_they_are_written(qtbot: QtBot, mirror: Callable[[Qt.LayoutDirection], None]):
    label, line = RemarkLabel("label"), StatusLine("line")
    label.setText("−38%")
    line.set_text("246 KB of 3 files")
    for widget in (label, line):
        qtbot.addWidget(widget)
        pictures = []
        for way in (LEFT, RIGHT):
            mirror(way)
            pictures.append(ink(grabbed(widget, way, 300)))
        (left, as_written), (right, mirrored) = pictures
        assert are_alike(as_written, mirrored), widget.objectName()
        assert left.left() < 20
        assert right.right() > 280
