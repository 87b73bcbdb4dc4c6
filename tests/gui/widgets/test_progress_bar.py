"""A bar that does not have the window painted each time it moves."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.bars import ProgressBar, ReachableProgressBar
from tests.gui.paints import Paints


@pytest.mark.parametrize("kind", [ProgressBar, ReachableProgressBar])
def test_nothing_is_painted_before_its_turn(qtbot: QtBot, kind: type[ProgressBar]) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    bar, label = kind(), QLabel("much to paint")
    column = QVBoxLayout(page)
    column.addWidget(bar)
    column.addWidget(label)
    with qtbot.waitExposed(page):
        page.show()
    QApplication.processEvents()
    paints, others = Paints(bar), Paints(label)
    label.update()
    bar.setRange(0, 1000)
    bar.setValue(700)
    bar.setRange(0, 0)  # where the value is out of the range, Qt paints for this, too
    bar.setRange(0, 50)
    bar.setValue(7)
    assert (bar.minimum(), bar.maximum(), bar.value()) == (0, 50, 7)
    assert not paints.count
    assert not others.count
    QApplication.processEvents()
    assert paints.count == 1
    assert others.count == 1
    bar.setValue(7)
    bar.setRange(0, 50)
    QApplication.processEvents()
    assert paints.count == 1
