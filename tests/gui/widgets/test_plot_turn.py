"""Plots are drawn one in a turn."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.runtime.event_loop import PlotTurn


@pytest.fixture
def log():
    return []


@pytest.fixture
def theme(qapp):
    return Theme("light", "normal")


@pytest.fixture
def plots(theme, log):
    """Three of them, each with its turns."""
    widgets = [QWidget() for _ in range(3)]
    return [
        (widget, PlotTurn(theme, widget, lambda number=number: log.append(number)))
        for number, widget in enumerate(widgets)
    ]


def test_the_first_is_drawn_at_once_and_each_of_the_others_once_however_often_it_asks(qtbot, plots, log):
    for _ in range(2):
        for _, turn in plots:
            turn.ask()
    assert log == [0]
    qtbot.waitUntil(lambda: len(log) == 4)
    assert log == [0, 1, 2, 0], "the first asked again after it was drawn"


def test_plots_of_another_window_do_not_wait(plots, log):
    widget, theme = QWidget(), Theme("light", "normal")
    plots[0][1].ask()
    PlotTurn(theme, widget, lambda: log.append("there")).ask()
    assert log == [0, "there"]


def test_one_that_is_gone_is_not_drawn(qtbot, plots, log):
    for _, turn in plots:
        turn.ask()
    plots[1][0].deleteLater()
    QCoreApplication.sendPostedEvents(plots[1][0], QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: 2 in log)
    assert log == [0, 2]


def test_a_window_on_its_way_out_draws_nothing(theme, plots, log):
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(theme, QEvent.Type.DeferredDelete)
    plots[0][1].ask()
    assert log == []
