"""The axis that is painted quickly looks like that of pyqtgraph."""

from __future__ import annotations

import pyqtgraph as pg
import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from gui.widgets.plots import PlotAxis


class View(pg.GraphicsLayoutWidget):
    """Two axes with a grid and no data."""

    def __init__(self, kind):
        super().__init__()
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.axes = [kind("left"), kind("bottom")]
        self.addItem(self.axes[0], 0, 0)
        self.addItem(self.box, 0, 1)
        self.addItem(self.axes[1], 1, 1)
        for axis in self.axes:
            axis.linkToView(self.box)
            axis.setGrid(64)
            axis.setPen(QColor("#555"))
        self.resize(431, 307)


def picture(view, scale):
    image = QImage(view.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(QColor("white"))
    painter = QPainter(image)
    view.render(painter)
    painter.end()
    return image


@pytest.fixture
def views(qtbot):
    views = View(pg.AxisItem), View(PlotAxis)
    for view in views:
        qtbot.addWidget(view)
        view.show()
    return views


@pytest.mark.deep
@pytest.mark.parametrize("scale", [1, 1.25, 2])
@pytest.mark.parametrize("ends", [(0, 10), (0.13, 0.91), (-3, 50_000)])
def test_it_draws_the_same_to_the_pixel(qtbot, views, scale, ends):
    for view in views:
        view.setBackground("w")
        view.box.setRange(xRange=ends, yRange=ends, padding=0)
        view.grab()
    theirs, ours = (picture(view, scale) for view in views)
    assert theirs == ours
    views[1].resize(300, 200)
    assert picture(views[1], scale) != ours, "and is worked out anew"


def test_dashes_are_left_to_qt(views):
    pen = pg.mkPen("k", style=pg.QtCore.Qt.PenStyle.DashLine)
    for view in views:
        for axis in view.axes:
            axis.setTickPen(pen)
        view.grab()
    theirs, ours = (picture(view, 1) for view in views)
    assert theirs == ours


def test_without_room_there_is_nothing_to_draw(views):
    axis = views[1].axes[1]
    views[1].grab()
    axis.generateDrawSpecs = lambda _painter: None
    axis.picture = None
    views[1].grab()
    assert axis.picture == ()
